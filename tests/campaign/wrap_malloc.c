/* SPDX-License-Identifier: BSD-3-Clause */
/* malloc() and its relations, in the place of glibc's. Not for builds with a sanitiser: it has its own. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "wrap_count.h"

/* glibc's own, under the names that it exports for this purpose. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);
void  __libc_free(void *p);

static atomic_llong live;

int64_t wrap_live(void)
{
    return atomic_load(&live);
}

static void *given(void *p)
{
    if (p) atomic_fetch_add(&live, 1);
    return p;
}

static bool refused(void)
{
    if (!wrap_hit()) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return refused() ? NULL : given(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return refused() ? NULL : given(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size)
{
    if (refused()) return NULL;
    void *p = __libc_realloc(old, size);
    if (!old) given(p);
    return p;
}

void *aligned_alloc(size_t align, size_t size)
{
    return refused() ? NULL : given(__libc_memalign(align, size));
}

int posix_memalign(void **out, size_t align, size_t size)
{
    if (wrap_hit()) return ENOMEM;
    void *p = given(__libc_memalign(align, size));
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

void free(void *p)
{
    if (p) atomic_fetch_sub(&live, 1);
    __libc_free(p);
}
