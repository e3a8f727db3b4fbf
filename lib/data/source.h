/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SOURCE_H
#define FGTI_SOURCE_H

/* Bytes of a file, block by block; gzip is undone on the way. */

#include "core/status.h"

typedef struct fgti_source fgti_source;

/* path is borrowed until the source is closed. */
fgt_status fgti_source_open(fgt_context *ctx, const char *path, fgti_source **out);
/* The next bytes, valid until the next call; *size is 0 at the end. */
fgt_status fgti_source_read(fgti_source *source, const char **data, size_t *size);
/* Share of the file that has been read, 0 .. 1; 0 when its size is not known (a pipe). */
double fgti_source_progress(const fgti_source *source);
/* Takes the handle's address, nulls it, accepts NULL. */
void fgti_source_close(fgti_source **source);

#endif
