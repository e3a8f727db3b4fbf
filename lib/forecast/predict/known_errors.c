/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/predict/known_errors.h"

#include <string.h>

#include "core/size.h"
#include "data/time/step.h"
#include "forecast/predict/calibrate.h"
#include "forecast/predict/visit.h"
#include "forecast/rows/feed.h"
#include "forecast/rows/frame.h"

/* Returns the number of rows between updates of the intervals: the rows of a day, or one row if rows are a
 * day or longer. Rows without times are taken for hours. */
static int64_t rows_between(const fgt_forecaster *f)
{
    const fgt_time_step *s = &f->info.step;
    if (!fgti_step_known(s)) return 24;
    if (s->day_rows) return s->day_rows;
    return s->milliseconds && s->milliseconds < FGTI_DAY ? FGTI_DAY / s->milliseconds : 1;
}

fgt_status fgti_levels_check(fgti_error *err, const double *levels, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!(levels[i] > 0 && levels[i] < 1))
            return fgti_fail(err, FGT_E_ARG,
                             "intervals: level %lld is out of range (got %g, need between 0 and 1)",
                             (long long)i, levels[i]);
    return FGT_OK;
}

/* ---- windows that calibrate ---- */

static void known_errors_keep(void *user, int64_t window, const float *error, const float *truth)
{
    fgti_known_errors *k    = user;
    const int64_t      rows = k->now->heads * k->cells;
    (void)truth;
    memcpy(k->past + window * rows, error, (size_t)rows * sizeof *error);
}

static fgt_status known_errors_collect(fgti_known_errors *k, const fgti_frame *frame, int64_t end)
{
    fgti_feed  d = {0};
    fgt_source source;
    int64_t    count;
    fgt_status s = fgti_feed_init(&d, k->f, frame, "calibration", k->first, end, k->stride, 1, &source);
    if (s == FGT_OK && !fgti_size_mul(source.count, k->now->heads * k->cells, &count))
        s = fgti_fail(&k->f->ctx->error, FGT_E_SIZE, "calibration: too large");
    if (s == FGT_OK) s = FGTI_NEW(k->f->ctx, count, "calibration", &k->past);
    if (s == FGT_OK) {
        k->windows = source.count;
        s          = fgti_collect_errors(k->f, &source, 0, source.count, known_errors_keep, k);
    }
    fgti_feed_done(&d);
    return s;
}

static fgt_status known_errors_allocate(fgti_known_errors *k)
{
    fgt_context  *ctx  = k->f->ctx;
    const int64_t most = fgti_calibration_rows(k->f) / fgti_calibration_stride(k->f);
    FGTI_TRY(fgti_calibration_new(k->f, most, &k->now));
    FGTI_TRY(FGTI_NEW(ctx, k->levels, "calibration", &k->from));
    for (int64_t i = 0; i < k->levels; i++)
        k->from[i] = (fgti_ends){fgti_calibration_head(k->now, (1 - k->level[i]) / 2) * k->cells,
                                 fgti_calibration_head(k->now, (1 + k->level[i]) / 2) * k->cells};
    FGTI_TRY(FGTI_NEW(ctx, k->levels * k->cells, "calibration", &k->low));
    return FGTI_NEW(ctx, k->levels * k->cells, "calibration", &k->high);
}

fgt_status fgti_known_errors_init(fgti_known_errors *k, fgt_forecaster *f, const fgt_table *table,
                                  const fgti_frame *frame, const double *level, int64_t levels,
                                  int64_t begin, int64_t end)
{
    const int64_t l = f->info.input_len, h = f->info.pred_len;
    const int64_t recent = begin - h - fgti_calibration_rows(f), first = fgti_calibration_first(f, table);
    const int64_t back = recent > first ? recent : first;
    *k = (fgti_known_errors){
        .f = f, .level = level, .levels = levels, .cells = h * f->info.columns, .until = -1};
    k->first  = back > l ? back : l;
    k->stride = fgti_calibration_stride(f);
    FGTI_TRY(known_errors_allocate(k));
    return k->first + h > end ? FGT_OK : known_errors_collect(k, frame, end);
}

void fgti_known_errors_done(fgti_known_errors *k)
{
    if (!k->f) return;
    fgt_context *ctx = k->f->ctx;
    fgt_calibration_destroy(&k->now);
    fgti_free(ctx, k->from);
    fgti_free(ctx, k->low);
    fgti_free(ctx, k->high);
    fgti_free(ctx, k->past);
}

/* ---- a forecast ---- */

/* Moves `now` to the windows before number `end`, at most as many as a calibration uses. The first call sorts
 * all errors. Later calls replace one window after another, because sorting all errors each time would take
 * minutes. */
static void move_on(fgti_known_errors *k, int64_t end)
{
    const int64_t most = k->now->windows, rows = k->now->heads * k->cells;
    for (int64_t w = end > most ? end - most : 0; !k->end && w < end; w++)
        fgti_calibration_add(k->now, k->past + w * rows);
    if (!k->end) fgti_calibration_sort(k->now);
    for (int64_t w = k->end; k->end && w < end; w++)
        fgti_calibration_replace(k->now, w < most ? NULL : k->past + (w - most) * rows, k->past + w * rows);
    k->end = end;
}

/* Uses the windows whose targets were known before `row`. */
void fgti_known_errors_at(fgti_known_errors *k, int64_t row)
{
    const int64_t last   = row - k->f->info.pred_len - k->first;
    const int64_t end    = last < 0 ? 0 : fgti_least(last / k->stride + 1, k->windows);
    const bool    enough = end >= FGTI_CALIBRATION_LEAST;
    if (row < k->until) return;
    k->until = row + (enough ? rows_between(k->f) : 1);
    if (enough) move_on(k, end);
    for (int64_t i = 0; i < k->levels; i++) {
        const fgti_ends e    = k->from[i];
        double         *low  = k->low + i * k->cells, *high = k->high + i * k->cells;
        const double    tail = (1 - k->level[i]) / 2;
        for (int64_t c = 0; c < k->cells; c++) {
            low[c]  = fgti_calibration_quantile(k->now, e.low + c, tail);
            high[c] = fgti_calibration_quantile(k->now, e.high + c, (1 + k->level[i]) / 2);
        }
    }
}
