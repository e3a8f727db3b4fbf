/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FILE_OUTPUT_H
#define FGTI_FILE_OUTPUT_H

/* The target of a file's bytes: a path, a block of memory, or a function of the host (fgt_writer). The
 * constructors fill the struct and allocate nothing. Call open, write the bytes in order, then call commit.
 * After an error call abandon. */

#include <stdbool.h>

#include "core/atomic_file.h"

typedef struct fgti_output {
    const char *name; /* name in error texts; borrowed */
    const char *path; /* NULL: the target is memory or a writer */
    fgt_writer  writer;
    char       *memory;   /* the memory; NULL without a path and a writer: only the size is computed */
    int64_t     capacity; /* bytes of memory */
    int64_t    *bytes;    /* memory only: where the size of the file is stored */

    /* The next fields are valid from open on. */
    fgt_context *ctx;
    fgti_atomic  file;
    int64_t      at;
} fgti_output;

void fgti_output_path(const char *path, fgti_output *out);
/* Makes an output from the fgt_output of a public call. FGT_E_ARG, FGT_E_VERSION. */
fgt_status fgti_output_to(fgti_error *err, const fgt_output *to, fgti_output *out);

/* Opens the output. size: bytes of the whole file. FGT_E_IO; FGT_E_SIZE: the memory is too small, and it has
 * not changed. */
fgt_status fgti_output_open(fgt_context *ctx, fgti_output *out, int64_t size);
fgt_status fgti_output_write(fgti_output *out, const void *data, int64_t bytes);
fgt_status fgti_output_commit(fgti_output *out);
/* Ends the output without a file: a path keeps its old file. Does nothing after commit or after a failed
 * open. */
void fgti_output_abandon(fgti_output *out);

/* Calls open, write and commit. */
fgt_status fgti_output_whole(fgt_context *ctx, fgti_output *out, const void *data, int64_t bytes);

/* Whether bytes are written; false: only the size is computed. */
static inline bool fgti_output_wants_bytes(const fgti_output *out)
{
    return out->path || out->writer.write || out->memory;
}

#endif
