/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent_panels.h"

/* What a task has in its worker's arena. */
typedef struct places {
    fgti_real *a, *x, *h, *c; /* [slots][v], [width][v], [h][v] */
} places;

static int64_t place(const fgti_panels *p, fgti_real *room, places *to)
{
    const int64_t v = p->kn->v, slots = fgti_mul(p->cell->slots, p->h);
    int64_t       at = 0;
    to->a            = fgti_take(room, &at, fgti_mul(slots + p->kn->u, v)); /* whole tiles */
    to->x            = fgti_take(room, &at, p->ldx ? fgti_mul(p->width, v) + FGTI_TILE_AHEAD : 0);
    to->h            = fgti_take(room, &at, fgti_mul(p->h, v) + FGTI_TILE_AHEAD);
    to->c            = fgti_take(room, &at, p->cell->has_c ? fgti_mul(p->h, v) : 0);
    return at;
}

int64_t fgti_panels_room(const fgti_panels *p)
{
    places any;
    return place(p, NULL, &any);
}

/* a (+)= W x for n rows of weights */
static void times(const fgti_panels *p, int64_t n, int64_t k, const fgti_real *w, const fgti_real *x,
                  bool add, fgti_real *a)
{
    fgti_tile_product(p->kn, n, k, 1, w, p->kn->u * k, x, add, a);
}

static const fgti_real *input(const fgti_panels *p, const places *at, int64_t t)
{
    const fgti_real *x = p->x + t * p->stepx;
    if (!p->ldx) return x;
    fgti_pack_panel(p->kn->v, p->rows, p->width, x, p->ldx, 1, at->x);
    return at->x;
}

/* The gates of a gate that meets h apart stand behind the others. */
static void gates(const fgti_panels *p, const places *at, const fgti_real *x, const fgti_real *h)
{
    const int64_t all = p->cell->gates * p->h, apart = p->cell->slots * p->h - all;
    times(p, all, p->width, p->weights.w, x, false, at->a);
    times(p, all - apart, p->h, p->weights.u, h, true, at->a);
    if (apart) times(p, apart, p->h, p->weights.apart, h, false, at->a + all * p->kn->v);
}

static void to_rows(const fgti_panels *p, const fgti_real *panel, fgti_real *y, int64_t ldy)
{
    fgti_pack_transpose(p->h, p->rows, panel, p->kn->v, y, ldy);
}

static void from_rows(const fgti_panels *p, const fgti_real *rows, fgti_real *panel)
{
    fgti_pack_panel(p->kn->v, p->rows, p->h, rows, p->h, 1, panel);
}

void fgti_panels_run(const fgti_panels *p, fgti_real *room)
{
    places at;
    place(p, room, &at);
    const bool       kept = p->y && !p->ldy;
    const fgti_real *h    = at.h;
    from_rows(p, p->start[0], at.h);
    if (p->cell->has_c) from_rows(p, p->start[1], at.c);
    for (int64_t i = 0; i < p->time; i++) {
        const int64_t t   = p->reversed ? p->time - 1 - i : i;
        fgti_real    *now = kept ? p->y + t * p->stepy : at.h;
        gates(p, &at, input(p, &at, t), h);
        p->cell->forward(p->run->vec, &(fgti_step){.h     = p->h,
                                                   .v     = p->kn->v,
                                                   .a     = at.a,
                                                   .b     = p->weights.b,
                                                   .h_in  = h,
                                                   .c_in  = at.c,
                                                   .h_out = now,
                                                   .c_out = at.c,
                                                   .relu  = p->relu});
        if (p->ldy) to_rows(p, now, p->y + t * p->stepy, p->ldy);
        h = now;
    }
    to_rows(p, h, p->end[0], p->h);
    if (p->cell->has_c) to_rows(p, at.c, p->end[1], p->h);
}
