/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: losses, metrics, schedules, optimisers, selectors, tangent kernels, training. */
#include <string.h>

#include <fighter/experimental/ntk.h>
#include <fighter/experimental/search.h>

#include "../attent/attent_state.h"
#include "entries.h"

static fgt_status losses(world *w)
{
    float            dy[B * T * OUT], l[B], n[B], y[B * T * OUT];
    double           loss;
    fgt_metric       metric = {0};
    fgt_loss_samples each   = {.size = sizeof each, .loss = l, .norm = n};
    for (int i = 0; i < B * T * OUT; i++) y[i] = -sample_y[i];
    const fgt_view target = *FGT_VIEW(sample_y, B, T, OUT), output = *FGT_VIEW(y, B, T, OUT);
    TRY(fgt_loss_compute(w->ctx, &output, &target, NULL, NULL, &loss, FGT_VIEW(dy, B, T, OUT)));
    SEE(w, loss);
    TRY(fgt_loss_compute(w->ctx, &output, &target, NULL, &each, &loss, FGT_VIEW(dy, B, T, OUT)));
    SEE(w, l);
    SEE(w, n);
    TRY(fgt_metric_add(w->ctx, &metric, &output, &target));
    SEE(w, (double){fgt_metric_get(&metric, FGT_METRIC_MAE)});
    TRY(fgt_schedule_get(w->ctx, &FGT_OPTS(fgt_schedule_opts, .warmup = 4), 1e-3, 2, &loss));
    SEE(w, loss);
    return FGT_OK;
}

static fgt_status optimiser(world *w)
{
    float y[B * T * OUT];
    MAKE(optim, fgt_optim_create(w->fresh.model, &FGT_OPTS(fgt_optim_opts, .clip = 1), &w->made.optim));
    TRY(fgt_forward(w->fresh.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    TRY(fgt_backward(w->fresh.model, FGT_VIEW(sample_y, B, T, OUT), NULL));
    TRY(fgt_step(w->made.optim));
    TRY(fgt_optim_settle(w->made.optim));
    TRY(fgt_optim_set_lr(w->made.optim, 2e-3));
    SEE(w, (double){fgt_optim_get_lr(w->made.optim)});
    SEE(w, (double){fgt_optim_get_norm(w->made.optim)});
    SEE(w, (uint64_t){fgt_model_get_hash(w->fresh.model)});
    return FGT_OK;
}

/* ---- selection ---- */

typedef struct text {
    char   data[2000];
    size_t size;
} text;

static fgt_status take_log(void *user, const char *piece, size_t size)
{
    text *t = user;
    if (t->size + size > sizeof t->data) return FGT_E_SIZE;
    memcpy(t->data + t->size, piece, size);
    t->size += size;
    return FGT_OK;
}

static fgt_status select_some(world *w, fgt_attent *a)
{
    static const int64_t index[]  = {0, 1, 2, 3, 4, 5, 6, 7};
    static const float   scores[] = {5, 3, 7, 1, 2, 9, 4, 8};
    fgt_attent_subset    s        = {.size = sizeof s};
    float                weight;
    char                 state[1000];
    SEE(w, (int32_t){fgt_attent_get_due(a)});
    TRY(fgt_attent_add(a, index, 8, scores));
    TRY(fgt_attent_begin_epoch(a, &s));
    TRY(fgt_attent_get_subset(a, &s));
    see(w, s.index, (size_t)s.count * sizeof *s.index);
    TRY(fgt_attent_get_weights(a, s.index, 1, &weight));
    SEE(w, weight);
    int64_t size;
    TRY(fgt_attent_get_state(a, NULL, 0, &size));
    if (size > (int64_t)sizeof state) broken("the selector's state has %lld bytes", (long long)size);
    TRY(fgt_attent_get_state(a, state, size, &size));
    return fgt_attent_set_state(a, state, size);
}

/* The log of a first selector is replayed by a second one. */
static fgt_status selectors(world *w)
{
    text            log  = {.size = 0};
    fgt_attent_opts opts = {.size = sizeof opts, .samples = 8, .epochs = 3, .log = take_log, .log_user = &log,
                            .log_indices = 1};
    MAKE(attent, fgt_attent_create(w->ctx, &opts, &w->made.attent));
    TRY(select_some(w, w->made.attent));
    see(w, log.data, log.size);
    fgt_attent_destroy(&w->made.attent);
    opts.log         = NULL;
    opts.replay      = log.data;
    opts.replay_bytes = (int64_t)log.size;
    MAKE(attent, fgt_attent_create(w->ctx, &opts, &w->made.attent));
    return select_some(w, w->made.attent);
}

/* ---- tangent kernels ---- */

static fgt_status kernels(world *w)
{
    double         k[B * B];
    fgt_view       v      = *FGT_VIEW_OF(FGT_DTYPE_F64, k, B, B), shape;
    fgt_ntk_report report = {.size = sizeof report};
    fgt_ntk_bound  bound  = {.size = sizeof bound};
    MAKE(ntk, fgt_ntk_create(w->fresh.model, NULL, FGT_VIEW(sample_x, B, T, D), &w->made.ntk));
    TRY(fgt_ntk_compute(w->made.ntk, &report));
    TRY(fgt_ntk_get_kernel_shape(w->made.ntk, &shape));
    SEE(w, shape.shape[0]);
    TRY(fgt_ntk_copy_kernel(w->made.ntk, &v));
    SEE(w, k);
    TRY(fgt_ntk_get_bound(w->made.ntk, 0.5, &bound));
    SEE(w, bound.rate);
    return fgt_ntk_set_kernel(w->made.ntk, &v);
}

/* ---- the loop ---- */

static fgt_status fit_with(world *w, const char *checkpoint, const char *resume)
{
    const fgt_source   source = sample_source();
    fgt_fit_report     report = {.size = sizeof report};
    fgt_fit_opts       opts   = {.size       = sizeof opts,
                                 .train      = &source,
                                 .validation = &source,
                                 .training   = {.patience = -1, .checkpoint = checkpoint, .resume = resume}};
    opts.training.epochs      = resume ? 2 : 1;
    TRY(fgt_model_fit(w->fresh.model, &opts, &report));
    SEE(w, (uint64_t){fgt_model_get_hash(w->fresh.model)});
    SEE(w, report.steps);
    return FGT_OK;
}

static fgt_status fit(world *w)
{
    return fit_with(w, in(w, "out"), NULL);
}

static fgt_status fit_selected(world *w)
{
    const fgt_source      source = sample_source();
    const fgt_attent_opts some   = {.size = sizeof some, .samples = SAMPLES, .epochs = 2};
    MAKE(attent, fgt_attent_create(w->ctx, &some, &w->made.attent));
    TRY(fgt_model_fit(
        w->fresh.model,
        &FGT_OPTS(fgt_fit_opts, .train = &source, .training = {.epochs = 2, .selector = w->made.attent}),
        NULL));
    SEE(w, (uint64_t){fgt_model_get_hash(w->fresh.model)});
    return FGT_OK;
}

static fgt_status resume(world *w)
{
    return fit_with(w, NULL, in(w, "checkpoint"));
}

static fgt_status arrays(world *w)
{
    static const int64_t index[] = {1, 0};
    float                x[B * T * D], y[B * T * OUT], known[B * T * D];
    MAKE(arrays, fgt_arrays_create(w->ctx, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(sample_y, B, T, OUT),
                                   &w->made.arrays));
    TRY(fgt_arrays_add_value(w->made.arrays, "known", FGT_VIEW(sample_known, B, T, D)));
    TRY(fgt_arrays_copy_samples(w->made.arrays, index, B, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    TRY(fgt_arrays_copy_value(w->made.arrays, index, B, "known", FGT_VIEW(known, B, T, D)));
    SEE(w, x);
    SEE(w, y);
    SEE(w, known);
    return FGT_OK;
}

static fgt_status evaluate(world *w)
{
    const fgt_source source = sample_source();
    double           loss;
    TRY(fgt_model_evaluate(w->fresh.model, &source, NULL, FGT_DTYPE_F32, &loss, NULL));
    SEE(w, loss);
    TRY(fgt_model_evaluate_ranks(w->fresh.model, &source, NULL, FGT_DTYPE_F32, NULL, &loss, NULL));
    SEE(w, loss);
    return FGT_OK;
}

static fgt_status checkpoint_save(world *w)
{
    int64_t              place = 7;
    const fgt_optim_opts adam  = {.size = sizeof adam};
    MAKE(optim, fgt_optim_create(w->fresh.model, &adam, &w->made.optim));
    TRY(fgt_checkpoint_save(
        &FGT_OPTS(fgt_checkpoint, .optim = w->made.optim, .data = &place, .data_size = sizeof place),
        in(w, "out")));
    return FGT_OK;
}

/* A map in closed form, and one epoch of layers. */
static fgt_status search(world *w)
{
    const fgt_forecaster_opts base = {
        .size = sizeof base, .input_len = 8, .pred_len = 2, .tokens.dim = 4, .batch = 4, .tokens.patch = 4};
    const fgt_search_opts o = {
        .size = sizeof o, .forecaster = &base, .epochs = 1, .fixed = FGT_SEARCH_PART_BLOCK};
    fgt_search_report     r = {.size = sizeof r};
    fgt_split             s;
    TRY(fgt_split_compute(w->ctx, ROWS, NULL, &s));
    MAKE(forecaster, fgt_forecaster_search(w->ctx, w->all.table, &s, &o, &w->made.forecaster, &r));
    SEE(w, (uint64_t){fgt_model_get_hash(fgt_forecaster_get_model(w->made.forecaster))});
    SEE(w, r.loss);
    return FGT_OK;
}

static const entry entries[] = {
    {"fgt_loss_compute fgt_metric_add fgt_metric_get fgt_schedule_get", losses, QUIET},
    {"fgt_optim_create fgt_optim_destroy fgt_step fgt_optim_settle fgt_optim_set_lr "
     "fgt_optim_get_lr fgt_optim_get_norm",
     optimiser, CHAIN},
    {"fgt_attent_create fgt_attent_destroy fgt_attent_get_due fgt_attent_add fgt_attent_begin_epoch "
     "fgt_attent_get_subset "
     "fgt_attent_get_weights fgt_attent_get_state fgt_attent_set_state",
     selectors, 0},
    {"fgt_ntk_create fgt_ntk_destroy fgt_ntk_compute fgt_ntk_get_kernel_shape fgt_ntk_copy_kernel "
     "fgt_ntk_get_bound fgt_ntk_set_kernel",
     kernels, CHAIN},
    {"fgt_model_fit", fit, CHAIN | WRITES | TRAINS},
    {"fgt_model_fit", fit_selected, CHAIN},
    {"fgt_model_fit", resume, CHAIN | READS},
    {"fgt_arrays_create fgt_arrays_destroy fgt_arrays_add_value fgt_arrays_copy_samples "
     "fgt_arrays_copy_value",
     arrays, 0},
    {"fgt_model_evaluate fgt_model_evaluate_ranks", evaluate, CHAIN},
    {"fgt_forecaster_search", search, 0},
    {"fgt_checkpoint_save", checkpoint_save, CHAIN | WRITES},
};

const entry_table train_entries = {entries, LENGTH(entries)};
