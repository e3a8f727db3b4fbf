/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on forecasters and calibrations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/absent.h>
#include <fighter/experimental/defaults.h>
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/local.h>
#include <fighter/experimental/options.h>
#include <fighter/experimental/pretrain.h>
#include <fighter/experimental/search.h>
#include <fighter/experimental/series.h>

#include "calls.h"

enum { ROWS = 40, SERIES = 2, LENGTH = 8, PREDICTED = 4, DRAWN = 6, LOCAL = 12 };

/* ---- forecasters ---- */

static const fgt_split split = {0, 24, 24, 32, 32, ROWS};

static void forecaster_create(world *w)
{
    const int64_t             hops  = 1 + pick(w, 3);
    const double              q[]   = {0.1, pick(w, 8) ? 0.5 : draw_real(w)};
    const int64_t             count = pick(w, 3);
    const int                 role  = pick(w, 4);
    const char               *name  = draw_name(w, NULL);
    const fgt_forecaster_opts o     = {.size                   = sizeof o,
                                       .block.layer_hops       = &hops,
                                       .block.layer_hops_count = pick(w, 2),
                                       .input_len              = pick(w, 8) ? LENGTH : draw_size(w),
                                       .pred_len               = PREDICTED,
                                       .batch                  = pick(w, 4),
                                       .tokens.dim             = 4,
                                       .block.heads            = pick(w, 3),
                                       .block.layers           = pick(w, 3),
                                       .tokens.patch           = pick(w, 4) ? 4 : draw_size(w),
                                       .tokens.stride          = pick(w, 4),
                                       .block.kind             = pick(w, 12),
                                       .tokens.kind            = pick(w, 4),
                                       .tokens.revin           = pick(w, 2),
                                       .inputs.mask            = pick(w, 2),
                                       .block.ff               = pick(w, 3),
                                       .block.diag_mask        = pick(w, 2),
                                       .space.graph            = pick(w, 4) ? NULL : w->graph,
                                       .output.quantiles       = count || !pick(w, 8) ? q : NULL,
                                       .output.quantile_count  = count,
                                       .output.non_negative    = pick(w, 8) == 7,
                                       .inputs.known           = role == 1 ? &name : NULL,
                                       .inputs.known_count     = role == 1,
                                       .inputs.past            = role == 2 ? &name : NULL,
                                       .inputs.past_count      = role == 2,
                                       .inputs.calendar        = pick(w, 4) ? 0 : pick(w, 33) - 1};
    fgt_forecaster_opts       full  = {.size = sizeof full};
    SAY(w->ctx, fgt_forecaster_opts_init(w->ctx, NULL, &o, &full));
    fgt_forecaster_destroy(&w->forecaster);
    SAY(w->table && w->ctx ? w->ctx : NULL,
        fgt_forecaster_create(w->ctx, w->table, pick(w, 8) ? &split : NULL, &o, &w->forecaster));
}

static void forecaster_fit(world *w)
{
    const fgt_forecaster_fit_opts o = {
        .size     = sizeof o,
        .training = {.progress = draw_stop, .user = w, .epochs = 1, .lr = pick(w, 2) ? 0 : draw_real(w)},
        .loss     = pick(w, 10),
        .spectral = pick(w, 4) ? 0 : (float)draw_real(w),
        .thin     = pick(w, 2) ? 0 : draw_size(w),
        .apart    = pick(w, 2)};
    fgt_fit_report                report = {.size = sizeof report};
    fgt_forecaster_fit_opts       full   = {.size = sizeof full};
    SAY(w->forecaster, fgt_forecaster_fit_opts_init(w->forecaster, draw_size(w), &o, &full));
    SAY(w->forecaster,
        pick(w, 2) ? fgt_forecaster_fit(w->forecaster, w->table, &split, &o, &report)
                   : fgt_forecaster_update(w->forecaster, w->table, draw_size(w), &o, &report));
}

static void forecaster_masked(world *w)
{
    const fgt_forecaster_fit_opts fit = {.size     = sizeof fit,
                                         .training = {.progress = draw_stop, .user = w, .epochs = 1},
                                         .loss     = pick(w, 8) ? 0 : pick(w, 10)};
    SAY(w->forecaster,
        fgt_forecaster_fit_masked(w->forecaster, w->table, &split,
                                  &FGT_OPTS(fgt_forecaster_masked_opts, .fit = &fit,
                                            .share = pick(w, 2) ? 0 : draw_real(w)), NULL));
    SAY(w->forecaster, fgt_forecaster_set_frozen(w->forecaster, (int32_t)pick(w, 2)));
}

static fgt_status draw_end(void *user, const fgt_search_trial *t)
{
    (void)t;
    return pick(user, 8) == 7 ? FGT_E_CANCELLED : FGT_OK;
}

static void forecaster_search(world *w)
{
    const fgt_forecaster_opts     base   = {.size             = sizeof base,
                                            .input_len        = pick(w, 8) ? LENGTH : draw_size(w),
                                            .pred_len         = PREDICTED,
                                            .tokens.dim       = 4,
                                            .block.kind       = pick(w, 12),
                                            .tokens.kind      = pick(w, 4),
                                            .output.no_linear = pick(w, 4) == 3,
                                            .space.graph      = pick(w, 4) ? NULL : w->graph};
    const fgt_forecaster_fit_opts fit    = {.size     = sizeof fit,
                                            .training = {.progress = draw_stop, .user = w},
                                            .loss     = pick(w, 4) ? 0 : pick(w, 10)};
    const fgt_search_opts o      = {.size       = sizeof o,
                                    .forecaster = &base,
                                    .fit        = pick(w, 2) ? &fit : NULL,
                                    .trial      = pick(w, 2) ? draw_end : NULL,
                                    .user       = w,
                                    .seconds    = pick(w, 2) ? -1 : 0,
                                    .epochs     = 1 + pick(w, 3),
                                    .fixed      = pick(w, 34) - 1};
    fgt_search_report     report = {.size = sizeof report};
    fgt_forecaster_destroy(&w->forecaster);
    SAY(w->table && w->ctx ? w->ctx : NULL,
        fgt_forecaster_search(w->ctx, w->table, pick(w, 8) ? &split : NULL, &o, &w->forecaster, &report));
}

static void forecaster_evaluate(world *w)
{
    fgt_metric    m     = {0};
    const int64_t begin = draw_size(w), end = pick(w, 2) ? ROWS : draw_size(w);
    SAY(w->forecaster,
        pick(w, 2) ? fgt_forecaster_evaluate(w->forecaster, w->table, begin, end, &m)
                   : fgt_forecaster_evaluate_naive(w->forecaster, w->table, begin, end, draw_size(w), &m));
}

static fgt_status stop_visit(void *user, const fgt_forecast_window *window)
{
    (void)window;
    return pick(user, 16) == 15 ? FGT_E_CANCELLED : FGT_OK;
}

static void forecaster_measure(world *w)
{
    fgt_forecast_metric  naive[SERIES];
    const fgt_forecast_visit_opts o = {.size   = sizeof o,
                                       .begin  = draw_size(w),
                                       .end    = pick(w, 2) ? 0 : draw_size(w),
                                       .stride = pick(w, 4) ? pick(w, 3) : draw_size(w),
                                       .season = pick(w, 2) ? 0 : draw_size(w)};
    if (pick(w, 2)) {
        SAY(w->forecaster, fgt_forecaster_visit(w->forecaster, w->table, &o, stop_visit, w));
        return;
    }
    SAY(w->forecaster, fgt_forecaster_compute_naive_errors(w->forecaster, w->table, o.begin, draw_size(w),
                                                           draw_size(w), NULL, naive));
    if (pick(w, 2)) return;
    fgt_forecast_metric metrics[PREDICTED * SERIES] = {0};
    const fgt_view      right    = {.rank = 2, .shape = {PREDICTED, SERIES}, .dtype = pick(w, 2)};
    fgt_view            forecast = draw_view(w, &right, false), truth = draw_view(w, &right, false);
    /* there are as many sums as the forecast has values */
    if (!memcmp(forecast.shape, right.shape, sizeof right.shape))
        SAY(w->ctx, fgt_forecast_metric_add(w->ctx, draw_null(w, &forecast), draw_null(w, &truth), metrics));
}

static void forecaster_predict(world *w)
{
    const fgt_view in   = {.rank = 2, .shape = {LENGTH, SERIES}, .dtype = pick(w, 2)};
    const fgt_view out  = {.rank = 2, .shape = {PREDICTED, SERIES}, .dtype = pick(w, 2)};
    fgt_view       rows = draw_view(w, &in, false), forecast = draw_view(w, &out, true);
    SAY(w->forecaster,
        fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(w->forecaster),
                                              &FGT_OPTS(fgt_forecast_rows, .rows = draw_null(w, &rows)),
                                              draw_null(w, &forecast)));
}

static void forecaster_quantiles(world *w)
{
    const fgt_view out = {.rank = 3, .shape = {1 + pick(w, 2), PREDICTED, SERIES}, .dtype = FGT_DTYPE_F64};
    fgt_view            quantiles = draw_view(w, &out, true);
    fgt_quantile_metric m[2 * PREDICTED];
    SAY(w->forecaster,
        fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(w->forecaster), w->table,
                                                   draw_size(w), NULL, draw_null(w, &quantiles)));
    const int64_t begin = draw_size(w), end = pick(w, 2) ? ROWS : draw_size(w);
    SAY(w->forecaster, fgt_forecaster_evaluate_quantiles(w->forecaster, w->table, begin, end, m));
}

static void forecaster_windows(world *w)
{
    const int64_t            rows[] = {draw_size(w), draw_size(w)}, n = 1 + (int64_t)pick(w, 2);
    const fgt_workspace_opts o        = {.size = sizeof o, .batch = pick(w, 3)};
    const int64_t            steps    = 1 + (int64_t)pick(w, 2 * PREDICTED);
    const fgt_view            out      = {.rank = 3, .shape = {n, steps, SERIES}, .dtype = FGT_DTYPE_F64};
    fgt_view                 forecast = draw_view(w, &out, true);
    fgt_forecaster_workspace *ws;
    if (pick(w, 2)) {
        SAY(w->forecaster,
            fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(w->forecaster), w->table,
                                                     rows, n, NULL, draw_null(w, &forecast)));
        return;
    }
    SAY(w->forecaster, fgt_forecaster_create_workspace(w->forecaster, &o, &ws));
    const fgt_status s =
        CALL(fgt_forecaster_workspace_predict_windows(ws, w->table, rows, n, NULL, draw_null(w, &forecast)));
    if (ws && s != FGT_OK && !fgt_forecaster_workspace_get_error(ws)[0]) abort(); /* its sentence is there */
    calls_say(w, ws && s == FGT_OK, s);
    fgt_forecaster_workspace_destroy(&ws);
}

static void forecaster_holidays(world *w)
{
    const int64_t     times[] = {draw_size(w), draw_size(w)};
    const char *const names[] = {"a", NULL};
    fgt_days         *days;
    SAY(w->ctx, fgt_days_create(w->ctx, times, pick(w, 2) ? names : NULL, pick(w, 3), &days));
    SAY(w->forecaster, fgt_forecaster_set_holidays(w->forecaster, days));
    SAY(w->forecaster, fgt_forecaster_set_counts(w->forecaster, pick(w, 4) ? w->table : NULL));
    fgt_days_destroy(&days);
}

static void forecaster_predict_each(world *w)
{
    const fgt_view out = {.rank = 2, .shape = {PREDICTED, SERIES}, .dtype = pick(w, 2)};
    int64_t        first[SERIES];
    fgt_view       forecast = draw_view(w, &out, true);
    SAY(w->forecaster,
        fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(w->forecaster), w->table,
                                              pick(w, 2) ? w->table : NULL, draw_null(w, &forecast),
                                              FGT_VIEW_OF(FGT_DTYPE_I64, first, SERIES)));
}

static void forecaster_predict_blend(world *w)
{
    static double        forecast[SERIES * PREDICTED];
    const int64_t        seen = draw_size(w);
    const fgt_local_opts o    = {.size     = sizeof o,
                                 .horizon  = pick(w, PREDICTED + 1),
                                 .season   = pick(w, 2) ? 4 : draw_size(w),
                                 .forecast = pick(w, 32) ? forecast : NULL};
    SAY(w->forecaster,
        fgt_forecaster_predict_blend(w->forecaster, NULL, w->table, seen, NULL, pick(w, 32) ? &o : NULL));
}

/* Rows with what is known of them, which is right for models without columns of other roles. */
static void forecaster_predict_rows(world *w)
{
    const int64_t           n = LENGTH + pick(w, 3), known = pick(w, 3);
    const fgt_view          in   = {.rank = 2, .shape = {n, SERIES}, .dtype = pick(w, 2)};
    const fgt_view          more = {.rank = 2, .shape = {n + PREDICTED, known}, .dtype = pick(w, 2)};
    const fgt_view          out  = {.rank = 2, .shape = {PREDICTED, SERIES}, .dtype = pick(w, 2)};
    fgt_view                rows = draw_view(w, &in, false), next = draw_view(w, &more, false);
    fgt_view                forecast = draw_view(w, &out, true);
    const int64_t           time     = draw_size(w);
    const fgt_forecast_rows r        = {.size     = sizeof r,
                                        .rows     = draw_null(w, &rows),
                                        .known    = known ? &next : NULL,
                                        .time     = rows.rank == 2 && pick(w, 3) ? &time : NULL};
    SAY(w->forecaster,
        fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(w->forecaster),
                                              pick(w, 16) ? &r : NULL, draw_null(w, &forecast)));
}

static void forecaster_predict_table(world *w)
{
    const fgt_view out      = {.rank = 2, .shape = {PREDICTED, SERIES}, .dtype = pick(w, 2)};
    fgt_view       forecast = draw_view(w, &out, true);
    const int64_t  found    = fgt_forecaster_find_row(w->forecaster, w->table);
    if (w->forecaster && w->table && found > fgt_table_count_rows(w->table)) abort();
    const int64_t row = pick(w, 2) ? -1 : pick(w, 2) ? found : draw_size(w);
    SAY(w->forecaster, fgt_forecaster_predict_table(w->forecaster, w->table, row,
                                                    pick(w, 2) ? w->table : NULL, draw_null(w, &forecast)));
}

/* ---- calibrations ---- */

static void calibration_create(world *w)
{
    fgt_calibration_destroy(&w->calibration);
    SAY(w->forecaster,
        fgt_calibration_create(w->forecaster, w->table, pick(w, 2) ? -1 : draw_size(w), &w->calibration));
    if (w->calibration && fgt_calibration_count_windows(w->calibration) < 1) abort();
    if (fgt_calibration_count_trained_windows(w->calibration) > fgt_calibration_count_windows(w->calibration))
        abort();
}

static void calibration_keep(world *w)
{
    SAY(w->forecaster, fgt_forecaster_set_calibration(w->forecaster, pick(w, 2) ? w->calibration : NULL));
    if (fgt_calibration_count_windows(fgt_forecaster_get_calibration(w->forecaster)) < 0) abort();
}

static void calibration_quantile(world *w)
{
    const fgt_view like     = {.rank = 2, .shape = {PREDICTED, SERIES}, .dtype = pick(w, 2)};
    fgt_view       forecast = draw_view(w, &like, false), out = draw_view(w, &like, true);
    SAY(w->calibration, fgt_calibration_compute_quantile(w->calibration, draw_null(w, &forecast),
                                                         draw_real(w), draw_null(w, &out)));
}

static void forecaster_intervals(world *w)
{
    const double        levels[] = {pick(w, 4) ? 0.8 : draw_real(w), 0.95};
    const int64_t       begin = draw_size(w), end = pick(w, 2) ? ROWS : draw_size(w), count = pick(w, 3);
    const fgt_view      like    = {.rank = 2, .shape = {count, PREDICTED}, .dtype = pick(w, 2)};
    fgt_view            by_step = draw_view(w, &like, true);
    fgt_interval_metric metrics[2];
    SAY(w->forecaster,
        fgt_forecaster_evaluate_intervals(w->forecaster, w->table,
                                          &FGT_OPTS(fgt_forecast_interval_opts, .begin = begin, .end = end,
                                                    .levels = levels, .level_count = count),
                                          metrics, pick(w, 2) ? &by_step : NULL));
}

/* ---- many series without training ---- */

static fgt_status draw_stop_local(void *user, int64_t done, int64_t all)
{
    (void)done;
    (void)all;
    return pick(user, 16) == 15 ? FGT_E_CANCELLED : FGT_OK;
}

/* Zeros, counts, numbers of both signs, a rhythm; and one cell of any kind. Its rows, or a wrong number. */
static int64_t draw_series(world *w, double *y)
{
    const int32_t step = pick(w, 8), kinds = 1 + pick(w, 9), from = pick(w, 2) ? 0 : -3;
    const int64_t n = pick(w, 64) ? 1 + pick(w, ROWS) : pick(w, 2) - 1;
    for (int t = 0; t < n; t++) y[t] = (t * t * step + t) % kinds + from;
    if (n > 0 && !pick(w, 4)) y[take(w) % (unsigned)n] = pick(w, 2) ? (double)NAN : draw_real(w);
    return n;
}

/* Some panels have each drawn series twice. A horizon that has no room here is only asked for where it is too
 * large for any memory. */
static void forecast_local(world *w)
{
    static double  cell[DRAWN][ROWS], forecast[LOCAL * ROWS], quantile[2 * LOCAL * ROWS];
    static double  weight[LOCAL * FGT_LOCAL_MEMBERS], hindcast[LOCAL * ROWS], before[2 * LOCAL * ROWS];
    const double  *values[LOCAL];
    int64_t        rows[LOCAL], left_out[FGT_LEFT_OUT * LOCAL], begin[LOCAL], shifted[LOCAL], stuck[LOCAL];
    const double   level[] = {0.1, pick(w, 8) ? 0.5 : draw_real(w)};
    const int64_t  count = pick(w, 8) ? pick(w, DRAWN + 1) : LOCAL, horizon = draw_size(w);
    fgt_local_opts o     = {.size        = sizeof o,
                            .horizon     = horizon > ROWS ? INT64_C(1) << 40 : horizon,
                            .season      = pick(w, 2) ? 4 : draw_size(w),
                            .long_season = pick(w, 2) ? 0 : draw_size(w),
                            .levels      = pick(w, 16) ? level : NULL,
                            .level_count = pick(w, 3),
                            .forecast    = pick(w, 32) ? forecast : NULL,
                            .quantiles   = pick(w, 32) ? quantile : NULL,
                            .weights     = pick(w, 2) ? weight : NULL,
                            .hindcast    = pick(w, 2) ? hindcast : NULL,
                            .hindcast_quantiles = pick(w, 2) ? before : NULL,
                            .left_out    = pick(w, 2) ? left_out : NULL,
                            .shifted     = shifted,
                            .stuck       = stuck,
                            .begin       = pick(w, 2) ? begin : NULL,
                            .keep_outliers = pick(w, 4) == 0,
                            .progress    = pick(w, 2) ? draw_stop_local : NULL,
                            .user        = w};
    if (o.weights) o.member_count = pick(w, 16) ? FGT_LOCAL_MEMBERS : pick(w, FGT_LOCAL_MEMBERS);
    for (int64_t i = 0; i < count; i++) {
        rows[i]   = i < DRAWN ? draw_series(w, cell[i]) : rows[i % DRAWN];
        values[i] = i >= DRAWN ? values[i % DRAWN] : pick(w, 64) ? cell[i] : NULL;
    }
    const fgt_status s = CALL(fgt_forecast_local(w->ctx, values, rows, count, &o));
    calls_say(w, w->ctx != NULL, s);
    for (int64_t i = 0; s == FGT_OK && i < count * horizon; i++) {
        if (!isfinite(forecast[i])) abort();
        for (int64_t k = 0; k < o.level_count; k++)
            if (!isfinite(quantile[i * o.level_count + k])) abort();
    }
    (void)fgt_local_get_member_name(draw_size(w));
}

/* ---- series of a table ---- */

static void look_at_series(world *w, fgt_series *s)
{
    fgt_series_info  info  = {.size = sizeof info};
    fgt_series_group group = {.size = sizeof group};
    int64_t          seasons[FGT_SEASONS], time;
    if (fgt_series_get_info(s, draw_size(w), &info) == FGT_OK)
        SAY(w->table, fgt_table_compute_time(info.axis, info.end - 1, draw_size(w), &time));
    if (fgt_series_get_group(s, pick(w, 4) - 1, &group) == FGT_OK &&
        fgt_table_find_seasons(group.axis, seasons) > FGT_SEASONS)
        abort();
    if (fgt_table_find_horizon(w->table, draw_size(w)) > ROWS) abort();
}

static void forecast_series(world *w)
{
    const int64_t columns[] = {pick(w, SERIES), draw_size(w)}, horizon = draw_size(w);
    double        forecast[2 * ROWS];
    fgt_table    *own;
    fgt_series   *s = NULL;
    SAY(w->table, fgt_table_create_own_step(w->table, draw_size(w), &own));
    fgt_table_destroy(&own);
    SAY(w->table, fgt_series_create(w->table, columns, 1 + pick(w, 2), &s));
    if (!s) return;
    look_at_series(w, s);
    SAY(w->table,
        fgt_series_forecast(s, pick(w, 2) ? 0 : draw_size(w),
                            &FGT_OPTS(fgt_local_opts, .horizon = horizon > ROWS ? INT64_C(1) << 40 : horizon,
                                      .season   = pick(w, 2) ? 0 : draw_size(w),
                                      .forecast = pick(w, 32) ? forecast : NULL)));
    fgt_series_destroy(&s);
}

/* ---- files ---- */

static void forecaster_file(world *w)
{
    if (w->forecaster && pick(w, 2)) {
        SAY(w->forecaster, fgt_forecaster_save(w->forecaster, FGT_TO_MEMORY(w->file, FILE_MAX, &w->bytes)));
        return;
    }
    fgt_forecaster_destroy(&w->forecaster);
    SAY(w->ctx, fgt_forecaster_load(w->ctx, FGT_FROM_MEMORY(w->file, w->bytes), NULL, &w->forecaster));
}

/* Its own table would be too wide for the calls that follow. */
static void forecaster_absent(world *w)
{
    const int64_t columns[] = {pick(w, SERIES), draw_size(w)};
    int64_t       count     = 0;
    fgt_table    *part      = NULL;
    if (w->table) SAY(w->table, fgt_table_create_subset(w->table, columns, 1 + pick(w, 2), &part));
    SAY(w->forecaster, fgt_forecaster_add_absent(w->forecaster, part, pick(w, 8) ? &count : NULL));
    fgt_table_destroy(&part);
}

static void forecaster_mean(world *w)
{
    fgt_forecaster *const members[] = {w->forecaster, pick(w, 8) ? w->forecaster : NULL};
    fgt_forecaster       *mean      = NULL;
    SAY(w->ctx, fgt_forecaster_create_mean(w->ctx, members, pick(w, 3), &mean));
    fgt_forecaster_destroy(&mean);
}

static void forecaster_refit(world *w)
{
    const fgt_split part = {0, draw_size(w), draw_size(w), draw_size(w), 0, 0};
    fgt_forecaster *all   = NULL;
    SAY(w->forecaster, fgt_forecaster_create_refit(w->forecaster, w->table, pick(w, 8) ? &part : NULL,
                                                   &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1),
                                                   NULL, pick(w, 8) ? &all : NULL));
    fgt_forecaster_destroy(&all);
}

static void forecaster_option(world *w)
{
    const int64_t     i = draw_size(w);
    const fgt_option *t = fgt_forecaster_get_option(i), *fit = fgt_forecaster_get_fit_option(i);
    if ((t || fit) && i < 0) abort();
    if (t && t->max < t->min) abort();
    if (fit && fit->max < fit->min) abort();
    t   = fgt_classifier_get_option(i);
    fit = fgt_classifier_get_fit_option(i);
    if ((t || fit) && i < 0) abort();
}

static const operation list[] = {
    {"fgt_forecaster_create", forecaster_create, false, false},
    {"fgt_forecaster_create_mean", forecaster_mean, false, false},
    {"fgt_forecaster_create_refit", forecaster_refit, false, false},
    {"fgt_forecaster_fit", forecaster_fit, false, false},
    {"fgt_forecaster_fit_masked", forecaster_masked, false, false},
    {"fgt_forecaster_search", forecaster_search, false, false},
    {"fgt_forecaster_evaluate", forecaster_evaluate, false, false},
    {"fgt_forecaster_visit", forecaster_measure, false, false},
    {"fgt_forecaster_workspace_predict_rows", forecaster_predict, false, false},
    {"fgt_forecaster_create_workspace", forecaster_windows, false, false},
    {"fgt_forecaster_workspace_predict_rows", forecaster_predict_rows, false, false},
    {"fgt_forecaster_predict_table", forecaster_predict_table, false, false},
    {"fgt_forecaster_set_holidays", forecaster_holidays, false, false},
    {"fgt_forecaster_workspace_predict_each", forecaster_predict_each, false, false},
    {"fgt_forecaster_predict_blend", forecaster_predict_blend, false, false},
    {"fgt_forecaster_workspace_predict_quantiles", forecaster_quantiles, false, false},
    {"fgt_forecaster_save", forecaster_file, false, false},
    {"fgt_forecaster_add_absent", forecaster_absent, false, false},
    {"fgt_calibration_create", calibration_create, false, false},
    {"fgt_forecaster_set_calibration", calibration_keep, false, false},
    {"fgt_calibration_compute_quantile", calibration_quantile, true, false},
    {"fgt_forecaster_evaluate_intervals", forecaster_intervals, false, false},
    {"fgt_forecast_local", forecast_local, false, false},
    {"fgt_series_create", forecast_series, false, false},
    {"fgt_forecaster_get_option", forecaster_option, false, false},
};
const operations calls_of_forecasts = {list, sizeof list / sizeof *list};
