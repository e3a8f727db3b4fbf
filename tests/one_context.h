/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_ONE_CONTEXT_H
#define TESTS_ONE_CONTEXT_H

/* For programs whose tests have one context, "ctx", with an allocator of their own, "memory". */

#include "helper.h"

static test_memory  memory;
static fgt_context *ctx;

static inline int test_open_threads(int32_t threads)
{
    ctx = test_context(&memory, threads);
    return 0;
}

static inline int test_open(void **state)
{
    (void)state;
    return test_open_threads(1);
}

static inline int test_close(void **state)
{
    (void)state;
    fgt_context_destroy(&ctx);
    if (memory.live) print_error("%lld blocks were not released\n", (long long)memory.live);
    return memory.live != 0;
}

/* A test with a context of its own. */
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, test_open, test_close)

#endif
