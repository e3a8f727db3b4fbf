/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FILE_INPUT_H
#define FGTI_FILE_INPUT_H

/* The source of a file's bytes: a path, a block of memory, or functions of the host (fgt_reader). The
 * constructors fill the struct and allocate nothing. All other calls work in the same way for all three.
 *
 * Files are never mapped into memory, because another process may shorten or rewrite a file while it is read.
 * In a mapping this would be a SIGBUS, or a value that changes between its check and its use. So each byte is
 * copied into the library's own memory before it is checked. */

#include <stdbool.h>

#include "core/status.h"

/* Most pieces of the part that is held in memory. Each piece is as large as all earlier pieces together. So
 * 48 pieces hold any file, and no byte is copied twice. */
#define FGTI_INPUT_PIECES 48

typedef struct fgti_input {
    const char *name;   /* name for error texts: the path, or the name that the host gives; borrowed */
    const char *path;   /* NULL: the source is memory or a reader */
    const char *memory; /* the source if path and reader.read are NULL; NULL is allowed if size is 0 */
    fgt_reader  reader; /* the source if its `read` is not NULL */
    int64_t     size;   /* bytes; -1: not known, which only a reader may have */
    bool        trusted; /* set by the caller: the hash is not checked */

    /* The next fields are valid from open to close. */
    fgt_context *ctx;
    int          fd;
    char        *piece[FGTI_INPUT_PIECES];
    int64_t      piece_size[FGTI_INPUT_PIECES];
    int          pieces;
    int64_t      held; /* offset in the file of the first byte in the pieces */
} fgti_input;

void fgti_input_path(const char *path, fgti_input *in);
/* Makes an input from the fgt_input of a public call. FGT_E_ARG, FGT_E_VERSION. */
fgt_status fgti_input_from(fgti_error *err, const fgt_input *from, fgti_input *in);
/* Makes an input from memory, which is borrowed. The memory must not change until the input is closed.
 * FGT_E_ARG. */
fgt_status fgti_input_memory(fgti_error *err, const void *data, int64_t size, fgti_input *in);
/* Makes an input from functions of the host. FGT_E_ARG, FGT_E_VERSION. */
fgt_status fgti_input_reader(fgti_error *err, const fgt_reader *reader, fgti_input *in);

/* Opens a path and finds its size. Memory and readers need no opening. FGT_E_IO: nothing is open. */
fgt_status fgti_input_open(fgt_context *ctx, fgti_input *in);
void       fgti_input_close(fgti_input *in);

/* Copies `bytes` bytes from `offset` on, or fewer if the input ends there. *got: how many. FGT_E_IO. */
fgt_status fgti_input_get(const fgti_input *in, int64_t offset, int64_t bytes, void *out, int64_t *got);
/* Copies exactly `bytes` bytes. FGT_E_FORMAT: the input has fewer. */
fgt_status fgti_input_read(const fgti_input *in, int64_t offset, int64_t bytes, void *out);

/* Copies the bytes [offset, offset + bytes) into memory. Later reads of these bytes use the copy. So they
 * cannot fail, and they always see the same bytes. The memory grows as bytes arrive, to at most twice the
 * bytes that arrived. An input that is memory already needs no copy. FGT_E_IO, FGT_E_FORMAT, FGT_E_NOMEM. */
fgt_status fgti_input_hold(fgti_input *in, int64_t offset, int64_t bytes);

/* Whether the size of the input may be wrong, because only the host has told it. */
static inline bool fgti_input_doubtful(const fgti_input *in)
{
    return in->reader.read != NULL;
}

#endif
