/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>

#include "blocks.h"
#include "insight.h"
#include "program.h"

bool insight_open(fgt_context *ctx, const char *dataset, fgt_block block, const char *about,
                  fgt_report **page)
{
    char                  title[256];
    const fgt_report_opts o = {.size = sizeof o, .title = title, .about = about};
    snprintf(title, sizeof title, "%s, read by %s", dataset, block_names[block]);
    return fgt_report_create(ctx, &o, page) == FGT_OK || insight_failed(ctx);
}

bool insight_fact(fgt_report *page, const char *name, const char *format, ...)
{
    char    value[512];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    return fgt_report_add_fact(page, name, value) == FGT_OK || complain("--report: no memory");
}

bool insight_losses(fgt_report *page, const fgt_progress *p)
{
    fgt_report_point point = {.size  = sizeof point,
                              .chart = "Loss",
                              .axis  = "epoch",
                              .curve = "training",
                              .about =
                                  "What training makes smaller. Where the validation loss rises while the "
                                  "training loss falls, the model learns its training data by heart.",
                              .x = (double)p->epoch,
                              .y = p->loss};
    if (fgt_report_add_point(page, &point) != FGT_OK) return complain("--report: no memory");
    point.curve = "validation";
    point.y     = p->validation;
    return fgt_report_add_point(page, &point) == FGT_OK || complain("--report: no memory");
}

bool insight_failed(const fgt_context *ctx)
{
    return complain("--report: %s", fgt_context_error(ctx));
}
