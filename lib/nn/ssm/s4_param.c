/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/ssm/s4_param.h"

#include <math.h>
#include <string.h>

#include "nn/ssm/ssm.h"

#define PI 3.14159265358979323846

/* Names in the authors' modules S4Block, FFTConv and S4D (s4d.py), indexed by fgt_s4_block. */
static const char *const names[FGTI_S4_PARTS][3] = {
    {"layer.D", "D", "D"},
    {"layer.kernel.inv_dt", "kernel.inv_dt", "kernel.log_dt"},
    {"layer.kernel.C", "kernel.C", "kernel.C"},
    {"layer.kernel.B", "kernel.B", NULL},
    {"layer.kernel.A_real", "kernel.A_real", "kernel.log_A_real"},
    {"layer.kernel.A_imag", "kernel.A_imag", "kernel.A_imag"},
    {"layer.kernel.P", "kernel.P", NULL},
    {"output_linear.0.weight", NULL, "output_linear.0.weight"},
    {"output_linear.0.bias", NULL, "output_linear.0.bias"},
};

static bool s4_param_has(const fgt_s4_opts *o, fgti_s4_part part)
{
    return names[part][o->block] && (part != FGTI_S4_P || o->kind == FGT_S4_DPLR);
}

int fgti_s4_number(const fgti_layer *l, fgti_s4_part part)
{
    int n = 0;
    if (!s4_param_has(l->opts, part)) return -1;
    for (fgti_s4_part i = 0; i < part; i++) n += s4_param_has(l->opts, i);
    return n;
}

/* In the minimal block only the weight keeps axes of length 1. */
static int32_t s4_param_shape_of(const fgti_layer *l, fgti_s4_part part, int64_t shape[FGTI_PARAM_RANK])
{
    const fgt_s4_opts *o       = l->opts;
    const bool         minimal = o->block == FGT_S4_BLOCK_MINIMAL;
    const int64_t      d = l->in.width, pairs = o->state / 2, directions = o->bidirectional ? 2 : 1;
    const struct {
        int32_t rank;
        int64_t shape[FGTI_PARAM_RANK];
    } full[FGTI_S4_PARTS] = {
        {2, {1, d}},     {2, {d, 1}},     {4, {directions, d, pairs, 2}}, {4, {1, d, pairs, 2}},
        {2, {d, pairs}}, {2, {d, pairs}}, {4, {1, d, pairs, 2}},          {minimal ? 3 : 2, {2 * d, d, 1}},
        {1, {2 * d}},
    };
    const int first = minimal && (part == FGTI_S4_D || part == FGTI_S4_C);
    memcpy(shape, full[part].shape + first, (size_t)(FGTI_PARAM_RANK - first) * sizeof *shape);
    return full[part].rank - (first || (minimal && part == FGTI_S4_DT));
}

static fgti_init init_of(fgti_s4_part part)
{
    if (part == FGTI_S4_D || part == FGTI_S4_C) return FGTI_INIT_NORMAL;
    return part == FGTI_S4_WEIGHT || part == FGTI_S4_BIAS ? FGTI_INIT_UNIFORM : FGTI_INIT_CLASS;
}

fgt_status fgti_s4_params(fgt_context *ctx, fgti_layer *l)
{
    const fgt_s4_opts *o = l->opts;
    for (fgti_s4_part part = 0; part < FGTI_S4_PARTS; part++) {
        int64_t shape[FGTI_PARAM_RANK];
        if (!s4_param_has(o, part)) continue;
        const int32_t rank = s4_param_shape_of(l, part, shape);
        /* C is complex normal, with half of the variance in each part */
        const double scale = part == FGTI_S4_C ? sqrt(0.5) : part == FGTI_S4_D ? 1 : fgti_fan_in(l->in.width);
        FGTI_TRY(fgti_param_add(ctx, l, names[part][o->block], rank, shape, init_of(part), scale));
    }
    return FGT_OK;
}

/* ---- initial values ---- */

/* Returns the first |Im A| of pair n. In the authors' block it is at least 1e-4. */
static double first_a_imag(const fgti_layer *l, int64_t n)
{
    const fgt_s4_opts *o = l->opts;
    const double       s = (double)o->state, k = (double)n;
    if (o->init == FGT_S4_INIT_LEGS) return fgti_s4_hippo(l)[n];
    if (o->init == FGT_S4_INIT_INV) return s / PI * (s / (2 * k + 1) - 1);
    return n || o->block == FGT_S4_BLOCK_MINIMAL ? PI * k : 1e-4;
}

/* Returns the first value of P, or of B = sqrt(2) P. The authors limit B to 2. */
static double first_legs(const fgti_layer *l, fgti_s4_part part, int64_t n)
{
    const fgt_s4_opts *o = l->opts;
    const double       p = fgti_s4_hippo(l)[o->state / 2 + n];
    return part == FGTI_S4_P ? p : fmin(sqrt(2) * p, 2);
}

void fgti_s4_init(const fgti_layer *l, int32_t i, fgti_rng rng, fgti_real *w)
{
    const fgt_s4_opts *o     = l->opts;
    const int64_t      pairs = o->state / 2;
    const double       low = log((double)o->dt_min), high = log((double)o->dt_max);
    fgti_s4_part       part = 0;
    while (fgti_s4_number(l, part) != i) part++;
    for (int64_t j = 0; j < l->param[i].count; j++) {
        double v = log(0.5); /* for A_REAL */
        if (part == FGTI_S4_DT) v = low + (high - low) * fgti_rng_uniform(rng, (uint64_t)j);
        if (part == FGTI_S4_A_IMAG) v = first_a_imag(l, j % pairs);
        if (part == FGTI_S4_B || part == FGTI_S4_P)
            v = j % 2 ? 0 : o->init == FGT_S4_INIT_LEGS ? first_legs(l, part, j / 2 % pairs) : 1;
        w[j] = (fgti_real)v;
    }
}

/* ---- parameters as a model ---- */

static const fgti_real *s4_param_weights_of(const fgti_layer *l, const fgti_real *weights, fgti_s4_part part)
{
    const int n = fgti_s4_number(l, part);
    if (n < 0) return NULL;
    return l->param[n].effective ? l->param[n].effective : weights + l->param[n].offset;
}

static fgti_real *gradients_of(const fgti_layer *l, fgti_real *gradients, fgti_s4_part part)
{
    const int n = fgti_s4_number(l, part);
    if (n < 0) return NULL;
    return gradients ? gradients + l->param[n].offset : l->param[n].gradient;
}

fgti_ssm fgti_s4_model(const fgti_layer *l, const fgti_real *weights)
{
    const fgt_s4_opts *o = l->opts;
    fgti_ssm           m = {.width      = l->in.width,
                            .pairs      = o->state / 2,
                            .directions = o->bidirectional ? 2 : 1,
                            .low_rank   = o->kind == FGT_S4_DPLR,
                            .zoh        = o->disc == FGT_S4_DISC_ZOH,
                            .sign       = o->block == FGT_S4_BLOCK_MINIMAL ? 1 : -1};
    if (!weights) return m;
    m.d      = s4_param_weights_of(l, weights, FGTI_S4_D);
    m.log_dt = s4_param_weights_of(l, weights, FGTI_S4_DT);
    m.a_real = s4_param_weights_of(l, weights, FGTI_S4_A_REAL);
    m.a_imag = s4_param_weights_of(l, weights, FGTI_S4_A_IMAG);
    m.b      = s4_param_weights_of(l, weights, FGTI_S4_B);
    m.c      = s4_param_weights_of(l, weights, FGTI_S4_C);
    m.p      = s4_param_weights_of(l, weights, FGTI_S4_P);
    return m;
}

fgti_ssm_grad fgti_s4_gradients(const fgti_layer *l, fgti_real *gradients)
{
    return (fgti_ssm_grad){.d      = gradients_of(l, gradients, FGTI_S4_D),
                           .log_dt = gradients_of(l, gradients, FGTI_S4_DT),
                           .a_real = gradients_of(l, gradients, FGTI_S4_A_REAL),
                           .a_imag = gradients_of(l, gradients, FGTI_S4_A_IMAG),
                           .b      = gradients_of(l, gradients, FGTI_S4_B),
                           .c      = gradients_of(l, gradients, FGTI_S4_C),
                           .p      = gradients_of(l, gradients, FGTI_S4_P)};
}
