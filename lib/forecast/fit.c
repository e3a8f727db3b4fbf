/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/size.h"
#include "data/table.h"
#include "forecast/forecaster.h"
#include "train/train_impl.h"

/* Windows as an fgt_source. */
typedef struct feed {
    const fgt_forecaster *f;
    fgt_windows          *windows;
} feed;

static fgt_status feed_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                           const fgt_view *target)
{
    const feed                *d    = user;
    const fgt_forecaster_info *info = &d->f->info;
    /* the trainer leaves out axes of length 1 */
    fgt_view vx = {.data = x->data, .dtype = x->dtype, .rank = 3};
    vx.shape[0] = n;
    vx.shape[1] = info->input_len;
    vx.shape[2] = info->columns;
    fgt_view vy = vx;
    vy.data     = target->data;
    vy.dtype    = target->dtype;
    vy.shape[1] = info->pred_len;
    return fgt_windows_get(d->windows, index, n, &vx, &vy);
}

/* Of the rows that windows of this range see. */
static uint64_t hash_rows(const fgt_forecaster *f, const float *series, const fgt_windows_opts *o)
{
    const int64_t back = o->reach_back ? fgti_least(o->begin, o->input_len) : 0;
    uint64_t      hash = FGTI_HASH_START;
    for (int64_t i = (o->begin - back) * f->info.columns; i < o->end * f->info.columns; i++) {
        uint32_t bits;
        memcpy(&bits, series + i, sizeof bits);
        hash = fgti_hash_value(hash, bits);
    }
    return hash;
}

/* Makes windows of the standardised series [rows,C]. reach_back 0: inputs lie inside the range, too. */
static fgt_status feed_init(feed *d, const fgt_forecaster *f, float *series, int64_t rows, const char *what,
                            int64_t begin, int64_t end, int32_t reach_back, fgt_source *source)
{
    const fgt_windows_opts o = {.size = sizeof o, .input_len = f->info.input_len,
                                .pred_len = f->info.pred_len, .begin = begin, .end = end,
                                .reach_back = reach_back};
    fgti_error *err = &f->ctx->error;
    d->f            = f;
    if (begin < 0 || begin >= end || end > rows)
        return fgti_fail(err, FGT_E_ARG, "%s: rows %lld..%lld are not a range of the table's %lld rows", what,
                         (long long)begin, (long long)end - 1, (long long)rows);
    const fgt_status s = fgt_windows_create(f->ctx, FGT_VIEW(series, rows, f->info.columns), &o, &d->windows);
    if (s != FGT_OK) {
        fgti_error_prefix(err, "%s", what);
        return s;
    }
    *source = (fgt_source){.size = sizeof *source, .count = fgt_windows_count(d->windows), .get = feed_get,
                           .user = d, .fingerprint = hash_rows(f, series, &o)};
    return FGT_OK;
}

/* ---- training ---- */

static fgt_status check_fit(const fgt_forecaster *f, fgt_forecaster_fit_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_forecaster_fit_opts, epochs, I64, 1, FGTI_OPT_SIZE_MAX, 10),
        FGTI_FIELD(fgt_forecaster_fit_opts, batch, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_forecaster_fit_opts, patience, I64, -1, FGTI_OPT_SIZE_MAX, 3),
        {0},
    };
    fgti_error *err = &f->ctx->error;
    FGTI_TRY(fgti_opts_check(err, "fit", table, o));
    if (!fgti_loss_of_numbers(o->loss)) {
        const char *name = fgti_loss_name(o->loss);
        return fgti_fail(err, FGT_E_ARG, "fit: loss %d (%s) compares no numbers", (int)o->loss,
                         name ? name : "unknown");
    }
    return fgti_fit_check(err, "forecaster", f->batch, &o->batch, 1e-3, &o->lr);
}

static fgt_status fit(fgt_forecaster *f, const fgt_forecaster_fit_opts *o, const fgt_source *train,
                      const fgt_source *validation, fgt_fit_report *report)
{
    const fgt_loss_opts loss = {.size = sizeof loss, .kind = o->loss, .skip_nan = 1, .quantile = o->quantile};
    const fgt_fit_opts  all  = {FGTI_FIT_OPTS(o), .train = train, .validation = validation, .loss = &loss};
    return fgti_fit(f->model, &all, o->lr, report);
}

fgt_status fgt_forecaster_fit(fgt_forecaster *forecaster, const fgt_table *table, const fgt_split *split,
                              const fgt_forecaster_fit_opts *opts, fgt_fit_report *report)
{
    fgt_forecaster         *f = forecaster;
    fgt_forecaster_fit_opts o;
    if (!f) return FGT_E_ARG;
    if (!table || !split) return fgti_fail(&f->ctx->error, FGT_E_ARG, "fit: table or split is NULL");
    FGTI_TRY(fgti_opts_read(&f->ctx->error, "fgt_forecaster_fit_opts", opts, &o, sizeof o));
    FGTI_TRY(check_fit(f, &o));
    if (report) FGTI_TRY(fgti_result_check(&f->ctx->error, "fgt_fit_report", report));
    float        *series;
    feed          train = {0}, val = {0};
    fgt_source    from, check;
    const int64_t rows    = fgt_table_count_rows(table);
    const bool    has_val = split->val_end > split->val_begin;
    FGTI_TRY(fgti_forecaster_series(f, table, &series));
    fgt_status s = feed_init(&train, f, series, rows, "training", split->train_begin, split->train_end, 0,
                             &from);
    if (s == FGT_OK && has_val)
        s = feed_init(&val, f, series, rows, "validation", split->val_begin, split->val_end, 1, &check);
    if (s == FGT_OK) s = fit(f, &o, &from, has_val ? &check : NULL, report);
    fgt_windows_destroy(&val.windows);
    fgt_windows_destroy(&train.windows);
    fgti_free(f->ctx, series);
    return s;
}

/* ---- comparing ---- */

fgt_status fgt_forecaster_evaluate(fgt_forecaster *forecaster, const fgt_table *table, int64_t begin,
                                   int64_t end, fgt_metric *metric)
{
    fgt_forecaster     *f    = forecaster;
    const fgt_loss_opts loss = {.size = sizeof loss, .skip_nan = 1};
    const int64_t       rows = fgt_table_count_rows(table);
    float              *series;
    feed                d = {0};
    fgt_source          source;
    if (!f) return FGT_E_ARG;
    if (!table || !metric) return fgti_fail(&f->ctx->error, FGT_E_ARG, "forecaster: table or metric is NULL");
    FGTI_TRY(fgti_forecaster_series(f, table, &series));
    fgt_status s = feed_init(&d, f, series, rows, "windows", begin, end, 1, &source);
    if (s == FGT_OK) s = fgt_model_evaluate(f->model, &source, &loss, FGT_F32, NULL, metric);
    fgt_windows_destroy(&d.windows);
    fgti_free(f->ctx, series);
    return s;
}

/* The value in `row`. If it is missing, the value one season earlier and so on, back to row `first`. */
static float latest(const float *column, int64_t columns, int64_t row, int64_t season, int64_t first)
{
    for (; row >= first; row -= season)
        if (!isnan(column[row * columns])) return column[row * columns];
    return 0;
}

static fgt_status compare_naive(const fgt_forecaster *f, float *series, const fgt_windows *windows,
                                int64_t season, float *y, fgt_metric *metric)
{
    const int64_t columns = f->info.columns, h = f->info.pred_len, count = fgt_windows_count(windows);
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = fgt_windows_get_row(windows, i);
        for (int64_t k = 0; k < h; k++)
            for (int64_t c = 0; c < columns; c++)
                y[k * columns + c] = latest(series + c, columns, row - season + k % season, season,
                                            row - f->info.input_len);
        FGTI_TRY(fgt_metric_add(f->ctx, metric, FGT_VIEW(y, h, columns),
                                FGT_VIEW(series + row * columns, h, columns)));
    }
    return FGT_OK;
}

fgt_status fgt_forecaster_evaluate_naive(fgt_forecaster *forecaster, const fgt_table *table, int64_t begin,
                                         int64_t end, int64_t season, fgt_metric *metric)
{
    fgt_forecaster *f = forecaster;
    const int64_t   rows = fgt_table_count_rows(table);
    float          *series;
    feed            d = {0};
    fgt_source      source;
    if (!f) return FGT_E_ARG;
    if (!table || !metric) return fgti_fail(&f->ctx->error, FGT_E_ARG, "forecaster: table or metric is NULL");
    if (season < 1 || season > f->info.input_len)
        return fgti_fail(&f->ctx->error, FGT_E_ARG,
                         "season is %lld, must be in 1..%lld, the length of the input", (long long)season,
                         (long long)f->info.input_len);
    FGTI_TRY(fgti_forecaster_series(f, table, &series));
    fgt_status s = feed_init(&d, f, series, rows, "windows", begin, end, 1, &source);
    if (s == FGT_OK) s = compare_naive(f, series, d.windows, season, f->y, metric);
    fgt_windows_destroy(&d.windows);
    fgti_free(f->ctx, series);
    return s;
}
