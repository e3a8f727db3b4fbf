/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls about what attention does. */
#include <fighter/experimental/hops.h>
#include <fighter/experimental/sensitivity.h>
#include <fighter/experimental/tracker.h>

#include "../model_info.h"
#include "calls.h"

static void statistic(world *w)
{
    double                   out[16];
    const fgt_view           right = {.shape = {2, 3, 3}, .rank = 3, .dtype = FGT_DTYPE_F32};
    const fgt_view           x = draw_view(w, &right, false), graph = draw_view(w, &right, false);
    const fgt_statistic_opts o = {
        .size = sizeof o, .graph = pick(w, 4) ? NULL : &graph, .first = draw_size(w)};
    if (x.rank < 2 || fgt_view_count(&x) / 2 > (int64_t)(sizeof out / sizeof *out)) return;
    const int32_t which = (int32_t)(pick(w, FGT_STATISTIC_COUNT + 2) - 1);
    SAY(w->ctx, fgt_statistic_compute(w->ctx, which, &o, &x, out));
}

static void adjacency_create(world *w)
{
    const int     i      = place(w);
    const char   *layer  = draw_name(w, w->model[i]);
    const int64_t powers = draw_size(w) % 8;
    fgt_adjacency_destroy(&w->adjacency[i]);
    SAY(w->model[i], fgt_adjacency_create(w->model[i], layer, powers, &w->adjacency[i]));
}

static void adjacency_add(world *w)
{
    fgt_adjacency *a = w->adjacency[place(w)];
    SAY(a, fgt_adjacency_add(a, draw_size(w), draw_size(w)));
}

static void adjacency_get(world *w)
{
    fgt_adjacency *a    = w->adjacency[place(w)];
    const int64_t  head = draw_size(w), power = draw_size(w);
    fgt_view       v;
    SAY(a, fgt_adjacency_get_mean(a, head, power, draw_null(w, &v)));
}

static void adjacency_destroy(world *w)
{
    fgt_adjacency_destroy(&w->adjacency[place(w)]);
}

static void tracker_create(world *w)
{
    const int              i       = place(w);
    const char *const      names[] = {draw_name(w, w->model[i]), draw_name(w, w->model[i])};
    const fgt_tracker_opts o       = {.size        = sizeof o,
                                      .layers      = pick(w, 4) ? NULL : names,
                                      .layer_count = pick(w, 4) ? 0 : pick(w, 3),
                                      .powers      = draw_size(w) % 8,
                                      .epochs      = draw_size(w),
                                      .steps       = draw_size(w),
                                      .hops        = i & 1};
    fgt_view               shape;
    const bool             known = model_shapes(w->model[i], &shape, NULL);
    fgt_view               x     = draw_view(w, known ? &shape : NULL, false);
    fgt_tracker_destroy(&w->tracker[i]);
    SAY(w->model[i], fgt_tracker_create(w->model[i], &o, draw_null(w, &x), &w->tracker[i]));
}

static void tracker_step(world *w)
{
    fgt_tracker       *t = w->tracker[place(w)];
    const fgt_progress p = {
        .size = sizeof p, .epoch = draw_size(w), .step = draw_size(w), .epoch_done = pick(w, 2)};
    fgt_tracker_row row = {.size = sizeof row};
    SAY(t, fgt_tracker_record(t, pick(w, 2) ? &p : NULL));
    SAY(t, fgt_tracker_get_row(t, draw_size(w), &row));
}

static void tracker_destroy(world *w)
{
    fgt_tracker_destroy(&w->tracker[place(w)]);
}

static void edges_select(world *w)
{
    fgt_edge            edges[8];
    int64_t             count;
    const fgt_view      right = {.shape = {4, 5}, .rank = 2, .dtype = FGT_DTYPE_F64};
    const fgt_view      a     = draw_view(w, &right, false);
    const int64_t       k     = pick(w, 10) - 1;
    const fgt_edge_rule rule  = {.size        = sizeof rule,
                                 .threshold   = draw_real(w),
                                 .per_node    = draw_size(w),
                                 .no_diagonal = pick(w, 3) - 1};
    SAY(w->ctx, fgt_edges_select(w->ctx, &a, &rule, k ? edges : NULL, k, &count));
}

static fgt_status take_bytes(void *user, const void *data, int64_t bytes)
{
    (void)data;
    return bytes > 0 && pick(user, 16) == 15 ? FGT_E_IO : FGT_OK;
}

static void tracker_save(world *w)
{
    fgt_tracker     *t      = w->tracker[place(w)];
    const fgt_writer writer = {.size = sizeof writer, .write = take_bytes, .user = w};
    SAY(t, fgt_tracker_save(t, &FGT_OPTS(fgt_output, .writer = &writer)));
}

static void edges_save(world *w)
{
    const char *const   names[] = {draw_text(w), draw_text(w), NULL};
    fgt_edge            edges[4];
    const fgt_edge_list l      = {.size       = sizeof l,
                                  .edges      = pick(w, 16) ? edges : NULL,
                                  .edge_count = pick(w, 6) - 1,
                                  .names      = pick(w, 2) ? names : NULL,
                                  .node_count = pick(w, 4),
                                  .title      = pick(w, 2) ? draw_text(w) : NULL};
    const fgt_writer    writer = {.size = sizeof writer, .write = take_bytes, .user = w};
    for (size_t i = 0; i < 4; i++) edges[i] = (fgt_edge){pick(w, 3), pick(w, 3), draw_real(w)};
    SAY(w->ctx, fgt_edges_save(w->ctx, &l, pick(w, 5) - 1, &FGT_OPTS(fgt_output, .writer = &writer)));
}

/* Each makes many passes, so they are called less often. */
static void sensitivity(world *w)
{
    static double              norms[1 << 12];
    static float               blocks[1 << 14];
    fgt_model                 *m = w->model[place(w)];
    fgt_view                   shape, result;
    const bool                 known = model_shapes(m, &shape, NULL), whole = pick(w, 2);
    fgt_view                   x = draw_view(w, known ? &shape : NULL, false);
    const fgt_sensitivity_opts o = {.size   = sizeof o,
                                    .from   = pick(w, 2) ? draw_name(w, m) : NULL,
                                    .to     = pick(w, 2) ? draw_name(w, m) : NULL,
                                    .first  = pick(w, 4) - 1,
                                    .count  = pick(w, 4) - 1,
                                    .probes = pick(w, 4),
                                    .norm   = pick(w, 3),
                                    .element = pick(w, 3)};
    if (pick(w, 4)) return;
    const fgt_status s = whole ? CALL(fgt_jacobian_get_shape(m, &x, &o, &result))
                               : CALL(fgt_sensitivity_get_shape(m, &x, &o, &result));
    calls_say(w, m != NULL, s);
    const int64_t room = whole ? 1 << 14 : 1 << 12;
    if (s != FGT_OK || fgt_view_count(&result) > room) return;
    result.data = whole ? (void *)blocks : (void *)norms;
    calls_say(w, m != NULL,
              whole ? CALL(fgt_jacobian_compute(m, &x, &o, &result))
                    : CALL(fgt_sensitivity_compute(m, &x, &o, &result, NULL)));
}

static void paths(world *w)
{
    double          norms[9];
    fgt_attention_path_bounds bounds = {.size = sizeof bounds};
    const fgt_view            right  = {.shape = {3, 3}, .rank = 2, .dtype = FGT_DTYPE_F32},
                   n                 = *FGT_VIEW_OF(FGT_DTYPE_F64, norms, 3, 3);
    const fgt_view           x = draw_view(w, &right, false), a = draw_view(w, &right, false);
    const fgt_view           q = draw_view(w, &right, false), v = draw_view(w, &right, false);
    const fgt_attention_head head = {.size     = sizeof head,
                                     .x        = &x,
                                     .a        = &a,
                                     .wq       = &q,
                                     .wk       = &right,
                                     .wv       = &v,
                                     .scale    = draw_real(w),
                                     .turned   = pick(w, 3),
                                     .residual = pick(w, 2)};
    fgt_attention_head       same = head;
    if (pick(w, 4)) same.wk = &q;
    const int32_t path = (int32_t)(pick(w, 6) - 1);
    const int32_t norm = (int32_t)(pick(w, 4) - 1);
    SAY(w->ctx, fgt_attention_path_compute(w->ctx, &same, path, norm, &n, NULL));
    SAY(w->ctx, fgt_attention_path_compute_bounds(w->ctx, &same, (int32_t)pick(w, 2), &bounds));
}

static void hops(world *w)
{
    fgt_model  *m     = w->model[place(w)];
    const char *layer = draw_name(w, m);
    fgt_view    shape = {0};
    const bool  known = CALL(fgt_hops_get_shape(m, layer, &shape)) == FGT_OK;
    fgt_view    norms = draw_view(w, known ? &shape : NULL, true);
    SAY(m, fgt_hops_compute(m, layer, draw_null(w, &norms), NULL));
    (void)layer_hops(m, layer);
}

static void importance(world *w)
{
    fgt_model  *m     = w->model[place(w)];
    const char *layer = draw_name(w, m);
    fgt_view    shape = {0}, tokens = {0};
    const bool  takes = model_shapes(m, &shape, NULL);
    fgt_view    x     = draw_view(w, takes ? &shape : NULL, false);
    fgt_status  s     = CALL(fgt_importance_get_shape(m, layer, draw_null(w, &x), &tokens));
    fgt_view    norms = draw_view(w, s == FGT_OK ? &tokens : NULL, true);
    SAY(m, fgt_importance_compute(m, layer, &x, NULL, &norms, NULL));
}

static const operation list[] = {
    {"fgt_sensitivity_compute", sensitivity, true, false},
    {"fgt_attention_path_compute", paths, true, false},
    {"fgt_adjacency_create", adjacency_create, false, false},
    {"fgt_adjacency_add", adjacency_add, true, false},
    {"fgt_adjacency_get_mean", adjacency_get, true, false},
    {"fgt_adjacency_destroy", adjacency_destroy, false, false},
    {"fgt_tracker_create", tracker_create, false, false},
    {"fgt_tracker_record", tracker_step, true, false},
    {"fgt_tracker_save", tracker_save, true, false},
    {"fgt_tracker_destroy", tracker_destroy, false, false},
    {"fgt_edges_select", edges_select, true, false},
    {"fgt_edges_save", edges_save, true, false},
    {"fgt_statistic_compute", statistic, true, false},
    {"fgt_hops_compute", hops, true, false},
    {"fgt_importance_compute", importance, true, false},
};
const operations calls_of_analysis = {list, sizeof list / sizeof *list};
