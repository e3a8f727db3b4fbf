/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_READER_H
#define FGTI_READER_H

/* Reads the bytes of a file block by block. Decompresses gzip. */

#include "core/status.h"

typedef struct fgti_reader fgti_reader;

/* `path` is borrowed until the reader is closed. */
fgt_status fgti_reader_open(fgt_context *ctx, const char *path, fgti_reader **out);
/* Gets the next bytes, which are valid until the next call. *size is 0 at the end of the file. */
fgt_status fgti_reader_read(fgti_reader *reader, const char **data, size_t *size);
/* Share of the file that has been read, 0 .. 1. It is 0 if the size of the file is not known (a pipe). */
double fgti_reader_progress(const fgti_reader *reader);
/* Sets *reader to NULL. *reader may be NULL. */
void fgti_reader_close(fgti_reader **reader);

#endif
