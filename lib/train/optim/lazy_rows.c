/* SPDX-License-Identifier: BSD-3-Clause */

/* Later updates of embedding rows that a step has not touched. */

#include "train/optim/lazy_rows.h"

#include <math.h>

#include "train/optim/optim_impl.h"
#include "train/optim/schedule.h"

/* The largest decay of a weight in one step. With a larger decay the weight would change its sign, and log(1
 * - decay) would not exist. */
#define MOST_DECAY (1 - 0x1p-24)

static bool is_adam(const fgt_optim *o)
{
    return o->opts.kind != FGT_OPTIM_SGD;
}

fgt_status fgti_lazy_init(fgt_optim *o)
{
    const fgt_optim_opts *p    = &o->opts;
    const int64_t         rows = o->slabs.touched->rows;
    fgti_lazy            *w    = &o->lazy;
    fgt_context          *ctx  = o->slabs.ctx;
    if (!rows || (!is_adam(o) && p->momentum == 0)) return FGT_OK;
    w->rho = is_adam(o) ? p->beta1 / sqrt(p->beta2) : p->momentum;
    FGTI_TRY(FGTI_NEW(ctx, 3 * FGTI_LAZY_STEPS, "optimiser state", &w->factor));
    w->keep = w->factor + FGTI_LAZY_STEPS;
    w->move = w->keep + FGTI_LAZY_STEPS;
    FGTI_TRY(FGTI_NEW(ctx, rows, "optimiser state", &w->last));
    const bool decays = p->kind == FGT_OPTIM_ADAMW && p->weight_decay > 0;
    return decays ? FGTI_NEW(ctx, rows, "optimiser state", &w->decayed) : FGT_OK;
}

void fgti_lazy_done(fgt_optim *o)
{
    fgti_free(o->slabs.ctx, o->lazy.factor);
    fgti_free(o->slabs.ctx, o->lazy.last);
    fgti_free(o->slabs.ctx, o->lazy.decayed);
}

/* The factor f(s) of step s, counted from 1 (optim_impl.h). lazy_rows_keep() is k(s). */
static double factor(const fgt_optim *o, double lr, int64_t s)
{
    const fgt_optim_opts *p = &o->opts;
    if (!is_adam(o)) return p->nesterov ? lr * p->momentum : lr;
    return lr * sqrt(1 - pow(p->beta2, (double)s)) / (1 - pow(p->beta1, (double)s));
}

static double lazy_rows_keep(const fgt_optim *o, double lr)
{
    return o->lazy.decayed ? 1 - fmin(lr * o->opts.weight_decay, MOST_DECAY) : 1;
}

/* Computes move[] from later to earlier steps: move[g] = rho (f(t-g+1) prod_{s > t-g+1} k(s) + move[g-1]),
 * where t is the number of steps done. */
void fgti_lazy_prepare(fgt_optim *o, double lr)
{
    fgti_lazy *w     = &o->lazy;
    double     later = 1;
    if (!w->last) return;
    w->next_decay = w->decay + log(lazy_rows_keep(o, lr));
    for (int64_t g = 1; g < FGTI_LAZY_STEPS && g <= o->t; g++) {
        const int64_t s = (o->t - g + 1) % FGTI_LAZY_STEPS;
        w->move[g]      = w->rho * (w->factor[s] * later + w->move[g - 1]);
        later *= w->keep[s];
    }
}

/* Computes `move` for a row that has missed more steps than the array `move` holds. all = K. Terms below 1e-9
 * of the first term are left out. If the moments come from an earlier run, the learning rates of that run are
 * not known, and the first rate of this run is used for them. */
static double move_long(const fgt_optim *o, int64_t last, double all)
{
    double sum = 0, weight = o->lazy.rho, later = all;
    for (int64_t s = last + 1; s <= o->t && weight > 1e-9; s++, weight *= o->lazy.rho) {
        const int64_t step = s - 1 > o->begin ? s - 1 - o->begin : 0;
        const double  lr   = fgti_schedule_lr(&o->schedule, o->opts.lr, step);
        later /= lazy_rows_keep(o, lr);
        sum += weight * factor(o, lr, s) * later;
    }
    return sum;
}

static double move_of(const fgt_optim *o, int64_t last, double all)
{
    const fgti_lazy *w = &o->lazy;
    if (w->rho >= 1) return 0; /* the sum diverges; train.h has more about such betas */
    return o->t - last < FGTI_LAZY_STEPS ? w->move[o->t - last] : move_long(o, last, all);
}

static void settle_adam(const fgt_optim *o, int64_t begin, int64_t n, int64_t last, double all)
{
    const fgt_optim_opts *p    = &o->opts;
    const double          gap  = (double)(o->t - last);
    const fgti_adam_lazy  missed = {.move   = move_of(o, last, all),
                                    .keep   = all,
                                    .eps    = p->eps * sqrt(1 - pow(p->beta2, (double)last)),
                                    .decay1 = pow(p->beta1, gap),
                                    .decay2 = pow(p->beta2, gap)};
    fgti_real            *m    = o->state + o->part->at + begin - o->part->begin;
    o->slabs.ctx->vec->updates->adam_lazy(&missed, n, m, m + o->stride, o->slabs.weights + begin);
}

static void settle_sgd(const fgt_optim *o, int64_t begin, int64_t n, int64_t last)
{
    const fgti_vec *vec = o->slabs.ctx->vec;
    fgti_real      *v   = o->state + o->part->at + begin - o->part->begin;
    vec->axpy(n, (fgti_real)-move_of(o, last, 1), v, o->slabs.weights + begin);
    vec->scale(n, (fgti_real)pow(o->opts.momentum, (double)(o->t - last)), v);
}

void fgti_lazy_settle(const fgt_optim *o, int64_t row)
{
    const fgti_lazy *w    = &o->lazy;
    const int64_t    n    = o->slabs.touched->width;
    const int64_t    last = w->last ? w->last[row] : o->t;
    double           all  = 1;
    if (last == o->t) return;
    if (w->decayed) {
        all             = exp(w->decay - w->decayed[row]);
        w->decayed[row] = w->decay;
    }
    w->last[row] = o->t;
    if (!last) /* the row was never touched: its momentum is zero, so it only decays */
        o->slabs.ctx->vec->scale(all < 1 ? n : 0, (fgti_real)all, o->slabs.weights + row * n);
    else if (is_adam(o))
        settle_adam(o, row * n, n, last, all);
    else
        settle_sgd(o, row * n, n, last);
}

void fgti_lazy_follow(const fgt_optim *o, int64_t row)
{
    const fgti_lazy *w = &o->lazy;
    if (w->last) w->last[row] = o->t;
    if (w->decayed) w->decayed[row] = w->decay;
}

void fgti_lazy_touch(const fgt_optim *o, int64_t row)
{
    const fgti_lazy *w = &o->lazy;
    if (w->last) w->last[row] = o->t + 1;
    if (w->decayed) w->decayed[row] = w->next_decay;
}

void fgti_lazy_advance(fgt_optim *o, double lr)
{
    fgti_lazy *w = &o->lazy;
    if (!w->last) return;
    w->factor[o->t % FGTI_LAZY_STEPS] = factor(o, lr, o->t);
    w->keep[o->t % FGTI_LAZY_STEPS]   = lazy_rows_keep(o, lr);
    w->decay                    = w->next_decay;
}

/* Called for a step that skips frozen rows. The step does not count as a missed update. decay: logarithm of
 * the factor by which weight decay would have scaled the rows in this step. */
void fgti_lazy_skip(const fgt_optim *o, double decay)
{
    const fgti_lazy *w = &o->lazy;
    if (!w->last) return;
    for (int64_t row = 0; row < o->slabs.touched->rows; row++) {
        w->last[row]++;
        if (w->decayed) w->decayed[row] += decay;
    }
}
