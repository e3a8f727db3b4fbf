/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the numbers of one record. */
#include "analysis/tracker_record.h"

#include <math.h>
#include <string.h>

#include "analysis/attending.h"
#include "analysis/hops.h"
#include "core/context.h"
#include "core/size.h"
#include "model/access.h"

/* Three lists of statistics: for square matrices A, for any A, and for outputs of layers. RANK of A is the
 * last one, so that it can be left out. */
static const int32_t of_square[] = {FGT_STATISTIC_DIAGONAL, FGT_STATISTIC_DIAGONAL_EXPECTED,
                                    FGT_STATISTIC_DISTANCE};
static const int32_t of_any[] = {FGT_STATISTIC_ENTROPY, FGT_STATISTIC_ENTROPY_NORMALISED, FGT_STATISTIC_FIRST,
                                 FGT_STATISTIC_RANK_ONE, FGT_STATISTIC_RANK};
static const int32_t of_outputs[] = {FGT_STATISTIC_DIRICHLET, FGT_STATISTIC_MAD, FGT_STATISTIC_COSINE,
                                     FGT_STATISTIC_RANK, FGT_STATISTIC_RANK_ONE};
#define LENGTH(list) ((int64_t)(sizeof(list) / sizeof *(list)))

/* A record while it is computed. */
typedef struct record {
    fgt_tracker *k;
    fgti_tracked row;          /* the common fields of its next rows */
    bool         square;       /* the layer's tokens read each other, not the tokens of another layer */
    double      *out;          /* a statistic of all samples, or of samples and heads */
    fgti_real   *power, *next; /* matrices */
} record;

/* statistic: a fgt_statistic or a fgt_hop_measure. */
static fgt_status record_add_row(record *r, int64_t head, int32_t statistic, double value)
{
    fgt_tracker *k = r->k;
    if (k->rows == k->capacity) {
        const int64_t capacity = fgti_mul(2, k->capacity + 64);
        fgti_tracked *more;
        FGTI_TRY(FGTI_NEW(k->ctx, capacity, "table of the tracker", &more));
        if (k->rows) memcpy(more, k->row, (size_t)k->rows * sizeof *more);
        fgti_free(k->ctx, k->row);
        k->row      = more;
        k->capacity = capacity;
    }
    k->row[k->rows]           = r->row;
    k->row[k->rows].head      = head;
    k->row[k->rows].statistic = statistic;
    k->row[k->rows].value     = value;
    k->rows++;
    return FGT_OK;
}

/* The mean of head h over the samples; NaN is skipped. */
static double record_mean_of(const double *out, int64_t samples, int64_t heads, int64_t h)
{
    double  sum   = 0;
    int64_t count = 0;
    for (int64_t s = 0; s < samples; s++)
        if (!isnan(out[s * heads + h])) {
            sum += out[s * heads + h];
            count++;
        }
    return count ? sum / (double)count : (double)NAN;
}

/* Adds statistics of matrices [samples,heads,..]; heads 0: [samples,..]. */
static fgt_status add_statistics(record *r, int64_t count, const int32_t *list, const fgt_view *x,
                                 int64_t heads)
{
    const int64_t each = heads ? heads : 1, samples = x->shape[0];
    for (int64_t i = 0; i < count; i++) {
        FGTI_TRY(fgt_statistic_compute(r->k->ctx, list[i], NULL, x, r->out));
        for (int64_t h = 0; h < each; h++)
            FGTI_TRY(record_add_row(r, heads ? h : -1, (int32_t)list[i],
                                    record_mean_of(r->out, samples, each, h)));
    }
    return FGT_OK;
}

/* Adds the statistics of A^power. */
static fgt_status add_matrices(record *r, const fgt_view *a)
{
    const int64_t heads = a->shape[1];
    if (r->square) FGTI_TRY(add_statistics(r, LENGTH(of_square), of_square, a, heads));
    return add_statistics(r, LENGTH(of_any) - !r->k->opts.ranks, of_any, a, heads);
}

/* ---- powers of A ---- */

typedef struct products {
    const record    *r;
    int64_t          t;
    const fgti_real *a;
} products;

static void multiply_one(void *arg, int64_t i, int32_t worker)
{
    const products *p = arg;
    const int64_t   n = p->t * p->t;
    fgti_attending_power(p->r->k->ctx, worker, p->t, p->r->power + i * n, p->a + i * n, p->r->next + i * n);
}

/* Adds the statistics of A^2 .. A^powers. */
static fgt_status add_powers(record *r, const fgt_view *a)
{
    fgt_context  *ctx = r->k->ctx;
    const int64_t all = fgt_view_count(a), t = a->shape[3], heads = a->shape[1];
    fgt_view      v = *a;
    FGTI_TRY(FGTI_NEW(ctx, all, "powers of A", &r->power));
    FGTI_TRY(FGTI_NEW(ctx, all, "powers of A", &r->next));
    memcpy(r->power, a->data, (size_t)all * sizeof *r->power);
    for (r->row.power = 2; r->row.power <= r->k->opts.powers; r->row.power++) {
        products p = {r, t, a->data};
        fgti_parallel(&ctx->exec, a->shape[0] * heads, multiply_one, &p);
        fgti_real *const last = r->power;
        v.data = r->power = r->next;
        r->next           = last;
        FGTI_TRY(add_matrices(r, &v));
    }
    return FGT_OK;
}

static fgt_status add_matrices_of(record *r, const fgt_view *a)
{
    r->row.power = 1;
    FGTI_TRY(add_matrices(r, a));
    if (!r->square || r->k->opts.powers < 2) return FGT_OK;
    const fgt_status s = add_powers(r, a);
    fgti_free(r->k->ctx, r->power);
    fgti_free(r->k->ctx, r->next);
    r->power = r->next = NULL;
    return s;
}

/* ---- layers ---- */

/* Copies the output of a layer along the nodes, [outer,nodes,times,h], to [outer,times,nodes,h]. */
static void record_turn(int64_t outer, int64_t nodes, int64_t times, int64_t h, const fgti_real *from,
                        fgti_real *to)
{
    for (int64_t i = 0; i < outer * times; i++)
        for (int64_t n = 0; n < nodes; n++) {
            const int64_t row = (i / times * nodes + n) * times + i % times;
            memcpy(to + (i * nodes + n) * h, from + row * h, (size_t)h * sizeof *to);
        }
}

/* Adds the statistics of the layer's output [samples,T,H], or along the nodes [samples,N,H]. Views leave out
 * axes of length 1. */
static fgt_status add_output(record *r, const char *layer, bool along_nodes, int64_t t)
{
    fgt_context *ctx = r->k->ctx;
    fgti_real   *turned = NULL;
    fgt_view     v;
    FGTI_TRY(fgt_workspace_get_value(fgt_model_get_workspace(r->k->model), layer, &v));
    const int64_t h = v.shape[v.rank - 1], outer = v.shape[0], samples = fgt_view_count(&v) / (t * h);
    if (along_nodes) {
        FGTI_TRY(FGTI_NEW(ctx, fgt_view_count(&v), "output of a layer", &turned));
        record_turn(outer, t, samples / outer, h, v.data, turned);
    }
    const fgt_view tokens = {
        .data = turned ? turned : v.data, .shape = {samples, t, h}, .rank = 3, .dtype = v.dtype};
    fgt_status s = FGTI_NEW(ctx, samples, "statistics", &r->out);
    r->row.power = 0;
    if (s == FGT_OK) s = add_statistics(r, LENGTH(of_outputs), of_outputs, &tokens, 0);
    fgti_free(ctx, turned);
    return s;
}

/* Adds norms and shares of the hops, as means over the samples. */
static fgt_status add_hop_rows(record *r, const fgti_hop_layer *l, double *norms)
{
    const int64_t n = l->hops;
    FGTI_TRY(fgti_hops_compute(l, r->k->layer[r->row.layer], norms));
    for (r->row.power = 0; r->row.power < n; r->row.power++)
        FGTI_TRY(
            record_add_row(r, -1, FGT_HOP_MEASURE_NORM, record_mean_of(norms, l->groups, n, r->row.power)));
    for (int64_t i = 0; i < l->groups; i++) fgti_hops_share(norms + i * n, n, norms + i * n);
    for (r->row.power = 0; r->row.power < n; r->row.power++)
        FGTI_TRY(
            record_add_row(r, -1, FGT_HOP_MEASURE_SHARE, record_mean_of(norms, l->groups, n, r->row.power)));
    return FGT_OK;
}

static fgt_status add_hops(record *r, const char *layer)
{
    fgti_hop_layer l;
    if (!r->k->opts.hops || !fgti_model_hops(r->k->model, layer)) return FGT_OK;
    FGTI_TRY(fgti_hop_layer_open(r->k->model, layer, &l));
    FGTI_TRY(FGTI_NEW(r->k->ctx, l.groups * l.hops, "norms of hops", &r->out));
    return add_hop_rows(r, &l, r->out);
}

static void done(record *r)
{
    fgti_free(r->k->ctx, r->out);
    r->out = NULL;
}

static fgt_status record_add_layer(record *r, const char *layer)
{
    fgt_view a;
    bool     along_nodes, cross;
    FGTI_TRY(fgti_attending_find(r->k->model, layer, &along_nodes, &cross));
    r->square = !cross;
    FGTI_TRY(fgt_model_get_adjacency(r->k->model, layer, &a));
    const int64_t t = a.shape[2];
    FGTI_TRY(FGTI_NEW(r->k->ctx, fgti_mul(a.shape[0], a.shape[1]), "statistics", &r->out));
    fgt_status s = add_matrices_of(r, &a);
    done(r);
    if (s == FGT_OK) s = add_output(r, layer, along_nodes, t);
    done(r);
    if (s == FGT_OK) s = add_hops(r, layer);
    done(r);
    return s;
}

fgt_status fgti_tracker_record(fgt_tracker *k, int64_t epoch, int64_t step)
{
    const int64_t before = k->rows;
    record        r      = {.k = k, .row = {.epoch = epoch, .step = step}};
    for (int64_t i = 0; i < k->layers; i++) {
        r.row.layer        = (int32_t)i;
        const fgt_status s = record_add_layer(&r, k->layer[i]);
        if (s == FGT_OK) continue;
        k->rows = before;
        return s;
    }
    return FGT_OK;
}
