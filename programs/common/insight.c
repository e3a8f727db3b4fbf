/* SPDX-License-Identifier: BSD-3-Clause */
#include <fighter/analysis.h>
#include <fighter/experimental/report.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "blocks.h"
#include "insight.h"
#include "layers.h"
#include "model_info.h"
#include "program.h"

/* The highest power of A that a Fighter layer of the model uses, kappa - 1. The result is at least USUAL, and
 * at most MOST, because a page shows no more. */
static int64_t count_hops(fgt_model *model)
{
    enum { USUAL = 3, MOST = 8 };
    int64_t        hops = USUAL;
    fgt_layer_info info = {.size = sizeof info};
    for (int64_t i = 0; i < model_info(model).layers; i++)
        if (fgt_model_get_layer(model, i, &info) == FGT_OK && info.hops - 1 > hops) hops = info.hops - 1;
    return hops < MOST ? hops : MOST;
}

bool insight_open(fgt_context *ctx, const char *dataset, fgt_block block, fgt_model *model,
                  const char *about, fgt_report **page)
{
    char                  title[256];
    const fgt_report_opts o = {
        .size = sizeof o, .title = title, .about = about, .hops = count_hops(model)};
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

bool insight_training(fgt_report *page, const fgt_fit_report *fit)
{
    if (!fit->best_epoch)
        return insight_fact(page, "training", "%lld epoch%s, none better than the start",
                            (long long)fit->epochs, plural(fit->epochs));
    return insight_fact(page, "training", "%lld epoch%s, the best was number %lld", (long long)fit->epochs,
                        fit->epochs == 1 ? "" : "s", (long long)fit->best_epoch);
}

bool insight_losses(fgt_report *page, const fgt_progress *p)
{
    fgt_report_point point = {.size  = sizeof point,
                              .chart = "Loss",
                              .axis  = "epoch",
                              .curve = "training",
                              .about =
                                  "The loss, which training makes smaller. Where the validation loss rises "
                                  "while the training loss falls, the model learns its training data "
                                  "by heart.",
                              .x = (double)p->epoch,
                              .y = p->loss};
    if (fgt_report_add_point(page, &point) != FGT_OK) return complain("--report: no memory");
    point.curve = "validation";
    point.y     = p->validation;
    return fgt_report_add_point(page, &point) == FGT_OK || complain("--report: no memory");
}

/* ---- hops ---- */

enum { LAYERS = 8, CURVES = 8 }; /* most layers that are shown, and most curves in a chart */

static bool add_share_point(fgt_report *page, const char *layer, int64_t hop, int64_t epoch, double share)
{
    char             chart[128], curve[24];
    fgt_report_point point = {.size  = sizeof point,
                              .chart = chart,
                              .axis  = "epoch",
                              .curve = curve,
                              .about = "The norm of each term A^i X W_i of the layer, over the sum of these "
                                       "norms: which hops the layer uses.",
                              .x     = (double)epoch,
                              .y     = share};
    snprintf(chart, sizeof chart, "Shares of hops, layer %.80s", layer);
    snprintf(curve, sizeof curve, "A^%lld", (long long)hop);
    return fgt_report_add_point(page, &point) == FGT_OK || complain("--report: no memory");
}

static bool add_share_fact(fgt_report *page, const char *layer, int64_t hops, const double *share)
{
    char   name[128], text[400] = "";
    size_t n = 0;
    for (int64_t i = 0; i < hops && n + 40 < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%sA^%lld %.3f", i ? ", " : "", (long long)i,
                              share[i]);
    snprintf(name, sizeof name, "shares of hops, layer %.80s", layer);
    return insight_fact(page, name, "%s", text);
}

static bool add_layer_hops(fgt_report *page, fgt_context *ctx, fgt_model *model, const char *layer,
                           int64_t epoch)
{
    int64_t       hops;
    double *const norms = layers_hops(model, layer, &hops);
    if (!norms) return insight_failed(ctx);
    const double *const shares = norms + hops;
    bool good = epoch || add_share_fact(page, layer, hops, shares);
    for (int64_t i = 0; good && epoch && i < hops && i < CURVES; i++)
        good = add_share_point(page, layer, i, epoch, shares[i]);
    free(norms);
    return good;
}

bool insight_hops(fgt_report *page, fgt_context *ctx, fgt_model *model, int64_t epoch)
{
    fgt_layer_info info  = {.size = sizeof info};
    int64_t        shown = 0;
    for (int64_t i = 0; i < model_info(model).layers && shown < LAYERS; i++) {
        if (fgt_model_get_layer(model, i, &info) != FGT_OK || info.hops < 2) continue;
        if (!add_layer_hops(page, ctx, model, info.name, epoch)) return false;
        shown++;
    }
    return true;
}

bool insight_failed(const fgt_context *ctx)
{
    return complain("--report: %s", fgt_context_get_error(ctx));
}
