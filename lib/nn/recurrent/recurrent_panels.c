/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent_panels.h"

/* The gates, x, h and c of one step, as panels. */
typedef struct panels {
    fgti_real *a, *x, *h, *c; /* [slots][v], [width][v], [h][v] */
} panels;

static int64_t recurrent_panels_layout(const fgti_panels *p, fgti_real *arena, panels *now)
{
    const int64_t v = p->kn->v, slots = fgti_mul(p->cell->slots, p->h);
    int64_t       at = 0;
    now->a           = fgti_take(arena, &at, fgti_mul(slots + p->kn->u, v)); /* whole tiles */
    now->x           = fgti_take(arena, &at, p->ldx ? fgti_mul(p->width, v) + FGTI_TILE_AHEAD : 0);
    now->h           = fgti_take(arena, &at, fgti_mul(p->h, v) + FGTI_TILE_AHEAD);
    now->c           = fgti_take(arena, &at, p->cell->has_c ? fgti_mul(p->h, v) : 0);
    return at;
}

int64_t fgti_panels_arena(const fgti_panels *p)
{
    panels any;
    return recurrent_panels_layout(p, NULL, &any);
}

/* a (+)= W' x, for a panel x */
static void recurrent_panels_multiply(const fgti_panels *p, const fgti_packed_weight *w, const fgti_real *x,
                                      bool add, fgti_real *a)
{
    fgti_tile_product(p->kn, w->n, w->k, 1, w->data, p->kn->u * w->k, x, add, a);
}

/* Returns x of token t as a panel. */
static const fgti_real *input(const fgti_panels *p, const panels *now, int64_t t)
{
    const fgti_real *x = p->x + t * p->stepx;
    if (!p->ldx) return x;
    fgti_pack_panel(p->kn->v, p->rows, p->width, x, p->ldx, 1, now->x);
    return now->x;
}

/* a = W x + U h. In the GRU the last gate uses U h separately, so its U h is stored after the gates. */
static void gates(const fgti_panels *p, const panels *now, const fgti_real *x, const fgti_real *h)
{
    const fgti_direction_weights *w = &p->weights;
    recurrent_panels_multiply(p, &w->w, x, false, now->a);
    recurrent_panels_multiply(p, &w->u, h, true, now->a);
    if (w->apart.n) recurrent_panels_multiply(p, &w->apart, h, false, now->a + w->w.n * p->kn->v);
}

static void to_rows(const fgti_panels *p, const fgti_real *panel, fgti_real *y, int64_t ldy)
{
    fgti_pack_transpose(p->h, p->rows, panel, p->kn->v, y, ldy);
}

static void recurrent_panels_from_rows(const fgti_panels *p, const fgti_real *rows, fgti_real *panel)
{
    fgti_pack_panel(p->kn->v, p->rows, p->h, rows, p->h, 1, panel);
}

/* a_t = W x_t + U h_{t-1},  h_t = cell(a_t). If y has panels, each h_t is written to y, and the next step
 * reads it there. */
void fgti_panels_run(const fgti_panels *p, fgti_real *arena)
{
    panels now;
    recurrent_panels_layout(p, arena, &now);
    const bool       stays = p->y && !p->ldy;
    const fgti_real *h     = now.h;
    recurrent_panels_from_rows(p, p->start[0], now.h);
    if (p->cell->has_c) recurrent_panels_from_rows(p, p->start[1], now.c);
    for (int64_t i = 0; i < p->time; i++) {
        const int64_t t     = p->reversed ? p->time - 1 - i : i;
        fgti_real    *h_out = stays ? p->y + t * p->stepy : now.h;
        gates(p, &now, input(p, &now, t), h);
        p->run->vec->cells[p->cell->kind].forward(&(fgti_step){.h     = p->h,
                                                               .v     = p->kn->v,
                                                               .a     = now.a,
                                                               .b     = p->weights.b,
                                                               .h_in  = h,
                                                               .c_in  = now.c,
                                                               .h_out = h_out,
                                                               .c_out = now.c,
                                                               .relu  = p->relu});
        if (p->ldy) to_rows(p, h_out, p->y + t * p->stepy, p->ldy);
        h = h_out;
    }
    to_rows(p, h, p->end[0], p->h);
    if (p->cell->has_c) to_rows(p, now.c, p->end[1], p->h);
}
