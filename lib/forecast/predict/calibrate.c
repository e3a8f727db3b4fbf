/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the errors of past windows. */
#include "forecast/predict/calibrate.h"

#include "core/size.h"
#include "data/table.h"
#include "data/time/time.h"
#include "forecast/predict/kept_errors.h"
#include "forecast/predict/visit.h"
#include "forecast/rows/feed.h"
#include "forecast/rows/frame.h"

/* Returns the first row later than a time. */
static int64_t row_after(const fgt_table *table, int64_t time)
{
    int64_t row = 0, end = table->rows;
    while (row < end) {
        const int64_t middle = row + (end - row) / 2;
        if (fgti_table_time(table, middle) <= time)
            row = middle + 1;
        else
            end = middle;
    }
    return row;
}

int64_t fgti_calibration_first(const fgt_forecaster *f, const fgt_table *table)
{
    if (!fgti_table_has_times(table) || (!f->info.seen_first && !f->info.seen_last)) return 0;
    return row_after(table, f->info.trained_last);
}

static void calibrate_add(void *user, int64_t window, const float *error, const float *truth)
{
    (void)window, (void)truth;
    fgti_calibration_add(user, error);
}

/* Returns the number of windows whose targets lie in rows first .. end-1, at most as many as a calibration
 * uses. */
static int64_t calibrate_count_windows(const fgt_forecaster *f, int64_t first, int64_t end)
{
    const int64_t stride = fgti_calibration_stride(f), last = end - f->info.pred_len;
    const int64_t from = first > f->info.input_len ? first : f->info.input_len;
    return last < from ? 0 : fgti_least(fgti_calibration_rows(f) / stride, (last - from) / stride + 1);
}

/* Uses the last windows whose targets lie in rows first .. end-1. If there are too few, windows over training
 * rows are added. */
static fgt_status calibrate(fgt_forecaster *f, const fgti_frame *frame, int64_t first, int64_t end,
                            fgt_calibration **c)
{
    const int64_t stride = fgti_calibration_stride(f), last = end - f->info.pred_len;
    const int64_t fresh = calibrate_count_windows(f, first, end), all = calibrate_count_windows(f, 0, end);
    const int64_t least = fgti_least(all, FGTI_CALIBRATION_LEAST), count = fresh > least ? fresh : least;
    const int64_t begin = last - (count - 1) * stride; /* the last window ends at `end` */
    fgti_feed     d     = {0};
    fgt_source    source;
    if (!count)
        return fgti_fail(&f->ctx->error, FGT_E_DATA,
                         "calibration: no window of %lld rows and %lld to forecast ends before row %lld",
                         (long long)f->info.input_len, (long long)f->info.pred_len, (long long)end);
    fgt_status s = fgti_feed_init(&d, f, frame, "calibration", begin, end, stride, 1, &source);
    if (s == FGT_OK) s = fgti_calibration_new(f, source.count, c);
    if (s == FGT_OK) s = fgti_collect_errors(f, &source, 0, source.count, calibrate_add, *c);
    if (s == FGT_OK) fgti_calibration_sort(*c);
    if (s == FGT_OK) (*c)->trained = count - fresh;
    if (s != FGT_OK) fgt_calibration_destroy(c);
    fgti_feed_done(&d);
    return s;
}

/* Chooses between the kept errors and new ones. If rows first .. row-1 have at least as many windows as the
 * kept errors, their errors are used, because these are errors of the present model and the kept ones are
 * not. If rows have no times, it is unknown which rows the model was trained on, and the kept errors are
 * used. */
fgt_status fgti_calibration_make(fgt_forecaster *f, const fgt_table *table, int64_t first, int64_t more,
                                 int64_t row, fgt_calibration **c)
{
    fgti_frame frame;
    const bool known = fgti_table_has_times(table) && f->info.seen_last;
    const bool kept =
        f->kept && more >= 0 && (!known || calibrate_count_windows(f, first, row) < f->kept->total);
    fgt_status s = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK)
        s = kept ? fgti_kept_errors_with(f, &frame, more, row, c) : calibrate(f, &frame, first, row, c);
    fgti_frame_done(f, &frame);
    if (s == FGT_OK)
        (*c)->last = fgti_table_has_times(table) && row > 0 ? fgti_table_time(table, row - 1) : 0;
    return s;
}

/* Returns the first row after the kept errors; -1: they include rows from `row` on. If rows have no times, no
 * row is added to the kept errors. */
static int64_t find_more(const fgt_forecaster *f, const fgt_table *table, int64_t row)
{
    if (!f->kept || !fgti_table_has_times(table) || !f->kept->last) return row;
    const int64_t more = row_after(table, f->kept->last);
    return more <= row ? more : -1;
}

fgt_status fgt_calibration_create(fgt_forecaster *forecaster, const fgt_table *table, int64_t row,
                                  fgt_calibration **calibration)
{
    fgt_forecaster *f = forecaster;
    if (calibration) *calibration = NULL;
    if (!f) return FGT_E_ARG;
    if (!table || !calibration)
        return fgti_fail(&f->ctx->error, FGT_E_ARG, "calibration: table or result pointer is NULL");
    if (row == -1 && (row = fgt_forecaster_find_row(f, table)) < 0)
        return fgti_fail(&f->ctx->error, FGT_E_NAME, "calibration: the table lacks a target");
    if (row < 0 || row > table->rows)
        return fgti_fail(&f->ctx->error, FGT_E_ARG,
                         "calibration: row is out of range (got %lld, need -1 .. %lld)", (long long)row,
                         (long long)table->rows);
    return fgti_calibration_make(f, table, fgti_calibration_first(f, table), find_more(f, table, row), row,
                                 calibration);
}
