/* SPDX-License-Identifier: BSD-3-Clause */
/* Losses, optimisers, schedules, clipping. */
#include <math.h>
#include <string.h>

#include "golden.h"

/* ---- losses ---- */

static fgt_view view_of(golden *g, const char *tensor, int32_t dtype, const void *data)
{
    const fgti_st_tensor *t = golden_need(g, tensor);
    fgt_view              v = {.data = (void *)data, .rank = t->rank, .dtype = dtype};
    if (t->rank > FGT_MAX_RANK) golden_skip(g, "tensor %s has rank %d", tensor, t->rank);
    memcpy(v.shape, t->shape, (size_t)t->rank * sizeof *v.shape);
    return v;
}

/* Classes as whole numbers, one for each row of logits. */
static fgt_view classes_of(golden *g)
{
    const fgti_st_tensor *t = golden_need(g, "target"), *x = golden_need(g, "input");
    int64_t              *v = golden_memory(g, golden_count(t), sizeof *v);
    if (t->dtype == FGTI_ST_F32 || t->dtype == FGTI_ST_F64) golden_skip(g, "targets that are probabilities");
    if (x->rank > 2 && memcmp(x->shape, t->shape, (size_t)t->rank * sizeof *t->shape) != 0)
        golden_skip(g, "classes along another axis than the last");
    const double *d = golden_doubles(g, "target");
    for (int64_t i = 0; i < golden_count(t); i++) v[i] = (int64_t)d[i];
    return view_of(g, "target", FGT_DTYPE_I64, v);
}

/* Names of the losses, and of beta, in the files. */
static const struct {
    const char *layer, *beta;
    int32_t     kind;
} kinds[] = {
    {"mse_loss", NULL, FGT_LOSS_MSE},          {"l1_loss", NULL, FGT_LOSS_L1},
    {"huber_loss", "delta", FGT_LOSS_HUBER},   {"smooth_l1_loss", "beta", FGT_LOSS_SMOOTH_L1},
    {"bce_with_logits", NULL, FGT_LOSS_BCE},   {"cross_entropy", NULL, FGT_LOSS_CROSS_ENTROPY},
    {"quantile_loss", NULL, FGT_LOSS_QUANTILE}, {"poisson_loss", NULL, FGT_LOSS_POISSON},
    {"negative_binomial_loss", NULL, FGT_LOSS_NEGATIVE_BINOMIAL},
};

bool golden_is_loss(const char *layer)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].layer, layer)) return true;
    return false;
}

static fgt_loss_opts loss_opts(golden *g)
{
    const char   *layer = golden_meta(g, "layer"), *reduction = golden_meta(g, "reduction");
    fgt_loss_opts o     = {.size = sizeof o};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].layer, layer) != 0) continue;
        o.kind = kinds[i].kind;
        if (kinds[i].beta) o.beta = (float)golden_number(g, kinds[i].beta, 1);
        if (kinds[i].beta && o.beta <= 0) golden_skip(g, "%s is %g", kinds[i].beta, (double)o.beta);
    }
    o.label_smoothing = (float)golden_number(g, "label_smoothing", 0);
    o.quantile        = (float)golden_number(g, "quantile", 0);
    o.dispersion      = (float)golden_number(g, "dispersion", 0);
    o.spectral        = (float)golden_number(g, "spectral", 0);
    if (reduction && strncmp(reduction, "mean", 4) != 0) golden_skip(g, "reduction %s", reduction);
    return o;
}

void golden_loss(golden *g)
{
    const fgt_loss_opts opts = loss_opts(g);
    const int64_t       n    = golden_count(golden_need(g, "input"));
    const fgt_view      y      = view_of(g, "input", FGT_DTYPE_F32, golden_floats(g, "input"));
    const fgt_view      target = opts.kind == FGT_LOSS_CROSS_ENTROPY
                                     ? classes_of(g)
                                     : view_of(g, "target", FGT_DTYPE_F32, golden_floats(g, "target"));
    float         *grad = golden_memory(g, n, sizeof *grad);
    const fgt_view      dy     = view_of(g, "input", FGT_DTYPE_F32, grad);
    double         loss;
    golden_ok(g, fgt_loss_compute(g->ctx, &y, &target, &opts, NULL, &loss, &dy));
    const float value = (float)loss;
    golden_forward_is(g, "output", 1, &value);
    if (!golden_has(g, "grad_output")) return;
    const float scale = *golden_floats(g, "grad_output");
    for (int64_t i = 0; i < n; i++) grad[i] *= scale;
    golden_gradient_is(g, "grad.input", n, grad);
}

/* ---- optimisers ---- */

/* A setting whose zero our options cannot say, because zero is the default there. */
static double not_zero(golden *g, const char *key, double v)
{
    if (v == 0) golden_skip(g, "%s is 0", key);
    return v;
}

static fgt_optim_opts optim_opts(golden *g)
{
    const char    *source = golden_meta(g, "source");
    fgt_optim_opts o      = {.size = sizeof o, .kind = -1};
    if (source && strstr(source, "AdamW"))
        o.kind = FGT_OPTIM_ADAMW;
    else if (source && strstr(source, "Adam"))
        o.kind = FGT_OPTIM_ADAM;
    else if (source && strstr(source, "SGD"))
        o.kind = FGT_OPTIM_SGD;
    else
        golden_skip(g, "optimiser %s", source ? source : "without a source");
    if (golden_flag(g, "amsgrad") || golden_flag(g, "maximize") || golden_number(g, "dampening", 0) != 0)
        golden_skip(g, "amsgrad, maximize or dampening");
    o.lr       = not_zero(g, "lr", golden_number(g, "lr", 1e-3));
    o.beta1    = not_zero(g, "betas", golden_item(g, "betas", 0, 0.9));
    o.beta2    = not_zero(g, "betas", golden_item(g, "betas", 1, 0.999));
    o.eps      = not_zero(g, "eps", golden_number(g, "eps", 1e-8));
    o.momentum = golden_number(g, "momentum", 0);
    o.nesterov = golden_flag(g, "nesterov");
    /* what torch.optim.AdamW takes when the metadata say nothing */
    o.weight_decay = golden_number(g, "weight_decay", o.kind == FGT_OPTIM_ADAMW ? 0.01 : 0);
    return o;
}

/* The vector is the weight of a linear layer that never runs. */
void golden_optimiser(golden *g)
{
    const int64_t        n    = golden_count(golden_need(g, "param_initial"));
    const int64_t        all  = golden_count(golden_need(g, "trajectory"));
    const fgt_optim_opts opts = optim_opts(g);
    const float         *grads = golden_floats(g, "grads");
    fgt_model *m = golden_layer(g, (golden_shape){1, 1, 1, 1, 1},
                                fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = n, .no_bias = 1)));
    float *path = golden_memory(g, all, sizeof *path);
    if (golden_count(golden_need(g, "grads")) != all || all % n != 0)
        golden_fail(g, "grads and trajectory do not fit param_initial");
    golden_set(g, m, "weight", golden_floats(g, "param_initial"));
    golden_ok(g, fgt_optim_create(m, &opts, &g->optim));
    for (int64_t i = 0; i < all; i += n) {
        golden_ok(g, fgt_model_set_gradient(m, "weight", FGT_VIEW(grads + i, n, 1)));
        golden_ok(g, fgt_step(g->optim));
        golden_ok(g, fgt_model_copy_parameter(m, "weight", FGT_VIEW(path + i, n, 1)));
    }
    golden_forward_is(g, "trajectory", all, path);
}

/* ---- schedules ---- */

static fgt_schedule_opts schedule_opts(golden *g)
{
    const char       *formula = golden_meta(g, "formula");
    fgt_schedule_opts o       = {.size = sizeof o, .warmup = (int64_t)golden_number(g, "warmup_steps", 0)};
    /* LinearLR starts at 1/W, the usual factor at 0 */
    if (o.warmup > 0 && formula && strstr(formula, "1/W+")) o.warmup_start = 1 / (double)o.warmup;
    if (golden_meta(g, "gamma")) {
        o.kind  = FGT_SCHEDULE_STEP;
        o.gamma = not_zero(g, "gamma", golden_number(g, "gamma", 0));
        o.every = (int64_t)golden_number(g, "step_size", 1);
    } else if (golden_meta(g, "total_steps")) {
        o.kind   = FGT_SCHEDULE_COSINE;
        o.total  = (int64_t)golden_number(g, "total_steps", 0);
        o.min_lr = golden_number(g, "eta_min", 0);
    } else if (!formula || !strstr(formula, "constant"))
        golden_skip(g, "schedule %s", formula ? formula : "without a formula");
    return o;
}

void golden_lr_schedule(golden *g)
{
    const fgt_schedule_opts opts = schedule_opts(g);
    const int64_t           n    = golden_count(golden_need(g, "lr"));
    const double            base = golden_number(g, "base_lr", 1);
    float                  *lr   = golden_memory(g, n, sizeof *lr);
    for (int64_t t = 0; t < n; t++) {
        double v;
        golden_ok(g, fgt_schedule_get(g->ctx, &opts, base, t, &v));
        lr[t] = (float)v;
    }
    /* rates are far below 1: the tolerance of a gradient is the tighter one */
    golden_gradient_is(g, "lr", n, lr);
}

/* ---- clipping ---- */

/* The tensors are parts of one parameter, which a step of SGD with rate 1 takes from 0 to the negative of its
 * clipped gradient. */
void golden_clip_grad_norm(golden *g)
{
    enum { MOST = 64 };
    const fgt_optim_opts sgd = {
        .size = sizeof sgd, .kind = FGT_OPTIM_SGD, .lr = 1, .clip = golden_number(g, "max_norm", 1)};
    int64_t at[MOST + 1] = {0}, n = 0;
    if (golden_number(g, "norm_type", 2) != 2) golden_skip(g, "norm_type %s", golden_meta(g, "norm_type"));
    for (const char *name; golden_has(g, name = golden_name(g, "grad_in.%d", (int)n)); n++) {
        if (n == MOST) golden_skip(g, "more than %d tensors", MOST);
        at[n + 1] = at[n] + golden_count(golden_need(g, name));
    }
    const int64_t all = at[n];
    float        *v   = golden_memory(g, all, sizeof *v);
    fgt_model    *m   = golden_layer(g, (golden_shape){1, 1, 1, 1, 1},
                                     fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = all, .no_bias = 1)));
    golden_set(g, m, "weight", v);
    for (int i = 0; i < n; i++)
        memcpy(v + at[i], golden_floats(g, golden_name(g, "grad_in.%d", i)),
               (size_t)(at[i + 1] - at[i]) * sizeof *v);
    golden_ok(g, fgt_optim_create(m, &sgd, &g->optim));
    golden_ok(g, fgt_model_set_gradient(m, "weight", FGT_VIEW(v, all, 1)));
    golden_ok(g, fgt_step(g->optim));
    golden_ok(g, fgt_model_copy_parameter(m, "weight", FGT_VIEW(v, all, 1)));
    for (int64_t k = 0; k < all; k++) v[k] = -v[k];
    const float total = (float)fgt_optim_get_norm(g->optim);
    if (golden_has(g, "total_norm")) golden_forward_is(g, "total_norm", 1, &total);
    for (int i = 0; i < n; i++)
        golden_gradient_is(g, golden_name(g, "grad_out.%d", i), at[i + 1] - at[i], v + at[i]);
}
