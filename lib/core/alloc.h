/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ALLOC_H
#define FGTI_ALLOC_H

/* The only way to memory. Sizes are checked, blocks are 64-byte aligned: full
 * AVX-512 vectors, which the BLIS kernels load aligned. */

#include <stdbool.h>

#include "core/status.h"

#define FGTI_ALIGN 64

/* a * b and a + b of non-negative numbers; false when they overflow. */
bool fgti_size_mul(int64_t a, int64_t b, int64_t *out);
bool fgti_size_add(int64_t a, int64_t b, int64_t *out);

/* Zeroed block of count * size bytes in *out; count may be 0 (one byte is
 * allocated then). The message names `what`. */
fgt_status fgti_alloc(fgt_context *ctx, int64_t count, size_t size, const char *what, void **out);
/* The same, not zeroed: pages that nobody touches cost the system nothing. */
fgt_status fgti_alloc_dirty(fgt_context *ctx, int64_t count, size_t size, const char *what, void **out);
/* NULL is allowed. */
void fgti_free(fgt_context *ctx, void *ptr);
/* A copy of a string. */
fgt_status fgti_strdup(fgt_context *ctx, const char *s, char **out);

/* Type-safe form: FGTI_NEW(ctx, n, "what", &p). */
#define FGTI_NEW(ctx, count, what, out)                                                            \
    fgti_alloc((ctx), (count), sizeof **(out), (what), (void **)(out))

#endif
