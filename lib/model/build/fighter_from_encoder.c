/* SPDX-License-Identifier: BSD-3-Clause */

/* Makes a Fighter layer that computes the same function as an encoder block without norm and without
 * residual. */

#include <fighter/experimental/convert.h>

#include "model/build/model.h"
#include "model/model_impl.h"

/* The widths in the weights of an encoder block: wq, wk [D,K], wv [D,V], w1 [V,H]. */
typedef struct widths {
    int64_t d, k, v, h;
} widths;

static fgt_status read_widths(fgti_error *err, const fgt_view *wq, const fgt_view *wk, const fgt_view *wv,
                              const fgt_view *w1, widths *n)
{
    FGTI_TRY(fgti_view_check(err, "wq", wq, FGTI_REAL, 2, (int64_t[]){-1, -1}));
    n->d = wq->shape[0];
    n->k = wq->shape[1];
    FGTI_TRY(fgti_view_check(err, "wk", wk, FGTI_REAL, 2, (int64_t[]){n->d, n->k}));
    FGTI_TRY(fgti_view_check(err, "wv", wv, FGTI_REAL, 2, (int64_t[]){n->d, -1}));
    n->v = wv->shape[1];
    FGTI_TRY(fgti_view_check(err, "w1", w1, FGTI_REAL, 2, (int64_t[]){n->v, -1}));
    n->h = w1->shape[1];
    return FGT_OK;
}

/* Sets the parameter `name` [K,D] to the transpose of w [D,K]. */
static fgt_status set_turned(fgt_model *m, const char *name, const fgt_view *w)
{
    const int64_t    d = w->shape[0], k = w->shape[1];
    const fgti_real *from = w->data;
    fgti_real       *turned;
    FGTI_TRY(FGTI_NEW(m->ctx, fgti_mul(k, d), "weights", &turned));
    m->ctx->vec->transpose(d, k, from, k, turned, d);
    const fgt_view   v = {.rank = 2, .shape = {k, d}, .dtype = FGTI_REAL, .data = turned};
    const fgt_status s = fgt_model_set_parameter(m, name, &v);
    fgti_free(m->ctx, turned);
    return s;
}

/* W_0 = 0, W_1 = wv w1. Sums are computed in double, so each element is rounded only once. */
static fgt_status set_hops(fgt_model *m, const widths *n, const fgti_real *wv, const fgti_real *w1)
{
    const fgt_view weight = {.rank = 3, .shape = {2, n->d, n->h}, .dtype = FGTI_REAL};
    fgt_view       v      = weight;
    fgti_real     *hops;
    FGTI_TRY(FGTI_NEW(m->ctx, fgt_view_count(&weight), "weights", &hops));
    for (int64_t i = 0; i < n->d; i++)
        for (int64_t j = 0; j < n->h; j++) {
            double sum = 0;
            for (int64_t p = 0; p < n->v; p++) sum += (double)wv[i * n->v + p] * (double)w1[p * n->h + j];
            hops[(n->d + i) * n->h + j] = (fgti_real)sum;
        }
    v.data             = hops;
    const fgt_status s = fgt_model_set_parameter(m, "fighter.hop_weight", &v);
    fgti_free(m->ctx, hops);
    return s;
}

static fgt_status from_encoder_fill(fgt_model *m, const widths *n, const fgt_view *wq, const fgt_view *wk,
                                    const fgt_view *wv, const fgt_view *w1, int32_t act)
{
    const fgt_fighter_opts opts = {
        .size = sizeof opts, .out = n->h, .attn = n->k, .hops = 2, .act = act, .no_bias = 1};
    FGTI_TRY(fgt_model_add(m, fgt_named("fighter", fgt_fighter(&opts))));
    FGTI_TRY(set_turned(m, "fighter.q_proj.weight", wq));
    FGTI_TRY(set_turned(m, "fighter.k_proj.weight", wk));
    return set_hops(m, n, wv->data, w1->data);
}

fgt_status fgt_fighter_create_folded(fgt_context *ctx, const fgt_model_opts *opts, const fgt_view *wq,
                                     const fgt_view *wk, const fgt_view *wv, const fgt_view *w1, int32_t act,
                                     fgt_model **model)
{
    fgt_model_opts o;
    widths         n;
    FGTI_TRY(fgti_model_check_place(ctx, model));
    FGTI_TRY(read_widths(&ctx->error, wq, wk, wv, w1, &n));
    FGTI_TRY(fgti_opts_read(&ctx->error, "model", opts, &o, sizeof o));
    if (o.features && o.features != n.d)
        return fgti_fail(&ctx->error, FGT_E_SHAPE,
                         "wq has the wrong width (got %lld, need %lld as the model)", (long long)n.d,
                         (long long)o.features);
    o.features = n.d;
    FGTI_TRY(fgt_model_create(ctx, &o, model));
    const fgt_status s = from_encoder_fill(*model, &n, wq, wk, wv, w1, act);
    if (s != FGT_OK) fgt_model_destroy(model);
    return s;
}
