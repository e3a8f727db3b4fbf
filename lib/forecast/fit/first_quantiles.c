/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/fit/first_quantiles.h"

#include <math.h>
#include <string.h>

#include "core/size.h"
#include "core/sort.h"
#include "forecast/build/token_layers.h"
#include "model/access.h"
#include "model/guard.h"
#include "model/pass/own_pass.h"
#include "train/evaluate.h"

/* ERRORS: the number of errors, of all series together, from which the quantiles of a step are found.
 * MANY_WINDOWS: windows that are read even if they have more errors. FEW_WINDOWS: validation windows that
 * suffice, as many as intervals need. */
enum { ERRORS = 16384, MANY_WINDOWS = 64, FEW_WINDOWS = 20 };

typedef struct error {
    double at, weight; /* (y - m) / u, and u */
} error;

typedef struct first {
    fgt_forecaster   *f;
    fgt_source        source;
    fgti_batch        batch;
    const fgti_param *bias;           /* bias of the last map; quantile q of step h has element q H + h */
    int64_t           windows, cells; /* N; H C */
    float            *start;          /* [N,H C]: m */
    error            *errors;         /* [H,N C] */
    int64_t          *count;          /* [H]: errors that are known */
} first;

static bool are_zero(const fgti_real *weights, const fgti_param *p)
{
    int64_t i = 0;
    while (i < p->count && weights[p->offset + i] == 0) i++;
    return i == p->count;
}

/* Returns the bias of the last map if it can be set; NULL: a last map is trained already. */
static const fgti_param *first_find_bias(fgt_forecaster *f)
{
    const fgti_real  *weights = fgti_model_slabs(f->model).weights;
    const fgti_param *p, *bias = NULL;
    for (int64_t i = 0; (p = fgti_model_param(f->model, i)); i++) {
        if (!fgti_is_last_map(p->full_name)) continue;
        if (!are_zero(weights, p)) return NULL;
        if (!strcmp(p->full_name, "head.bias")) bias = p;
    }
    return bias;
}

static void fill_bias(const first *s, double value)
{
    fgti_real *bias = fgti_model_slabs(s->f->model).weights + s->bias->offset;
    for (int64_t i = 0; i < s->bias->count; i++) bias[i] = (fgti_real)value;
    fgti_model_changed(s->f->model);
}

/* Adds the errors of window `at`, whose forecasts are m + u. */
static void first_add_errors(first *s, int64_t at, const float *y, const float *truth)
{
    const int64_t columns = s->f->info.columns, heads = s->f->info.quantile_count;
    const float  *m = s->start + at * s->cells;
    for (int64_t i = 0; i < s->cells; i++) {
        const int64_t h = i / columns;
        const double  u = (double)y[i * heads] - (double)m[i], e = (double)truth[i * heads] - (double)m[i];
        if (u > 0 && isfinite(e / u))
            s->errors[h * s->windows * columns + s->count[h]++] = (error){.at = e / u, .weight = u};
    }
}

/* Forecasts all windows. errors false: finds m; errors true: finds the errors. */
static fgt_status visit_windows(first *s, bool errors)
{
    const int64_t heads = s->f->info.quantile_count;
    int64_t       n;
    fill_bias(s, errors);
    for (int64_t at = 0; at < s->windows; at += n) {
        n = fgti_least(s->batch.size, s->windows - at);
        for (int64_t i = 0; i < n; i++) s->batch.index[i] = (at + i) * s->source.count / s->windows;
        FGTI_TRY(fgti_batch_load(s->f->model, &s->batch, &s->source, s->batch.index, n));
        FGTI_TRY(fgti_model_predict(s->f->model, &s->batch.x, &s->batch.y));
        const float *y = s->batch.y.data, *truth = s->batch.target.data;
        for (int64_t i = 0; errors && i < n; i++)
            first_add_errors(s, at + i, y + i * s->cells * heads, truth + i * s->cells * heads);
        for (int64_t i = 0; !errors && i < n * s->cells; i++) s->start[at * s->cells + i] = y[i * heads];
    }
    return FGT_OK;
}

static int compare_errors(const void *a, const void *b, const void *arg)
{
    const error *x = a, *y = b;
    (void)arg;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* The first error at which the sum of the weights reaches the share q of all weights. */
static double weighted_quantile(const error *sorted, int64_t n, double q)
{
    double  all = 0, sum = 0;
    int64_t i = 0;
    for (int64_t k = 0; k < n; k++) all += sorted[k].weight;
    while (i < n - 1 && (sum += sorted[i].weight) < q * all) i++;
    return sorted[i].at;
}

static void write_bias(first *s)
{
    fgti_real    *bias  = fgti_model_slabs(s->f->model).weights + s->bias->offset;
    const int64_t steps = s->f->info.pred_len, room = s->windows * s->f->info.columns;
    for (int64_t h = 0; h < steps; h++) {
        error *e = s->errors + h * room;
        fgti_sort(e, s->count[h], sizeof *e, compare_errors, NULL);
        for (int64_t q = 0; s->count[h] && q < s->f->info.quantile_count; q++)
            bias[q * steps + h] = (fgti_real)weighted_quantile(e, s->count[h], s->f->info.quantiles[q]);
    }
    fgti_model_changed(s->f->model);
}

static fgt_status first_find_quantiles(first *s)
{
    const int64_t columns = s->f->info.columns, room = fgti_mul(s->windows, s->cells);
    FGTI_TRY(fgti_batch_create(s->f->model, fgti_model_options(s->f->model)->batch, FGT_DTYPE_F32,
                               s->source.get_value, NULL, &s->batch));
    FGTI_TRY(FGTI_NEW(s->f->ctx, room, "first quantiles", &s->start));
    FGTI_TRY(FGTI_NEW(s->f->ctx, room, "first quantiles", &s->errors));
    FGTI_TRY(FGTI_NEW(s->f->ctx, s->cells / columns, "first quantiles", &s->count));
    FGTI_TRY(visit_windows(s, false));
    FGTI_TRY(visit_windows(s, true));
    fill_bias(s, 0);
    write_bias(s);
    return FGT_OK;
}

fgt_status fgti_set_first_quantiles(fgt_forecaster *f, const fgt_source *validation, const fgt_source *train)
{
    const fgt_forecaster_info *i      = &f->info;
    first                      s      = {.f = f, .cells = i->pred_len * i->columns};
    const int64_t              wanted = ERRORS / i->columns;
    if (!i->quantile_count || !i->linear || !(s.bias = first_find_bias(f))) return FGT_OK;
    const bool enough = validation && validation->count >= FEW_WINDOWS;
    FGTI_TRY(fgti_source_check(&f->ctx->error, "fit", enough ? validation : train, &s.source));
    s.windows               = fgti_least(s.source.count, wanted > MANY_WINDOWS ? wanted : MANY_WINDOWS);
    const fgt_status status = first_find_quantiles(&s);
    if (status != FGT_OK) fill_bias(&s, 0);
    fgti_batch_destroy(f->ctx, &s.batch);
    fgti_free(f->ctx, s.start);
    fgti_free(f->ctx, s.errors);
    fgti_free(f->ctx, s.count);
    return status;
}
