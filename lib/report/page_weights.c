/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights in the units and levels of the pictures. */
#include <math.h>

#include "core/sort.h"
#include "model/access.h"
#include "report/page.h"

#define NEARLY_SAME 0.8 /* upper bound of base / largest weight; page.js has the same number */

static int64_t frame_of(const fgti_page *p, const fgti_choice *c)
{
    return c->plane * p->r->hops + c->hop;
}

double fgti_weight(const fgti_page *p, const fgti_choice *c, int64_t row, int64_t column)
{
    const int64_t n = c->subject->side;
    const double  q = c->set->cell[(frame_of(p, c) * n + row) * n + column] / 255.0;
    return c->set->most[frame_of(p, c)] * q * q;
}

void fgti_weights(const fgti_page *p, const fgti_choice *c, double *weight)
{
    const int64_t n = c->subject->side;
    for (int64_t i = 0; i < n * n; i++) weight[i] = fgti_weight(p, c, i / n, i % n);
}

fgti_scale fgti_scale_of(const double *weight, int64_t count)
{
    fgti_scale s = {weight[0], weight[0]};
    for (int64_t i = 1; i < count; i++) {
        if (weight[i] < s.base) s.base = weight[i];
        if (weight[i] > s.most) s.most = weight[i];
    }
    if (s.base > NEARLY_SAME * s.most) s.base = NEARLY_SAME * s.most;
    return s;
}

int64_t fgti_level(double weight, fgti_scale s)
{
    return s.most > s.base && weight > s.base
               ? (int64_t)(sqrt((weight - s.base) / (s.most - s.base)) * (FGTI_REPORT_LEVELS - 1) + 0.5)
               : 0;
}

fgti_scale fgti_received(const fgti_page *p, const fgti_choice *c, int64_t row,
                         double weight[FGTI_REPORT_SIDE])
{
    const int64_t n = c->subject->side;
    for (int64_t j = 0; j < n; j++) {
        weight[j] = row < 0 ? 0 : fgti_weight(p, c, row, j);
        for (int64_t i = 0; row < 0 && i < n; i++) weight[j] += fgti_weight(p, c, i, j) / (double)n;
    }
    return fgti_scale_of(weight, n);
}

int64_t fgti_strongest(const fgti_page *p, const fgti_choice *c, int64_t k, fgt_edge *edges)
{
    const int64_t n    = c->subject->side;
    int64_t       came = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const fgt_edge e = {j, i, fgti_weight(p, c, i, j)};
            if (i != j && e.weight > 0)
                fgti_sort_offer(edges, k, sizeof e, came++, &e, fgti_edge_order, NULL);
        }
    if (came > k) came = k;
    fgti_sort(edges, came, sizeof *edges, fgti_edge_order, NULL);
    return came;
}

/* Chooses the first layer, with the current model (epoch 0) or, if it was not recorded, the last epoch. */
bool fgti_choose(const fgti_page *p, int64_t subject_name, fgti_choice *c)
{
    const fgti_subject *s = fgti_report_find(p->r, subject_name);
    *c                    = (fgti_choice){.subject = s};
    for (int64_t i = 0; s && i < p->r->sets; i++) {
        const fgti_frame_set *set = &p->r->set[i];
        if (set->subject != s - p->r->subject) continue;
        if (!c->set || set->layer < c->set->layer ||
            (set->layer == c->set->layer && c->set->epoch && (!set->epoch || set->epoch > c->set->epoch)))
            c->set = set;
    }
    return c->set != NULL;
}
