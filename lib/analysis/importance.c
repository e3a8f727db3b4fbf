/* SPDX-License-Identifier: BSD-3-Clause */
/* The importance of the tokens in a Fighter layer: omega_j = dF/dq_j. Here q_j is the query of token j, and F
 * is the sum of dy y (hops.h). The importance is computed from the gradient of the layer's output. */
#include <fighter/experimental/hops.h>

#include <math.h>
#include <string.h>

#include "analysis/hop_layer.h"
#include "analysis/spare_gradients.h"
#include "core/size.h"
#include "model/access.h"
#include "model/gradients.h"
#include "model/params.h"
#include "model/pass/last_pass.h"
#include "model/pass/own_pass.h"

typedef struct job {
    fgt_model      *model;
    fgt_context    *ctx;
    const char     *layer;
    const fgt_view *x;
    fgt_view        last;   /* copy of the last pass's input, if the caller gives none */
    fgt_view        y, dy;  /* output of the model, and its gradient, which is 1 everywhere; own memory */
    fgt_view        dlayer; /* gradient of the layer's output; own memory */
    fgti_real      *gradients;
    fgti_touched    touched;
    fgti_hop_layer  l;
} job;

/* ---- the gradient at the layer's output ---- */

static fgt_status importance_forward(job *j, fgt_view *y)
{
    FGTI_TRY(fgti_model_check_stateless(j->model, "importance"));
    return fgti_model_forward(j->model, j->x, y);
}

static fgt_status importance_reserve(fgt_context *ctx, fgt_view *v)
{
    return fgti_alloc(ctx, fgt_view_count(v), sizeof(fgti_real), "gradients of values", &v->data);
}

/* Copies the input of the last pass, which new passes overwrite. */
static fgt_status copy_last(job *j)
{
    fgt_view from;
    FGTI_TRY(fgti_model_read_x(j->model, &from));
    const size_t size = from.dtype == FGT_DTYPE_I32 ? sizeof(int32_t) : sizeof(fgti_real);
    j->x              = &j->last;
    j->last           = from;
    j->last.data      = NULL;
    FGTI_TRY(fgti_alloc(j->ctx, fgt_view_count(&from), size, "the input of the last pass", &j->last.data));
    memcpy(j->last.data, from.data, (size_t)fgt_view_count(&from) * size);
    return FGT_OK;
}

/* Refuses layers for which omega_j is not defined. omega_j is the gradient through the softmax of all scores
 * of row j and through nothing else. */
static fgt_status check_layer(const job *j)
{
    fgti_error *err = &j->ctx->error;
    if (j->l.attender != FGT_ATTENDER_FULL)
        return fgti_fail(err, FGT_E_UNSUPPORTED,
                         "importance: layer \"%.60s\" has another attender than FGT_ATTENDER_FULL", j->layer);
    if (fgti_model_has_mask(j->model, j->layer, FGT_MASK_DIAG_SCALE))
        return fgti_fail(err, FGT_E_UNSUPPORTED,
                         "importance: FGT_MASK_DIAG_SCALE is set for layer \"%.60s\", and scales A after the "
                         "softmax", j->layer);
    return FGT_OK;
}

static fgt_status importance_prepare(job *j, const fgt_view *dy)
{
    if (!j->x) FGTI_TRY(copy_last(j));
    FGTI_TRY(fgti_model_output(j->model, j->x, &j->y));
    FGTI_TRY(importance_reserve(j->ctx, &j->y));
    FGTI_TRY(importance_forward(j, &j->y));
    FGTI_TRY(fgti_hop_layer_open(j->model, j->layer, &j->l));
    FGTI_TRY(check_layer(j));
    FGTI_TRY(fgt_workspace_get_value(fgt_model_get_workspace(j->model), j->layer, &j->dlayer));
    j->dlayer.data = NULL;
    FGTI_TRY(importance_reserve(j->ctx, &j->dlayer));
    if (dy) return FGT_OK;
    j->dy      = j->y;
    j->dy.data = NULL;
    FGTI_TRY(importance_reserve(j->ctx, &j->dy));
    for (int64_t i = 0; i < fgt_view_count(&j->dy); i++) ((fgti_real *)j->dy.data)[i] = 1;
    return FGT_OK;
}

static fgt_status differentiate(job *j, const fgt_view *dy)
{
    FGTI_TRY(fgti_gradients_need(j->model)); /* allocates the list of rows with a sparse gradient */
    const fgti_slabs slabs = fgti_model_slabs(j->model);
    FGTI_TRY(FGTI_NEW(j->ctx, slabs.size, "gradients of parameters", &j->gradients));
    FGTI_TRY(fgti_spare_touched(j->ctx, &slabs, &j->touched));
    FGTI_TRY(importance_forward(j, &j->y));
    FGTI_TRY(fgti_model_backward_until(j->model, dy ? dy : &j->dy, j->gradients, &j->touched, j->layer,
                                       &j->dlayer));
    if (fgti_all_finite(fgt_view_count(&j->dlayer), j->dlayer.data)) return FGT_OK;
    return fgti_fail(&j->ctx->error, FGT_E_NONFINITE, "importance: a gradient is not finite");
}

/* ---- one group ---- */

/* The memory of a worker. */
typedef struct group {
    int64_t    number;
    double    *x, *keys;           /* [T,D], [T,K] */
    double    *u, *p;              /* u: U_i [kappa,T,H]; p: one product [T,H] */
    double    *du, *next, *da;     /* du: dU_i [T,H]; next: dU_{i+1} [T,H]; da: dA [A,T,T] */
    fgti_real *v, *dv, *du_of_act; /* [T,H] */
} group;

typedef struct work {
    const job *j;
    double    *memory;
    fgti_real *reals;
    int64_t    each, each_reals;
    double    *norms, *vectors; /* [groups,T], [groups,T,K] */
} work;

static group importance_layout(const work *w, int64_t number, int32_t worker)
{
    const fgti_hop_layer *l = &w->j->l;
    const int64_t         n = l->t * l->h;
    group                 g = {.number = number, .x = w->memory + worker * w->each};
    g.keys                  = g.x + l->t * l->d;
    g.u                     = g.keys + l->t * l->k;
    g.p                     = g.u + l->hops * n;
    g.du                    = g.p + n;
    g.next                  = g.du + n;
    g.da                    = g.next + n;
    g.v                     = w->reals + worker * w->each_reals;
    g.dv                    = g.v + n;
    g.du_of_act             = g.dv + n;
    return g;
}

static void make_keys(const fgti_hop_layer *l, const group *g)
{
    for (int64_t t = 0; t < l->t; t++)
        for (int64_t o = 0; o < l->k; o++) {
            double sum = l->bk ? (double)l->bk[o] : 0;
            for (int64_t n = 0; n < l->d; n++) sum += g->x[t * l->d + n] * (double)l->wk[o * l->d + n];
            g->keys[t * l->k + o] = sum;
        }
}

/* U_i = X' W_i + A U_{i+1} (Horner's rule). */
static void make_sums(const fgti_hop_layer *l, const group *g)
{
    const int64_t n = l->t * l->h;
    for (int64_t i = l->hops - 1; i >= 0; i--) {
        double *u = g->u + i * n;
        fgti_hop_layer_project(l, i, g->x, u);
        if (i == l->hops - 1) continue;
        fgti_hop_layer_spread(l, g->number, u + n, g->p);
        for (int64_t k = 0; k < n; k++) u[k] += g->p[k];
    }
}

/* v = u Wo' + bo with u = U_0 + b; v = u if there is no output map. */
static void make_act_input(const fgti_hop_layer *l, const group *g)
{
    const int64_t h = l->h;
    for (int64_t t = 0; t < l->t; t++) {
        const double *u = g->u + t * h;
        for (int64_t o = 0; o < h; o++) {
            double sum = l->wo && l->bo ? (double)l->bo[o] : 0;
            for (int64_t n = 0; l->wo && n < h; n++)
                sum += (u[n] + (l->bias ? (double)l->bias[n] : 0)) * (double)l->wo[o * h + n];
            if (!l->wo) sum = u[o] + (l->bias ? (double)l->bias[o] : 0);
            g->v[t * h + o] = (fgti_real)sum;
        }
    }
}

/* Computes dU_0 from the gradient of the output, back through the activation and the output map. */
static void make_output_gradient(const job *j, const group *g)
{
    const fgti_hop_layer *l = &j->l;
    const int64_t         h = l->h;
    for (int64_t t = 0; t < l->t; t++)
        memcpy(g->dv + t * h, (const fgti_real *)j->dlayer.data + fgti_hop_layer_row(l, g->number, t) * h,
               (size_t)h * sizeof *g->dv);
    j->ctx->vec->act_grad(l->act, l->t * h, g->v, g->dv, g->du_of_act);
    for (int64_t t = 0; t < l->t; t++)
        for (int64_t n = 0; n < h; n++) {
            double sum = l->wo ? 0 : (double)g->du_of_act[t * h + n];
            for (int64_t o = 0; l->wo && o < h; o++)
                sum += (double)g->du_of_act[t * h + o] * (double)l->wo[o * h + n];
            g->du[t * h + n] = sum;
        }
}

/* For one head: dA += dU_i U_{i+1}', next = A' dU_i. */
static void step_head(const fgti_hop_layer *l, const group *g, int64_t head, const double *u)
{
    const int64_t    t = l->t, h = l->h, columns = h / l->heads, first = head * columns;
    const fgti_real *a  = l->a + (g->number * l->heads + head) * t * t;
    double          *da = g->da + head * t * t;
    for (int64_t i = 0; i < t; i++)
        for (int64_t m = 0; m < t; m++)
            for (int64_t o = first; o < first + columns; o++) {
                da[i * t + m] += g->du[i * h + o] * u[m * h + o];
                g->next[m * h + o] += (double)a[i * t + m] * g->du[i * h + o];
            }
}

static void make_matrix_gradient(const fgti_hop_layer *l, group *g)
{
    const int64_t n = l->t * l->h;
    memset(g->da, 0, (size_t)(l->heads * l->t * l->t) * sizeof *g->da);
    for (int64_t i = 0; i + 1 < l->hops; i++) {
        memset(g->next, 0, (size_t)n * sizeof *g->next);
        for (int64_t head = 0; head < l->heads; head++) step_head(l, g, head, g->u + (i + 1) * n);
        double *const last = g->du;
        g->du              = g->next;
        g->next            = last;
    }
}

/* omega_j of one head = scale sum over m of a_jm (dA_jm - sum over n of a_jn dA_jn) k_m */
static void make_importance(const fgti_hop_layer *l, const group *g, int64_t head, int64_t i, double *omega)
{
    const int64_t    t = l->t, columns = l->k / l->heads, first = head * columns;
    const fgti_real *a    = l->a + ((g->number * l->heads + head) * t + i) * t;
    const double    *da   = g->da + (head * t + i) * t;
    double           mean = 0;
    for (int64_t m = 0; m < t; m++) mean += (double)a[m] * da[m];
    for (int64_t m = 0; m < t; m++) {
        const double ds = l->scale * (double)a[m] * (da[m] - mean);
        for (int64_t o = first; o < first + columns; o++) omega[o] += ds * g->keys[m * l->k + o];
    }
}

static void importance_compute_group(void *arg, int64_t number, int32_t worker)
{
    const work           *w = arg;
    const fgti_hop_layer *l = &w->j->l;
    group                 g = importance_layout(w, number, worker);
    fgti_hop_layer_input(l, number, g.x);
    make_keys(l, &g);
    make_sums(l, &g);
    make_act_input(l, &g);
    make_output_gradient(w->j, &g);
    make_matrix_gradient(l, &g);
    for (int64_t i = 0; i < l->t; i++) {
        double *omega = w->vectors + (number * l->t + i) * l->k, sum = 0;
        for (int64_t head = 0; head < l->heads; head++) make_importance(l, &g, head, i, omega);
        for (int64_t o = 0; o < l->k; o++) sum += omega[o] * omega[o];
        w->norms[number * l->t + i] = sqrt(sum);
    }
}

/* ---- all groups ---- */

static fgt_status importance_compute(const job *j, work *w)
{
    const fgti_hop_layer *l = &j->l;
    const int64_t         n = fgti_mul(l->t, l->h), workers = j->ctx->exec.workers;
    const int64_t tokens = fgti_mul(l->t, l->d + l->k), matrices = fgti_mul(l->heads, fgti_mul(l->t, l->t));
    w->each       = fgti_mul(n, l->hops + 3) + tokens + matrices;
    w->each_reals = 3 * n;
    FGTI_TRY(FGTI_NEW(j->ctx, fgti_mul(workers, w->each), "importance of tokens", &w->memory));
    FGTI_TRY(FGTI_NEW(j->ctx, fgti_mul(workers, w->each_reals), "importance of tokens", &w->reals));
    FGTI_TRY(FGTI_NEW(j->ctx, fgti_mul(l->groups, l->t), "importance of tokens", &w->norms));
    FGTI_TRY(
        FGTI_NEW(j->ctx, fgti_mul(l->groups, fgti_mul(l->t, l->k)), "importance of tokens", &w->vectors));
    fgti_parallel(&j->ctx->exec, l->groups, importance_compute_group, w);
    for (int64_t i = 0; i < l->groups * l->t; i++)
        if (!isfinite(w->norms[i]))
            return fgti_fail(&j->ctx->error, FGT_E_NONFINITE,
                             "importance: the importance of token %lld is not finite", (long long)i);
    return FGT_OK;
}

static fgt_status compute_into(const job *j, double *norms, double *vectors)
{
    work             w = {.j = j};
    const int64_t    n = j->l.groups * j->l.t;
    const fgt_status s = importance_compute(j, &w);
    if (s == FGT_OK) memcpy(norms, w.norms, (size_t)n * sizeof *norms);
    if (s == FGT_OK && vectors) memcpy(vectors, w.vectors, (size_t)(n * j->l.k) * sizeof *vectors);
    fgti_free(j->ctx, w.memory);
    fgti_free(j->ctx, w.reals);
    fgti_free(j->ctx, w.norms);
    fgti_free(j->ctx, w.vectors);
    return s;
}

static fgt_status importance_run(job *j, const fgt_view *dy, const fgt_view *norms, const fgt_view *vectors)
{
    fgti_error *err = &j->ctx->error;
    FGTI_TRY(importance_prepare(j, dy));
    const int64_t shape[] = {j->l.groups, j->l.t, j->l.k};
    FGTI_TRY(fgti_view_check(err, "norms", norms, FGT_DTYPE_F64, 2, shape));
    if (vectors) FGTI_TRY(fgti_view_check(err, "vectors", vectors, FGT_DTYPE_F64, 3, shape));
    FGTI_TRY(differentiate(j, dy));
    FGTI_TRY(fgti_hop_layer_open(j->model, j->layer, &j->l)); /* the backward pass has overwritten its data */
    return compute_into(j, norms->data, vectors ? vectors->data : NULL);
}

static void importance_clean_up(job *j)
{
    fgti_free(j->ctx, j->last.data);
    fgti_free(j->ctx, j->y.data);
    fgti_free(j->ctx, j->dy.data);
    fgti_free(j->ctx, j->dlayer.data);
    fgti_free(j->ctx, j->gradients);
    fgti_spare_touched_done(j->ctx, &j->touched);
}

fgt_status fgt_importance_get_shape(fgt_model *model, const char *layer, const fgt_view *x, fgt_view *shape)
{
    if (!model) return FGT_E_ARG;
    job j = {.model = model, .ctx = fgti_model_context(model), .layer = layer, .x = x};
    if (!layer || !shape) return fgti_fail(&j.ctx->error, FGT_E_ARG, "importance: layer or shape is NULL");
    const fgt_status s = importance_prepare(&j, NULL);
    if (s == FGT_OK) *shape = (fgt_view){.shape = {j.l.groups, j.l.t}, .rank = 2, .dtype = FGT_DTYPE_F64};
    importance_clean_up(&j);
    return s;
}

fgt_status fgt_importance_compute(fgt_model *model, const char *layer, const fgt_view *x, const fgt_view *dy,
                                  const fgt_view *norms, const fgt_view *vectors)
{
    if (!model) return FGT_E_ARG;
    job j = {.model = model, .ctx = fgti_model_context(model), .layer = layer, .x = x};
    if (!layer || !norms)
        return fgti_fail(&j.ctx->error, FGT_E_ARG, "importance: layer or norms is NULL");
    const fgt_status s = importance_run(&j, dy, norms, vectors);
    importance_clean_up(&j);
    return s;
}
