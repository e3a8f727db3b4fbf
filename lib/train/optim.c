/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <string.h>

#include "train/optim.h"

/* One step, as all its chunks see it. The slabs begin with the rows of a sparse parameter, if there is one.
 * These are divided by the list of the touched rows, all that follows by elements. */
typedef struct update {
    const fgt_optim *optim;
    double           lr, gscale;
    fgti_cut         dense, rows;
    double           partial[FGTI_CHUNKS]; /* squares of the rows' gradients */
} update;

/* ---- the kinds: weights begin .. begin+n-1 ---- */

static void adam(const update *u, int64_t begin, int64_t n)
{
    const fgt_optim      *o = u->optim;
    const fgt_optim_opts *p = &o->opts;
    const fgti_adam       a = {.lr           = u->lr,
                               .beta1        = p->beta1,
                               .beta2        = p->beta2,
                               .eps          = p->eps,
                               .weight_decay = p->weight_decay,
                               .decoupled    = p->kind == FGT_OPTIM_ADAMW,
                               .t            = o->t + 1};
    fgti_real            *m = o->state + begin;
    o->slabs.ctx->vec->updates->adam(&a, n, u->gscale, o->slabs.gradients + begin, m, m + o->stride,
                                     o->slabs.weights + begin);
}

static void sgd(const update *u, int64_t begin, int64_t n)
{
    const fgt_optim      *o = u->optim;
    const fgt_optim_opts *p = &o->opts;
    const fgti_sgd        s = {.lr           = u->lr,
                               .momentum     = p->momentum,
                               .weight_decay = p->weight_decay,
                               .nesterov     = p->nesterov,
                               .first        = o->t == 0};
    fgti_real            *v = p->momentum != 0 ? o->state + begin : NULL;
    o->slabs.ctx->vec->updates->sgd(&s, n, u->gscale, o->slabs.gradients + begin, v,
                                    o->slabs.weights + begin);
}

static const struct {
    const char *name;
    int32_t     states; /* arrays of state, at most */
    void (*run)(const update *u, int64_t begin, int64_t n);
} optims[] = {
    [FGT_OPTIM_ADAMW] = {"adamw", 2, adam},
    [FGT_OPTIM_ADAM]  = {"adam", 2, adam},
    [FGT_OPTIM_SGD]   = {"sgd", 1, sgd},
};

#define KINDS     (sizeof optims / sizeof *optims)
#define BELOW_ONE (1 - 0x1p-24) /* the largest float that is: kernels work in float */

const fgti_opt fgti_optim_opts[] = {
    {"lr", offsetof(fgt_optim_opts, lr), FGTI_OPT_F64, 0, FLT_MAX, 1e-3},
    {"beta1", offsetof(fgt_optim_opts, beta1), FGTI_OPT_F64, 0, BELOW_ONE, 0.9},
    {"beta2", offsetof(fgt_optim_opts, beta2), FGTI_OPT_F64, 0, BELOW_ONE, 0.999},
    {"eps", offsetof(fgt_optim_opts, eps), FGTI_OPT_F64, 0, FLT_MAX, 1e-8},
    {"weight_decay", offsetof(fgt_optim_opts, weight_decay), FGTI_OPT_F64, 0, FLT_MAX, 0},
    {"momentum", offsetof(fgt_optim_opts, momentum), FGTI_OPT_F64, 0, 1, 0},
    {"clip", offsetof(fgt_optim_opts, clip), FGTI_OPT_F64, 0, DBL_MAX, 0},
    {"nesterov", offsetof(fgt_optim_opts, nesterov), FGTI_OPT_BOOL, 0, 1, 0},
    {"kind", offsetof(fgt_optim_opts, kind), FGTI_OPT_ENUM, 0, KINDS - 1, 0},
    {0},
};

/* ---- life ---- */

int32_t fgti_optim_states(const fgt_optim *o)
{
    const bool plain = o->opts.kind == FGT_OPTIM_SGD && o->opts.momentum == 0;
    return plain ? 0 : optims[o->opts.kind].states;
}

static fgt_status list_parameters(fgt_optim *o)
{
    while (fgti_model_param(o->model, o->params)) o->params++;
    FGTI_TRY(FGTI_NEW(o->slabs.ctx, o->params, "optimiser", &o->param));
    FGTI_TRY(FGTI_NEW(o->slabs.ctx, o->params, "optimiser", &o->frozen));
    for (int64_t i = 0; i < o->params; i++) o->param[i] = fgti_model_param(o->model, i);
    return FGT_OK;
}

static fgt_status fill(fgt_optim *o, const fgt_optim_opts *opts)
{
    fgt_context *ctx = o->slabs.ctx;
    FGTI_TRY(fgti_opts_read(&ctx->error, "optimiser", opts, &o->opts, sizeof o->opts));
    FGTI_TRY(fgti_opts_check(&ctx->error, "optimiser", fgti_optim_opts, &o->opts));
    FGTI_TRY(fgti_schedule_read(&ctx->error, o->opts.schedule, &o->schedule));
    o->opts.schedule = NULL; /* the caller's */
    if (o->opts.nesterov && o->opts.momentum == 0)
        return fgti_fail(&ctx->error, FGT_E_ARG, "optimiser: nesterov needs a momentum");
    fgti_take(NULL, &o->stride, o->slabs.size);
    FGTI_TRY(FGTI_NEW(ctx, fgti_mul(fgti_optim_states(o), o->stride), "optimiser state", &o->state));
    FGTI_TRY(fgti_gradients_need(o->model));
    o->slabs = fgti_model_slabs(o->model); /* now with gradients */
    FGTI_TRY(list_parameters(o));
    return fgti_lazy_init(o);
}

fgt_status fgt_optim_create(fgt_model *model, const fgt_optim_opts *opts, fgt_optim **optim)
{
    if (optim) *optim = NULL;
    if (!model) return FGT_E_ARG;
    const fgti_slabs slabs = fgti_model_slabs(model);
    fgt_context     *ctx   = slabs.ctx;
    if (!optim) return fgti_fail(&ctx->error, FGT_E_ARG, "optimiser: no place for the result");
    if (!slabs.size) return fgti_fail(&ctx->error, FGT_E_STATE, "optimiser: the model has no parameters");
    FGTI_TRY(FGTI_NEW(ctx, 1, "optimiser", optim));
    (*optim)->model    = model;
    (*optim)->slabs    = slabs;
    const fgt_status s = fill(*optim, opts);
    if (s != FGT_OK) fgt_optim_destroy(optim);
    return s;
}

void fgt_optim_destroy(fgt_optim **optim)
{
    if (!optim || !*optim) return;
    fgt_context *ctx = (*optim)->slabs.ctx;
    fgti_lazy_done(*optim);
    fgti_free(ctx, (*optim)->param);
    fgti_free(ctx, (*optim)->frozen);
    fgti_free(ctx, (*optim)->state);
    fgti_free(ctx, *optim);
    *optim = NULL;
}

fgt_status fgt_optim_get(const fgt_optim *optim, double *lr, double *norm)
{
    if (!optim) return FGT_E_ARG;
    if (lr) *lr = fgti_schedule_lr(&optim->schedule, optim->opts.lr, optim->t - optim->begin);
    if (norm) *norm = optim->norm;
    return FGT_OK;
}

/* ---- the step ---- */

/* Whether the rows at the start of the slabs are frozen. */
static bool rows_are_frozen(const fgt_optim *o)
{
    return o->param[0]->sparse && o->param[0]->frozen;
}

/* Finds out what this step leaves out, and zeroes the gradients there: they count neither in the norm nor as
 * NaN. */
static void leave_out_frozen(fgt_optim *o)
{
    fgti_real    *g = o->slabs.gradients;
    fgti_touched *t = o->slabs.touched;
    o->ranges       = 0;
    for (int64_t i = 0; i < o->params; i++) {
        const fgti_param *p = o->param[i];
        if (!p->frozen || p->sparse) continue;
        memset(g + p->offset, 0, (size_t)p->count * sizeof *g);
        o->frozen[o->ranges++] = (fgti_range){p->offset, p->offset + p->count};
    }
    if (!rows_are_frozen(o)) return;
    for (int64_t i = 0; i < t->count; i++) {
        memset(g + t->row[i] * t->width, 0, (size_t)t->width * sizeof *g);
        t->seen[t->row[i]] = 0;
    }
    t->count = 0;
}

/* Updates weights, and zeroes their gradients for the next pass while they are in the cache. */
static void update_range(const update *u, int64_t begin, int64_t n)
{
    const fgt_optim *o = u->optim;
    optims[o->opts.kind].run(u, begin, n);
    memset(o->slabs.gradients + begin, 0, (size_t)n * sizeof(fgti_real));
}

static void update_chunk(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const update    *u     = arg;
    const fgt_optim *o     = u->optim;
    int64_t          begin = fgti_slabs_sparse(&o->slabs) + chunk * u->dense.size;
    const int64_t    end   = begin + fgti_cut_length(&u->dense, chunk);
    for (int64_t i = 0; i < o->ranges && o->frozen[i].begin < end; i++) {
        const fgti_range *r = &o->frozen[i];
        if (r->end <= begin) continue;
        if (r->begin > begin) update_range(u, begin, r->begin - begin);
        begin = r->end;
    }
    if (begin < end) update_range(u, begin, end - begin);
}

static void update_rows(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const update       *u   = arg;
    const fgti_touched *t   = u->optim->slabs.touched;
    const int32_t      *row = t->row + chunk * u->rows.size;
    for (int64_t i = 0; i < fgti_cut_length(&u->rows, chunk); i++) {
        fgti_lazy_settle(u->optim, row[i]);
        update_range(u, row[i] * t->width, t->width);
        fgti_lazy_touch(u->optim, row[i]);
        t->seen[row[i]] = 0;
    }
}

static fgti_cut cut_rows(const fgti_touched *t, int64_t count)
{
    return fgti_cut_of(count, (FGTI_GRAIN - 1) / t->width + 1);
}

static void square_rows(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    update             *u   = arg;
    const fgti_slabs   *s   = &u->optim->slabs;
    const fgti_touched *t   = s->touched;
    const int32_t      *row = t->row + chunk * u->rows.size;
    double              sum = 0;
    for (int64_t i = 0; i < fgti_cut_length(&u->rows, chunk); i++)
        sum += s->ctx->vec->sumsq(t->width, s->gradients + row[i] * t->width);
    u->partial[chunk] = sum;
}

/* Norm of all gradients. */
static double norm_of(update *u)
{
    const fgti_slabs *s      = &u->optim->slabs;
    const int64_t     sparse = fgti_slabs_sparse(s);
    double            sum    = fgti_sum_squares(s->ctx, s->size - sparse, s->gradients + sparse);
    fgti_parallel(&s->ctx->exec, u->rows.count, square_rows, u);
    for (int64_t i = 0; i < u->rows.count; i++) sum += u->partial[i];
    return sqrt(sum);
}

/* Names the first parameter whose gradient cannot be used, and zeroes all gradients. */
static fgt_status refuse(const fgt_optim *o)
{
    const fgti_param *p = NULL;
    for (int64_t i = 0; (p = fgti_model_param(o->model, i)); i++)
        if (!fgti_all_finite(p->count, o->slabs.gradients + p->offset)) break;
    fgti_gradients_clear(o->model);
    return fgti_fail(&o->slabs.ctx->error, FGT_E_NONFINITE, "%s: the gradient of %s is NaN or infinite",
                     optims[o->opts.kind].name, p ? p->full_name : "the whole model");
}

fgt_status fgt_step(fgt_optim *optim)
{
    if (!optim) return FGT_E_ARG;
    FGTI_TRY(fgti_model_check_idle(optim->model, "fgt_step"));
    const fgti_slabs *s    = &optim->slabs;
    const fgti_exec  *exec = &s->ctx->exec;
    fgti_touched     *t    = s->touched;
    update            u    = {.optim = optim, .gscale = 1};
    leave_out_frozen(optim);
    u.dense                = fgti_cut_of(s->size - fgti_slabs_sparse(s), FGTI_GRAIN);
    if (t->count) u.rows = cut_rows(t, t->count);
    const double norm = norm_of(&u);
    if (!isfinite(norm)) return refuse(optim);
    FGTI_TRY(fgt_optim_get(optim, &u.lr, NULL));
    if (optim->opts.clip > 0) u.gscale = fgti_clip_factor(optim->opts.clip, norm);
    fgti_model_changed(optim->model);
    fgti_parallel(exec, u.dense.count, update_chunk, &u);
    fgti_lazy_prepare(optim, u.lr);
    fgti_parallel(exec, u.rows.count, update_rows, &u);
    t->count    = 0;
    optim->norm = norm;
    optim->t++;
    const double decay = optim->lazy.next_decay - optim->lazy.decay;
    fgti_lazy_advance(optim, u.lr);
    if (rows_are_frozen(optim)) fgti_lazy_skip(optim, decay);
    return FGT_OK;
}

static void settle_rows(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const update *u     = arg;
    const int64_t begin = chunk * u->rows.size, n = fgti_cut_length(&u->rows, chunk);
    for (int64_t row = begin; row < begin + n; row++) fgti_lazy_settle(u->optim, row);
}

fgt_status fgt_optim_settle(fgt_optim *optim)
{
    if (!optim) return FGT_E_ARG;
    const fgti_touched *t = optim->slabs.touched;
    if (!t->rows || rows_are_frozen(optim)) return FGT_OK;
    fgti_model_changed(optim->model);
    update u = {.optim = optim, .rows = cut_rows(t, t->rows)};
    fgti_lazy_prepare(optim, 0);
    fgti_parallel(&optim->slabs.ctx->exec, u.rows.count, settle_rows, &u);
    return FGT_OK;
}
