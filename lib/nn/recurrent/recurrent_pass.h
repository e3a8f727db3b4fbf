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
    int64_t                    gates, slots; /* gates: H for each gate, the rows of W; slots: H for each slot,
                                              * the numbers that a step keeps */
    int64_t                panels;                /* the first `panels` blocks are run in panels */
    fgti_recurrent_weights weights;
    /* cache */
    fgti_real *a, *c; /* [layers,dirs,R,slots] and [..,R,H] */
    fgti_real *below; /* outputs of all stacked layers but the last, whose output is y: [layers,R,dirs H], or
                       * with panels [..,T,dirs H,v] */
    int64_t    wide;  /* elements of one output in `below`, with room for whole panels */
    /* scratch */
    fgti_packed_weight turned[2], turned_apart[2]; /* backward: U of each direction, and U of a gate that uses
                                                    * h U' separately; packed by pack_backward() */
    fgti_real         *sum, *zero;                 /* sum: column sums [slots]; zero: zeros [H] */
    fgti_real         *dropped;                    /* [R,dirs H]: x after dropout, which W multiplies */
    fgti_real         *h_in[2]; /* [R,H]: h before each step, which U multiplies; with chunks, the sums of the
                                 * chunks */
    fgti_real         *dbelow;  /* [R,dirs H]: gradient of the output of the stacked layer below */
    /* the current layer */
    int64_t                layer, width; /* width of x */
    fgti_direction_weights packed[FGTI_WEIGHT_FORMS][2];
    const fgti_real       *x, *dy;
    int64_t                block;
    int64_t                chunks; /* backward: number of chunks of a direction (recurrent_sums.h), or 0 */
    fgti_real             *dx;     /* backward: the gradient of x if chunks compute it; otherwise NULL */
    bool                   ahead;                  /* x W' of all steps is computed before the first step */
    int64_t                a_kept, c_kept, h_kept; /* number of steps that a, c and h hold: T, or 1 */
} fgti_recurrent_pass;

/* Memory of a task in its worker's arena, for a block of n rows. dh and dc are the gradients of h and c;
 * aside [2,n,H] holds the states that padding saves. */
typedef struct fgti_recurrent_arena {
    fgti_real *dh, *dc, *aside;
} fgti_recurrent_arena;

/* Functions of the class: fgti_recurrent_size() sets the memory of a pass, and fgti_recurrent_prepare() packs
 * weights before the first pass. */
void fgti_recurrent_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need);
void fgti_recurrent_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread);

/* Takes memory for n rows, and returns its elements. With base == NULL the function only counts. */
int64_t fgti_recurrent_place_arena(int64_t n, int64_t h, fgti_real *base, fgti_recurrent_arena *arena);

/* Returns a pass with its memory. It has no current layer yet. */
fgti_recurrent_pass fgti_recurrent_begin(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                         bool backward);
/* Makes `layer` the current layer: sets its input, the size of its blocks, and the number of steps that it
 * keeps. */
void fgti_recurrent_enter(fgti_recurrent_pass *p, int64_t layer);
/* Returns the dropout between stacked layers. */
fgti_tail fgti_recurrent_dropout(const fgti_recurrent_pass *p);

/* Returns the output [R,dirs H] of a stacked layer. */
static inline fgti_real *fgti_recurrent_out(const fgti_recurrent_pass *p, int64_t layer)
{
    if (layer == p->o.layers - 1 && !p->o.last) return p->io->y;
    return p->below + layer * p->wide;
}

/* Returns the gates [R,slots] of all steps in one direction of the current layer. */
static inline fgti_real *fgti_recurrent_a(const fgti_recurrent_pass *p, int64_t d)
{
    return p->a + (p->layer * p->o.dirs + d) * p->rows * p->slots;
}

#endif
