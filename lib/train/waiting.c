/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "train/optim.h"

/* Of a weight in one step: beyond, decay would change its sign and has no logarithm. */
#define MOST_DECAY (1 - 0x1p-24)

static bool is_adam(const fgt_optim *o)
{
    return o->opts.kind != FGT_OPTIM_SGD;
}

fgt_status fgti_waiting_init(fgt_optim *o)
{
    const fgt_optim_opts *p    = &o->opts;
    const int64_t         rows = o->model->touched.rows;
    fgti_waiting         *w    = &o->waiting;
    fgt_context          *ctx  = o->model->ctx;
    if (!rows || (!is_adam(o) && p->momentum == 0)) return FGT_OK;
    w->rho = is_adam(o) ? p->beta1 / sqrt(p->beta2) : p->momentum;
    FGTI_TRY(FGTI_NEW(ctx, rows, "optimiser state", &w->last));
    const bool decays = p->kind == FGT_OPTIM_ADAMW && p->weight_decay > 0;
    return decays ? FGTI_NEW(ctx, rows, "optimiser state", &w->decayed) : FGT_OK;
}

void fgti_waiting_done(fgt_optim *o)
{
    fgti_free(o->model->ctx, o->waiting.last);
    fgti_free(o->model->ctx, o->waiting.decayed);
}

/* f of step s, counted from 1. */
static double factor(const fgt_optim *o, double lr, int64_t s)
{
    const fgt_optim_opts *p = &o->opts;
    if (!is_adam(o)) return p->nesterov ? lr * p->momentum : lr;
    return lr * sqrt(1 - pow(p->beta2, (double)s)) / (1 - pow(p->beta1, (double)s));
}

/* move[g] = sum_{j=1..g} rho^j f(t-g+j) = rho (f(t-g+1) + move[g-1]) */
void fgti_waiting_prepare(fgt_optim *o, double lr)
{
    fgti_waiting *w = &o->waiting;
    if (!w->last) return;
    w->next_decay = w->decay + log1p(-fmin(lr * o->opts.weight_decay, MOST_DECAY));
    for (int64_t g = 1; g < FGTI_WAIT && g <= o->t; g++)
        w->move[g] = w->rho * (w->factor[(o->t - g + 1) % FGTI_WAIT] + w->move[g - 1]);
}

/* The sum for a row whose last step was `last`. After a longer wait than we remember it has come to its end,
 * all of it at the learning rate of the row's first step without a gradient. */
static double move_of(const fgt_optim *o, int64_t last)
{
    const fgti_waiting *w = &o->waiting;
    if (w->rho >= 1) return 0; /* the sum has no end: Adam does not converge with such betas anyway */
    if (o->t - last < FGTI_WAIT) return w->move[o->t - last];
    return factor(o, fgti_schedule_lr(&o->schedule, o->opts.lr, last), last + 1) * w->rho / (1 - w->rho);
}

static void settle_adam(const fgt_optim *o, int64_t begin, int64_t n, int64_t last, double keep)
{
    const fgt_optim_opts *p    = &o->opts;
    const double          gap  = (double)(o->t - last);
    const fgti_adam_wait  wait = {.move = move_of(o, last), .keep = keep,
                                  .eps = p->eps * sqrt(1 - pow(p->beta2, (double)last)),
                                  .decay1 = pow(p->beta1, gap), .decay2 = pow(p->beta2, gap)};
    fgti_real *m = o->state + begin;
    o->model->ctx->vec->adam_wait(&wait, n, m, m + o->stride, o->model->weights + begin);
}

static void settle_sgd(const fgt_optim *o, int64_t begin, int64_t n, int64_t last)
{
    const fgti_vec *vec = o->model->ctx->vec;
    fgti_real      *v   = o->state + begin;
    vec->axpy(n, (fgti_real)-move_of(o, last), v, o->model->weights + begin);
    vec->scale(n, (fgti_real)pow(o->opts.momentum, (double)(o->t - last)), v);
}

void fgti_waiting_settle(const fgt_optim *o, int64_t row)
{
    const fgti_waiting *w    = &o->waiting;
    const int64_t       n    = o->model->touched.width;
    const int64_t       last = w->last ? w->last[row] : o->t;
    double              keep = 1;
    if (last == o->t) return;
    if (w->decayed) {
        keep            = exp(w->decay - w->decayed[row]);
        w->decayed[row] = w->decay;
    }
    w->last[row] = o->t;
    if (!last) /* never touched: there is nothing but the decay */
        o->model->ctx->vec->scale(keep < 1 ? n : 0, (fgti_real)keep, o->model->weights + row * n);
    else if (is_adam(o))
        settle_adam(o, row * n, n, last, keep);
    else
        settle_sgd(o, row * n, n, last);
}

void fgti_waiting_touch(const fgt_optim *o, int64_t row)
{
    const fgti_waiting *w = &o->waiting;
    if (w->last) w->last[row] = o->t + 1;
    if (w->decayed) w->decayed[row] = w->next_decay;
}

void fgti_waiting_advance(fgt_optim *o, double lr)
{
    fgti_waiting *w = &o->waiting;
    if (!w->last) return;
    w->factor[o->t % FGTI_WAIT] = factor(o, lr, o->t);
    w->decay                    = w->next_decay;
}
