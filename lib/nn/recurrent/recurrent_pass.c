/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent_pass.h"

#include <string.h>

#include "nn/recurrent/recurrent_panels.h"

/* Number of sequences in a block: as many whole tiles of the product as fit into 16 rows, so that there are
 * many blocks. If W and U are large, a block has 64 rows, so that W and U are read fewer times. */
#define BLOCK       16
#define BLOCK_LARGE 64 /* = FGTI_TILE_MAX: no block has more rows */

/* ---- memory ---- */

static void recurrent_place_cache(fgti_recurrent_pass *p, fgti_real *base, int64_t *at)
{
    const int64_t all = p->o.layers * p->o.dirs, kept = p->o.last ? p->o.layers : p->o.layers - 1;
    p->a     = fgti_take(base, at, fgti_mul(fgti_mul(p->rows, p->slots), all));
    p->c     = fgti_take(base, at, p->cell->has_c ? fgti_mul(fgti_mul(p->rows, p->h), all) : 0);
    p->below = fgti_take(base, at, fgti_mul(p->wide, kept));
}

static void recurrent_place_scratch(fgti_recurrent_pass *p, bool backward, fgti_real *base, int64_t *at)
{
    const int64_t wide = fgti_mul(fgti_mul(p->rows, p->h), p->o.dirs);
    const bool    more = p->o.layers > 1;
    p->dropped         = fgti_take(base, at, more && p->o.dropout > 0 ? wide : 0);
    if (!backward) return;
    for (int64_t d = 0; d < p->o.dirs; d++) {
        const int64_t apart = p->weights.apart, common = p->gates - apart;
        p->turned[d] = fgti_packed_weight_take_small(p->l->blas, common, p->h, base, at);
        p->turned_apart[d] =
            fgti_packed_weight_take_small(p->l->blas, apart, p->h, base, at);
        p->h_in[d]         = fgti_take(base, at, fgti_mul(p->rows, p->h));
    }
    p->sum    = fgti_take(base, at, p->slots);
    p->zero   = fgti_take(base, at, p->h);
    p->dbelow = fgti_take(base, at, more ? wide : 0);
}

int64_t fgti_recurrent_place_arena(int64_t n, int64_t h, fgti_real *base, fgti_recurrent_arena *arena)
{
    int64_t at   = 0;
    arena->dh    = fgti_take(base, &at, fgti_mul(n, h));
    arena->dc    = fgti_take(base, &at, fgti_mul(n, h));
    arena->aside = fgti_take(base, &at, fgti_mul(2, fgti_mul(n, h)));
    return at;
}

static fgti_recurrent_pass recurrent_pass_of(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    fgti_recurrent_pass p = {.l = l, .cell = fgti_cell_of(l), .o = fgti_recurrent_conf_of(l)};
    p.time    = in.time;
    p.groups  = fgti_mul(batch, in.nodes);
    p.rows    = fgti_rows(batch, in);
    p.h       = p.o.hidden;
    p.gates   = fgti_mul(p.cell->gates, p.h);
    p.slots   = fgti_mul(p.cell->slots, p.h);
    p.weights = fgti_recurrent_weights_of(l, in.width);
    p.kn      = p.weights.kn;
    p.wide    = fgti_mul(fgti_mul(fgti_round_up(p.groups, p.kn->v), p.time), fgti_mul(p.h, p.o.dirs));
    p.wide += FGTI_TILE_AHEAD;
    return p;
}

void fgti_recurrent_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    fgti_recurrent_pass p = recurrent_pass_of(l, batch, in);
    fgti_recurrent_weights_place(&p.weights, NULL, &need->keep);
    recurrent_place_cache(&p, NULL, &need->cache);
    recurrent_place_scratch(&p, false, NULL, &need->scratch);
    recurrent_place_scratch(&p, true, NULL, &need->backward);
    fgti_recurrent_arena arena;
    need->arena              = fgti_recurrent_place_arena(BLOCK_LARGE, p.h, NULL, &arena);
    const fgti_panels panels = {.cell = p.cell, .kn = p.kn, .width = in.width, .h = p.h, .ldx = 1};
    if (p.weights.small && fgti_panels_arena(&panels) > need->arena) need->arena = fgti_panels_arena(&panels);
}

void fgti_recurrent_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    fgti_recurrent_weights w = fgti_recurrent_weights_of(l, io->in.width);
    fgti_recurrent_weights_place(&w, io->keep, &(int64_t){0});
    fgti_recurrent_weights_pack(&w, run, io, FGTI_WEIGHT_FOR_ROWS);
    if (w.small) fgti_recurrent_weights_pack(&w, run, io, FGTI_WEIGHT_FOR_PANELS);
    for (int32_t i = 0; i < l->params; i++) unread[i] = true;
}

fgti_recurrent_pass fgti_recurrent_begin(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                         bool backward)
{
    fgti_recurrent_pass p    = recurrent_pass_of(l, run->batch, io->in);
    int64_t             keep = 0, cache = 0, scratch = 0;
    fgti_recurrent_weights_place(&p.weights, io->keep, &keep);
    recurrent_place_cache(&p, io->cache, &cache);
    recurrent_place_scratch(&p, backward, io->scratch, &scratch);
    p.run = run;
    p.io  = io;
    if (backward) memset(p.zero, 0, (size_t)p.h * sizeof *p.zero);
    return p;
}

/* ---- the current layer ---- */

/* The number of the stacked layer is above bit 34 of the step, so each layer draws from its own stream: no
 * training has 2^34 steps. */
fgti_tail fgti_recurrent_dropout(const fgti_recurrent_pass *p)
{
    fgti_tail tail = fgti_tail_of(p->run, p->l, FGT_ACT_NONE, p->o.dropout, FGTI_DRAW_OUTPUT);
    tail.rng.stream ^= (uint64_t)p->layer << 34;
    return tail;
}

static void read_below(fgti_recurrent_pass *p)
{
    const fgti_tail tail = fgti_recurrent_dropout(p);
    p->x                 = p->layer ? fgti_recurrent_out(p, p->layer - 1) : p->io->x;
    if (!p->layer || tail.dropout == 0) return;
    fgti_tail_forward(p->run, &tail, p->rows * p->width, p->x, NULL, p->dropped);
    p->x = p->dropped;
}

void fgti_recurrent_enter(fgti_recurrent_pass *p, int64_t layer)
{
    const bool silent = layer == p->o.layers - 1 && p->o.last, training = p->run->differentiable;
    p->layer           = layer;
    p->width           = layer ? p->o.dirs * p->h : p->io->in.width;
    const int64_t most = p->gates * (p->h + p->width) > FGTI_WEIGHTS_SMALL ? BLOCK_LARGE : BLOCK;
    const int64_t tile = p->run->blas->tile_rows;
    p->block           = p->panels ? p->kn->v : tile < most ? most / tile * tile : tile;
    p->ahead           = !p->panels && p->groups <= p->block;
    p->a_kept          = training || p->ahead ? p->time : 1;
    p->c_kept          = training ? p->time : 1;
    p->h_kept          = training || !silent ? p->time : 1;
    for (int64_t d = 0; d < p->o.dirs; d++)
        for (int form = 0; form < FGTI_WEIGHT_FORMS; form++)
            if (form == FGTI_WEIGHT_FOR_PANELS ? p->panels > 0 : p->panels * p->kn->v < p->groups)
                p->packed[form][d] = fgti_recurrent_weights_at(&p->weights, (fgti_weight_form)form, layer, d);
    read_below(p);
}
