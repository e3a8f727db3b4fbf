/* SPDX-License-Identifier: BSD-3-Clause */
/* Means of the powers of attention matrices. */
#include <fighter/analysis.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/attending.h"
#include "core/opts.h"
#include "model/access.h"
#include "model/params.h"

struct fgt_adjacency {
    fgt_model   *model;
    fgt_context *ctx;
    char        *layer;
    int64_t      powers, samples;
    bool         cross; /* the layer reads tokens of another layer, so A has no powers */
    int64_t      heads, rows, columns; /* number of rows; 0: no matrix was added yet */
    double      *sum;                  /* [heads,powers,rows,columns] */
    double      *mean;                 /* [rows,columns]: result of fgt_adjacency_get_mean() */
    fgti_real   *power;                /* [workers,2,rows,columns] */
};

/* ---- creation ---- */

fgt_status fgt_adjacency_create(fgt_model *model, const char *layer, int64_t powers,
                                fgt_adjacency **adjacency)
{
    if (adjacency) *adjacency = NULL;
    if (!model) return FGT_E_ARG;
    fgt_context *ctx = fgti_model_context(model);
    fgti_error  *err = &ctx->error;
    if (!adjacency) return fgti_fail(err, FGT_E_ARG, "adjacency: adjacency is NULL");
    if (powers < 0 || powers > FGTI_POWERS_MAX)
        return fgti_fail(err, FGT_E_ARG, "adjacency: powers is out of range (got %lld, need 0 .. %d)",
                         (long long)powers, FGTI_POWERS_MAX);
    if (!layer) return fgti_fail(err, FGT_E_ARG, "adjacency: layer is not given");
    bool cross;
    FGTI_TRY(fgti_attending_find(model, layer, NULL, &cross));
    FGTI_TRY(FGTI_NEW(ctx, 1, "mean of attention", adjacency));
    **adjacency = (fgt_adjacency){.model = model, .ctx = ctx, .powers = powers ? powers : 1, .cross = cross};
    const fgt_status s = fgti_strdup(ctx, layer, &(*adjacency)->layer);
    if (s != FGT_OK) fgt_adjacency_destroy(adjacency);
    return s;
}

void fgt_adjacency_destroy(fgt_adjacency **adjacency)
{
    if (!adjacency || !*adjacency) return;
    fgt_adjacency *a   = *adjacency;
    fgt_context   *ctx = a->ctx;
    fgti_free(ctx, a->layer);
    fgti_free(ctx, a->sum);
    fgti_free(ctx, a->mean);
    fgti_free(ctx, a->power);
    fgti_free(ctx, a);
    *adjacency = NULL;
}

int64_t fgt_adjacency_count_samples(const fgt_adjacency *adjacency)
{
    return adjacency ? adjacency->samples : 0;
}

/* ---- adding ---- */

typedef struct addition {
    const fgt_adjacency *to;
    const fgti_real     *a; /* [samples,heads,rows,columns] */
    int64_t              first, count;
} addition;

static void add_matrix(int64_t n, const fgti_real *a, double *sum)
{
    for (int64_t i = 0; i < n; i++) sum[i] += (double)a[i];
}

/* Adds all samples of one head: a sum is never divided among threads. */
static void add_head(void *arg, int64_t head, int32_t worker)
{
    const addition      *add = arg;
    const fgt_adjacency *m   = add->to;
    const int64_t        n   = m->rows * m->columns;
    for (int64_t s = add->first; s < add->first + add->count; s++) {
        const fgti_real *a = add->a + (s * m->heads + head) * n, *last = a;
        double          *sum = m->sum + head * m->powers * n;
        add_matrix(n, a, sum);
        for (int64_t i = 1; i < m->powers; i++) {
            fgti_real *next = m->power + (2 * worker + i % 2) * n;
            fgti_attending_power(m->ctx, worker, m->rows, last, a, next);
            add_matrix(n, last = next, sum + i * n);
        }
    }
}

/* Whether an entry of a power of A may overflow. No entry of A^i is larger than (largest row sum of A)^i. */
static bool may_overflow(const addition *add)
{
    const fgt_adjacency *m    = add->to;
    const int64_t        rows = m->heads * m->rows;
    double               most = 0;
    if (m->powers == 1) return false;
    for (int64_t i = add->first * rows; i < (add->first + add->count) * rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < m->columns; j++) sum += fabs((double)add->a[i * m->columns + j]);
        if (sum > most) most = sum;
    }
    return !(pow(most, (double)m->powers) < FLT_MAX / 2);
}

static fgt_status check_powers(const addition *add)
{
    const fgt_adjacency *m = add->to;
    const int64_t        n = m->rows * m->columns;
    for (int64_t s = add->first * m->heads; s < (add->first + add->count) * m->heads; s++) {
        const fgti_real *a = add->a + s * n, *last = a;
        for (int64_t i = 1; i < m->powers; i++) {
            fgti_real *next = m->power + i % 2 * n;
            fgti_attending_power(m->ctx, 0, m->rows, last, a, next);
            if (!fgti_all_finite(n, next))
                return fgti_fail(&m->ctx->error, FGT_E_NONFINITE, "layer \"%.60s\": A^%lld is not finite",
                                 m->layer, (long long)i + 1);
            last = next;
        }
    }
    return FGT_OK;
}

/* Frees the memory that the first call has allocated. */
static void adjacency_forget(fgt_adjacency *m)
{
    fgti_free(m->ctx, m->power);
    fgti_free(m->ctx, m->sum);
    fgti_free(m->ctx, m->mean);
    m->power = NULL;
    m->sum = m->mean = NULL;
    m->rows  = 0;
}

/* The first call allocates the memory. Later calls check that the matrix has the same shape. */
static fgt_status adjacency_reserve(fgt_adjacency *m, const fgt_view *a)
{
    fgti_error   *err  = &m->ctx->error;
    const int64_t rows = a->shape[2], columns = a->shape[3], heads = a->shape[1];
    if (m->rows && (rows != m->rows || columns != m->columns))
        return fgti_fail(
            err, FGT_E_SHAPE,
            "layer \"%.60s\": A has the wrong shape (got [%lld,%lld], need [%lld,%lld] as before)", m->layer,
            (long long)rows, (long long)columns, (long long)m->rows, (long long)m->columns);
    if (m->powers > 1 && (rows != columns || m->cross))
        return fgti_fail(err, FGT_E_ARG,
                         "layer \"%.60s\": A is [%lld,%lld] and has no powers: its rows and columns are "
                         "different tokens",
                         m->layer, (long long)rows, (long long)columns);
    if (m->rows) return FGT_OK;
    const int64_t n = fgti_mul(rows, columns);
    FGTI_TRY(FGTI_NEW(m->ctx, m->powers > 1 ? fgti_mul(2 * m->ctx->exec.workers, n) : 0, "powers of A",
                      &m->power));
    fgt_status s = FGTI_NEW(m->ctx, fgti_mul(fgti_mul(heads, m->powers), n), "mean of attention", &m->sum);
    if (s == FGT_OK) s = FGTI_NEW(m->ctx, n, "mean of attention", &m->mean);
    if (s != FGT_OK) {
        adjacency_forget(m);
        return s;
    }
    m->heads   = heads;
    m->rows    = rows;
    m->columns = columns;
    return FGT_OK;
}

fgt_status fgt_adjacency_add(fgt_adjacency *adjacency, int64_t begin, int64_t end)
{
    fgt_view a;
    if (!adjacency) return FGT_E_ARG;
    fgt_adjacency *m   = adjacency;
    fgti_error    *err = &m->ctx->error;
    FGTI_TRY(fgt_model_get_adjacency(m->model, m->layer, &a));
    const int64_t all = a.shape[0];
    if (!begin && !end) end = all;
    if (begin < 0 || begin >= end || end > all)
        return fgti_fail(err, FGT_E_ARG, "adjacency: samples are out of range (got %lld to %lld, of %lld)",
                         (long long)begin, (long long)end, (long long)all);
    addition      add  = {m, a.data, begin, end - begin};
    const int64_t each = fgt_view_count(&a) / all;
    if (!fgti_all_finite(add.count * each, add.a + begin * each))
        return fgti_fail(err, FGT_E_NONFINITE, "layer \"%.60s\": A is not finite", m->layer);
    FGTI_TRY(adjacency_reserve(m, &a));
    const fgt_status s = may_overflow(&add) ? check_powers(&add) : FGT_OK;
    if (s != FGT_OK && !m->samples)
        adjacency_forget(m); /* so that the next pass may have another number of tokens */
    FGTI_TRY(s);
    fgti_parallel(&m->ctx->exec, m->heads, add_head, &add);
    m->samples += add.count;
    return FGT_OK;
}

/* ---- results ---- */

/* The mean of entry i over heads first .. first + heads - 1. */
static double adjacency_mean_of(const fgt_adjacency *m, int64_t first, int64_t heads, int64_t power,
                                int64_t i)
{
    const int64_t n   = m->rows * m->columns;
    double        sum = 0;
    for (int64_t h = first; h < first + heads; h++) sum += m->sum[(h * m->powers + power - 1) * n + i];
    return sum / ((double)m->samples * (double)heads);
}

fgt_status fgt_adjacency_get_mean(fgt_adjacency *adjacency, int64_t head, int64_t power, fgt_view *mean)
{
    if (!adjacency) return FGT_E_ARG;
    const fgt_adjacency *m   = adjacency;
    fgti_error          *err = &m->ctx->error;
    if (!mean) return fgti_fail(err, FGT_E_ARG, "adjacency: mean is NULL");
    if (!m->samples) return fgti_fail(err, FGT_E_STATE, "adjacency: nothing was added yet");
    if (head < -1 || head >= m->heads)
        return fgti_fail(err, FGT_E_ARG, "adjacency: head is out of range (got %lld, of %lld)",
                         (long long)head, (long long)m->heads);
    if (power < 1 || power > m->powers)
        return fgti_fail(err, FGT_E_ARG, "adjacency: power is out of range (got %lld, need 1 .. %lld)",
                         (long long)power, (long long)m->powers);
    const int64_t from = head < 0 ? 0 : head, heads = head < 0 ? m->heads : 1;
    for (int64_t i = 0; i < m->rows * m->columns; i++)
        m->mean[i] = adjacency_mean_of(m, from, heads, power, i);
    *mean = (fgt_view){.data = m->mean, .shape = {m->rows, m->columns}, .rank = 2, .dtype = FGT_DTYPE_F64};
    return FGT_OK;
}
