/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FILE_INPUT_H
#define FGTI_FILE_INPUT_H

/* Where the bytes of a file come from: a path, a block of memory, or functions of the host (fgt_reader).
 * The three constructors fill the struct and allocate nothing. All other calls treat the three alike.
 *
 * Files are never mapped into memory. Another process may shorten or rewrite a file while it is read: with a
 * mapping that is a SIGBUS, or a value that changes between its check and its use. So every byte is copied
 * into memory of our own before anybody looks at it. */

#include <stdbool.h>

#include "core/status.h"

/* Pieces of the part that is held in memory. Each piece is as large as all before it together, so that 48
 * pieces hold any file and no byte is copied twice. */
#define FGTI_INPUT_PIECES 48

typedef struct fgti_input {
    const char *name;   /* in messages: the path, or what the host calls it; borrowed */
    const char *path;   /* NULL: it is memory or a reader */
    const char *memory; /* with reader.read NULL and path NULL; may be NULL when size is 0 */
    fgt_reader  reader; /* read is NULL: it is none */
    int64_t     size;   /* bytes; -1: not known, only a reader's */
    bool        trusted; /* no hash of it is checked; set by the caller */

    /* from open to close */
    fgt_context *ctx;
    int          fd;
    char        *piece[FGTI_INPUT_PIECES];
    int64_t      piece_size[FGTI_INPUT_PIECES];
    int          pieces;
    int64_t      held; /* offset of the first byte in the pieces */
} fgti_input;

void fgti_input_path(const char *path, fgti_input *in);
/* The memory is borrowed and does not change until the input is closed. FGT_E_ARG. */
fgt_status fgti_input_memory(fgti_error *err, const void *data, int64_t size, fgti_input *in);
/* FGT_E_ARG, FGT_E_VERSION. */
fgt_status fgti_input_reader(fgti_error *err, const fgt_reader *reader, fgti_input *in);

/* Opens a path and finds its size; for the others nothing is to be done. FGT_E_IO; then nothing is open. */
fgt_status fgti_input_open(fgt_context *ctx, fgti_input *in);
void       fgti_input_close(fgti_input *in);

/* Copies up to `bytes` bytes from `offset` on; fewer only where the input ends. FGT_E_IO. */
fgt_status fgti_input_get(const fgti_input *in, int64_t offset, int64_t bytes, void *out, int64_t *got);
/* Copies exactly so many; FGT_E_FORMAT where the input ends before. */
fgt_status fgti_input_read(const fgti_input *in, int64_t offset, int64_t bytes, void *out);

/* Copies [offset, offset + bytes) into memory, from which it is read from then on: such reads cannot fail,
 * and all see the same bytes. Memory is taken as bytes arrive, at most twice as much as did. Does nothing for
 * an input that is memory already. FGT_E_IO, FGT_E_FORMAT, FGT_E_NOMEM. */
fgt_status fgti_input_hold(fgti_input *in, int64_t offset, int64_t bytes);

/* Whether the input claims a size that nobody but the host has checked. */
static inline bool fgti_input_doubtful(const fgti_input *in)
{
    return in->reader.read != NULL;
}

#endif
