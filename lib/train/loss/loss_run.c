/* SPDX-License-Identifier: BSD-3-Clause */
/* Losses of a whole batch. */
#include "train/loss/loss_run.h"

#include <math.h>

#include "train/loss/loss.h"
#include "train/loss/loss_samples.h"

static void loss_run_chunk(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    fgti_loss_work *w     = arg;
    const int64_t   begin = chunk * w->cut.size, end = begin + fgti_cut_length(&w->cut, chunk);
    w->partial[chunk] = fgti_loss_range(w, begin, end, w->scale, NULL);
}

/* Finds why the loss is not finite. Only the target can be searched: dy may have overwritten y. */
static fgt_status loss_refuse(fgti_error *err, const fgt_loss_opts *o, const fgt_view *target)
{
    const char   *name = fgti_loss_name(o->kind);
    const int64_t n    = fgti_loss_of_classes(o) ? 0 : fgt_view_count(target);
    const int64_t each = n && target->rank ? n / target->shape[0] : 1; /* number of elements in a sample */
    for (int64_t i = 0; i < n; i++) {
        const double t = (double)((const fgti_real *)target->data)[i];
        if (isinf(t) || (isnan(t) && !o->skip_nan))
            return fgti_error_at(err, i / each,
                                 fgti_fail(err, FGT_E_NONFINITE, "%s: element %lld of the target is %s", name,
                                           (long long)i,
                                           isnan(t) ? "NaN (skip_nan would leave it out)" : "infinite"));
    }
    return fgti_fail(err, FGT_E_NONFINITE, "%s: the loss is NaN or infinite", name);
}

/* Runs the samples one by one, because each sequence of the spectral part lies within one sample. */
static fgt_status loss_run_sequences(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                                     const fgt_view *target, const fgti_spectral *spectral, double *sum,
                                     int64_t *count, const fgt_view *dy)
{
    const fgt_loss_samples none = {.size = sizeof none};
    int64_t                bad;
    const fgt_status s = fgti_loss_run_samples(ctx, opts, y, target, spectral, &none, sum, count, dy, &bad);
    return bad < 0 ? s : loss_refuse(&ctx->error, opts, target);
}

fgt_status fgti_loss_run(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                         const fgt_view *target, const fgti_spectral *spectral, double *sum, int64_t *count,
                         const fgt_view *dy)
{
    if (opts->spectral > 0) return loss_run_sequences(ctx, opts, y, target, spectral, sum, count, dy);
    const bool classes = fgti_loss_of_classes(opts);
    FGTI_TRY(fgti_target_check(&ctx->error, y, target, classes, opts->skip_nan));
    if (dy) FGTI_TRY(fgti_view_check(&ctx->error, "dy", dy, FGTI_REAL, y->rank, y->shape));
    const int64_t n = fgt_view_count(target), columns = classes ? y->shape[y->rank - 1] : 1;
    FGTI_TRY(fgti_loss_check_classes(&ctx->error, opts, columns));
    *sum   = 0;
    *count = fgti_loss_count(opts, target, 0, n);
    if (!*count) return FGT_OK;
    fgti_loss_work w = {.opts    = opts,
                        .target  = target,
                        .y       = y->data,
                        .dy      = dy ? dy->data : NULL,
                        .columns = columns,
                        .scale   = 1 / (double)*count,
                        .cut     = fgti_cut_of(n, columns < FGTI_GRAIN ? FGTI_GRAIN / columns : 1)};
    fgti_parallel(&ctx->exec, w.cut.count, loss_run_chunk, &w);
    for (int64_t i = 0; i < w.cut.count; i++) *sum += w.partial[i];
    return isfinite(*sum) ? FGT_OK : loss_refuse(&ctx->error, opts, target);
}

/* Computes the loss and the gradient of a batch or, unless `samples` is NULL, of its samples. Defaults of
 * opts and samples are filled in. */
static fgt_status run_batch(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_loss_samples *samples,
                            const fgt_view *y, const fgt_view *target, double *loss, const fgt_view *dy)
{
    fgti_spectral spectral;
    double        sum;
    int64_t       count, bad = -1;
    fgt_status    s = fgti_spectral_init(ctx, opts, y, &spectral);
    if (s == FGT_OK)
        s = samples ? fgti_loss_run_samples(ctx, opts, y, target, &spectral, samples, &sum, &count, dy, &bad)
                    : fgti_loss_run(ctx, opts, y, target, &spectral, &sum, &count, dy);
    fgti_spectral_done(ctx, &spectral);
    if (bad >= 0) fgti_error_prefix(&ctx->error, "sample %lld", (long long)bad);
    if (s != FGT_OK) return s;
    FGTI_TRY(fgti_loss_check_count(&ctx->error, opts, count));
    *loss = sum / (double)count;
    return FGT_OK;
}

static fgt_status loss_check_weights(fgti_error *err, const fgt_loss_samples *samples, const fgt_view *target)
{
    const int64_t batch = samples->weight && target->rank > 0 ? target->shape[0] : 0;
    for (int64_t b = 0; b < batch; b++)
        if (!isfinite(samples->weight[b]))
            return fgti_fail(err, FGT_E_ARG, "loss: the weight of sample %lld is NaN or infinite",
                             (long long)b);
    return FGT_OK;
}

fgt_status fgt_loss_compute(fgt_context *ctx, const fgt_view *y, const fgt_view *target,
                            const fgt_loss_opts *opts, const fgt_loss_samples *samples, double *loss,
                            const fgt_view *dy)
{
    if (!ctx) return FGT_E_ARG;
    fgti_error      *err = &ctx->error;
    fgt_loss_opts    o;
    fgt_loss_samples each;
    if (!loss) return fgti_fail(err, FGT_E_ARG, "loss: loss is NULL");
    FGTI_TRY(fgti_loss_read(err, opts, &o));
    FGTI_TRY(fgti_opts_read(err, "loss of samples", samples, &each, sizeof each));
    FGTI_TRY(fgti_target_check(err, y, target, fgti_loss_of_classes(&o), o.skip_nan));
    FGTI_TRY(loss_check_weights(err, &each, target));
    return run_batch(ctx, &o, samples ? &each : NULL, y, target, loss, dy);
}
