/* SPDX-License-Identifier: BSD-3-Clause */
/* Pre-training: the layers of a forecaster learn to reconstruct hidden patches of the windows. */
#include <string.h>

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/pretrain.h>
#include <fighter/experimental/vision.h>

#include "data/table.h"
#include "forecast/build/token_layers.h"
#include "forecast/fit/fit.h"
#include "forecast/fit/masked_windows.h"
#include "forecast/rows/frame.h"
#include "model/access.h"
#include "model/build/append.h"
#include "train/fit/standard_fit.h"

/* share as in Nie et al. 2023, section 3.2 */
#define SHARE 0.4

/* Prefix of the layers that the forecaster does not have. */
#define OWN "masked."

static fgt_status add_ids(fgt_model *m, const char *name, int64_t count)
{
    const fgt_value_opts o = {.size = sizeof o, .time = count, .kind = FGT_VALUE_IDS};
    return fgt_model_add(m, fgt_named(name, fgt_value(&o)));
}

/* Replaces hidden patches by the mask token: [B,D,P,E] -> [B,D,P,E]. */
static fgt_status hide_tokens(fgt_model *m, void *user)
{
    const fgti_masked       *plan = user;
    const fgt_scatter_opts   back = {.size = sizeof back, .time = plan->patches};
    const char *const tokens = fgti_model_last_name(m), *const visible = OWN "tokens";
    FGTI_TRY(add_ids(m, FGTI_VISIBLE, plan->patches - plan->hidden));
    FGTI_TRY(fgt_model_add_from(m, fgt_named(visible, fgt_gather(NULL)),
                                (const char *[]){tokens, FGTI_VISIBLE}, 2));
    return fgt_model_add_from(m, fgt_named(OWN "token", fgt_scatter(&back)),
                              (const char *[]){visible, FGTI_VISIBLE}, 2);
}

/* The reconstructed hidden patches minus the true ones: [B,D,M,length]. */
static fgt_status add_errors(fgt_model *m, const fgti_masked *plan)
{
    const fgt_sum_opts less = {.size = sizeof less, .weight = {1, -1}};
    const char *const  last = fgti_model_last_name(m);
    FGTI_TRY(add_ids(m, FGTI_HIDDEN, plan->hidden));
    FGTI_TRY(fgt_model_add_from(m, fgt_named(OWN "truth", fgt_gather(NULL)),
                                (const char *[]){"patch", FGTI_HIDDEN}, 2));
    FGTI_TRY(fgt_model_add_from(m, fgt_named(OWN "outcome", fgt_gather(NULL)),
                                (const char *[]){last, FGTI_HIDDEN}, 2));
    FGTI_TRY(fgti_add_linear(m, OWN "head", plan->length));
    return fgt_model_add_from(m, fgt_named(OWN "error", fgt_sum(&less)),
                              (const char *[]){OWN "head", OWN "truth"}, 2);
}

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

/* Freezes the layers before the patches. If trained, these layers would learn to make the patches small,
 * which is of no use for the series. */
static fgt_status freeze_before_patches(fgt_model *m)
{
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_model_param(m, i)) && !begins(p->full_name, "embed."); i++)
        FGTI_TRY(fgt_model_set_frozen(m, p->full_name, 1));
    return FGT_OK;
}

static fgt_status masked_fit_build(const fgt_forecaster *f, fgti_masked *plan, fgt_model **model)
{
    const bool            mask = f->info.mask;
    const fgti_model_part part = {.last    = fgti_model_input_of(f->model, "flatten"),
                                  .at      = mask ? "with_missing" : "embed",
                                  .dropout = -1,
                                  .behind  = hide_tokens,
                                  .user    = plan};
    FGTI_TRY(fgt_model_create(f->ctx, fgti_model_options(f->model), model));
    FGTI_TRY(fgti_model_append_part(*model, f->model, &part));
    FGTI_TRY(add_errors(*model, plan));
    return freeze_before_patches(*model);
}

/* Copies every weight to the forecaster by its name, except the weights of the layers for masking. */
static fgt_status masked_fit_take_weights(fgt_forecaster *f, const fgt_model *model)
{
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_model_param(model, i)); i++)
        if (!begins(p->full_name, OWN))
            FGTI_TRY(fgt_model_copy_parameters(f->model, model, p->full_name));
    return FGT_OK;
}

/* ---- training ---- */

static fgt_status masked_fit_train(fgt_forecaster *f, fgti_masked *plan, const fgt_forecaster_fit_opts *o,
                                   const fgt_source *from, const fgt_source *check, fgt_fit_report *report)
{
    const fgt_loss_opts loss = {.size = sizeof loss, .kind = FGT_LOSS_MSE, .skip_nan = 1};
    fgt_fit_opts        all      = {.size = sizeof all, .train = from, .validation = check, .loss = &loss};
    fgt_attent         *selector = NULL;
    fgt_model          *model    = NULL;
    fgt_status          s        = masked_fit_build(f, plan, &model);
    all.training                 = o->training;
    if (s == FGT_OK) s = fgti_fit_thin(f, o, from, &all, &selector);
    if (s == FGT_OK) s = fgti_fit(model, &all, report);
    if (s == FGT_OK) s = masked_fit_take_weights(f, model);
    fgt_attent_destroy(&selector);
    fgt_model_destroy(&model);
    return s;
}

/* Reads and checks both structs of options; windows: number of training windows. */
static fgt_status masked_fit_read_opts(const fgt_forecaster *f, const fgt_forecaster_masked_opts *opts,
                                       int64_t windows, fgt_forecaster_masked_opts *o,
                                       fgt_forecaster_fit_opts *fit)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_forecaster_masked_opts, share, F64, 0, 0.99, SHARE),
        {0},
    };
    fgti_error *err = &f->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_forecaster_masked_opts", opts, o, sizeof *o));
    FGTI_TRY(fgti_opts_check(err, "masked", table, o));
    FGTI_TRY(fgti_opts_read(err, "fgt_forecaster_fit_opts", o->fit, fit, sizeof *fit));
    if (fit->loss || fit->quantile != 0 || fit->dispersion != 0 || fit->spectral != 0 ||
        fit->training.moments)
        return fgti_fail(err, FGT_E_ARG,
                         "masked: the loss is the error of hidden patches; loss, quantile, dispersion, "
                         "spectral and moments are only for fgt_forecaster_fit()");
    return fgti_fit_opts_check(f, windows, fit);
}

fgt_status fgt_forecaster_fit_masked(fgt_forecaster *forecaster, const fgt_table *table,
                                     const fgt_split *split, const fgt_forecaster_masked_opts *opts,
                                     fgt_fit_report *report)
{
    fgt_forecaster            *f = forecaster;
    fgt_forecaster_masked_opts o;
    fgt_forecaster_fit_opts    fit;
    if (!f) return FGT_E_ARG;
    if (!table || !split) return fgti_fail(&f->ctx->error, FGT_E_ARG, "masked: table or split is NULL");
    FGTI_TRY(masked_fit_read_opts(
        f, opts, fgt_forecaster_count_windows(f, split->train_begin, split->train_end, 1), &o, &fit));
    if (report) FGTI_TRY(fgti_result_check(&f->ctx->error, "fgt_fit_report", report));
    fgti_frame  frame;
    fgti_masked a = {.seed = fit.training.seed}, b = {.seed = fit.training.seed};
    fgt_source  from, check;
    const bool  has_val = split->val_end > split->val_begin;
    FGTI_TRY(fgti_masked_plan(f, o.share, &a));
    FGTI_TRY(fgti_masked_plan(f, o.share, &b));
    fgt_status s = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK)
        s = fgti_masked_init(&a, f, &frame, "training", split->train_begin, split->train_end, 1, 0, &from);
    if (s == FGT_OK && has_val)
        s = fgti_masked_init(&b, f, &frame, "validation", split->val_begin, split->val_end, fit.thin, 1,
                             &check);
    if (s == FGT_OK) s = masked_fit_train(f, &a, &fit, &from, has_val ? &check : NULL, report);
    if (s == FGT_OK) fgti_forecaster_remember(f, table, split);
    fgti_masked_done(&b);
    fgti_masked_done(&a);
    fgti_frame_done(f, &frame);
    return s;
}

/* ---- freezing ---- */

static bool is_of_map(const fgt_forecaster *f, const char *name)
{
    return f->info.linear &&
           (begins(name, "skip.") || begins(name, "past_linear.") || begins(name, "effect_linear."));
}

fgt_status fgt_forecaster_set_frozen(fgt_forecaster *f, int32_t frozen)
{
    const fgti_param *p;
    int64_t           heads = 0, learned = 0;
    if (!f) return FGT_E_ARG;
    for (int64_t i = 0; (p = fgti_model_param(f->model, i)); i++) {
        heads += fgti_is_last_map(p->full_name);
        learned += !is_of_map(f, p->full_name);
    }
    if (!learned)
        return fgti_fail(&f->ctx->error, FGT_E_STATE,
                         "freeze: the model is only a linear map in closed form, which is not trained");
    if (!heads)
        return fgti_fail(&f->ctx->error, FGT_E_STATE,
                         "freeze: the forecaster is a mean of several; freeze its members");
    for (int64_t i = 0; (p = fgti_model_param(f->model, i)); i++)
        if (!is_of_map(f, p->full_name) && !fgti_is_last_map(p->full_name))
            FGTI_TRY(fgt_model_set_frozen(f->model, p->full_name, frozen));
    return FGT_OK;
}
