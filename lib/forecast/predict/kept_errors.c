/* SPDX-License-Identifier: BSD-3-Clause */
/* The errors that a forecaster keeps. With them, intervals need no other rows than the input of the
 * forecast. */
#include "forecast/predict/kept_errors.h"

#include <math.h>
#include <string.h>

#include "core/size.h"
#include "data/table.h"
#include "forecast/predict/visit.h"
#include "forecast/rows/feed.h"
#include "forecast/rows/frame.h"

#define ERRORS "forecast.errors"
#define KNOWN  "forecast.errors_known"

/* ---- merging two lists of errors ---- */

/* An error, and the number of errors up to it, where each counts with its weight. */
typedef struct weighted {
    float  v;
    double below;
} weighted;

/* Merges two sorted lists of errors: n errors that stand for `nx` errors, and m errors that stand for `ny`
 * errors. */
static void merge(const float *x, int64_t n, double nx, const float *y, int64_t m, double ny, weighted *out)
{
    double below = 0;
    for (int64_t i = 0, j = 0; i + j < n + m;) {
        const bool first = j == m || (i < n && x[i] <= y[j]);
        below += first ? nx / (double)n : ny / (double)m;
        *out++ = (weighted){first ? x[i++] : y[j++], below};
    }
}

/* Returns the error of rank k. The rank is rounded away from the median as in fgti_calibration_quantile(). */
static float at_place(const weighted *e, int64_t n, double k, bool low)
{
    const double rounding = 1e-6;
    int64_t      i        = 0;
    while (i < n && (low ? e[i].below <= k + rounding : e[i].below < k - rounding)) i++;
    if (low) i--;
    return e[i < 0 ? 0 : i >= n ? n - 1 : i].v;
}

/* Picks FGTI_KEPT errors at equal distances in rank. */
static void thin(const weighted *e, int64_t n, float *out)
{
    const double all = e[n - 1].below + 1;
    for (int64_t j = 1; j <= FGTI_KEPT; j++) {
        const double q = (double)j / (FGTI_KEPT + 1);
        out[j - 1]     = at_place(e, n, q * all, q < 0.5);
    }
}

static void join_cell(const fgt_calibration *a, const fgt_calibration *b, int64_t cell, weighted *all,
                      fgt_calibration *to)
{
    const int64_t n = a->count[cell], m = b ? b->count[cell] : 0, known = b ? b->known[cell] : 0;
    /* if there are more errors than the most, old errors get less weight */
    const int64_t old = fgti_least(a->known[cell], FGTI_CALIBRATION_MOST - known);
    float        *out = to->error + cell * to->windows;
    to->known[cell]   = old + known;
    to->count[cell]   = n + m > FGTI_KEPT ? FGTI_KEPT : n + m;
    if (!n && !m) return;
    merge(a->error + cell * a->windows, n, (double)old, b ? b->error + cell * b->windows : NULL, m,
          (double)known, all);
    if (n + m > FGTI_KEPT)
        thin(all, n + m, out);
    else
        for (int64_t i = 0; i < n + m; i++) out[i] = all[i].v;
    if (to->total < to->known[cell]) to->total = to->known[cell];
}

static fgt_status kept_errors_join(const fgt_forecaster *f, const fgt_calibration *a,
                                   const fgt_calibration *b, fgt_calibration **out)
{
    weighted *all;
    FGTI_TRY(FGTI_NEW(f->ctx, a->windows + (b ? b->windows : 0), "calibration", &all));
    const fgt_status s = fgti_calibration_new(f, FGTI_KEPT, out);
    if (s == FGT_OK) (*out)->total = 0;
    for (int64_t i = 0; s == FGT_OK && i < a->heads * a->cells; i++) join_cell(a, b, i, all, *out);
    if (s == FGT_OK) (*out)->last = a->last;
    if (s == FGT_OK) (*out)->trained = a->trained;
    fgti_free(f->ctx, all);
    return s;
}

/* ---- errors of new rows ---- */

typedef struct new_errors {
    fgt_calibration *to;
    float           *error; /* [heads,cells] */
    int64_t          begin, row; /* begin: first row of the first window; row: first row whose errors count */
} new_errors;

static void kept_errors_add(void *user, int64_t window, const float *error, const float *truth)
{
    const new_errors *n = user;
    (void)truth;
    for (int64_t i = 0; i < n->to->heads * n->to->cells; i++) {
        const int64_t step = i % n->to->cells / n->to->targets;
        n->error[i]        = n->begin + window + step < n->row ? NAN : error[i];
    }
    fgti_calibration_add(n->to, n->error);
}

/* Collects the errors of rows row .. end-1 from forecasts of windows before `end`. *out is NULL if there is
 * no such window. */
static fgt_status kept_errors_collect(fgt_forecaster *f, const fgti_frame *frame, int64_t row, int64_t end,
                                      fgt_calibration **out)
{
    const int64_t h = f->info.pred_len, last = end - h;
    int64_t       begin = row - h + 1 > f->info.input_len ? row - h + 1 : f->info.input_len;
    if (last - begin >= FGTI_CALIBRATION_MOST) begin = last - FGTI_CALIBRATION_MOST + 1;
    new_errors n = {.begin = begin, .row = row};
    fgti_feed  d = {0};
    fgt_source source;
    *out         = NULL;
    if (begin > last || row >= end) return FGT_OK;
    fgt_status s = fgti_feed_init(&d, f, frame, "calibration", begin, end, 1, 1, &source);
    if (s == FGT_OK) s = fgti_calibration_new(f, source.count, &n.to);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, n.to->heads * n.to->cells, "calibration", &n.error);
    if (s == FGT_OK) s = fgti_collect_errors(f, &source, 0, source.count, kept_errors_add, &n);
    if (s == FGT_OK) fgti_calibration_sort(n.to);
    if (s != FGT_OK) fgt_calibration_destroy(&n.to);
    *out = n.to;
    fgti_free(f->ctx, n.error);
    fgti_feed_done(&d);
    return s;
}

fgt_status fgti_kept_errors_with(fgt_forecaster *f, const fgti_frame *frame, int64_t row, int64_t end,
                                 fgt_calibration **out)
{
    fgt_calibration *more = NULL;
    fgt_status       s    = kept_errors_collect(f, frame, row, end, &more);
    if (s == FGT_OK) s = kept_errors_join(f, f->kept, more, out);
    fgt_calibration_destroy(&more);
    return s;
}

/* Converts errors that were standardised by another scaler. */
static void rescale(const fgt_calibration *from, fgt_calibration *to)
{
    for (int64_t i = 0; i < to->heads * to->cells; i++)
        for (int64_t k = 0; k < to->count[i]; k++)
            to->error[i * to->windows + k] *= (float)(from->scale[i % to->cells] / to->scale[i % to->cells]);
}

fgt_status fgti_kept_errors_of(const fgt_forecaster *f, const fgt_calibration *c, fgt_calibration **out)
{
    FGTI_TRY(kept_errors_join(f, c, NULL, out));
    rescale(c, *out);
    return FGT_OK;
}

/* ---- in files ---- */

fgt_status fgti_kept_errors_write(const fgt_forecaster *f, int64_t **numbers, fgti_st_tensor *tensor,
                                  int64_t *count)
{
    const fgt_calibration *c = f->kept;
    if (!c) return FGT_OK;
    const int64_t heads = c->heads, h = f->info.pred_len, targets = c->targets, all = heads * c->cells;
    FGTI_TRY(FGTI_NEW(f->ctx, 3 * all, "calibration", numbers));
    memcpy(*numbers, c->count, (size_t)all * sizeof **numbers);
    memcpy(*numbers + all, c->known, (size_t)all * sizeof **numbers);
    for (int64_t i = 0; i < all; i++) (*numbers)[2 * all + i] = c->last;
    tensor[(*count)++] = (fgti_st_tensor){.name  = ERRORS,
                                          .dtype = FGTI_ST_F32,
                                          .rank  = 4,
                                          .shape = {heads, h, targets, FGTI_KEPT},
                                          .data  = c->error};
    tensor[(*count)++] = (fgti_st_tensor){
        .name = KNOWN, .dtype = FGTI_ST_I64, .rank = 4, .shape = {3, heads, h, targets}, .data = *numbers};
    return FGT_OK;
}

static bool is_good(const fgt_calibration *c, int64_t cell)
{
    const float *e = c->error + cell * c->windows;
    if (c->count[cell] < 0 || c->count[cell] > c->windows || c->known[cell] < c->count[cell] ||
        c->known[cell] > FGTI_CALIBRATION_MOST)
        return false;
    for (int64_t i = 0; i < c->count[cell]; i++)
        if (!isfinite(e[i]) || (i > 0 && e[i] < e[i - 1])) return false;
    return true;
}

static fgt_status kept_errors_fill(const fgti_st *st, const fgt_forecaster *f, double *errors,
                                   int64_t *numbers, fgt_calibration *c)
{
    const int64_t all     = c->heads * c->cells;
    const int64_t error[] = {c->heads, f->info.pred_len, c->targets, FGTI_KEPT};
    const int64_t known[] = {3, c->heads, f->info.pred_len, c->targets};
    FGTI_TRY(fgti_st_read_f64(f->ctx, st, ERRORS, 4, error, errors));
    FGTI_TRY(fgti_st_read_i64(f->ctx, st, KNOWN, 4, known, numbers));
    for (int64_t i = 0; i < all * c->windows; i++) c->error[i] = (float)errors[i];
    memcpy(c->count, numbers, (size_t)all * sizeof *numbers);
    memcpy(c->known, numbers + all, (size_t)all * sizeof *numbers);
    c->last  = numbers[2 * all];
    c->total = 0;
    for (int64_t i = 0; i < all; i++) {
        if (!is_good(c, i) || numbers[2 * all + i] != c->last)
            return fgti_fail(&f->ctx->error, FGT_E_FORMAT, "\"" ERRORS "\" or \"" KNOWN "\" is damaged");
        if (c->total < c->known[i]) c->total = c->known[i];
    }
    return FGT_OK;
}

fgt_status fgti_kept_errors_read(const fgti_st *st, fgt_forecaster *f)
{
    const fgti_st_tensor *t;
    double               *errors  = NULL;
    int64_t              *numbers = NULL;
    const int64_t         c       = f->info.columns;
    if (!fgti_st_find(st, ERRORS)) return FGT_OK;
    FGTI_TRY(fgti_st_expect(f->ctx, st, ERRORS, 4,
                            (int64_t[]){fgti_forecaster_heads(f), f->info.pred_len, c, FGTI_KEPT}, &t));
    FGTI_TRY(fgti_calibration_new(f, FGTI_KEPT, &f->kept));
    const int64_t all = f->kept->heads * f->kept->cells;
    fgt_status    s   = FGTI_NEW(f->ctx, 3 * all, "calibration", &numbers);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, all * FGTI_KEPT, "calibration", &errors);
    if (s == FGT_OK) s = kept_errors_fill(st, f, errors, numbers, f->kept);
    fgti_free(f->ctx, errors);
    fgti_free(f->ctx, numbers);
    return s;
}

/* ---- for hosts ---- */

static fgt_status kept_errors_check(const fgt_forecaster *f, const fgt_calibration *c)
{
    const fgt_forecaster_info *i     = &f->info;
    const int64_t              heads = fgti_forecaster_heads(f);
    if (c->targets == i->columns && c->cells == i->pred_len * i->columns && c->heads == heads &&
        !memcmp(c->level, i->quantiles, sizeof c->level))
        return FGT_OK;
    return fgti_fail(&f->ctx->error, FGT_E_SHAPE,
                     "calibration: it is of %lld outputs for %lld rows of %lld targets (need %lld, %lld, "
                     "%lld, and the same quantiles)",
                     (long long)c->heads, (long long)(c->cells / c->targets), (long long)c->targets,
                     (long long)heads, (long long)i->pred_len, (long long)i->columns);
}

fgt_status fgt_forecaster_set_calibration(fgt_forecaster *forecaster, const fgt_calibration *calibration)
{
    fgt_forecaster  *f    = forecaster;
    fgt_calibration *kept = NULL;
    if (!f) return FGT_E_ARG;
    if (calibration) FGTI_TRY(kept_errors_check(f, calibration));
    if (calibration) FGTI_TRY(fgti_kept_errors_of(f, calibration, &kept));
    fgt_calibration_destroy(&f->kept);
    f->kept = kept;
    return FGT_OK;
}

const fgt_calibration *fgt_forecaster_get_calibration(const fgt_forecaster *forecaster)
{
    return forecaster ? forecaster->kept : NULL;
}
