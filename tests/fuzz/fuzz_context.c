/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "fuzz.h"

static fgt_context *ctx;
static fuzz_counts  counts;

static void destroy(void)
{
    fgt_context_destroy(&ctx);
}

fgt_context *fuzz_context(void)
{
    if (!ctx && fgt_context_create(NULL, &ctx) == FGT_OK) atexit(destroy);
    return ctx;
}

void fuzz_count(bool accepted)
{
    counts.accepted += accepted;
    counts.refused += !accepted;
}

fuzz_counts fuzz_get_counts(void)
{
    return counts;
}
