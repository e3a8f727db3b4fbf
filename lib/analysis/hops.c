/* SPDX-License-Identifier: BSD-3-Clause */
/* Norms and shares of the hops of a Fighter layer. */
#include "analysis/hops.h"

#include <math.h>

#include "analysis/hop_layer.h"
#include "core/size.h"
#include "model/access.h"

typedef struct job {
    const fgti_hop_layer *l;
    double               *memory; /* for each worker: X' [T,D], a term [T,H] of the sum over powers, and the
                                   * term before it */
    int64_t               each;
    double               *norms; /* [groups,kappa] */
} job;

static double hops_norm_of(const double *v, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

static void hops_compute_group(void *arg, int64_t group, int32_t worker)
{
    const job            *j = arg;
    const fgti_hop_layer *l = j->l;
    const int64_t         n = l->t * l->h;
    double               *x = j->memory + worker * j->each, *now = x + l->t * l->d, *next = now + n;
    fgti_hop_layer_input(l, group, x);
    for (int64_t power = 0; power < l->hops; power++) {
        fgti_hop_layer_project(l, power, x, now);
        for (int64_t i = 0; power >= l->first && i < power; i++) {
            fgti_hop_layer_spread(l, group, now, next);
            double *const last = now;
            now                = next;
            next               = last;
        }
        j->norms[group * l->hops + power] = hops_norm_of(now, n);
    }
}

static fgt_status hops_check_finite(const fgti_hop_layer *l, const char *layer, const double *norms)
{
    for (int64_t i = 0; i < l->groups * l->hops; i++)
        if (!isfinite(norms[i]))
            return fgti_fail(&l->ctx->error, FGT_E_NONFINITE,
                             "hops of layer \"%.60s\": the norm of hop %lld is not finite", layer,
                             (long long)(i % l->hops));
    return FGT_OK;
}

fgt_status fgti_hops_compute(const fgti_hop_layer *l, const char *layer, double *norms)
{
    job j  = {.l = l, .norms = norms};
    j.each = fgti_mul(l->t, l->d + 2 * l->h);
    FGTI_TRY(FGTI_NEW(l->ctx, fgti_mul(l->ctx->exec.workers, j.each), "terms of a layer", &j.memory));
    fgti_parallel(&l->ctx->exec, l->groups, hops_compute_group, &j);
    fgti_free(l->ctx, j.memory);
    return hops_check_finite(l, layer, norms);
}

void fgti_hops_share(const double *norms, int64_t hops, double *shares)
{
    double sum = 0;
    for (int64_t i = 0; i < hops; i++) sum += norms[i];
    for (int64_t i = 0; i < hops; i++) shares[i] = sum > 0 ? norms[i] / sum : 0;
}

static fgt_status hops_compute(const fgti_hop_layer *l, const char *layer, double *norms, double *shares)
{
    double       *found;
    const int64_t n = l->groups * l->hops;
    FGTI_TRY(FGTI_NEW(l->ctx, n, "norms of hops", &found));
    const fgt_status s = fgti_hops_compute(l, layer, found);
    for (int64_t i = 0; s == FGT_OK && i < n; i++) norms[i] = found[i];
    for (int64_t g = 0; s == FGT_OK && shares && g < l->groups; g++)
        fgti_hops_share(found + g * l->hops, l->hops, shares + g * l->hops);
    fgti_free(l->ctx, found);
    return s;
}

fgt_status fgt_hops_get_shape(fgt_model *model, const char *layer, fgt_view *shape)
{
    fgti_hop_layer l;
    if (!model) return FGT_E_ARG;
    if (!layer || !shape)
        return fgti_fail(&fgti_model_context(model)->error, FGT_E_ARG, "hops: layer or shape is NULL");
    FGTI_TRY(fgti_hop_layer_open(model, layer, &l));
    *shape = (fgt_view){.shape = {l.groups, l.hops}, .rank = 2, .dtype = FGT_DTYPE_F64};
    return FGT_OK;
}

fgt_status fgt_hops_compute(fgt_model *model, const char *layer, const fgt_view *norms,
                            const fgt_view *shares)
{
    fgti_hop_layer l;
    if (!model) return FGT_E_ARG;
    fgti_error *err = &fgti_model_context(model)->error;
    if (!layer || !norms) return fgti_fail(err, FGT_E_ARG, "hops: layer or norms is NULL");
    FGTI_TRY(fgti_hop_layer_open(model, layer, &l));
    const int64_t shape[] = {l.groups, l.hops};
    FGTI_TRY(fgti_view_check(err, "norms", norms, FGT_DTYPE_F64, 2, shape));
    if (shares) FGTI_TRY(fgti_view_check(err, "shares", shares, FGT_DTYPE_F64, 2, shape));
    return hops_compute(&l, layer, norms->data, shares ? shares->data : NULL);
}
