/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "fuzz.h"

static fgt_context *ctx;

static void destroy(void)
{
    fgt_context_destroy(&ctx);
}

fgt_context *fuzz_context(void)
{
    if (!ctx && fgt_context_create(NULL, &ctx) == FGT_OK) atexit(destroy);
    return ctx;
}
