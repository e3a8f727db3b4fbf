/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/attender_edges.h"

#include <math.h>
#include <string.h>

#include "nn/attention/attender/attender.h"
#include "nn/graph/graph_matrix.h"

/* Attention along the edges of a graph, as in graph attention networks (Velickovic et al. 2018), but with
 * scaled dot products as scores. Query i sees itself and the keys j to which it has an edge,
 *     A_ij = exp(s_ij) / sum_{e in edges of i} exp(s_ie),   s_ij = q_i k_j' / sqrt(dh) + masks
 * and A is 0 elsewhere. All products with A are sparse. The backward pass goes from the last product to the
 * first:
 *     dX_i = A'dO_i (+ its previous value),   dA_e = sum_i dO_i X_i' of the edge,
 *     dS = A (dA - sum_row A dA),   dQ = dS K / sqrt(dh),   dK = dS'Q / sqrt(dh).
 * With E edges a head takes time and memory in proportion to E. */

/* ---- the graph of a layer ---- */

/* Writes the keys that query i sees to `keys`, and returns their number. With keys == NULL it only counts. An
 * edge is a weight other than 0. */
static int64_t edges_find_keys(const fgt_graph *g, int64_t i, int32_t *keys)
{
    const int64_t first = g->dense ? 0 : g->rows.indptr[i], end = g->dense ? g->n : g->rows.indptr[i + 1];
    int64_t       count = 0;
    bool          self  = false;
    for (int64_t e = first; e < end; e++) {
        const int64_t   j = g->dense ? e : g->rows.indices[e];
        const fgti_real w = g->dense ? g->dense[i * g->n + e] : g->rows.values[e];
        if (w == 0 && j != i) continue;
        if (keys) keys[count] = (int32_t)j;
        count++;
        self |= j == i;
    }
    if (!self && keys) keys[count] = (int32_t)i;
    return count + !self;
}

static fgt_status make_pattern(fgt_context *ctx, const fgt_graph *g, fgt_graph **out)
{
    int64_t edges = 0;
    for (int64_t i = 0; i < g->n; i++) edges += edges_find_keys(g, i, NULL);
    FGTI_TRY(fgti_graph_create(ctx, g->n, false, edges, out));
    fgti_csr *rows = &(*out)->rows;
    for (int64_t i = 0; i < g->n; i++)
        rows->indptr[i + 1] = rows->indptr[i] + edges_find_keys(g, i, rows->indices + rows->indptr[i]);
    for (int64_t e = 0; e < edges; e++) rows->values[e] = 1;
    fgti_graph_finish(*out);
    return FGT_OK;
}

fgt_status fgti_edges_plan(fgt_context *ctx, fgti_layer *l, const fgt_graph **graph)
{
    if (!*graph) return FGT_OK;
    if ((*graph)->n != l->in.time)
        return fgti_fail(&ctx->error, FGT_E_SHAPE,
                         "the graph has the wrong size (got %lld nodes, need %lld, the input's %s)",
                         (long long)(*graph)->n, (long long)l->in.time,
                         l->axis == FGT_AXIS_TIME ? "tokens" : "nodes");
    if (l->shares)
        l->graph = l->shares->graph;
    else
        FGTI_TRY(make_pattern(ctx, *graph, &l->graph));
    *graph = l->graph;
    return FGT_OK;
}

fgt_status fgti_edges_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    if (!l->graph || in.time == l->in.time) return fgti_shape_width(err, l, in, out);
    return fgti_fail(err, FGT_E_SHAPE,
                     "the graph has the wrong size (got %lld nodes, need %lld, the input's tokens)",
                     (long long)l->graph->n, (long long)in.time);
}

double fgti_edges_keys(const fgti_layer *l, int64_t keys)
{
    return l->graph ? (double)l->graph->rows.edges / (double)l->graph->n : (double)keys;
}

static const char *edges_misfit(const fgt_attention_rule *conf, const fgti_layer *l)
{
    (void)conf;
    return l->inputs > 1 ? "a memory" : NULL;
}

/* ---- memory ---- */

static void edges_place(fgti_chain *c, fgti_real *base, int64_t *at)
{
    const fgti_attention *attention = &c->attention;
    const int64_t         pairs     = fgti_mul(attention->groups, attention->heads);
    c->edges.soft                   = fgti_take(base, at, fgti_mul(pairs, attention->graph->rows.edges));
}

/* One group and head in a pass. */
typedef struct head {
    const fgti_chain     *c;
    const fgti_attention *attention;
    int64_t               g, h, time;
    fgti_csr              rows, transposed; /* A and A'; a product uses their `values` */
    fgti_real            *soft;             /* [E] */
    /* in the arena */
    fgti_real *a, *da, *turned; /* [E]. a: A after the softmax and dropout; da: dA, then dS; turned: the
                                 * values of A' */
    fgti_real *row;             /* [T], rounded up to whole registers */
    int32_t   *next;            /* [T] */
} head;

static int64_t edges_place_arena(head *hd, const fgti_chain *c, fgti_real *base)
{
    const int64_t edges = c->attention.graph->rows.edges, time = c->attention.graph->n;
    int64_t       at    = 0;
    hd->a               = fgti_take(base, &at, edges);
    hd->da              = fgti_take(base, &at, edges);
    hd->turned          = fgti_take(base, &at, edges);
    hd->row             = fgti_take(base, &at, fgti_round_up(time, FGTI_REGISTER));
    hd->next            = fgti_take_integers(base, &at, time);
    return at;
}

static int64_t edges_arena(const fgti_chain *c)
{
    head hd;
    return edges_place_arena(&hd, c, NULL);
}

static head edges_head_of(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena)
{
    const fgti_attention *attention = &c->attention;
    const fgt_graph      *graph     = attention->graph;
    const int64_t         gh        = g * attention->heads + h;
    head                  hd        = {.c          = c,
                                       .attention  = attention,
                                       .g          = g,
                                       .h          = h,
                                       .time       = attention->tq,
                                       .rows       = graph->rows,
                                       .transposed = graph->transposed,
                                       .soft       = c->edges.soft + gh * graph->rows.edges};
    edges_place_arena(&hd, c, arena);
    hd.rows.values       = hd.a;
    hd.transposed.values = hd.turned;
    return hd;
}

/* ---- sparse products ---- */

/* y = A x or A'x, for n columns; with `add` y += A x or A'x */
static void edges_multiply(const head *hd, const fgti_csr *a, int64_t n, const fgti_real *x, int64_t ldx,
                           bool add, fgti_real *y, int64_t ldy)
{
    fgti_spmm(a, 0, hd->time, n, x, ldx, add, y, ldy);
}

/* out_e += x_i y_j' for each edge */
static void add_dots(const head *hd, int64_t n, const fgti_real *x, int64_t ldx, const fgti_real *y,
                     int64_t ldy, fgti_real *out)
{
    const fgti_vec_panels *panels = hd->attention->run->vec->panels;
    for (int64_t i = 0; i < hd->time; i++)
        for (int64_t e = hd->rows.indptr[i]; e < hd->rows.indptr[i + 1]; e++)
            panels->dot_rows(1, n, x + i * ldx, ldx, y + hd->rows.indices[e] * ldy, ldy, out + e);
}

/* Writes the values of A' from the values of A. The rows of A are visited in order, so the columns of every
 * row of A' ascend. */
static void edges_turn(const head *hd, const fgti_real *values)
{
    memset(hd->next, 0, (size_t)hd->time * sizeof *hd->next);
    for (int64_t e = 0; e < hd->rows.edges; e++) {
        const int32_t j = hd->rows.indices[e];
        hd->turned[hd->transposed.indptr[j] + hd->next[j]++] = values[e];
    }
}

/* ---- A ---- */

/* Computes the softmax of n scores in whole registers, because the vector kernels compute the rest of a row
 * one by one. If no key is allowed, the row becomes 0, as in full attention. */
static void edges_softmax_row(const head *hd, int64_t n, fgti_real *s)
{
    const fgti_real inf = (fgti_real)INFINITY, one = 1;
    const int64_t   lanes = fgti_round_up(n, FGTI_REGISTER);
    fgti_real       top = -inf;
    double          sum = 0;
    for (int64_t k = 0; k < n; k++) top = s[k] > top ? s[k] : top;
    memcpy(hd->row, s, (size_t)n * sizeof *s);
    for (int64_t k = n; k < lanes; k++) hd->row[k] = -inf;
    if (top == -inf) top = 0; /* NaN stays NaN */
    hd->attention->run->vec->panels->exp_rows(1, lanes, lanes, &top, &one, hd->row);
    for (int64_t k = 0; k < n; k++) sum += (double)hd->row[k];
    for (int64_t k = 0; k < n; k++) s[k] = sum == 0 ? 0 : (fgti_real)((double)hd->row[k] / sum);
}

/* soft = softmax(scores + masks), edge by edge */
static void edges_attend(const head *hd)
{
    const fgti_attention *attention = hd->attention;
    const fgti_real       scale     = fgti_attention_scale(attention);
    memset(hd->soft, 0, (size_t)hd->rows.edges * sizeof *hd->soft);
    add_dots(hd, attention->dh, fgti_attention_q(attention, hd->g, hd->h), attention->ldq,
             fgti_attention_k(attention, hd->g, hd->h), attention->ldk, hd->soft);
    for (int64_t i = 0; i < hd->time; i++) {
        const int64_t first = hd->rows.indptr[i], end = hd->rows.indptr[i + 1];
        for (int64_t e = first; e < end; e++) {
            hd->soft[e] *= scale;
            if (attention->masked)
                fgti_attention_mask(attention, hd->g, i, 1, hd->rows.indices[e], 1, 1, 1, hd->soft + e);
        }
        edges_softmax_row(hd, end - first, hd->soft + first);
    }
}

/* a = soft times the factors after the softmax. These are drawn for four queries at a time */
static void edges_weigh(const head *hd)
{
    memcpy(hd->a, hd->soft, (size_t)hd->rows.edges * sizeof *hd->a);
    for (int64_t i = 0; hd->attention->drops && i < hd->time; i++)
        for (int64_t e = hd->rows.indptr[i]; e < hd->rows.indptr[i + 1]; e++) {
            fgti_real factor[4] = {1, 1, 1, 1};
            fgti_attention_drop(hd->attention, hd->g, hd->h, i / 4 * 4, 4, hd->rows.indices[e], 1, factor);
            hd->a[e] *= factor[i % 4];
        }
}

/* ---- the passes ---- */

/* O_i = A X_i, or Y_i += A X_i */
static void edges_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    const head      hd = edges_head_of(c, g, h, arena);
    const fgti_span to = fgti_chain_results(c);
    (void)scratch;
    edges_attend(&hd);
    edges_weigh(&hd);
    for (int64_t i = 0; c->n && i < c->products; i++) {
        int64_t          ldx;
        const fgti_real *x = fgti_chain_input(c, g, h, i, &ldx);
        edges_multiply(&hd, &hd.rows, c->n, x, ldx, c->y.p != NULL, fgti_span_rows_of(c, to, g, h, i), to.ld);
    }
}

/* dS = scale (a dA - soft sum_row a dA). With dropout a holds its factors, so dS passes through them too */
static void edges_scores_grad(const head *hd)
{
    const fgti_real scale = fgti_attention_scale(hd->attention);
    for (int64_t i = 0; i < hd->time; i++) {
        const int64_t first = hd->rows.indptr[i], end = hd->rows.indptr[i + 1];
        double        delta = 0;
        for (int64_t e = first; e < end; e++) delta += (double)hd->a[e] * (double)hd->da[e];
        for (int64_t e = first; e < end; e++)
            hd->da[e] = scale * (hd->a[e] * hd->da[e] - hd->soft[e] * (fgti_real)delta);
    }
}

static void edges_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    head                  hd        = edges_head_of(c, g, h, arena);
    const fgti_attention *attention = hd.attention;
    (void)scratch;
    edges_weigh(&hd);
    edges_turn(&hd, hd.a);
    memset(hd.da, 0, (size_t)hd.rows.edges * sizeof *hd.da);
    for (int64_t i = c->products - 1; i >= 0; i--) {
        int64_t          ldx, lddx;
        const fgti_real *x = fgti_chain_input(c, g, h, i, &ldx), *dy = fgti_span_rows_of(c, c->dy, g, h, i);
        fgti_real       *dx = fgti_chain_input_gradient(c, g, h, i, &lddx);
        edges_multiply(&hd, &hd.transposed, c->n, dy, c->dy.ld, i && c->add, dx, lddx);
        add_dots(&hd, c->n, dy, c->dy.ld, x, ldx, hd.da);
    }
    edges_scores_grad(&hd);
    hd.rows.values = hd.da;
    edges_turn(&hd, hd.da);
    edges_multiply(&hd, &hd.rows, attention->dh, fgti_attention_k(attention, g, h), attention->ldk, false,
                   fgti_span_rows(c, c->dq, g, h), c->dq.ld);
    edges_multiply(&hd, &hd.transposed, attention->dh, fgti_attention_q(attention, g, h), attention->ldq,
                   false, fgti_span_rows(c, c->dk, g, h), c->dk.ld);
}

static void edges_matrix(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch,
                         fgti_real *a)
{
    const head hd = edges_head_of(c, g, h, arena);
    (void)scratch;
    edges_weigh(&hd);
    fgti_graph_matrix_write(&(fgti_graph_matrix){.rows = hd.rows}, hd.time, a);
}

const fgti_attender fgti_attender_edges = {
    .name     = "edges",
    .kept     = FGTI_ROUTE_ATTENTION_EDGES,
    .streamed = FGTI_ROUTE_ATTENTION_EDGES,
    .adds     = true,
    .misfit   = edges_misfit,
    .place    = edges_place,
    .arena    = edges_arena,
    .forward  = edges_forward,
    .backward = edges_backward,
    .matrix   = edges_matrix,
};
