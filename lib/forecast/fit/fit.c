/* SPDX-License-Identifier: BSD-3-Clause */

/* Trains a forecaster and stops early. */

#include "forecast/fit/fit.h"

#include <fighter/experimental/evaluate.h>
#include <math.h>

#include "data/table.h"
#include "forecast/fit/first_quantiles.h"
#include "forecast/fit/share.h"
#include "forecast/forecaster.h"
#include "forecast/known/calendar.h"
#include "forecast/predict/forecaster_workspace.h"
#include "forecast/rows/feed.h"
#include "forecast/rows/frame.h"
#include "forecast/rows/scale.h"
#include "model/access.h"
#include "train/fit/standard_fit.h"
#include "train/loss/loss.h"

#define PATIENCE    3
#define START_STEPS 150

/* Share of the map's loss that the layers must gain within start_patience; otherwise training ends. Then
 * share.c decides which share of the layers is kept. On ETTm1, with 96 rows, ten epochs in place of two
 * lowered the test error by 0.2 %. */
#define START_GAIN 0.005

/* The fewest windows of a thinned epoch by default. A year of hours has about as many windows, and there
 * thinning raises the error. Batches of less than a quarter of the usual size have not been measured. */
#define EPOCH_WINDOWS 8000
#define DEFAULT_THIN  4

/* SPARSE: validation windows per horizon. LEAST_SPARSE: the least number of validation windows that are
 * left. */
#define SPARSE       16
#define LEAST_SPARSE 256

/* The default of `thin`. It is 1 if the host has set the batch, because thinning would change the number of
 * steps. */
static int64_t default_thin(const fgt_forecaster *f, int64_t windows, const fgt_forecaster_fit_opts *o)
{
    const int64_t most = windows / EPOCH_WINDOWS < DEFAULT_THIN ? windows / EPOCH_WINDOWS : DEFAULT_THIN;
    return o->training.selector || o->training.batch || most < 1 || fgti_forecaster_is_closed(f) ? 1 : most;
}

/* Derives the options of thinning that are not given. A thinned epoch has as many steps as a whole epoch, and
 * each step has fewer windows. */
static fgt_status check_thin(const fgt_forecaster *f, int64_t windows, fgt_forecaster_fit_opts *o)
{
    if (!o->thin) o->thin = default_thin(f, windows, o);
    if (o->thin == 1) return FGT_OK;
    if (o->training.selector)
        return fgti_fail(&f->ctx->error, FGT_E_ARG,
                         "fit: thin cannot be combined with a selector (got thin %lld, need 1)",
                         (long long)o->thin);
    if (!o->training.batch) o->training.batch = f->batch > o->thin ? f->batch / o->thin : 1;
    if (!o->training.patience) o->training.patience = PATIENCE * o->thin;
    return FGT_OK;
}

/* The default of start_patience: half of the windows, minus one batch, but at least START_STEPS batches. In
 * measurements, layers that became better than the linear map did so within an eighth of the windows (hourly
 * rentals, electricity demand, air quality of a city) or within a quarter (air quality of ten stations).
 * Fewer than START_STEPS steps teach a layer little. A thinned epoch may end up to a batch before half of the
 * windows. So one batch is subtracted, and the training can stop at the end of this epoch. */
static int64_t default_start_patience(int64_t windows, int64_t batch)
{
    const int64_t half = windows / 2 - batch, steps = START_STEPS * batch;
    return half > steps ? half : steps;
}

/* Checks the ranges of the options and fills in the defaults. A negative number switches some options off. */
#define OPTION(name, field, kind, min, max, standard, ...) \
    {#name, offsetof(fgt_forecaster_fit_opts, field), FGTI_OPT_##kind, min, max, standard},
#define SWITCHED(name, field, kind, min, max, standard, ...) OPTION(name, field, kind, -1, max, standard)
#define PASSED(...)
static const fgti_opt option_list[] = {
#include "forecast/forecast_fit_options.h"
    FGTI_FIELD(fgt_forecaster_fit_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

fgt_status fgti_fit_opts_check(const fgt_forecaster *f, int64_t windows, fgt_forecaster_fit_opts *o)
{
    fgti_error *err = &f->ctx->error;
    FGTI_TRY(fgti_opts_check(err, "fit", option_list, o));
    if (!o->start_patience && o->training.patience) o->start_patience = -1;
    FGTI_TRY(check_thin(f, windows, o));
    if (!o->training.patience) o->training.patience = PATIENCE;
    if (!fgti_loss_of_numbers(o->loss)) {
        const char *name = fgti_loss_name(o->loss);
        return fgti_fail(err, FGT_E_ARG, "fit: the loss must compare numbers (got %d, %s)", (int)o->loss,
                         name ? name : "unknown");
    }
    if (f->info.quantile_count && o->loss && o->loss != FGT_LOSS_QUANTILE)
        return fgti_fail(err, FGT_E_ARG, "fit: a model with quantiles needs the quantile loss (got %s)",
                         fgti_loss_name(o->loss));
    if (f->info.quantile_count) o->loss = FGT_LOSS_QUANTILE;
    const fgt_loss_opts loss = fgti_forecaster_loss(f, o);
    fgt_loss_opts       full;
    FGTI_TRY(fgti_loss_read(err, &loss, &full));
    if (fgti_loss_of_counts(o->loss) && (f->info.linear || !fgti_forecaster_keeps_0(f)))
        return fgti_fail(err, FGT_E_ARG, "fit: loss %s needs a forecaster with non_negative and no_linear",
                         fgti_loss_name(o->loss));
    FGTI_TRY(fgti_fit_check(err, "forecaster", f->batch, 1e-3, &o->training));
    if (!o->start_patience) o->start_patience = default_start_patience(windows, o->training.batch);
    return FGT_OK;
}

bool fgti_forecaster_is_closed(const fgt_forecaster *f)
{
    int64_t i = 0;
    while (fgti_model_param(f->model, i) && fgti_model_param(f->model, i)->frozen) i++;
    return f->info.linear && !fgti_model_param(f->model, i);
}

static fgt_status fit_measure(fgt_forecaster *f, const fgt_fit_opts *o, fgt_fit_report *report)
{
    fgt_fit_report r = {.size = sizeof r, .train_loss = NAN, .best_loss = NAN, .share = NAN};
    FGTI_TRY(fgt_model_evaluate(f->model, o->train, o->loss, FGT_DTYPE_F32, &r.train_loss, NULL));
    if (o->validation)
        FGTI_TRY(fgt_model_evaluate(f->model, o->validation, o->loss, FGT_DTYPE_F32, &r.best_loss, NULL));
    if (report) (void)fgti_result_write(NULL, "", &r, sizeof r, report); /* the caller has checked it */
    return FGT_OK;
}

fgt_loss_opts fgti_forecaster_loss(const fgt_forecaster *f, const fgt_forecaster_fit_opts *o)
{
    fgt_loss_opts loss = {.size           = sizeof loss,
                          .kind           = o->loss,
                          .skip_nan       = 1,
                          .quantile       = o->quantile,
                          .dispersion     = o->dispersion,
                          .quantile_count = f->info.quantile_count,
                          .spectral       = o->spectral};
    for (int64_t i = 0; i < loss.quantile_count; i++) loss.quantiles[i] = (float)f->info.quantiles[i];
    return loss;
}

fgt_status fgti_fit_thin(const fgt_forecaster *f, const fgt_forecaster_fit_opts *o, const fgt_source *train,
                         fgt_fit_opts *all, fgt_attent **selector)
{
    const fgt_attent_opts draw = {.size              = sizeof draw,
                                  .samples           = train->count,
                                  .seed              = o->training.seed,
                                  .ratio             = 1 / (double)o->thin,
                                  .strategy          = FGT_ATTENT_STRATEGY_RANDOM,
                                  .ratio_schedule    = FGT_ATTENT_RATIO_FIXED,
                                  .interval_schedule = FGT_ATTENT_INTERVAL_FIXED};
    *selector                  = NULL;
    if (train->chunk) all->thin = o->thin;
    if (train->chunk || o->thin == 1) return FGT_OK;
    FGTI_TRY(fgt_attent_create(f->ctx, &draw, selector));
    all->training.selector = *selector;
    return FGT_OK;
}

/* Trains the layers. Afterwards keeps the share of the layers that the validation rows support. */
static fgt_status fit_layers(fgt_forecaster *f, fgt_fit_opts *all, const fgt_forecaster_fit_opts *o,
                             int64_t stride, fgt_fit_report *report)
{
    fgt_fit_report r = {.size = sizeof r, .epochs = -1}; /* until training begins */
    fgti_share     share;
    fgt_status     s = fgti_share_new(f, all->validation, stride, o->apart, all->loss, &share);
    if (s == FGT_OK && all->goal_samples) s = fgti_share_start_loss(&share, &all->goal);
    if (o->start_patience > 0) all->goal -= START_GAIN * fabs(all->goal);
    if (s == FGT_OK) s = fgti_fit(f->model, all, &r);
    if (s == FGT_OK) s = fgti_share_choose(&share, &r);
    fgti_share_done(&share);
    if (report && r.epochs >= 0) (void)fgti_result_write(NULL, "", &r, sizeof r, report); /* checked before */
    return s;
}

fgt_status fgti_forecaster_train(fgt_forecaster *f, const fgt_forecaster_fit_opts *o, const fgt_source *train,
                                 const fgt_source *validation, int64_t stride, fgt_fit_report *report)
{
    const fgt_loss_opts loss = fgti_forecaster_loss(f, o);
    fgt_fit_opts        all  = {.size = sizeof all, .train = train, .validation = validation, .loss = &loss};
    all.training             = o->training;
    fgti_forecaster_drop_passes(f);
    if (fgti_forecaster_is_closed(f)) return fit_measure(f, &all, report);
    if (o->apart && !(validation && fgti_share_can_be_apart(f)))
        return fgti_fail(&f->ctx->error, FGT_E_ARG,
                         "fit: apart needs a linear part in closed form, validation rows, and no quantiles");
    if (f->info.linear && validation)
        all.goal_samples = o->start_patience > 0 ? o->start_patience : (int64_t)FGTI_OPT_SIZE_MAX;
    FGTI_TRY(fgti_set_first_quantiles(f, validation, train));
    fgt_attent *selector;
    FGTI_TRY(fgti_fit_thin(f, o, train, &all, &selector));
    const fgt_status s = fit_layers(f, &all, o, stride, report);
    fgt_attent_destroy(&selector);
    return s;
}

void fgti_forecaster_remember(fgt_forecaster *f, const fgt_table *table, const fgt_split *split)
{
    const int64_t begin  = split->train_begin,
                  end    = split->val_end > split->val_begin ? split->val_end : split->train_end;
    f->info.seen_rows    = end - begin;
    fgt_calibration_destroy(&f->kept); /* the kept errors belong to the old weights */
    const bool known     = fgti_table_has_times(table);
    f->info.seen_first   = known ? fgti_table_time(table, begin) : 0;
    f->info.seen_last    = known ? fgti_table_time(table, end - 1) : 0;
    f->info.trained_last = known ? fgti_table_time(table, split->train_end - 1) : 0;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a                  = b;
        b                  = rest;
    }
    return a;
}

/* Rows from one validation window to the next. Two windows that are less than a 16th of the horizon apart
 * have nearly the same rows. The stride has no common divisor with the season, so that windows begin at all
 * times of a season. */
static int64_t validation_stride(const fgt_forecaster *f, const fgt_table *table, const fgt_split *split,
                                 int64_t thin)
{
    const int64_t all    = fgt_forecaster_count_windows(f, split->val_begin, split->val_end, 0);
    const int64_t wide   = fgti_least(f->info.pred_len / SPARSE, all / LEAST_SPARSE);
    const int64_t season = fgti_calendar_season(&table->info.step);
    int64_t       stride = wide;
    if (wide <= thin) return thin;
    while (common_divisor(stride, season) > 1) stride++;
    return stride;
}

/* The windows of a training. */
typedef struct fit_windows {
    fgti_frame frame;
    fgti_feed  train, val;
    fgt_source from, check;
    bool       has_val;
    int64_t    stride; /* rows from one validation window to the next */
} fit_windows;

static void close_windows(fgt_forecaster *f, fit_windows *w)
{
    fgti_feed_done(&w->val);
    fgti_feed_done(&w->train);
    fgti_frame_done(f, &w->frame);
}

/* Call close_windows() even after an error. */
static fgt_status open_windows(fgt_forecaster *f, const fgt_table *table, const fgt_split *split,
                               int64_t thin, fit_windows *w)
{
    *w        = (fit_windows){.has_val = split->val_end > split->val_begin};
    w->stride = w->has_val ? validation_stride(f, table, split, thin) : 1;
    /* without layers, training windows only measure the model */
    const int64_t own = fgti_forecaster_is_closed(f) ? w->stride : 1;
    FGTI_TRY(fgti_frame_init(f, table, &w->frame));
    FGTI_TRY(fgti_feed_init(&w->train, f, &w->frame, "training", split->train_begin, split->train_end, own, 0,
                            &w->from));
    if (w->has_val)
        FGTI_TRY(fgti_feed_init(&w->val, f, &w->frame, "validation", split->val_begin, split->val_end,
                                w->stride, 1, &w->check));
    FGTI_TRY(fgti_check_sign(f, table, split->train_begin, split->train_end));
    return w->has_val ? fgti_check_sign(f, table, split->val_begin, split->val_end) : FGT_OK;
}

fgt_status fgti_forecaster_start(fgt_forecaster *f, const fgt_table *table, const fgt_split *split)
{
    fit_windows w;
    if (!f->info.quantile_count || !f->info.linear) return FGT_OK;
    fgt_status s = open_windows(f, table, split, 1, &w);
    if (s == FGT_OK) s = fgti_set_first_quantiles(f, w.has_val ? &w.check : NULL, &w.from);
    close_windows(f, &w);
    return s;
}

fgt_status fgt_forecaster_fit(fgt_forecaster *forecaster, const fgt_table *table, const fgt_split *split,
                              const fgt_forecaster_fit_opts *opts, fgt_fit_report *report)
{
    fgt_forecaster         *f = forecaster;
    fgt_forecaster_fit_opts o;
    fit_windows             w;
    if (!f) return FGT_E_ARG;
    if (!table || !split) return fgti_fail(&f->ctx->error, FGT_E_ARG, "fit: table or split is NULL");
    FGTI_TRY(fgti_opts_read(&f->ctx->error, "fgt_forecaster_fit_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_fit_opts_check(
        f, fgt_forecaster_count_windows(f, split->train_begin, split->train_end, 1), &o));
    if (report) FGTI_TRY(fgti_result_check(&f->ctx->error, "fgt_fit_report", report));
    fgt_status s = open_windows(f, table, split, o.thin, &w);
    if (s == FGT_OK) s = fgti_forecaster_train(f, &o, &w.from, w.has_val ? &w.check : NULL, w.stride, report);
    if (s == FGT_OK) fgti_forecaster_remember(f, table, split);
    close_windows(f, &w);
    return s;
}
