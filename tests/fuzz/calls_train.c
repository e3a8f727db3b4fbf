/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that train, or tell about training: losses, optimisers, the loop, selectors, tangent kernels. */
#include <fighter/experimental/arrays.h>
#include <fighter/experimental/layer.h>
#include <fighter/experimental/ntk.h>

#include "../attent/attent_state.h"
#include "../model_info.h"
#include "calls.h"

enum { ROWS = 4, STATE = 1 << 12 };

/* ---- losses ---- */

static fgt_loss_opts draw_loss(world *w)
{
    static const float weights[] = {1, 0.5f, 2, 0}, priors[] = {0.1f, 2, 1, 1e-30f};
    const int32_t      given     = pick(w, 8);
    return (fgt_loss_opts){.size            = sizeof(fgt_loss_opts),
                           .kind            = pick(w, 10) - 1,
                           .beta            = (float)draw_real(w),
                           .label_smoothing = pick(w, 4) ? 0 : (float)draw_real(w),
                           .skip_nan        = pick(w, 3),
                           .quantile        = pick(w, 2) ? 0 : (float)draw_real(w),
                           .spectral        = pick(w, 4) ? 0 : (float)draw_real(w),
                           .class_weights   = given & 1 ? weights : NULL,
                           .class_priors    = given & 2 ? priors : NULL,
                           .class_count     = given ? pick(w, 5) : 0};
}

static void loss(world *w)
{
    const fgt_loss_opts o       = draw_loss(w);
    const bool          classes = o.kind == FGT_LOSS_CROSS_ENTROPY;
    const fgt_view      rows    = {.rank = 2, .shape = {ROWS, 3}};
    const fgt_view      ids     = {.rank = 1, .shape = {ROWS}, .dtype = FGT_DTYPE_I64};
    fgt_view            y = draw_view(w, &rows, false), target = draw_view(w, classes ? &ids : &rows, false);
    fgt_view            dy = draw_view(w, &rows, true);
    double              l;
    float               all[3][ROWS] = {{1, 2, 0.5f, 1}};
    fgt_loss_samples    samples = {.size = sizeof samples, .weight = all[0], .loss = all[1], .norm = all[2]};
    if (y.rank < 1 || y.shape[0] > ROWS || pick(w, 2)) {
        SAY(w->ctx,
            fgt_loss_compute(w->ctx, draw_null(w, &y), &target, &o, NULL, &l, pick(w, 2) ? &dy : NULL));
        return;
    }
    SAY(w->ctx, fgt_loss_compute(w->ctx, &y, &target, &o, &samples, &l, pick(w, 2) ? &dy : NULL));
}

static void metric(world *w)
{
    const fgt_view rows = {.rank = 2, .shape = {ROWS, 3}};
    fgt_metric     m    = {0};
    fgt_view       y = draw_view(w, &rows, false), target = draw_view(w, &rows, false);
    SAY(w->ctx, fgt_metric_add(w->ctx, draw_null(w, &y) ? &m : NULL, &y, &target));
    for (int k = -1; k < 7; k++) fgt_metric_get(&m, k);
}

static fgt_schedule_opts draw_schedule(world *w)
{
    return (fgt_schedule_opts){.size   = sizeof(fgt_schedule_opts),
                               .kind   = pick(w, 5) - 1,
                               .warmup = draw_size(w),
                               .total  = draw_size(w),
                               .every  = draw_size(w),
                               .min_lr = pick(w, 2) ? 0 : draw_real(w),
                               .gamma  = pick(w, 2) ? 0 : draw_real(w)};
}

static void schedule(world *w)
{
    const fgt_schedule_opts o = draw_schedule(w);
    double                  lr;
    SAY(w->ctx, fgt_schedule_get(w->ctx, &o, draw_real(w), draw_size(w), &lr));
}

/* ---- optimisers ---- */

static fgt_optim_opts draw_optim(world *w, const fgt_schedule_opts *s)
{
    const bool odd = pick(w, 4) == 0;
    return (fgt_optim_opts){.size         = sizeof(fgt_optim_opts),
                            .schedule     = pick(w, 4) ? NULL : s,
                            .lr           = odd ? draw_real(w) : 0,
                            .weight_decay = odd ? draw_real(w) : 0,
                            .momentum     = odd ? draw_real(w) : 0,
                            .clip         = pick(w, 2) ? 0 : draw_real(w),
                            .nesterov     = odd ? pick(w, 3) : 0,
                            .kind         = pick(w, 4)};
}

static void optim_create(world *w)
{
    const int               i = place(w);
    const fgt_schedule_opts s = draw_schedule(w);
    const fgt_optim_opts    o = draw_optim(w, &s);
    fgt_optim_destroy(&w->optim[i]);
    SAY(w->model[i], fgt_optim_create(w->model[i], pick(w, 2) ? &o : NULL, &w->optim[i]));
}

static void optim_destroy(world *w)
{
    fgt_optim_destroy(&w->optim[place(w)]);
}

static void step(world *w)
{
    fgt_optim *o = w->optim[place(w)];
    SAY(o, fgt_step(o));
}

static void optim_other(world *w)
{
    fgt_optim *o = w->optim[place(w)];
    if (pick(w, 2)) SAY(o, fgt_optim_settle(o));
    (void)(fgt_optim_get_lr(o) + fgt_optim_get_norm(o));
}

static void optim_set_lr(world *w)
{
    fgt_optim *o = w->optim[place(w)];
    SAY(o, fgt_optim_set_lr(o, draw_real(w)));
}

static void checkpoint_load(world *w)
{
    fgt_optim           *o    = w->optim[place(w)];
    const char          *path = fuzz_file(w->file, (size_t)w->bytes);
    const fgt_checkpoint c    = {.size = sizeof c, .optim = o, .selector = pick(w, 2) ? w->attent : NULL};
    SAY(o, fgt_checkpoint_load(&c, path));
}

/* ---- the loop ---- */

static fgt_status get_samples(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                              const fgt_view *target)
{
    world          *w    = user;
    const fgt_view *v[2] = {x, target};
    (void)index, (void)n;
    for (int k = 0; k < 2; k++) {
        const int64_t count = fgt_view_count(v[k]);
        for (int64_t i = 0; i < count; i++) {
            if (v[k]->dtype == FGT_DTYPE_I64)
                ((int64_t *)v[k]->data)[i] = i % 2;
            else
                ((float *)v[k]->data)[i] = (float)(i % 5) / 4;
        }
    }
    calls_nested(w);
    return pick(w, 64) == 63 ? FGT_E_DATA : FGT_OK;
}

static int progress(void *user, const fgt_progress *p)
{
    world *w = user;
    (void)p;
    calls_nested(w);
    return pick(w, 32) == 31;
}

static void fit(world *w)
{
    fgt_model       *m      = w->model[place(w)];
    const fgt_source source = {
        .size = sizeof source, .count = draw_size(w) % 16, .get = get_samples, .user = w};
    const fgt_loss_opts     l      = draw_loss(w);
    const fgt_schedule_opts s      = draw_schedule(w);
    const fgt_optim_opts    o      = draw_optim(w, &s);
    fgt_fit_report          report = {.size = sizeof report};
    const fgt_fit_opts      f      = {.size         = sizeof f,
                                      .train        = &source,
                                      .training     = {.epochs   = pick(w, 3) + 1,
                                                       .progress = progress,
                                                       .user     = w,
                                                       .batch    = draw_size(w),
                                                       .patience = draw_size(w),
                                                       .selector = pick(w, 4) ? NULL : w->attent},
                                      .validation   = pick(w, 2) ? &source : NULL,
                                      .loss         = pick(w, 2) ? &l : NULL,
                                      .optim        = pick(w, 2) ? &o : NULL,
                                      .target_dtype = pick(w, 4) ? FGT_DTYPE_F32 : FGT_DTYPE_I64};
    SAY(m, fgt_model_fit(m, draw_real(w) < 1e300 ? &f : NULL, &report));
}

static void evaluate(world *w)
{
    fgt_model       *m      = w->model[place(w)];
    const fgt_source source = {
        .size = sizeof source, .count = draw_size(w) % 16, .get = get_samples, .user = w};
    const fgt_loss_opts l    = draw_loss(w);
    fgt_metric          sums = {0};
    double              value;
    SAY(m, fgt_model_evaluate(m, &source, pick(w, 2) ? &l : NULL, pick(w, 4) ? FGT_DTYPE_F32 : FGT_DTYPE_I64,
                              &value, pick(w, 2) ? &sums : NULL));
}

/* Arrays of any shape, and batches of the same or of other shapes. */
static void arrays(world *w)
{
    const int64_t index[3] = {0, draw_size(w), 1}, count = pick(w, 4);
    fgt_view      x = draw_view(w, NULL, false), y = draw_view(w, pick(w, 2) ? &x : NULL, false);
    fgt_view      to = x, target = y;
    fgt_arrays   *a;
    SAY(w->ctx, fgt_arrays_create(w->ctx, draw_null(w, &x), draw_null(w, &y), &a));
    to.shape[0] = target.shape[0] = count;
    to                            = draw_view(w, to.rank > 0 ? &to : NULL, true);
    target                        = draw_view(w, target.rank > 0 ? &target : NULL, true);
    SAY(a, fgt_arrays_add_value(a, "value", draw_null(w, &y)));
    SAY(a, fgt_arrays_copy_samples(a, index, count, &to, draw_null(w, &target)));
    SAY(a, fgt_arrays_copy_value(a, index, count, pick(w, 8) ? "value" : "other", &target));
    fgt_arrays_destroy(&a);
}

/* It makes hundreds of passes, and would take two thirds of the time, so it is called less often. */
static void check_gradient(world *w)
{
    fgt_model              *m = w->model[place(w)];
    const fgt_gradient_opts o = {.size = sizeof o, .directions = pick(w, 3)};
    if (pick(w, 8)) return;
    fgt_gradient_report report = {.size = sizeof report};
    fgt_view            shape;
    const bool          known = model_shapes(m, &shape, NULL);
    fgt_view            x     = draw_view(w, known ? &shape : NULL, false);
    SAY(m, fgt_model_check_gradient(m, draw_null(w, &x), &o, &report));
}

/* ---- selectors ---- */

static void attent_create(world *w)
{
    static const double   weight[5] = {1, 0.5, 2, 1, 3};
    const fgt_view        list      = {.rank = 1, .shape = {ROWS}, .dtype = FGT_DTYPE_I64};
    fgt_view              group     = draw_view(w, &list, false);
    const fgt_attent_opts o         = {.size           = sizeof o,
                                       .samples        = pick(w, 4) ? ROWS : draw_size(w),
                                       .epochs         = draw_size(w),
                                       .count          = pick(w, 4) ? 0 : draw_size(w),
                                       .interval       = draw_size(w),
                                       .growth         = draw_size(w),
                                       .ratio          = pick(w, 2) ? 0 : draw_real(w),
                                       .temperature    = pick(w, 2) ? 0 : draw_real(w),
                                       .groups         = &group,
                                       .group_weight   = weight,
                                       .group_count    = pick(w, 5),
                                       .strategy       = pick(w, 9) - 1,
                                       .ratio_schedule = pick(w, 5),
                                       .scores         = pick(w, 3),
                                       .redraw         = pick(w, 2)};
    fgt_attent_destroy(&w->attent);
    SAY(w->ctx, fgt_attent_create(w->ctx, &o, &w->attent));
}

static void attent_add(world *w)
{
    const int64_t index[ROWS] = {0, draw_size(w), 2, 3};
    const float   score[ROWS] = {1, (float)draw_real(w), 2, 0.5f};
    float         weight[ROWS];
    SAY(w->attent, pick(w, 2) ? fgt_attent_add(w->attent, index, pick(w, ROWS + 1), score)
                              : fgt_attent_get_weights(w->attent, index, pick(w, ROWS + 1), weight));
}

static void attent_step(world *w)
{
    fgt_attent_subset s = {.size = sizeof s};
    SAY(w->attent, pick(w, 4) ? fgt_attent_begin_epoch(w->attent, &s) : fgt_attent_get_subset(w->attent, &s));
}

static void attent_states(world *w)
{
    static char   state[STATE];
    const int64_t size = attent_state_bytes(w->attent);
    if (size > STATE) return;
    SAY(w->attent, pick(w, 2) ? fgt_attent_get_state(w->attent, state, size, &(int64_t){0})
                              : fgt_attent_set_state(w->attent, state, size));
}

/* ---- tangent kernels ---- */

static void ntk_create(world *w)
{
    const int          i = place(w);
    const fgt_ntk_opts o = {.size = sizeof o, .kind = pick(w, 6) - 1};
    fgt_view           shape;
    const bool         known = model_shapes(w->model[i], &shape, NULL);
    if (known) shape.shape[0] = 2;
    fgt_view x = draw_view(w, known ? &shape : NULL, false);
    fgt_ntk_destroy(&w->ntk[i]);
    SAY(w->model[i], fgt_ntk_create(w->model[i], &o, draw_null(w, &x), &w->ntk[i]));
}

static void ntk_step(world *w)
{
    fgt_ntk       *n      = w->ntk[place(w)];
    fgt_ntk_report report = {.size = sizeof report};
    SAY(n, fgt_ntk_compute(n, &report));
}

static void ntk_get(world *w)
{
    fgt_ntk         *n     = w->ntk[place(w)];
    fgt_view         shape = {.data = NULL};
    const fgt_status s     = CALL(fgt_ntk_get_kernel_shape(n, &shape));
    if (s != FGT_OK) {
        calls_say(w, n != NULL, s);
        return;
    }
    fgt_view k = draw_view(w, &shape, true);
    SAY(n, pick(w, 2) ? fgt_ntk_copy_kernel(n, &k) : fgt_ntk_set_kernel(n, &k));
}

static void ntk_bound(world *w)
{
    fgt_ntk      *n     = w->ntk[place(w)];
    fgt_ntk_bound bound = {.size = sizeof bound};
    SAY(n, fgt_ntk_get_bound(n, draw_real(w), &bound));
}

static void ntk_destroy(world *w)
{
    fgt_ntk_destroy(&w->ntk[place(w)]);
}

static const operation list[] = {
    {"fgt_loss_compute", loss, true, false},
    {"fgt_metric_add", metric, true, false},
    {"fgt_schedule_get", schedule, true, false},
    {"fgt_optim_set_lr", optim_set_lr, true, false},
    {"fgt_optim_create", optim_create, false, false},
    {"fgt_optim_destroy", optim_destroy, false, false},
    {"fgt_step", step, true, false},
    {"fgt_optim_settle", optim_other, true, false},
    {"fgt_checkpoint_load", checkpoint_load, true, false},
    {"fgt_model_fit", fit, true, true},
    {"fgt_model_evaluate", evaluate, true, true},
    {"fgt_model_check_gradient", check_gradient, true, false},
    {"fgt_arrays_copy_samples", arrays, false, false},
    {"fgt_attent_create", attent_create, false, false},
    {"fgt_attent_add", attent_add, false, false},
    {"fgt_attent_begin_epoch", attent_step, false, false},
    {"fgt_attent_set_state", attent_states, false, false},
    {"fgt_ntk_create", ntk_create, false, false},
    {"fgt_ntk_compute", ntk_step, false, false},
    {"fgt_ntk_copy_kernel", ntk_get, false, false},
    {"fgt_ntk_destroy", ntk_destroy, false, false},
    {"fgt_ntk_get_bound", ntk_bound, false, false},
};
const operations calls_of_training = {list, sizeof list / sizeof *list};
