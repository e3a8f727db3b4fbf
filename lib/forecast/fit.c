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
    const fgti_frame     *frame;
    fgt_windows          *windows; /* for their rows */
} feed;

/* The first row of window index[i] that is forecast. */
static int64_t row_of(const feed *d, const int64_t *index, int64_t i)
{
    return fgt_windows_get_row(d->windows, index[i]);
}

static fgt_status feed_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                           const fgt_view *target)
{
    const feed   *d = user;
    const int64_t l = d->f->info.input_len, h = d->f->info.pred_len, c = d->f->info.columns;
    const int64_t inputs = fgti_forecaster_inputs(d->f);
    float        *in = x->data, *out = target->data;
    for (int64_t i = 0; i < n; i++, in += l * inputs) {
        const float *row = d->frame->series + row_of(d, index, i) * inputs;
        memcpy(in, row - l * inputs, (size_t)(l * inputs) * sizeof *in);
        fgti_fill(in, l, inputs, d->f->season);
        for (int64_t k = 0; k < h; k++, row += inputs, out += c) memcpy(out, row, (size_t)c * sizeof *out);
    }
    return FGT_OK;
}

static fgt_status feed_value(void *user, const int64_t *index, int64_t n, const char *layer,
                             const fgt_view *value)
{
    const feed   *d    = user;
    const bool    past = !strcmp(layer, FGTI_KNOWN_BEFORE);
    const int64_t k = fgti_forecaster_known(&d->f->info), l = d->f->info.input_len;
    const int64_t rows = past ? l : d->f->info.pred_len;
    float        *out  = value->data;
    for (int64_t i = 0; i < n; i++, out += rows * k)
        memcpy(out, d->frame->known + (row_of(d, index, i) - (past ? l : 0)) * k,
               (size_t)(rows * k) * sizeof *out);
    return FGT_OK;
}

static uint64_t hash_floats(uint64_t hash, const float *v, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, v + i, sizeof bits);
        hash = fgti_hash_value(hash, bits);
    }
    return hash;
}

/* Of the rows that windows of this range see. */
static uint64_t hash_rows(const fgt_forecaster *f, const fgti_frame *frame, const fgt_windows_opts *o)
{
    const int64_t  inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    const int64_t  begin = o->begin - (o->reach_back ? fgti_least(o->begin, o->input_len) : 0);
    const int64_t  rows  = o->end - begin;
    const uint64_t hash  = hash_floats(FGTI_HASH_START, frame->series + begin * inputs, rows * inputs);
    return hash_floats(hash, frame->known + begin * k, rows * k);
}

/* Makes windows of a frame. reach_back 0: inputs lie inside the range, too. */
static fgt_status feed_init(feed *d, const fgt_forecaster *f, const fgti_frame *frame, const char *what,
                            int64_t begin, int64_t end, int32_t reach_back, fgt_source *source)
{
    const fgt_windows_opts o   = {.size       = sizeof o,
                                  .input_len  = f->info.input_len,
                                  .pred_len   = f->info.pred_len,
                                  .begin      = begin,
                                  .end        = end,
                                  .reach_back = reach_back};
    fgti_error            *err = &f->ctx->error;
    *d                         = (feed){.f = f, .frame = frame};
    if (begin < 0 || begin >= end || end > frame->rows)
        return fgti_fail(err, FGT_E_ARG, "%s: rows %lld..%lld are not a range of the table's %lld rows", what,
                         (long long)begin, (long long)end - 1, (long long)frame->rows);
    const fgt_status s = fgt_windows_create(
        f->ctx, FGT_VIEW(frame->series, frame->rows, fgti_forecaster_inputs(f)), &o, &d->windows);
    if (s != FGT_OK) {
        fgti_error_prefix(err, "%s", what);
        return s;
    }
    *source = (fgt_source){.size        = sizeof *source,
                           .count       = fgt_windows_count(d->windows),
                           .get         = feed_get,
                           .get_value   = feed_value,
                           .user        = d,
                           .fingerprint = hash_rows(f, frame, &o)};
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

/* What was trained on is no test of the model: it is remembered, and saved. */
static void remember(fgt_forecaster *f, const fgt_table *table, const fgt_split *split)
{
    const int64_t begin = split->train_begin,
                  end   = split->val_end > split->val_begin ? split->val_end : split->train_end;
    f->info.seen_rows   = end - begin;
    f->info.seen_first  = table->times ? table->times[begin] : 0;
    f->info.seen_last   = table->times ? table->times[end - 1] : 0;
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
    fgti_frame frame;
    feed       train = {0}, val = {0};
    fgt_source from, check;
    const bool has_val = split->val_end > split->val_begin;
    fgt_status s       = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK)
        s = feed_init(&train, f, &frame, "training", split->train_begin, split->train_end, 0, &from);
    if (s == FGT_OK && has_val)
        s = feed_init(&val, f, &frame, "validation", split->val_begin, split->val_end, 1, &check);
    if (s == FGT_OK) s = fit(f, &o, &from, has_val ? &check : NULL, report);
    if (s == FGT_OK) remember(f, table, split);
    fgt_windows_destroy(&val.windows);
    fgt_windows_destroy(&train.windows);
    fgti_frame_done(f, &frame);
    return s;
}

/* ---- comparing ---- */

fgt_status fgt_forecaster_evaluate(fgt_forecaster *forecaster, const fgt_table *table, int64_t begin,
                                   int64_t end, fgt_metric *metric)
{
    fgt_forecaster     *f    = forecaster;
    const fgt_loss_opts loss = {.size = sizeof loss, .skip_nan = 1};
    fgti_frame          frame;
    feed                d = {0};
    fgt_source          source;
    if (!f) return FGT_E_ARG;
    if (!table || !metric) return fgti_fail(&f->ctx->error, FGT_E_ARG, "forecaster: table or metric is NULL");
    fgt_status s = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK) s = feed_init(&d, f, &frame, "windows", begin, end, 1, &source);
    if (s == FGT_OK) s = fgt_model_evaluate(f->model, &source, &loss, FGT_F32, NULL, metric);
    fgt_windows_destroy(&d.windows);
    fgti_frame_done(f, &frame);
    return s;
}

/* The value in `row`. If it is missing, the value one season earlier and so on, back to row `first`. */
static float latest(const float *column, int64_t columns, int64_t row, int64_t season, int64_t first)
{
    for (; row >= first; row -= season)
        if (!isnan(column[row * columns])) return column[row * columns];
    return 0;
}

static fgt_status compare_naive(const feed *d, int64_t season, float *truth, fgt_metric *metric)
{
    const fgt_forecaster *f       = d->f;
    const int64_t         columns = f->info.columns, inputs = fgti_forecaster_inputs(f), h = f->info.pred_len;
    const int64_t         count = fgt_windows_count(d->windows);
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = fgt_windows_get_row(d->windows, i);
        for (int64_t k = 0; k < h; k++)
            for (int64_t c = 0; c < columns; c++) {
                const float *column    = d->frame->series + c;
                truth[k * columns + c] = column[(row + k) * inputs];
                f->y[k * columns + c]  = latest(column, inputs, row - season + k % season, season, 0);
            }
        FGTI_TRY(fgt_metric_add(f->ctx, metric, FGT_VIEW(f->y, h, columns), FGT_VIEW(truth, h, columns)));
    }
    return FGT_OK;
}

fgt_status fgt_forecaster_evaluate_naive(fgt_forecaster *forecaster, const fgt_table *table, int64_t begin,
                                         int64_t end, int64_t season, fgt_metric *metric)
{
    fgt_forecaster *f = forecaster;
    fgti_frame      frame;
    feed            d     = {0};
    float          *truth = NULL;
    fgt_source      source;
    if (!f) return FGT_E_ARG;
    if (!table || !metric) return fgti_fail(&f->ctx->error, FGT_E_ARG, "forecaster: table or metric is NULL");
    fgt_status s = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK) s = feed_init(&d, f, &frame, "windows", begin, end, 1, &source);
    if (s == FGT_OK && (season < 1 || season > begin))
        s = fgti_fail(&f->ctx->error, FGT_E_ARG,
                      "season is %lld, must be in 1..%lld, the rows before those that are compared",
                      (long long)season, (long long)begin);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, f->info.pred_len * f->info.columns, "forecast", &truth);
    if (s == FGT_OK) s = compare_naive(&d, season, truth, metric);
    fgti_free(f->ctx, truth);
    fgt_windows_destroy(&d.windows);
    fgti_frame_done(f, &frame);
    return s;
}
