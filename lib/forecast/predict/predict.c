/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/predict/predict.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/size.h"
#include "data/table.h"
#include "forecast/forecaster.h"
#include "forecast/known/calendar.h"
#include "forecast/known/holidays.h"
#include "forecast/known/statics.h"
#include "forecast/predict/outputs.h"
#include "forecast/rows/frame.h"

/* ---- the model's input ---- */

static bool predict_is_wanted(const fgti_origins *o, int64_t target)
{
    return !o->begin || o->begin[target] == *o->row;
}

/* Fails if a target has no value in the window, because nothing could be forecast from it. */
static fgt_status check_window(const fgt_forecaster_workspace *w, const fgti_origins *o, const float *x)
{
    const fgt_forecaster *f = w->f;
    const int64_t         l = f->info.input_len, inputs = fgti_forecaster_inputs(f);
    for (int64_t c = 0; !f->info.blind && c < f->info.columns; c++) {
        int64_t r = 0;
        char    show[FGTI_SHOW];
        while (r < l && isnan(x[r * inputs + c])) r++;
        if (r == l && predict_is_wanted(o, c))
            return fgti_fail(w->error, FGT_E_DATA, "\"%s\" has no value in the %lld rows before the forecast",
                             fgti_show(fgti_strings_get(&f->names, c), show), (long long)l);
    }
    return FGT_OK;
}

/* Handles missing values of known columns in a row. In an input row, a missing value becomes the mean, as in
 * training. In a forecast row it is an error. */
static fgt_status settle_known(const fgt_forecaster_workspace *w, int64_t row, float *known)
{
    const fgt_forecaster *f = w->f;
    char                  show[FGTI_SHOW];
    for (int64_t i = 0; i < f->info.known; i++) {
        if (!isnan(known[i])) continue;
        if (row >= 0)
            return fgti_fail(w->error, FGT_E_DATA,
                             "known column \"%s\" has no value %lld row%s after the last one",
                             fgti_show(fgti_strings_get(&f->names, fgti_forecaster_inputs(f) + i), show),
                             (long long)row + 1, row ? "s" : "");
        known[i] = 0;
    }
    return FGT_OK;
}

static void write_time(const fgt_forecaster_workspace *w, int64_t time, float *out)
{
    const fgt_forecaster *f     = w->f;
    const int64_t         width = fgti_calendar_width(f->info.calendar);
    const uint64_t        place = (uint64_t)time * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (FGTI_TIMES - 1);
    float                *kept  = w->calendar + (int64_t)place * width;
    if (width && w->time[place] != time) fgti_calendar_write(f->info.calendar, time, kept);
    w->time[place] = time;
    memcpy(out, kept, (size_t)width * sizeof *out);
    fgti_forecaster_write_holidays(f, time, out + width);
}

/* Returns the time of a row. The times of the H forecast rows are computed as if the clock did not change
 * within them; follow_clock() moves the rows afterwards. */
static int64_t predict_time_of(const fgt_forecaster_workspace *w, const fgti_origins *o, int64_t i,
                               int64_t done, int64_t r, int64_t last)
{
    return o->clocked && r >= 0 ? last + (r + 1) * w->f->info.step.milliseconds
                                : o->get_time(w, o->from, i, done + r);
}

int64_t fgti_predict_known(const fgt_forecaster_workspace *w, int64_t steps)
{
    return steps < w->f->info.pred_len && !w->by_row ? w->f->info.pred_len : steps;
}

/* Loads the known columns of the L + H rows around row `done` of window i into slot `slot` of the batch. Rows
 * on which no step depends get the mean. */
static fgt_status load_known(const fgt_forecaster_workspace *w, const fgti_origins *o, int64_t i,
                             int64_t slot, int64_t done, int64_t steps)
{
    const int64_t         end = fgti_predict_known(w, steps);
    const fgt_forecaster *f = w->f;
    const int64_t         l = f->info.input_len, h = f->info.pred_len, k = fgti_forecaster_known(&f->info);
    const bool            timed = fgti_forecaster_needs_time(f);
    const int64_t         last  = timed ? o->get_time(w, o->from, i, done - 1) : 0;
    w->day[slot]                = fgti_cycle_id(&f->info.step, FGT_CALENDAR_DAY, last);
    w->week[slot]               = fgti_cycle_id(&f->info.step, FGT_CALENDAR_WEEK, last);
    for (int64_t r = -l; k && r < h; r++) {
        float *known = r < 0 ? w->before + (slot * l + l + r) * k : w->known + (slot * h + r) * k;
        for (int64_t c = 0; c < f->info.known; c++) known[c] = 0;
        if (f->info.known && done + r < end) {
            FGTI_TRY(o->get_known(w, o->from, i, done + r, known));
            FGTI_TRY(settle_known(w, done + r, known));
        }
        if (timed) write_time(w, predict_time_of(w, o, i, done, r, last), known + f->info.known);
    }
    return FGT_OK;
}

static fgt_status load_series(const fgt_forecaster_workspace *w, const fgti_origins *o, int64_t i,
                              int64_t slot)
{
    const int64_t l = w->f->info.input_len, inputs = fgti_forecaster_inputs(w->f);
    float        *x = w->x + slot * l * inputs;
    FGTI_TRY(o->get_series(w, o->from, i, x));
    FGTI_TRY(check_window(w, o, x));
    if (w->missing) fgti_mark_missing(x, l * inputs, w->missing + slot * l * inputs);
    fgti_fill(x, l, inputs, w->f->season);
    return FGT_OK;
}

/* ---- passes ---- */

/* Returns the first row of the pass that follows the pass from row `done` on; -1: there is no further pass.
 * The last pass ends with the last row, so that no known values after this row are needed. */
static int64_t step_after(const fgt_forecaster_workspace *w, int64_t done, int64_t steps)
{
    const int64_t h = w->f->info.pred_len;
    return done + h >= steps ? -1 : fgti_least(done + h, steps - h);
}

/* Appends the first `rows` forecast rows to the input, and removes its oldest rows. Models with past columns
 * cannot do this, so D = C here. */
static void predict_advance(const fgt_forecaster_workspace *w, int64_t slot, int64_t rows)
{
    const int64_t l = w->f->info.input_len, h = w->f->info.pred_len, c = w->f->info.columns;
    float        *x = w->x + slot * l * c;
    const float  *y = w->y + slot * h * c;
    for (int64_t r = 0, from = rows; r < l; r++, from++)
        memcpy(x + r * c, from < l ? x + from * c : y + (from - l) * c, (size_t)c * sizeof *x);
    if (!w->missing) return;
    float *missing = w->missing + slot * l * c;
    for (int64_t i = 0, from = rows * c; i < l * c; i++, from++)
        missing[i] = from < l * c ? missing[from] : 0;
}

static fgt_status predict_set_value(const fgt_forecaster_workspace *w, const char *name, const fgt_view *v)
{
    return fgt_workspace_set_value(w->passes ? w->passes : fgt_model_get_workspace(w->f->model), name, v,
                                   NULL);
}

static fgt_status set_statics(const fgt_forecaster_workspace *w, int64_t n)
{
    fgt_view v = {0};
    (void)fgti_forecaster_find_input(w->f->model, FGTI_STATIC, &v); /* cannot fail: its name was checked */
    v.data     = w->statics;
    v.dtype    = FGT_DTYPE_F32;
    v.shape[0] = n;
    return predict_set_value(w, FGTI_STATIC, &v);
}

/* Returns the step whose time of day is the time of row j. */
static int64_t step_by_clock(const fgt_forecaster_workspace *w, const fgti_origins *o, int64_t i,
                             int64_t done, int64_t j)
{
    const int64_t ms    = w->f->info.step.milliseconds;
    const int64_t ahead = o->get_time(w, o->from, i, done + j) - o->get_time(w, o->from, i, done - 1);
    const int64_t k     = ahead % ms ? j : ahead / ms - 1;
    return k < 0 ? 0 : fgti_least(k, w->f->info.pred_len - 1);
}

/* Moves rows if the clock changes within the forecast, because daily patterns follow the clock. Each row gets
 * the step with its time of day. The clock may go forward or back, so rows move in both directions. */
static void follow_clock(const fgt_forecaster_workspace *w, const fgti_origins *o, int64_t at, int64_t n,
                         int64_t done)
{
    const int64_t h = w->f->info.pred_len, size = w->f->info.columns * fgti_forecaster_heads(w->f);
    for (int64_t i = 0; o->clocked && i < n; i++) {
        float *y = w->all + i * h * size;
        for (int64_t j = 0; j < h; j++) {
            const int64_t k = step_by_clock(w, o, at + i, done, j);
            if (k > j) memcpy(y + j * size, y + k * size, (size_t)size * sizeof *y);
        }
        for (int64_t j = h - 1; j >= 0; j--) {
            const int64_t k = step_by_clock(w, o, at + i, done, j);
            if (k < j) memcpy(y + j * size, y + k * size, (size_t)size * sizeof *y);
        }
    }
}

/* Forecasts n windows from window `at` on, in one pass. The pass begins at row `done` of the forecast. */
static fgt_status predict_pass(fgt_forecaster_workspace *w, const fgti_origins *o, int64_t at, int64_t n,
                               int64_t done)
{
    const fgt_forecaster *f = w->f;
    const int64_t         l = f->info.input_len, h = f->info.pred_len, k = fgti_forecaster_known(&f->info);
    const fgt_view       *x = FGT_VIEW(w->x, n, l, fgti_forecaster_inputs(f));
    const fgt_view       *y = f->info.quantile_count
                                  ? FGT_VIEW(w->all, n, h, f->info.columns, f->info.quantile_count)
                                  : FGT_VIEW(w->all, n, h, f->info.columns);
    if (w->missing)
        FGTI_TRY(predict_set_value(w, FGTI_MISSING, FGT_VIEW(w->missing, n, l, fgti_forecaster_inputs(f))));
    if (k) {
        FGTI_TRY(predict_set_value(w, FGTI_KNOWN_BEFORE, FGT_VIEW(w->before, n, l, k)));
        FGTI_TRY(predict_set_value(w, FGTI_KNOWN, FGT_VIEW(w->known, n, h, k)));
    }
    if (f->statics) FGTI_TRY(set_statics(w, n));
    if (f->info.cycles & FGT_CALENDAR_DAY)
        FGTI_TRY(predict_set_value(w, FGTI_TIME_OF_DAY, FGT_VIEW_OF(FGT_DTYPE_I64, w->day, n, 1)));
    if (f->info.cycles & FGT_CALENDAR_WEEK)
        FGTI_TRY(predict_set_value(w, FGTI_DAY_OF_WEEK, FGT_VIEW_OF(FGT_DTYPE_I64, w->week, n, 1)));
    FGTI_TRY(w->passes ? fgt_workspace_predict(w->passes, x, y) : fgt_predict(f->model, x, y));
    FGTI_TRY(fgti_forecast_check(f, w->error, w->all, n, done));
    fgti_forecast_settle(f, w->x, w->all, n);
    follow_clock(w, o, at, n, done);
    fgti_forecast_points(f, w->all, n * h * f->info.columns, w->y);
    return FGT_OK;
}

/* Writes the forecasts of n windows from window `at` on, from row `begin` on. y starts at row `done`. */
static void predict_put(const fgt_forecaster_workspace *w, const fgti_origins *o, int64_t at, int64_t n,
                        int64_t done, int64_t begin, int64_t steps, const fgt_view *forecast)
{
    const int64_t h = w->f->info.pred_len, c = w->f->info.columns, rows = fgti_least(done + h, steps) - begin;
    for (int64_t i = 0; i < n; i++) {
        const float *y = w->y + (i * h + begin - done) * c;
        for (int64_t k = 0; k < rows * c; k++)
            if (predict_is_wanted(o, k % c))
                fgti_view_set(forecast, ((at + i) * steps + begin) * c + k,
                              fgti_forecast_to_units(w->f, y, k));
    }
}

static fgt_status predict_batch(fgt_forecaster_workspace *w, const fgti_origins *o, int64_t at, int64_t n,
                                int64_t steps, const fgt_view *forecast)
{
    for (int64_t done = 0, written = 0, next; done >= 0; done = next) {
        for (int64_t i = 0; i < n; i++) {
            if (!done) FGTI_TRY(load_series(w, o, at + i, i));
            FGTI_TRY(load_known(w, o, at + i, i, done, steps));
        }
        FGTI_TRY(predict_pass(w, o, at, n, done));
        predict_put(w, o, at, n, done, written, steps, forecast);
        written = done + w->f->info.pred_len;
        next    = step_after(w, done, steps);
        for (int64_t i = 0; next > 0 && i < n; i++) predict_advance(w, i, next - done);
    }
    return FGT_OK;
}

fgt_status fgti_predict_check_windows(const fgt_forecaster_workspace *w, const fgti_origins *o, int64_t steps)
{
    for (int64_t i = 0; i < o->count; i++) {
        FGTI_TRY(load_series(w, o, i, 0));
        for (int64_t done = 0; done >= 0; done = step_after(w, done, steps))
            FGTI_TRY(load_known(w, o, i, 0, done, steps));
    }
    return FGT_OK;
}

fgt_status fgti_predict(fgt_forecaster_workspace *w, const fgti_origins *o, int64_t steps,
                        const fgt_view *forecast)
{
    const bool at_once = o->count <= w->batch && steps <= w->f->info.pred_len;
    /* checks all windows before the first forecast is written */
    if (!at_once) FGTI_TRY(fgti_predict_check_windows(w, o, steps));
    for (int64_t at = 0; at < o->count; at += w->batch)
        FGTI_TRY(predict_batch(w, o, at, fgti_least(w->batch, o->count - at), steps, forecast));
    return FGT_OK;
}

/* ---- whether series depend on other series ---- */

/* Fills the input with numbers without a pattern. If `other` is true, the `absent` columns also get such
 * numbers. Otherwise they are 0 and marked as missing. */
static void make_probe(const fgt_forecaster_workspace *w, const bool *absent, bool other)
{
    const int64_t inputs = fgti_forecaster_inputs(w->f), size = w->f->info.input_len * inputs;
    for (int64_t i = 0; i < size; i++) {
        const uint64_t bits = (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        w->x[i]             = absent[i % inputs] && !other ? 0 : (float)(bits >> 40) * 0x1p-23F - 1;
        if (w->missing) w->missing[i] = absent[i % inputs] && !other ? 1 : 0;
    }
}

/* Returns a hash of the forecasts of the targets that are not absent. */
static uint64_t hash_probe(const fgt_forecaster_workspace *w, const bool *absent)
{
    const int64_t heads = fgti_forecaster_heads(w->f), c = w->f->info.columns;
    uint64_t      hash = FGTI_HASH_START;
    for (int64_t i = 0; i < w->f->info.pred_len * c * heads; i++)
        if (!absent[i / heads % c]) hash = fgti_hash(hash, &w->all[i], sizeof *w->all);
    return hash;
}

fgt_status fgti_predict_probe(fgt_forecaster_workspace *w, const bool *absent, bool *depend)
{
    const int64_t      l = w->f->info.input_len, h = w->f->info.pred_len;
    const int64_t      k    = fgti_forecaster_known(&w->f->info);
    const fgti_origins none = {.count = 1};
    uint64_t           hash[2];
    for (int64_t i = 0; i < l * k; i++) w->before[i] = 0;
    for (int64_t i = 0; i < h * k; i++) w->known[i] = 0;
    w->day[0] = w->week[0] = 0;
    for (int i = 0; i < 2; i++) {
        make_probe(w, absent, i);
        FGTI_TRY(predict_pass(w, &none, 0, 1, 0));
        hash[i] = hash_probe(w, absent);
    }
    *depend = hash[0] != hash[1];
    return FGT_OK;
}

/* ---- checks ---- */

fgt_status fgti_predict_check(const fgt_forecaster_workspace *w, const fgt_view *forecast, bool many,
                              int64_t count, int64_t *steps)
{
    const fgt_forecaster_info *info    = &w->f->info;
    const int64_t              shape[] = {count, -1, info->columns};
    FGTI_TRY(fgti_view_check_number(w->error, "forecast", forecast, 2 + many, shape + !many));
    *steps = forecast->shape[many];
    if (*steps < 1) return fgti_fail(w->error, FGT_E_SHAPE, "forecast has no rows (need at least 1)");
    if (*steps <= info->pred_len || !info->past) return FGT_OK;
    return fgti_fail(w->error, FGT_E_UNSUPPORTED,
                     "a forecast of %lld rows needs more than the model's %lld, but the %lld past columns "
                     "have no values after the last row",
                     (long long)*steps, (long long)info->pred_len, (long long)info->past);
}
