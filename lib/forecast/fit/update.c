/* SPDX-License-Identifier: BSD-3-Clause */
/* Further training with rows that are newer than the training rows. */
#include "data/table.h"
#include "data/time/time.h"
#include "forecast/fit/fit.h"
#include "forecast/predict/calibrate.h"
#include "forecast/predict/calibration.h"
#include "forecast/predict/kept_errors.h"
#include "forecast/rows/feed.h"
#include "forecast/rows/frame.h"

/* Number of epochs and learning rate of an update. A nightly update must not forget the training of years. So
 * it makes few passes over the last weeks, at a fifth of the learning rate of training. */
#define EPOCHS 3
#define RATE   2e-4

/* Finds the first row that is newer than all rows that the model has seen. */
static fgt_status find_new(const fgt_forecaster *f, const fgt_table *table, int64_t end, int64_t *row)
{
    fgti_error *err = &f->ctx->error;
    char        last[24];
    if (!table->times || (!f->info.seen_first && !f->info.seen_last))
        return fgti_fail(err, FGT_E_ARG,
                         "update: the new rows or the training rows have no times; the number of the first "
                         "new row is needed");
    for (*row = 0; *row < end; ++*row)
        if (table->times[*row] > f->info.seen_last) return FGT_OK;
    fgti_time_format(f->info.seen_last, last, sizeof last);
    return fgti_fail(err, FGT_E_DATA, "update: no target has a value after %s, the last row of training",
                     last);
}

static fgt_status check_new(const fgt_forecaster *f, const fgt_table *table, int64_t end, int64_t row)
{
    fgti_error *err = &f->ctx->error;
    char        here[FGTI_ROW_TEXT], last[24];
    if (row < 0 || row >= end)
        return fgti_fail(
            err, FGT_E_ARG,
            "update: row is out of range (got %lld, need -1 .. %lld, the last row with a target value)",
            (long long)row, (long long)end - 1);
    if (!table->times || !f->info.seen_last || table->times[row] > f->info.seen_last) return FGT_OK;
    fgti_time_format(f->info.seen_last, last, sizeof last);
    return fgti_fail(err, FGT_E_DATA, "update: %s is not newer than %s, the last row of training",
                     fgti_table_row(table, row, here), last);
}

/* After training on rows, their errors no longer show how accurate forecasts are. So the errors of the model
 * before the update are kept. */
static fgt_status hold_back(fgt_forecaster *f, const fgt_table *table, int64_t row, int64_t end,
                            fgt_calibration **kept)
{
    const bool       timed = table->times && f->info.seen_last;
    const int64_t    first = timed ? fgti_calibration_first(f, table) : row;
    fgt_calibration *all   = NULL;
    *kept                  = NULL;
    fgt_status s = fgti_calibration_make(f, table, first, row, end, &all);
    if (s == FGT_E_DATA) return FGT_OK; /* too few windows */
    if (s == FGT_OK) s = fgti_kept_errors_of(f, all, kept);
    fgt_calibration_destroy(&all);
    return s;
}

static void forecaster_remember(fgt_forecaster *f, const fgt_table *table, int64_t row, int64_t end)
{
    f->info.seen_rows += end - row;
    if (!table->times) return;
    if (!f->info.seen_first && !f->info.seen_last) f->info.seen_first = table->times[row];
    f->info.seen_last    = table->times[end - 1];
    f->info.trained_last = f->info.seen_last;
}

static fgt_status forecaster_update(fgt_forecaster *f, const fgt_table *table, int64_t row, int64_t end,
                                    const fgt_forecaster_fit_opts *o, fgt_fit_report *report)
{
    const int64_t recent = end - fgti_calibration_rows(f), begin = recent < row ? recent : row;
    fgt_calibration *kept = NULL;
    fgti_frame       frame = {0};
    fgti_feed        d = {0};
    fgt_source       source;
    fgt_status       s = hold_back(f, table, row, end, &kept);
    if (s == FGT_OK) s = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK) s = fgti_feed_init(&d, f, &frame, "update", begin > 0 ? begin : 0, end, 1, 1, &source);
    if (s == FGT_OK) s = fgti_check_sign(f, table, begin > 0 ? begin : 0, end);
    if (s == FGT_OK) s = fgti_forecaster_train(f, o, &source, NULL, 1, report);
    if (s == FGT_OK) {
        forecaster_remember(f, table, row, end);
        fgt_calibration_destroy(&f->kept);
        f->kept = kept;
        kept    = NULL;
    }
    fgt_calibration_destroy(&kept);
    fgti_feed_done(&d);
    fgti_frame_done(f, &frame);
    return s;
}

fgt_status fgt_forecaster_update(fgt_forecaster *forecaster, const fgt_table *table, int64_t row,
                                 const fgt_forecaster_fit_opts *opts, fgt_fit_report *report)
{
    fgt_forecaster         *f = forecaster;
    fgt_forecaster_fit_opts o;
    if (!f) return FGT_E_ARG;
    fgti_error *err = &f->ctx->error;
    if (!table) return fgti_fail(err, FGT_E_ARG, "update: table is NULL");
    FGTI_TRY(fgti_table_check_loaded(err, "update", table));
    FGTI_TRY(fgti_opts_read(err, "fgt_forecaster_fit_opts", opts, &o, sizeof o));
    if (!o.training.epochs) o.training.epochs = EPOCHS;
    if (o.training.lr == 0) o.training.lr = RATE;
    if (!o.thin) o.thin = 1;
    FGTI_TRY(fgti_fit_opts_check(f, 0, &o));
    o.apart = 0; /* layers and map are blended already, and are trained further together */
    if (report) FGTI_TRY(fgti_result_check(err, "fgt_fit_report", report));
    if (fgti_forecaster_is_closed(f))
        return fgti_fail(err, FGT_E_STATE,
                         "update: the model is only a linear map in closed form, which is not trained; "
                         "create a new one with all rows");
    const int64_t end = fgt_forecaster_find_row(f, table);
    if (end < 0) return fgti_fail(err, FGT_E_NAME, "update: the table lacks a target");
    FGTI_TRY(row == -1 ? find_new(f, table, end, &row) : check_new(f, table, end, row));
    return forecaster_update(f, table, row, end, &o, report);
}
