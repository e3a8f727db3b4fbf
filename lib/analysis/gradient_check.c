/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares gradients with differences of passes, for hosts that write layers. tests/nn/test_gradient.c checks
 * the library's own layers in double. */
#include <fighter/experimental/layer.h>

#include <math.h>
#include <string.h>

#include "analysis/spare_gradients.h"
#include "core/opts.h"
#include "model/access.h"
#include "model/gradients.h"
#include "model/guard.h"
#include "model/pass/own_pass.h"

/* Step sizes, relative to the root mean square of the vector that is moved. In single precision the best step
 * depends on the function. A smooth function needs a large step: at the smallest one, rounding is 5e-4 of the
 * slope. A function with kinks needs a small step, because a step over a kink changes the slope. Example: a
 * learned graph of 20 nodes has 800 scores, each with a kink at 0, and only steps up to 0.001 pass between
 * the kinks. */
static const double steps[] = {0.1, 0.03, 0.01, 0.003, 0.001, 0.0003};

/* The error of a gradient is divided by the norm of the gradient, or by this share of the largest gradient's
 * norm if that is more. Without this floor, gradients that are mathematically zero would have large relative
 * errors. */
#define SMALL 0.01

typedef struct check {
    fgt_model        *m;
    fgti_slabs        slabs;
    fgt_gradient_opts opts;
    fgt_view          x, y;
    fgti_real        *r;       /* the loss is the inner product of r and the output y */
    fgti_real        *weights; /* copy of the model's weights */
    fgti_real        *gradients, *dx;
    fgti_touched      touched; /* rows with a gradient; replaces the model's own list */
    int64_t           draws;
    double            largest; /* largest norm among the gradients of all parameters and of x */
    double            error;
    const char       *worst;
} check;

static fgti_rng draws_of(const check *c, int64_t purpose)
{
    return (fgti_rng){.key = c->opts.seed, .stream = (uint64_t)purpose};
}

static fgt_status loss(check *c, double *out)
{
    const int64_t n = fgt_view_count(&c->y);
    fgti_model_changed(c->m);
    FGTI_TRY(fgti_model_forward(c->m, &c->x, &c->y));
    *out = 0;
    for (int64_t i = 0; i < n; i++) *out += (double)c->r[i] * (double)((const fgti_real *)c->y.data)[i];
    return FGT_OK;
}

/* Moves w [n] forth and back along a random direction. Compares the slope of the loss with the gradient
 * dw. */
static fgt_status gradient_check_compare(check *c, const char *name, int64_t n, fgti_real *w,
                                         const fgti_real *was, const fgti_real *dw)
{
    const fgti_rng rng  = draws_of(c, ++c->draws);
    double         size = 0, slope = 0, norm = 0, least = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        const double d = fgti_rng_normal(rng, (uint64_t)i);
        size += (double)was[i] * (double)was[i];
        slope += d * (double)dw[i];
        norm += (double)dw[i] * (double)dw[i];
    }
    size = fmax(sqrt(size / (double)n), 0.1);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        const double h = steps[s] * size;
        double       l[2];
        for (int side = 0; side < 2; side++) {
            for (int64_t i = 0; i < n; i++)
                w[i] = (fgti_real)(was[i] + (side ? -h : h) * fgti_rng_normal(rng, (uint64_t)i));
            FGTI_TRY(loss(c, &l[side]));
        }
        least = fmin(least, fabs((l[0] - l[1]) / (2 * h) - slope));
    }
    memcpy(w, was, (size_t)n * sizeof *w);
    const double error = least / fmax(sqrt(norm), fmax(c->largest * SMALL, 1e-6));
    if (!(error <= c->error)) {
        c->error = error;
        c->worst = name;
    }
    return FGT_OK;
}

/* Computes the gradients of the model into c->gradients and c->dx. */
static fgt_status gradient_check_derive(check *c)
{
    fgt_view dy = c->y, dx = c->x;
    double   unused;
    dy.data = c->r;
    dx.data = c->dx;
    FGTI_TRY(loss(c, &unused));
    return fgti_model_backward(c->m, &dy, c->gradients, &c->touched, c->dx ? &dx : NULL);
}

static double gradient_check_norm_of(int64_t n, const fgti_real *x)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

static fgt_status gradient_check_run(check *c)
{
    const fgti_param *p;
    FGTI_TRY(gradient_check_derive(c));
    if (c->dx) c->largest = gradient_check_norm_of(fgt_view_count(&c->x), c->dx);
    for (int64_t i = 0; (p = fgti_model_param(c->m, i)); i++)
        c->largest = fmax(c->largest, gradient_check_norm_of(p->count, c->gradients + p->offset));
    for (int64_t k = 0; k < c->opts.directions; k++) {
        for (int64_t i = 0; (p = fgti_model_param(c->m, i)); i++)
            FGTI_TRY(gradient_check_compare(c, p->full_name, p->count, c->slabs.weights + p->offset,
                                            c->weights + p->offset, c->gradients + p->offset));
        if (!c->dx) continue;
        const int64_t n = fgt_view_count(&c->x);
        FGTI_TRY(gradient_check_compare(c, "x", n, c->x.data, c->weights + c->slabs.size, c->dx));
    }
    return FGT_OK;
}

/* n may be 0 with NULL pointers, which memcpy() does not allow. */
static void gradient_check_copy(fgti_real *to, const fgti_real *from, int64_t n)
{
    if (n) memcpy(to, from, (size_t)n * sizeof *to);
}

/* Allocates one block for everything. x is copied twice, so that it can be moved and restored. */
static fgt_status gradient_check_prepare(check *c, const fgt_view *x, fgti_real **block)
{
    fgt_context  *ctx = c->slabs.ctx;
    const int64_t nx  = fgti_model_options(c->m)->features ? fgt_view_count(x) : 0, size = c->slabs.size;
    c->x             = *x;
    if (nx < 0 || (nx && (x->dtype != FGTI_REAL || !x->data)))
        return fgti_fail(&ctx->error, FGT_E_ARG, "gradient check: x is malformed");
    FGTI_TRY(fgti_model_output(c->m, x, &c->y));
    const int64_t ny = fgt_view_count(&c->y);
    FGTI_TRY(FGTI_NEW(ctx, 2 * ny + 3 * nx + 2 * size, "check of gradients", block));
    FGTI_TRY(fgti_spare_touched(ctx, &c->slabs, &c->touched));
    c->y.data    = *block;
    c->r         = *block + ny;
    c->gradients = c->r + ny;
    c->weights   = c->gradients + size;
    gradient_check_copy(c->weights, c->slabs.weights, size);
    for (int64_t i = 0; i < ny; i++) c->r[i] = (fgti_real)fgti_rng_normal(draws_of(c, 0), (uint64_t)i);
    if (!nx) return FGT_OK;
    memcpy(c->weights + size, x->data, (size_t)nx * sizeof *c->r);
    c->x.data = memcpy(c->weights + size + nx, x->data, (size_t)nx * sizeof *c->r);
    c->dx     = c->weights + size + 2 * nx;
    return FGT_OK;
}

fgt_status fgt_model_check_gradient(fgt_model *model, const fgt_view *x, const fgt_gradient_opts *opts,
                                    fgt_gradient_report *report)
{
    check      c     = {.m = model, .worst = ""};
    fgti_real *block = NULL;
    if (!model) return FGT_E_ARG;
    fgt_context *ctx = fgti_model_context(model);
    if (!x || !report) return fgti_fail(&ctx->error, FGT_E_ARG, "gradient check: x or the report is NULL");
    FGTI_TRY(fgti_opts_read(&ctx->error, "check of gradients", opts, &c.opts, sizeof c.opts));
    if (c.opts.directions < 0)
        return fgti_fail(&ctx->error, FGT_E_ARG, "gradient check: directions is negative (need 0 or more)");
    if (!c.opts.directions) c.opts.directions = 4;
    FGTI_TRY(fgti_result_check(&ctx->error, "check of gradients", report));
    FGTI_TRY(fgti_model_check_stateless(model, "check of gradients"));
    FGTI_TRY(fgti_gradients_need(model));
    c.slabs      = fgti_model_slabs(model);
    fgt_status s = gradient_check_prepare(&c, x, &block);
    if (s == FGT_OK) s = gradient_check_run(&c);
    if (c.weights) gradient_check_copy(c.slabs.weights, c.weights, c.slabs.size);
    fgti_model_changed(model);
    fgti_free(ctx, block);
    fgti_spare_touched_done(ctx, &c.touched);
    if (s != FGT_OK) return s;
    const fgt_gradient_report r = {
        .size = sizeof r, .error = c.error, .worst = c.worst, .directions = c.draws};
    return fgti_result_write(&ctx->error, "check of gradients", &r, sizeof r, report);
}
