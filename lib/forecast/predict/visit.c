/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/predict/visit.h"

#include <math.h>

#include "core/size.h"
#include "data/table.h"
#include "forecast/forecaster.h"
#include "forecast/predict/forecaster_workspace.h"
#include "forecast/predict/outputs.h"
#include "forecast/rows/feed.h"
#include "model/access.h"
#include "train/evaluate.h"

static fgt_status take_batch(fgt_forecaster *f, fgti_batch *b, const fgt_source *source, int64_t at,
                             int64_t n, fgti_take_forecast take, void *user)
{
    const int64_t cells = f->info.pred_len * f->info.columns, heads = fgti_forecaster_heads(f);
    for (int64_t i = 0; i < n; i++) b->index[i] = at + i;
    FGTI_TRY(fgti_forecaster_get_passes(f, &b->passes)); /* `take` may have trained the model */
    FGTI_TRY(fgti_batch_load(f->model, b, source, b->index, n));
    FGTI_TRY(fgti_batch_pass(b));
    const float *forecast = b->y.data;
    float       *truth    = b->target.data;
    FGTI_TRY(fgti_forecast_check(f, &f->ctx->error, forecast, n, 0));
    fgti_forecast_settle(f, b->x.data, b->y.data, n);
    for (int64_t i = 0; i < n * cells; i++) truth[i] = truth[i * heads]; /* each value has `heads` copies */
    for (int64_t i = 0; i < n; i++)
        FGTI_TRY(take(user, at + i, forecast + i * cells * heads, truth + i * cells));
    return FGT_OK;
}

fgt_status fgti_visit(fgt_forecaster *f, const fgt_source *source, int64_t from, int64_t to,
                      fgti_take_forecast take, void *user)
{
    fgti_batch b;
    fgt_status s =
        fgti_batch_create(f->model, fgti_model_options(f->model)->batch, FGT_DTYPE_F32, true, NULL, &b);
    for (int64_t at = from; s == FGT_OK && at < to; at += b.size)
        s = take_batch(f, &b, source, at, fgti_least(b.size, to - at), take, user);
    if (b.passes) b.passes = f->passes.own;
    fgti_batch_destroy(f->ctx, &b);
    return s;
}

typedef struct errors {
    fgti_take_errors take;
    void            *user;
    int64_t          cells, heads;
    float           *error; /* [heads,cells] */
} errors;

static fgt_status subtract(void *user, int64_t window, const float *forecast, const float *truth)
{
    const errors *e = user;
    for (int64_t i = 0; i < e->cells; i++)
        for (int64_t q = 0; q < e->heads; q++)
            e->error[q * e->cells + i] = truth[i] - forecast[i * e->heads + q];
    e->take(e->user, window, e->error, truth);
    return FGT_OK;
}

fgt_status fgti_collect_errors(fgt_forecaster *f, const fgt_source *source, int64_t from, int64_t to,
                               fgti_take_errors take, void *user)
{
    errors e = {.take  = take,
                .user  = user,
                .cells = f->info.pred_len * f->info.columns,
                .heads = fgti_forecaster_heads(f)};
    FGTI_TRY(FGTI_NEW(f->ctx, e.cells * e.heads, "errors", &e.error));
    const fgt_status s = fgti_visit(f, source, from, to, subtract, &e);
    fgti_free(f->ctx, e.error);
    return s;
}
