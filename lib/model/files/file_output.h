/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FILE_OUTPUT_H
#define FGTI_FILE_OUTPUT_H

/* Where the bytes of a file go: to a path, into a block of memory, or to a function of the host (fgt_writer).
 * The three constructors fill the struct and allocate nothing. After open the bytes are written in order,
 * then comes commit; after an error comes abandon. */

#include <stdbool.h>

#include "core/atomic_file.h"

typedef struct fgti_output {
    const char *name; /* in messages; borrowed */
    const char *path; /* NULL: it is memory or a writer */
    fgt_writer  writer;
    char       *memory;   /* NULL and no writer, no path: only the size is asked for */
    int64_t     capacity; /* of memory */
    int64_t    *bytes;    /* memory: gets the size that the file has */

    /* from open on */
    fgt_context *ctx;
    fgti_atomic  file;
    int64_t      at;
} fgti_output;

void fgti_output_path(const char *path, fgti_output *out);
/* *bytes becomes the size of the file, even if the capacity turns out too small. FGT_E_ARG. */
fgt_status fgti_output_memory(fgti_error *err, void *buffer, int64_t capacity, int64_t *bytes,
                              fgti_output *out);
/* FGT_E_ARG, FGT_E_VERSION. */
fgt_status fgti_output_writer(fgti_error *err, const fgt_writer *writer, fgti_output *out);

/* `size` is that of the whole file. FGT_E_IO; FGT_E_SIZE the memory is too small, and stays as it is. */
fgt_status fgti_output_open(fgt_context *ctx, fgti_output *out, int64_t size);
fgt_status fgti_output_write(fgti_output *out, const void *data, int64_t bytes);
fgt_status fgti_output_commit(fgti_output *out);
/* Gives up: a path keeps its old file. Does nothing after commit or a failed open. */
void fgti_output_abandon(fgti_output *out);

/* All of it in one call. */
fgt_status fgti_output_whole(fgt_context *ctx, fgti_output *out, const void *data, int64_t bytes);

/* Whether there is anything to write: not where only the size is asked for. */
static inline bool fgti_output_wants_bytes(const fgti_output *out)
{
    return out->path || out->writer.write || out->memory;
}

#endif
