/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_CORE_ALLOCATOR_ONLY_H
#define TEST_CORE_ALLOCATOR_ONLY_H

/* A context with an allocator and nothing else, for what lies below fgt_context_create. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"

/* Counts what is out, checks every size that comes back, and refuses the k-th request when asked to. */
typedef struct ledger {
    size_t bytes, blocks, requests, refuse; /* refuse: 0 never, k the k-th request */
} ledger;

static inline void *ledger_alloc(void *user, size_t size, size_t align)
{
    ledger *l = user;
    if (++l->requests == l->refuse) return NULL;
    void *p = fgti_libc_alloc(NULL, size + 64, align);
    if (!p) return NULL;
    memcpy(p, &size, sizeof size);
    memset((char *)p + 64, 0xA5, size); /* nobody may count on zeros from a hook */
    l->bytes += size;
    l->blocks++;
    return (char *)p + 64;
}

static inline void ledger_release(void *user, void *ptr, size_t size)
{
    ledger *l = user;
    size_t  asked;
    memcpy(&asked, (char *)ptr - 64, sizeof asked);
    assert_int_equal(asked, size);
    l->bytes -= size;
    l->blocks--;
    free((char *)ptr - 64);
}

static inline fgt_context bare_context(ledger *l)
{
    return (fgt_context){.allocator = {sizeof(fgt_allocator), l, ledger_alloc, ledger_release}};
}

#endif
