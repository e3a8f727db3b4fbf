/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/evaluate.h"

#include "attent/attent_impl.h"
#include "core/opts.h"
#include "model/access.h"
#include "model/guard.h"
#include "model/pass/own_pass.h"
#include "model/pass/values.h"
#include "train/loss/loss.h"
#include "train/loss/loss_run.h"
#include "train/loss/loss_samples.h"
#include "train/loss/spectral.h"

/* ---- one batch ---- */

static fgt_status evaluate_allocate(fgt_context *ctx, const char *what, fgt_view *v)
{
    return fgti_alloc(ctx, fgt_view_count(v), fgti_dtype_size(v->dtype), what, &v->data);
}

static fgt_status evaluate_add_values(fgt_context *ctx, fgti_batch *b)
{
    fgt_view v;
    int64_t  count = 0;
    while (fgti_model_sample_value(b->model, count, &v)) count++;
    FGTI_TRY(FGTI_NEW(ctx, count, "batch", &b->value));
    for (; b->values < count; b->values++) {
        fgti_batch_value *p = &b->value[b->values];
        p->layer            = fgti_model_sample_value(b->model, b->values, &p->view);
        p->view.shape[0]    = b->size;
        FGTI_TRY(evaluate_allocate(ctx, "batch", &p->view));
    }
    return FGT_OK;
}

fgt_status fgti_batch_create(fgt_model *model, int64_t size, int32_t target_dtype, bool has_values,
                             const fgt_loss_opts *loss, fgti_batch *b)
{
    fgt_context          *ctx = fgti_model_context(model);
    const fgt_model_opts *o   = fgti_model_options(model);
    *b                        = (fgti_batch){.model = model, .size = size};
    if (!o->features)
        b->x = (fgt_view){.rank = 2, .dtype = FGT_DTYPE_I64, .shape = {size, o->time}};
    else if (o->nodes > 1)
        b->x = (fgt_view){.rank = 4, .dtype = FGTI_REAL, .shape = {size, o->nodes, o->time, o->features}};
    else
        b->x = (fgt_view){.rank = 3, .dtype = FGTI_REAL, .shape = {size, o->time, o->features}};
    b->y          = fgti_model_output_shape(model);
    b->y.shape[0] = size;
    b->target     = b->y;
    if (target_dtype == FGT_DTYPE_I64) {
        b->target.dtype = FGT_DTYPE_I64;
        b->target.rank--;
    }
    FGTI_TRY(evaluate_allocate(ctx, "batch", &b->x));
    FGTI_TRY(evaluate_allocate(ctx, "batch", &b->y));
    FGTI_TRY(evaluate_allocate(ctx, "batch", &b->target));
    FGTI_TRY(FGTI_NEW(ctx, size, "batch", &b->score));
    FGTI_TRY(FGTI_NEW(ctx, size, "batch", &b->weight));
    if (has_values) FGTI_TRY(evaluate_add_values(ctx, b));
    if (loss) FGTI_TRY(fgti_spectral_init(ctx, loss, &b->y, &b->spectral));
    return FGTI_NEW(ctx, size, "batch", &b->index);
}

static fgt_status evaluate_set_value(const fgti_batch *b, const char *layer, const fgt_view *v)
{
    return fgt_workspace_set_value(b->passes ? b->passes : fgt_model_get_workspace(b->model), layer, v, NULL);
}

void fgti_batch_destroy(fgt_context *ctx, fgti_batch *b)
{
    for (int64_t i = 0; i < b->values; i++) {
        const fgt_status s = evaluate_set_value(b, b->value[i].layer, NULL);
        (void)s; /* cannot fail: removing the value of a layer that exists needs no memory */
        fgti_free(ctx, b->value[i].view.data);
    }
    fgti_free(ctx, b->value);
    fgti_free(ctx, b->x.data);
    fgti_free(ctx, b->y.data);
    fgti_free(ctx, b->target.data);
    fgti_free(ctx, b->index);
    fgti_free(ctx, b->score);
    fgti_free(ctx, b->weight);
    fgti_spectral_done(ctx, &b->spectral);
    *b = (fgti_batch){0};
}

static fgt_status set_values(const fgti_batch *b)
{
    for (int64_t i = 0; i < b->values; i++)
        FGTI_TRY(evaluate_set_value(b, b->value[i].layer, &b->value[i].view));
    return FGT_OK;
}

fgt_status fgti_batch_load(fgt_model *model, fgti_batch *b, const fgt_source *source, const int64_t *index,
                           int64_t n)
{
    fgt_context *ctx = fgti_model_context(model);
    b->x.shape[0] = b->y.shape[0] = b->target.shape[0] = n;
    ctx->error = (fgti_error){0}; /* so that no earlier error stays, if the source sets no error text */
    fgti_model_begin_call(model);
    fgt_status s = source->get(source->user, index, n, &b->x, &b->target);
    for (int64_t i = 0; s == FGT_OK && source->get_value && i < b->values; i++) {
        b->value[i].view.shape[0] = n;
        s = source->get_value(source->user, index, n, b->value[i].layer, &b->value[i].view);
    }
    fgti_model_end_call(model);
    if (s == FGT_OK) return source->get_value ? set_values(b) : FGT_OK;
    if (!ctx->error.text[0])
        fgti_fail(&ctx->error, s, "the source failed with %d (%s) in the batch that begins with sample %lld",
                  (int)s, fgt_status_get_name(s), (long long)index[0]);
    return s;
}

fgt_status fgti_batch_blame(fgt_context *ctx, const int64_t *index, fgt_status s)
{
    const int64_t sample = ctx->error.sample;
    if (s == FGT_OK || !sample) return s;
    ctx->error.sample = 0;
    fgti_error_prefix(&ctx->error, "sample %lld", (long long)index[sample - 1]);
    return s;
}

fgt_status fgti_source_check(fgti_error *err, const char *what, const fgt_source *in, fgt_source *out)
{
    FGTI_TRY(fgti_opts_read(err, what, in, out, sizeof *out));
    if (!out->get) return fgti_fail(err, FGT_E_ARG, "%s: get of the source is NULL", what);
    if (out->count < 1)
        return fgti_fail(err, FGT_E_ARG,
                         "%s: count of the source is out of range (got %lld, need at least 1)", what,
                         (long long)out->count);
    if (out->chunk < 0 || (out->chunk ? out->pool < 1 : out->pool))
        return fgti_fail(err, FGT_E_ARG, "%s: chunk and pool of the source do not fit (got %lld and %lld)",
                         what, (long long)out->chunk, (long long)out->pool);
    return FGT_OK;
}

/* ---- scores of samples ---- */

fgt_loss_samples fgti_batch_scores(const fgti_batch *b, const fgt_attent *selector)
{
    fgt_loss_samples s = {.size = sizeof s};
    if (selector->opts.strategy == FGT_ATTENT_STRATEGY_GRADNORM)
        s.norm = b->score;
    else
        s.loss = b->score;
    return s;
}

fgt_status fgti_batch_loss(fgt_context *ctx, const fgti_batch *b, const fgt_loss_opts *opts,
                           const int64_t *index, const fgt_loss_samples *samples, double *sum, int64_t *count,
                           const fgt_view *dy)
{
    int64_t          bad;
    const fgt_status s =
        fgti_loss_run_samples(ctx, opts, &b->y, &b->target, &b->spectral, samples, sum, count, dy, &bad);
    if (bad >= 0) fgti_error_at(&ctx->error, bad, s);
    return fgti_batch_blame(ctx, index, s);
}

fgt_status fgti_batch_pass(const fgti_batch *b)
{
    return b->passes ? fgt_workspace_predict(b->passes, &b->x, &b->y)
                     : fgti_model_predict(b->model, &b->x, &b->y);
}

fgt_status fgti_batch_predict(fgt_model *model, fgti_batch *b, const fgt_source *source, int64_t at,
                              int64_t *n)
{
    const int64_t left = source->count - at;
    *n                 = left < b->size ? left : b->size;
    for (int64_t i = 0; i < *n; i++) b->index[i] = at + i;
    FGTI_TRY(fgti_batch_load(model, b, source, b->index, *n));
    return fgti_batch_blame(fgti_model_context(model), b->index, fgti_batch_pass(b));
}

fgt_status fgti_score(fgt_model *model, fgti_batch *b, const fgt_source *source, const fgt_loss_opts *opts,
                      fgt_attent *selector)
{
    fgt_context           *ctx    = fgti_model_context(model);
    const fgt_loss_samples scores = fgti_batch_scores(b, selector);
    double                 sum;
    int64_t                count, n;
    for (int64_t at = 0; at < source->count; at += b->size) {
        FGTI_TRY(fgti_batch_predict(model, b, source, at, &n));
        FGTI_TRY(fgti_batch_loss(ctx, b, opts, b->index, &scores, &sum, &count, NULL));
        FGTI_TRY(fgt_attent_add(selector, b->index, n, b->score));
    }
    return FGT_OK;
}

/* ---- a whole source ---- */

fgt_status fgti_evaluate(fgt_model *model, fgti_batch *b, const fgt_source *source, const fgt_loss_opts *opts,
                         double *loss, fgt_metric *metric)
{
    fgt_context *ctx   = fgti_model_context(model);
    double       total = 0, sum;
    int64_t      all   = 0, count, n;
    for (int64_t at = 0; at < source->count; at += b->size) {
        FGTI_TRY(fgti_batch_predict(model, b, source, at, &n));
        if (metric)
            FGTI_TRY(fgti_batch_blame(ctx, b->index, fgt_metric_add(ctx, metric, &b->y, &b->target)));
        if (!loss) continue;
        FGTI_TRY(fgti_batch_blame(ctx, b->index,
                                  fgti_loss_run(ctx, opts, &b->y, &b->target, &b->spectral, &sum, &count,
                                                NULL)));
        total += sum;
        all += count;
    }
    if (loss && !all)
        return fgti_fail(&ctx->error, FGT_E_DATA, "all targets are missing (need at least one)");
    if (loss) *loss = total / (double)all;
    return FGT_OK;
}

fgt_status fgti_evaluate_samples(fgt_model *model, fgt_workspace *passes, const fgt_source *source,
                                 const fgt_loss_opts *opts, float *losses, double *mean)
{
    fgt_context *ctx   = fgti_model_context(model);
    double       total = 0, sum;
    int64_t      all   = 0, count, n;
    fgti_batch   b;
    fgt_status   s = fgti_batch_create(model, fgti_model_options(model)->batch, FGT_DTYPE_F32,
                                       source->get_value, opts, &b);
    b.passes = passes;
    for (int64_t at = 0; s == FGT_OK && at < source->count; at += b.size) {
        const fgt_loss_samples samples = {.size = sizeof samples, .loss = losses + at};
        s                              = fgti_batch_predict(model, &b, source, at, &n);
        if (s == FGT_OK) s = fgti_batch_loss(ctx, &b, opts, b.index, &samples, &sum, &count, NULL);
        if (s != FGT_OK) break;
        total += sum;
        all += count;
    }
    fgti_batch_destroy(ctx, &b);
    if (s == FGT_OK && !all)
        s = fgti_fail(&ctx->error, FGT_E_DATA, "all targets are missing (need at least one)");
    if (s == FGT_OK) *mean = total / (double)all;
    return s;
}

fgt_status fgt_model_evaluate(fgt_model *model, const fgt_source *source, const fgt_loss_opts *opts,
                              int32_t target_dtype, double *loss, fgt_metric *metric)
{
    if (!model) return FGT_E_ARG;
    fgt_context  *ctx = fgti_model_context(model);
    fgt_source    src;
    fgt_loss_opts o;
    fgti_batch    b;
    fgt_metric    sums = metric ? *metric : (fgt_metric){0};
    FGTI_TRY(fgti_source_check(&ctx->error, "evaluate", source, &src));
    FGTI_TRY(fgti_loss_read(&ctx->error, opts, &o));
    FGTI_TRY(fgti_target_dtype_check(&ctx->error, loss ? &o : NULL, target_dtype));
    fgt_status s =
        fgti_batch_create(model, fgti_model_options(model)->batch, target_dtype, src.get_value, &o, &b);
    if (s == FGT_OK) s = fgti_evaluate(model, &b, &src, &o, loss, metric ? &sums : NULL);
    fgti_batch_destroy(ctx, &b);
    if (s == FGT_OK && metric) *metric = sums;
    return s;
}
