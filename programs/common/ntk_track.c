/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include <fighter/experimental/ntk.h>

#include "json_out.h"
#include "ntk_track.h"
#include "program.h"

bool ntk_track_start(ntk_track *t, fgt_context *ctx, fgt_model *model, const fgt_view *x, double smoothness,
                     int64_t epochs)
{
    *t         = (ntk_track){.ctx = ctx, .inputs = x->shape[0], .capacity = epochs + 1};
    t->kernels = calloc((size_t)(t->capacity * t->inputs * t->inputs), sizeof *t->kernels);
    t->rates   = calloc((size_t)t->capacity, sizeof *t->rates);
    t->smoothness = smoothness;
    if (!t->kernels || !t->rates) return complain("no memory");
    if (fgt_ntk_create(model, NULL, x, &t->ntk) != FGT_OK) return complain("%s", fgt_context_get_error(ctx));
    return ntk_track_step(t);
}

bool ntk_track_step(ntk_track *t)
{
    const int64_t m = t->inputs;
    fgt_view k = {.data = t->kernels + t->count * m * m, .rank = 2, .shape = {m, m}, .dtype = FGT_DTYPE_F64};
    fgt_ntk_bound b = {.size = sizeof b};
    if (t->count == t->capacity) return true;
    if (fgt_ntk_compute(t->ntk, NULL) != FGT_OK || fgt_ntk_copy_kernel(t->ntk, &k) != FGT_OK ||
        fgt_ntk_get_bound(t->ntk, t->smoothness, &b) != FGT_OK)
        return complain("%s", fgt_context_get_error(t->ctx));
    t->rates[t->count++] = b.rate;
    return true;
}

void ntk_track_done(ntk_track *t)
{
    fgt_ntk_destroy(&t->ntk);
    free(t->kernels);
    free(t->rates);
    t->kernels = t->rates = NULL;
}

/* The Frobenius norm of K_i - K_j; for j = -1 the norm of K_i. */
static double norm(const ntk_track *t, int64_t i, int64_t j)
{
    const int64_t n   = t->inputs * t->inputs;
    double        sum = 0;
    for (int64_t k = 0; k < n; k++) {
        const double d = t->kernels[i * n + k] - (j < 0 ? 0 : t->kernels[j * n + k]);
        sum += d * d;
    }
    return sqrt(sum);
}

double ntk_track_distance(const ntk_track *t, int64_t i, int64_t j)
{
    return norm(t, i, j) / norm(t, j, -1);
}

void ntk_track_report(const ntk_track *t, json_t *object)
{
    json_t *list = json_array();
    for (int64_t i = 0; list && i < t->count; i++)
        json_array_append_new(list, json_pack("{s:I, s:f, s:o, s:o, s:o}", "epoch", (json_int_t)i, "norm",
                                              norm(t, i, -1), "change",
                                              json_out_real(i ? ntk_track_distance(t, i, i - 1) : NAN),
                                              "from_last",
                                              json_out_real(ntk_track_distance(t, i, t->count - 1)),
                                              "rate_bound",
                                              json_out_real(isfinite(t->rates[i]) ? t->rates[i] : NAN)));
    json_object_set_new(object, "ntk", list);
}
