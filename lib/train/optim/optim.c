/* SPDX-License-Identifier: BSD-3-Clause */

/* Optimisers, which update all parameters in a step. */

#include "train/optim/optim.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/access.h"
#include "model/gradients.h"
#include "model/guard.h"
#include "model/params.h"
#include "train/cut.h"
#include "train/optim/lazy_rows.h"
#include "train/optim/schedule.h"

/* One part of the slabs in a step. All tasks read it. If there is a sparse parameter, the slabs begin with
 * its rows. Tasks divide these rows by the list of touched rows. They divide all other parameters by
 * elements. */
typedef struct update {
    const fgt_optim *optim;
    const fgti_optim_part *part;
    int64_t                first; /* the part's first row in the list */
    fgti_real             *copy;  /* gets the rows, one after another; NULL: not needed */
    fgti_cut         cut;
} update;

/* ---- the update rules: weights begin .. begin+n-1 ---- */

static void optim_adam(const update *u, int64_t begin, int64_t n)
{
    const fgt_optim      *o = u->optim;
    const fgt_optim_opts *p = &o->opts;
    const fgti_adam       a = {.lr           = o->lr,
                               .beta1        = p->beta1,
                               .beta2        = p->beta2,
                               .eps          = p->eps,
                               .weight_decay = p->weight_decay,
                               .decoupled    = p->kind == FGT_OPTIM_ADAMW,
                               .t            = o->t + 1};
    fgti_real            *m = o->state + u->part->at + begin - u->part->begin;
    o->slabs.ctx->vec->updates->adam(&a, n, o->gscale, o->slabs.gradients + begin, m, m + o->stride,
                                     o->slabs.weights + begin);
}

static void optim_sgd(const update *u, int64_t begin, int64_t n)
{
    const fgt_optim      *o = u->optim;
    const fgt_optim_opts *p = &o->opts;
    const fgti_sgd        s = {.lr           = o->lr,
                               .momentum     = p->momentum,
                               .weight_decay = p->weight_decay,
                               .nesterov     = p->nesterov,
                               .first        = o->t == 0};
    fgti_real            *v = p->momentum != 0 ? o->state + u->part->at + begin - u->part->begin : NULL;
    o->slabs.ctx->vec->updates->sgd(&s, n, o->gscale, o->slabs.gradients + begin, v,
                                    o->slabs.weights + begin);
}

static const struct {
    const char *name;
    int32_t     states; /* most arrays of state that this kind needs */
    void (*run)(const update *u, int64_t begin, int64_t n);
} optims[] = {
    [FGT_OPTIM_ADAMW] = {"adamw", 2, optim_adam},
    [FGT_OPTIM_ADAM]  = {"adam", 2, optim_adam},
    [FGT_OPTIM_SGD]   = {"sgd", 1, optim_sgd},
};

#define KINDS     (sizeof optims / sizeof *optims)
#define BELOW_ONE (1 - 0x1p-24) /* the largest float below 1, because kernels compute in float */

const fgti_opt fgti_optim_opts[] = {
    {"lr", offsetof(fgt_optim_opts, lr), FGTI_OPT_F64, 0, FLT_MAX, 1e-3},
    {"beta1", offsetof(fgt_optim_opts, beta1), FGTI_OPT_F64, 0, BELOW_ONE, 0.9},
    {"beta2", offsetof(fgt_optim_opts, beta2), FGTI_OPT_F64, 0, BELOW_ONE, 0.999},
    {"eps", offsetof(fgt_optim_opts, eps), FGTI_OPT_F64, FLT_MIN, FLT_MAX, 1e-8}, /* above 0 as float */
    {"weight_decay", offsetof(fgt_optim_opts, weight_decay), FGTI_OPT_F64, 0, FLT_MAX, 0},
    {"momentum", offsetof(fgt_optim_opts, momentum), FGTI_OPT_F64, 0, 1, 0},
    {"clip", offsetof(fgt_optim_opts, clip), FGTI_OPT_F64, 0, DBL_MAX, 0},
    {"nesterov", offsetof(fgt_optim_opts, nesterov), FGTI_OPT_BOOL, 0, 1, 0},
    {"kind", offsetof(fgt_optim_opts, kind), FGTI_OPT_ENUM, 0, KINDS - 1, 0},
    {0},
};

/* ---- creation ---- */

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

/* Lists the parts that this rank updates. The sparse rows always are a part, even if the list of rows is
 * empty. */
static fgt_status list_parts(fgt_optim *o, const fgti_ranks *ranks)
{
    const int64_t sparse = fgti_slabs_sparse(&o->slabs), rank = ranks ? ranks->with.rank : 0;
    fgti_segments s      = {.whole = true};
    int64_t       at     = 0;
    if (ranks) fgti_segments_init(&o->slabs, ranks, &s);
    o->parts = s.whole ? 2 : 1 + s.buckets;
    FGTI_TRY(FGTI_NEW(o->slabs.ctx, o->parts, "optimiser", &o->part));
    for (int64_t i = 0; i < o->parts; i++) {
        fgti_slab_range r = {sparse, o->slabs.size};
        if (i && !s.whole) r = fgti_segments_of(&s, i - 1, rank);
        if (!i) r = ranks ? fgti_segments_rows(&s, rank) : (fgti_slab_range){0, sparse};
        o->part[i] = (fgti_optim_part){r.begin, r.end, at};
        at += r.end - r.begin;
    }
    fgti_take(NULL, &o->stride, at);
    return FGT_OK;
}

bool fgti_optim_is_part(const fgt_optim *o)
{
    const fgti_optim_part *last = &o->part[o->parts - 1];
    return last->at + last->end - last->begin < o->slabs.size;
}

fgt_status fgti_optim_need_whole(fgt_optim *o)
{
    return FGTI_NEW(o->slabs.ctx, fgti_mul(fgti_optim_states(o), o->slabs.size), "optimiser state",
                    &o->whole);
}

static fgt_status optim_fill(fgt_optim *o, const fgt_optim_opts *opts, const fgti_ranks *ranks)
{
    fgt_context *ctx = o->slabs.ctx;
    FGTI_TRY(fgti_opts_read(&ctx->error, "optimiser", opts, &o->opts, sizeof o->opts));
    FGTI_TRY(fgti_opts_check(&ctx->error, "optimiser", fgti_optim_opts, &o->opts));
    FGTI_TRY(fgti_schedule_read(&ctx->error, o->opts.schedule, &o->schedule));
    o->opts.schedule = NULL; /* the struct belongs to the caller */
    o->base          = o->opts.lr;
    o->norm          = NAN;
    if (o->opts.nesterov && o->opts.momentum == 0)
        return fgti_fail(&ctx->error, FGT_E_ARG, "optimiser: nesterov needs a momentum");
    FGTI_TRY(fgti_gradients_need(o->model));
    o->slabs = fgti_model_slabs(o->model); /* read again, because now there are gradients */
    FGTI_TRY(list_parts(o, ranks));
    const int64_t rows = o->slabs.touched->rows, dense = o->slabs.size - fgti_slabs_sparse(&o->slabs);
    FGTI_TRY(FGTI_NEW(ctx, fgti_mul(fgti_optim_states(o), o->stride), "optimiser state", &o->state));
    FGTI_TRY(FGTI_NEW(ctx, fgti_segments_grains((fgti_slab_range){0, dense}), "optimiser", &o->square));
    FGTI_TRY(FGTI_NEW(ctx, rows, "optimiser", &o->row_square));
    FGTI_TRY(list_parameters(o));
    return fgti_lazy_init(o);
}

fgt_status fgt_optim_create(fgt_model *model, const fgt_optim_opts *opts, fgt_optim **optim)
{
    return fgti_optim_create(model, opts, NULL, optim);
}

fgt_status fgti_optim_create(fgt_model *model, const fgt_optim_opts *opts, const fgti_ranks *ranks,
                             fgt_optim **optim)
{
    if (optim) *optim = NULL;
    if (!model) return FGT_E_ARG;
    const fgti_slabs slabs = fgti_model_slabs(model);
    fgt_context     *ctx   = slabs.ctx;
    if (!optim) return fgti_fail(&ctx->error, FGT_E_ARG, "optimiser: optim is NULL");
    if (!slabs.size) return fgti_fail(&ctx->error, FGT_E_STATE, "optimiser: the model has no parameters");
    FGTI_TRY(FGTI_NEW(ctx, 1, "optimiser", optim));
    (*optim)->model    = model;
    (*optim)->slabs    = slabs;
    const fgt_status s = optim_fill(*optim, opts, ranks);
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
    fgti_free(ctx, (*optim)->part);
    fgti_free(ctx, (*optim)->state);
    fgti_free(ctx, (*optim)->whole);
    fgti_free(ctx, (*optim)->square);
    fgti_free(ctx, (*optim)->row_square);
    fgti_free(ctx, *optim);
    *optim = NULL;
}

fgt_status fgt_optim_set_lr(fgt_optim *optim, double lr)
{
    if (!optim) return FGT_E_ARG;
    if (!(lr > 0 && lr <= FLT_MAX))
        return fgti_fail(&optim->slabs.ctx->error, FGT_E_ARG,
                         "optimiser: lr is out of range (got %g, need finite and above 0)", lr);
    optim->base = lr;
    return FGT_OK;
}

double fgt_optim_get_lr(const fgt_optim *optim)
{
    return optim ? fgti_schedule_lr(&optim->schedule, optim->base, optim->t - optim->begin) : NAN;
}

double fgt_optim_get_norm(const fgt_optim *optim)
{
    return optim ? optim->norm : NAN;
}

/* ---- the step ---- */

fgt_status fgti_optim_check(const fgt_optim *o, const char *what)
{
    if (fgti_model_slabs(o->model).serial == o->slabs.serial) return FGT_OK;
    return fgti_fail(&o->slabs.ctx->error, FGT_E_STATE,
                     "%s: the optimiser is for other parameters than the model trains now: %s", what,
                     o->slabs.serial ? "for an adapter that is not active"
                                     : "for the layers, but an adapter is active");
}

/* Whether the sparse rows at the start of the slabs are frozen. */
static bool rows_are_frozen(const fgt_optim *o)
{
    return o->param[0]->sparse && o->param[0]->frozen;
}

/* Lists the frozen parameters and sets their gradients to zero. So they do not add to the norm, and a NaN in
 * them is no error. */
static void leave_out_frozen(fgt_optim *o)
{
    fgti_real    *g = o->slabs.gradients;
    fgti_touched *t = o->slabs.touched;
    o->ranges       = 0;
    for (int64_t i = 0; i < o->params; i++) {
        const fgti_param *p = o->param[i];
        if (!p->frozen || p->sparse) continue;
        memset(g + p->offset, 0, (size_t)p->count * sizeof *g);
        o->frozen[o->ranges++] = (fgti_slab_range){p->offset, p->offset + p->count};
    }
    if (!rows_are_frozen(o)) return;
    for (int64_t i = 0; i < t->count; i++) {
        memset(g + t->row[i] * t->width, 0, (size_t)t->width * sizeof *g);
        t->seen[t->row[i]] = 0;
    }
    t->count = 0;
}

static fgti_cut cut_rows(const fgti_touched *t, int64_t count)
{
    return fgti_cut_of(count, (FGTI_GRAIN - 1) / t->width + 1);
}

/* ---- the norm ---- */

/* Whether all gradients from begin to end are zero because they are frozen. *next: the first range of frozen
 * parameters that may contain them. */
static bool is_left_out(const fgt_optim *o, int64_t begin, int64_t end, int64_t *next)
{
    while (*next < o->ranges && o->frozen[*next].end < end) ++*next;
    return *next < o->ranges && o->frozen[*next].begin <= begin;
}

/* Computes the squares of a chunk, which is a number of whole grains. */
static void square_chunk(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const update     *u     = arg;
    const fgti_slabs *s     = &u->optim->slabs;
    int64_t           begin = u->part->begin + chunk * u->cut.size;
    const int64_t     end   = begin + fgti_cut_length(&u->cut, chunk);
    double           *to    = u->optim->square + (begin - fgti_slabs_sparse(s)) / FGTI_SEGMENT_GRAIN;
    for (int64_t n, next = 0; begin < end; begin += n) {
        n     = end - begin < FGTI_SEGMENT_GRAIN ? end - begin : FGTI_SEGMENT_GRAIN;
        *to++ = is_left_out(u->optim, begin, begin + n, &next) ? 0
                                                               : s->ctx->vec->sumsq(n, s->gradients + begin);
    }
}

static void square_rows(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const update       *u     = arg;
    const fgti_slabs   *s     = &u->optim->slabs;
    const fgti_touched *t     = s->touched;
    const int64_t       begin = chunk * u->cut.size, n = fgti_cut_length(&u->cut, chunk);
    for (int64_t i = begin; i < begin + n; i++)
        u->optim->row_square[i] = s->ctx->vec->sumsq(t->width, s->gradients + t->row[i] * t->width);
}

void fgti_optim_square(fgt_optim *o)
{
    const fgti_exec *exec = &o->slabs.ctx->exec;
    update           u    = {.optim = o};
    leave_out_frozen(o);
    for (int64_t i = 1; i < o->parts; i++) {
        u.part = &o->part[i];
        u.cut  = fgti_cut_of(u.part->end - u.part->begin, FGTI_GRAIN);
        fgti_parallel(exec, u.cut.count, square_chunk, &u);
    }
    if (!o->slabs.touched->count) return;
    u.cut = cut_rows(o->slabs.touched, o->slabs.touched->count);
    fgti_parallel(exec, u.cut.count, square_rows, &u);
}

/* The norm of all gradients. */
static double optim_norm_of(const fgt_optim *o)
{
    const fgti_touched *t     = o->slabs.touched;
    const int64_t       dense = o->slabs.size - fgti_slabs_sparse(&o->slabs);
    const fgti_cut      rows  = t->count ? cut_rows(t, t->count) : (fgti_cut){0};
    double              sum   = 0;
    for (int64_t i = 0; i * FGTI_SEGMENT_GRAIN < dense; i++) sum += o->square[i];
    for (int64_t chunk = 0; chunk < rows.count; chunk++) {
        const double *square = o->row_square + chunk * rows.size;
        double        part   = 0;
        for (int64_t i = 0; i < fgti_cut_length(&rows, chunk); i++) part += square[i];
        sum += part;
    }
    return sqrt(sum);
}

/* Names the first parameter that has a gradient which is not finite. Sets all gradients to zero. */
static fgt_status optim_refuse(const fgt_optim *o, fgti_ranks *ranks)
{
    fgti_error       *err = &o->slabs.ctx->error;
    const char       *kind = optims[o->opts.kind].name;
    const fgti_param *p    = NULL;
    fgt_status        s    = FGT_OK;
    for (int64_t i = 0; (p = fgti_model_param(o->model, i)); i++)
        if (!fgti_all_finite(p->count, o->slabs.gradients + p->offset)) break;
    fgti_gradients_clear(o->model);
    if (p)
        s = fgti_fail(err, FGT_E_NONFINITE, "%s: the gradient of %s is NaN or infinite", kind, p->full_name);
    if (ranks)
        s = fgti_ranks_agree(ranks, s); /* each rank has only the gradients of its own parts, so all ranks
                                         * must agree */
    if (s != FGT_OK) return s;
    return fgti_fail(err, FGT_E_NONFINITE, "%s: the norm of all gradients is NaN or infinite", kind);
}

/* ---- the update ---- */

/* Updates weights, and sets their gradients to zero for the next pass while they are in the processor's
 * cache. */
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
    int64_t          begin = u->part->begin + chunk * u->cut.size;
    const int64_t    end   = begin + fgti_cut_length(&u->cut, chunk);
    for (int64_t i = 0; i < o->ranges && o->frozen[i].begin < end; i++) {
        const fgti_slab_range *r = &o->frozen[i];
        if (r->end <= begin) continue;
        if (r->begin > begin) update_range(u, begin, r->begin - begin);
        begin = r->end;
    }
    if (begin < end) update_range(u, begin, end - begin);
}

/* Prefetches a touched row. Touched rows are scattered, so the processor cannot predict the next row. */
static void fetch_row(const update *u, int64_t begin, int64_t n)
{
    const fgt_optim *o = u->optim;
    fgti_fetch(n, o->slabs.gradients + begin);
    fgti_fetch(n, o->slabs.weights + begin);
    for (int32_t i = 0; i < fgti_optim_states(o); i++)
        fgti_fetch(n, o->state + i * o->stride + u->part->at + begin - u->part->begin);
}

static void optim_update_rows(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const update       *u   = arg;
    const fgti_touched *t   = u->optim->slabs.touched;
    const int32_t      *row = t->row + u->first + chunk * u->cut.size;
    const int64_t       n   = fgti_cut_length(&u->cut, chunk);
    for (int64_t i = 0; i < n; i++) {
        if (i + 1 < n) fetch_row(u, row[i + 1] * t->width, t->width);
        fgti_lazy_settle(u->optim, row[i]);
        update_range(u, row[i] * t->width, t->width);
        if (u->copy)
            memcpy(u->copy + (chunk * u->cut.size + i) * t->width,
                   u->optim->slabs.weights + row[i] * t->width, (size_t)t->width * sizeof *u->copy);
    }
}

/* torch.nn.utils.clip_grad_norm_ has the same 1e-6 */
static double clip_factor(double max_norm, double norm)
{
    const double factor = max_norm / (norm + 1e-6);
    return factor < 1 ? factor : 1;
}

fgt_status fgti_optim_begin(fgt_optim *o, double scale, fgti_ranks *ranks)
{
    const double norm = scale * optim_norm_of(o);
    if (!isfinite(norm)) return optim_refuse(o, ranks);
    o->lr     = fgt_optim_get_lr(o);
    o->norm   = norm;
    o->gscale = scale;
    if (o->opts.clip > 0) o->gscale *= clip_factor(o->opts.clip, norm);
    fgti_model_changed(o->model);
    fgti_lazy_prepare(o, o->lr);
    return FGT_OK;
}

void fgti_optim_update(const fgt_optim *o, int64_t part)
{
    update u = {.optim = o, .part = &o->part[part]};
    u.cut    = fgti_cut_of(u.part->end - u.part->begin, FGTI_GRAIN);
    fgti_parallel(&o->slabs.ctx->exec, u.cut.count, update_chunk, &u);
}

void fgti_optim_update_rows(const fgt_optim *o, int64_t first, int64_t n, fgti_real *copy)
{
    update u = {.optim = o, .part = o->part, .first = first, .copy = copy};
    if (n) u.cut = cut_rows(o->slabs.touched, n);
    fgti_parallel(&o->slabs.ctx->exec, u.cut.count, optim_update_rows, &u);
}

void fgti_optim_end(fgt_optim *o)
{
    fgti_touched *t = o->slabs.touched;
    for (int64_t i = 0; i < t->count; i++) {
        fgti_lazy_touch(o, t->row[i]);
        t->seen[t->row[i]] = 0;
    }
    t->count = 0;
    o->t++;
    const double decay = o->lazy.next_decay - o->lazy.decay;
    fgti_lazy_advance(o, o->lr);
    if (rows_are_frozen(o)) fgti_lazy_skip(o, decay);
}

fgt_status fgti_optim_step(fgt_optim *optim)
{
    FGTI_TRY(fgti_optim_check(optim, "fgt_step"));
    fgti_optim_square(optim);
    FGTI_TRY(fgti_optim_begin(optim, 1, NULL));
    for (int64_t i = 1; i < optim->parts; i++) fgti_optim_update(optim, i);
    fgti_optim_update_rows(optim, 0, optim->slabs.touched->count, NULL);
    fgti_optim_end(optim);
    return FGT_OK;
}

fgt_status fgt_step(fgt_optim *optim)
{
    if (!optim) return FGT_E_ARG;
    FGTI_TRY(fgti_model_check_idle(optim->model, "fgt_step"));
    return fgti_optim_step(optim);
}

static void optim_settle_rows(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const update *u     = arg;
    const int64_t width = u->optim->slabs.touched->width, own = u->part->begin / width,
                  end   = u->part->end / width;
    const int64_t begin = chunk * u->cut.size, n = fgti_cut_length(&u->cut, chunk);
    for (int64_t row = begin; row < begin + n; row++)
        (row < own || row >= end ? fgti_lazy_follow : fgti_lazy_settle)(u->optim, row);
}

fgt_status fgt_optim_settle(fgt_optim *optim)
{
    if (!optim) return FGT_E_ARG;
    FGTI_TRY(fgti_optim_check(optim, "fgt_optim_settle"));
    const fgti_touched *t = optim->slabs.touched;
    if (!t->rows || rows_are_frozen(optim)) return FGT_OK;
    fgti_model_changed(optim->model);
    update u = {.optim = optim, .part = optim->part, .cut = cut_rows(t, t->rows)};
    fgti_lazy_prepare(optim, 0);
    fgti_parallel(&optim->slabs.ctx->exec, u.cut.count, optim_settle_rows, &u);
    return FGT_OK;
}
