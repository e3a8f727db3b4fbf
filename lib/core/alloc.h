/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ALLOC_H
#define FGTI_ALLOC_H

/* All memory of the library is allocated here, through the host's hooks. Sizes are checked for overflow.
 * Blocks are aligned to 64 bytes, a whole AVX-512 register, because BLIS's kernels use aligned loads. */

#include <stdbool.h>

#include "core/status.h"

#define FGTI_ALIGN 64

/* Multiply and add two numbers that are not negative. Both return false on overflow. */
bool fgti_size_mul(int64_t a, int64_t b, int64_t *out);
bool fgti_size_add(int64_t a, int64_t b, int64_t *out);

/* Sets *out to a block of count * size bytes, all 0; count may be 0. On error the error text names `what`. */
fgt_status fgti_alloc(fgt_context *ctx, int64_t count, size_t size, const char *what, void **out);
/* fgti_alloc() without setting the block to 0. The system provides a page of memory only when it is first
 * touched, so a large block costs little if little of it is used. */
fgt_status fgti_alloc_dirty(fgt_context *ctx, int64_t count, size_t size, const char *what, void **out);
/* Frees a block; ptr may be NULL. */
void fgti_free(fgt_context *ctx, void *ptr);
/* Copies a string. */
fgt_status fgti_strdup(fgt_context *ctx, const char *s, char **out);

/* Type-safe form: FGTI_NEW(ctx, n, "what", &p). */
#define FGTI_NEW(ctx, count, what, out)                                                            \
    fgti_alloc((ctx), (count), sizeof **(out), (what), (void **)(out))

#endif
