/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults in the context's allocator, for sweep.c. */
#include <stdatomic.h>
#include <stdlib.h>

#include "sweep.h"
#include "wrap_count.h"

static atomic_llong live;

int64_t wrap_live(void)
{
    return atomic_load(&live);
}

static void *alloc(void *user, size_t size, size_t align)
{
    void *p = NULL;
    (void)user;
    if (wrap_hit() || posix_memalign(&p, align, size)) return NULL;
    atomic_fetch_add(&live, 1);
    return p;
}

static void release(void *user, void *ptr, size_t size)
{
    (void)user, (void)size;
    atomic_fetch_sub(&live, 1);
    free(ptr);
}

const sweep_kind sweep_here = {
    .allocator = &(const fgt_allocator){sizeof(fgt_allocator), NULL, alloc, release},
    .strict    = true,
};
