/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on pages. */
#include <fighter/experimental/report.h>

#include "calls.h"

static void report_create(world *w)
{
    const fgt_report_opts o = {
        .size = sizeof o, .title = draw_text(w), .about = draw_text(w), .hops = draw_size(w)};
    fgt_report_destroy(&w->report);
    SAY(w->ctx, fgt_report_create(w->ctx, pick(w, 4) ? &o : NULL, &w->report));
}

static void report_fact(world *w)
{
    const char *name = draw_text(w);
    SAY(w->report, fgt_report_add_fact(w->report, name, draw_text(w)));
}

static void report_point(world *w)
{
    const fgt_report_point p = {.size  = sizeof p,
                                .chart = draw_text(w),
                                .axis  = draw_text(w),
                                .curve = draw_text(w),
                                .x     = draw_real(w),
                                .y     = draw_real(w)};
    SAY(w->report, fgt_report_add_point(w->report, &p));
}

static void report_matrix(world *w)
{
    const fgt_view          like     = {.rank = 3, .shape = {1 + pick(w, 2), 3, 3}, .dtype = pick(w, 2)};
    const char *const       names[3] = {draw_text(w), "b", "c"};
    fgt_view                a        = draw_view(w, &like, false);
    const fgt_report_matrix m        = {.size    = sizeof m,
                                        .layer   = draw_text(w),
                                        .subject = pick(w, 2) ? draw_text(w) : NULL,
                                        .a       = draw_null(w, &a),
                                        .epoch   = draw_size(w)};
    fgt_report_matrix       named    = m;
    if ((a.rank == 2 || a.rank == 3) && a.shape[a.rank - 1] == 3) named.tokens = names;
    SAY(w->report, fgt_report_add_matrix(w->report, &named));
}

static void report_window(world *w)
{
    const fgt_view long_   = {.rank = 1, .shape = {6}, .dtype = pick(w, 2)};
    const fgt_view short_  = {.rank = 1, .shape = {2}, .dtype = pick(w, 2)};
    const int64_t  first[] = {0, draw_size(w)}, last[] = {2, draw_size(w)};
    fgt_view       input = draw_view(w, &long_, false), forecast = draw_view(w, &short_, false),
             truth                = draw_view(w, &short_, false),
             row_value = draw_view(w, &long_, false), token_value = draw_view(w, &short_, false);
    const bool              spans = pick(w, 2);
    const fgt_report_window v     = {.size     = sizeof v,
                                     .name     = draw_text(w),
                                     .input    = draw_null(w, &input),
                                     .forecast = draw_null(w, &forecast),
                                     .truth    = pick(w, 2) ? &truth : NULL,
                                     .first    = spans ? first : NULL,
                                     .last     = spans ? last : NULL,
                                     .tokens   = spans ? pick(w, 3) : 0,
                                     .token    = draw_size(w),
                                     .measure     = pick(w, 2) ? draw_text(w) : NULL,
                                     .about       = pick(w, 2) ? draw_text(w) : NULL,
                                     .row_value   = pick(w, 2) ? &row_value : NULL,
                                     .token_value = pick(w, 2) ? &token_value : NULL};
    SAY(w->report, fgt_report_add_window(w->report, &v));
}

static void report_words(world *w)
{
    const fgt_view         like  = {.rank = 1, .shape = {3}, .dtype = pick(w, 2)};
    fgt_view               value = draw_view(w, &like, false);
    const bool             has   = pick(w, 2);
    const fgt_report_words x     = {.size    = sizeof x,
                                    .name    = draw_text(w),
                                    .count   = draw_size(w),
                                    .measure = has ? draw_text(w) : NULL,
                                    .value   = has ? &value : NULL};
    SAY(w->report, fgt_report_add_words(w->report, &x));
}

static void report_model(world *w)
{
    fgt_model            *m = w->model[place(w)];
    const fgt_report_pass p = {.size   = sizeof p,
                               .count  = draw_size(w),
                               .sample = draw_size(w),
                               .epoch  = pick(w, 3),
                               .layer  = pick(w, 2) ? draw_name(w, m) : NULL};
    SAY(w->report, fgt_report_add_model(w->report, m, pick(w, 2) ? &p : NULL));
}

static void report_forecast(world *w)
{
    const char *const         names[] = {draw_name(w, NULL)};
    const fgt_report_forecast o       = {
              .size = sizeof o, .series = names, .count = pick(w, 2), .epoch = pick(w, 3)};
    const int64_t row = pick(w, 2) ? -1 : draw_size(w);
    SAY(w->report, fgt_report_add_forecast(w->report, w->forecaster, w->table, row, pick(w, 2) ? &o : NULL));
}

static void report_text(world *w)
{
    const fgt_report_text o = {.size = sizeof o, .name = draw_text(w), .epoch = pick(w, 3)};
    SAY(w->report, fgt_report_add_text(w->report, w->classifier, draw_text(w), pick(w, 2) ? &o : NULL));
}

static void report_save(world *w)
{
    int64_t size = 0;
    SAY(w->report, fgt_report_save(w->report, FGT_TO_MEMORY(NULL, 0, &size)));
}

static const operation list[] = {
    {"fgt_report_create", report_create, false, false},
    {"fgt_report_add_fact", report_fact, true, false},
    {"fgt_report_add_point", report_point, true, false},
    {"fgt_report_add_matrix", report_matrix, true, false},
    {"fgt_report_add_window", report_window, true, false},
    {"fgt_report_add_words", report_words, true, false},
    {"fgt_report_add_model", report_model, true, false},
    {"fgt_report_add_forecast", report_forecast, false, false},
    {"fgt_report_add_text", report_text, false, false},
    {"fgt_report_save", report_save, true, false},
};
const operations calls_of_reports = {list, sizeof list / sizeof *list};
