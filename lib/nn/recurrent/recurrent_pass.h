/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_PASS_H
#define FGTI_RECURRENT_PASS_H

#include "nn/recurrent/recurrent_plan.h"
#include "nn/recurrent/recurrent_weights.h"
#include "nn/rows.h"

/* A pass through the stacked layers, one at a time, and its memory. Arrays for each layer and direction have
 * the index `layer * dirs + direction`. */
typedef struct fgti_recurrent_pass {
    const fgti_run        *run;
    const fgti_layer      *l;
    const fgti_io         *io;
    const fgti_recurrent_cell *cell;
    const fgti_kernel     *kn;
    const int32_t         *padding; /* [B,T], or NULL */
    fgti_recurrent_conf    o;
    int64_t                groups, time, rows, h; /* R = G T rows */
    int64_t                    gates, slots; /* rows of W and numbers kept for a step, H for each gate or
                                                   * slot */
    int64_t                panels;                /* the first `panels` blocks are run in panels */
    fgti_recurrent_weights weights;
    /* cache */
    fgti_real *a, *c; /* [layers,dirs,R,slots] and [..,R,H] */
    fgti_real *below; /* outputs of the layers that are not y: [layers,R,dirs H], or with panels [..,T,dirs
                       * H,v] */
    int64_t    wide;  /* elements of one output in `below`, with room for whole panels */
    /* scratch */
    fgti_packed_weight turned[2], turned_apart[2]; /* backward: U of each direction, packed by
                                                    * pack_backward() */
    fgti_real         *sum, *zero;                 /* column sums [slots]; zeros [H] */
    fgti_real         *dropped;                    /* [R,dirs H], the operand of W */
    fgti_real         *h_in[2]; /* [R,H], the operand of U; with chunks, their sums */
    fgti_real         *dbelow;  /* [R,dirs H] */
    /* the current layer */
    int64_t                layer, width; /* width of x */
    fgti_direction_weights packed[FGTI_WEIGHT_FORMS][2];
    const fgti_real       *x, *dy;
    int64_t                block;
    int64_t                chunks; /* backward: chunks of a direction, see recurrent_sums.h, or 0 */
    fgti_real             *dx;     /* backward: the gradient of x if chunks compute it; otherwise NULL */
    bool                   ahead;                  /* x W' of all steps is computed before the first step */
    int64_t                a_kept, c_kept, h_kept; /* number of steps that a, c and h hold: T, or 1 */
} fgti_recurrent_pass;

/* Memory of a task in its worker's arena for a block of n rows: the gradients of h and c, and the states that
 * padding saves, [2,n,H]. */
typedef struct fgti_recurrent_arena {
    fgti_real *dh, *dc, *aside;
} fgti_recurrent_arena;

/* Members of the class: the memory of a pass, and weights that are packed before the first one. */
void fgti_recurrent_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need);
void fgti_recurrent_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread);

/* Takes memory for n rows; base == NULL only counts. Returns its elements. */
int64_t fgti_recurrent_place_arena(int64_t n, int64_t h, fgti_real *base, fgti_recurrent_arena *arena);

/* Returns a pass with its memory. It has no current layer yet. */
fgti_recurrent_pass fgti_recurrent_begin(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                         bool backward);
/* Makes `layer` the current one: its input, the blocks of its sequences, the number of steps it keeps. */
void fgti_recurrent_enter(fgti_recurrent_pass *p, int64_t layer);
/* Dropout between stacked layers. */
fgti_tail fgti_recurrent_dropout(const fgti_recurrent_pass *p);

/* The output of a stacked layer [R,dirs H]. */
static inline fgti_real *fgti_recurrent_out(const fgti_recurrent_pass *p, int64_t layer)
{
    if (layer == p->o.layers - 1 && !p->o.last) return p->io->y;
    return p->below + layer * p->wide;
}

/* The gates of all steps in one direction of the current layer [R,slots]. */
static inline fgti_real *fgti_recurrent_a(const fgti_recurrent_pass *p, int64_t d)
{
    return p->a + (p->layer * p->o.dirs + d) * p->rows * p->slots;
}

#endif
