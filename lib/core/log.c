/* SPDX-License-Identifier: BSD-3-Clause */

/* Writes lines to the host's log. */

#include <stdarg.h>
#include <stdio.h>

#include "core/context.h"

void fgti_log(const fgt_context *ctx, int32_t level, const char *format, ...)
{
    if (!ctx->log) return;
    char    line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ctx->log(ctx->log_user, level, line);
}
