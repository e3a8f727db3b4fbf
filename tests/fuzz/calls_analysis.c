/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls about what attention does. */
#include "calls.h"

static void statistic(world *w)
{
    double                   out[16];
    const fgt_view           right = {.shape = {2, 3, 3}, .rank = 3, .dtype = FGT_F32};
    const fgt_view           x = draw_view(w, &right, false), graph = draw_view(w, &right, false);
    const fgt_statistic_opts o = {
        .size = sizeof o, .graph = pick(w, 4) ? NULL : &graph, .first = draw_size(w)};
    if (x.rank < 2 || fgt_view_count(&x) / 2 > (int64_t)(sizeof out / sizeof *out)) return;
    SAY(w->ctx, fgt_statistic_compute(w->ctx, pick(w, FGT_STATISTIC_COUNT + 2) - 1, &o, &x, out));
}

static const operation list[] = {
    {"fgt_statistic_compute", statistic, true, false},
};
const operations calls_of_analysis = {list, sizeof list / sizeof *list};
