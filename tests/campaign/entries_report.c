/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: pages. */
#include <fighter/experimental/report.h>

#include "entries.h"

static fgt_status report_create(world *w)
{
    MAKE(report, fgt_report_create(w->ctx, NULL, &w->made.report));
    return FGT_OK;
}

/* A page with one of each part. */
static fgt_status fill_report(world *w)
{
    static const float      a[4]    = {0.5f, 0.5f, 0.25f, 0.75f};
    static const int64_t    span[2] = {0, 1};
    const fgt_report_matrix m       = {.size = sizeof m, .layer = "0", .a = FGT_VIEW(a, 2, 2)};
    const fgt_report_words  x       = {
               .size = sizeof x, .name = "text", .count = 2, .measure = "length", .value = FGT_VIEW(a, 2)};
    const fgt_report_window v = {.size     = sizeof v,
                                 .name     = "series",
                                 .input    = FGT_VIEW(a, 4),
                                 .forecast = FGT_VIEW(a, 2),
                                 .first    = span,
                                 .last     = span,
                                 .tokens   = 2,
                                 .measure   = "use",
                                 .row_value = FGT_VIEW(a, 4)};
    const fgt_report_point  p = {
         .size = sizeof p, .chart = "Loss", .axis = "epoch", .curve = "training", .x = 1, .y = 2};
    TRY(report_create(w));
    TRY(fgt_report_add_fact(w->made.report, "model", "none"));
    TRY(fgt_report_add_matrix(w->made.report, &m));
    TRY(fgt_report_add_words(w->made.report, &x));
    TRY(fgt_report_add_window(w->made.report, &v));
    return fgt_report_add_point(w->made.report, &p);
}

static fgt_status see_report(world *w)
{
    int64_t size;
    TRY(fgt_report_save(w->made.report, FGT_TO_MEMORY(NULL, 0, &size)));
    SEE(w, size);
    return FGT_OK;
}

static fgt_status report_parts(world *w)
{
    TRY(fill_report(w));
    return see_report(w);
}

static fgt_status report_save(world *w)
{
    TRY(fill_report(w));
    return fgt_report_save(w->made.report, FGT_TO_FILE(in(w, "out")));
}

static fgt_status see_bytes(void *user, const void *data, int64_t size)
{
    see(user, data, (size_t)size);
    return FGT_OK;
}

static fgt_status report_save_to(world *w)
{
    const fgt_writer writer = {.size = sizeof writer, .write = see_bytes, .user = w};
    TRY(fill_report(w));
    return fgt_report_save(w->made.report, &FGT_OPTS(fgt_output, .writer = &writer));
}

static fgt_status report_model(world *w)
{
    float y[B * T * OUT];
    TRY(report_create(w));
    TRY(fgt_workspace_set_value(fgt_model_get_workspace(w->fresh.model), "known",
                                FGT_VIEW(sample_known, B, T, D), NULL));
    TRY(fgt_predict(w->fresh.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    TRY(fgt_report_add_model(w->made.report, w->fresh.model, NULL));
    return see_report(w);
}

static fgt_status report_forecast(world *w)
{
    TRY(report_create(w));
    TRY(fgt_report_add_forecast(w->made.report, w->fresh.forecaster, w->all.table, -1, NULL));
    return see_report(w);
}

static fgt_status report_text(world *w)
{
    TRY(report_create(w));
    TRY(fgt_report_add_text(w->made.report, w->fresh.classifier, sample_texts[0], NULL));
    return see_report(w);
}

static const entry entries[] = {
    {"fgt_report_create fgt_report_destroy", report_create, 0},
    {"fgt_report_add_fact fgt_report_add_matrix fgt_report_add_words fgt_report_add_window "
     "fgt_report_add_point fgt_report_save",
     report_parts, 0},
    {"fgt_report_save", report_save, WRITES},
    {"fgt_report_save", report_save_to, 0},
    {"fgt_report_add_model", report_model, GRAPH},
    {"fgt_report_add_forecast", report_forecast, FORECASTER},
    {"fgt_report_add_text", report_text, CLASSIFIER},
};

const entry_table report_entries = {entries, LENGTH(entries)};
