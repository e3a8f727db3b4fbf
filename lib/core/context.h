/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CONTEXT_H
#define FGTI_CONTEXT_H

/* The context: everything that calls share, such as allocator, threads, error text and kernels. */

#include "core/alloc.h"
#include "core/status.h"
#include "core/threads.h"

typedef struct fgti_blas fgti_blas; /* lib/blas/blas.h */
typedef struct fgti_vec  fgti_vec;  /* core/vec/vec.h */

/* The head of a block that is freed with the context. Another module puts fgti_owned first in a struct of its
 * own, which it keeps in the context. */
typedef struct fgti_owned {
    struct fgti_owned *next;
} fgti_owned;

struct fgt_context {
    fgt_allocator    allocator;
    fgt_log_fn       log;
    void            *log_user;
    fgti_error       error;
    fgti_exec        exec;
    int32_t          products; /* an fgt_products */
    int32_t          precision; /* an fgt_precision, for training */
    const fgti_blas *blas; /* set by fgt_context_create(), never changed */
    const fgti_vec  *vec;  /* set by fgt_context_create(), never changed */
    fgti_owned      *owned; /* classes of layers that the host has registered */
};

void *fgti_libc_alloc(void *user, size_t size, size_t align);
void  fgti_libc_release(void *user, void *ptr, size_t size);

/* Passes one line to the host's log, if there is one. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void fgti_log(const fgt_context *ctx, int32_t level, const char *format, ...);

#endif
