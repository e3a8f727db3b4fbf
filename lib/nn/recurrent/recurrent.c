/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacked layer k reads x_k in each direction: x_0 is the input, and x_k is the output of layer k-1 after
 * dropout.
 *     h_t = cell(x_t W' + h_{t-1} U', b)          W = weight_ih [gates,D], U = weight_hh [gates,H]
 *
 * The G = B N sequences are cut into blocks. A task takes one block and one direction through all time steps.
 * So there is no synchronisation inside the loop over time, and the next step finds the results of a step in
 * the first cache. W and U are packed once for all blocks, and stay packed from pass to pass until the
 * weights change. If there is only one block, x W' of all steps is computed before the first step, as one
 * product that all workers share.
 *
 * Arrays over time are [G,T,width], so the rows of a block at one step are T widths apart. A prediction does
 * not keep the data that only the backward pass reads: every step overwrites the data of the previous step.
 * The large blocks of a prediction are run in panels (recurrent_panels.h). */
#include "nn/recurrent/recurrent.h"

#include <string.h>

#include "nn/masks.h"
#include "nn/recurrent/recurrent_padding.h"
#include "nn/recurrent/recurrent_panels.h"
#include "nn/recurrent/recurrent_sums.h"

typedef fgti_recurrent_pass  pass;
typedef fgti_recurrent_arena block_arena;

/* Number of tiles of rows in a task, if x W' of all steps is computed before the first step. */
#define AHEAD 8

/* ---- the plan of a pass ---- */

/* Returns the number of blocks that are run in panels. The last block may be partly filled. It is run in
 * panels unless its sequences need fewer tiles as rows. Rows and panels give the same bits. Padding is
 * implemented for rows only. */
static int64_t panels_of(const pass *p)
{
    const int64_t v = p->kn->v, rest = p->groups % v;
    if (p->run->differentiable || p->padding || !p->weights.small || !p->run->blas->microkernel) return 0;
    return p->groups / v + (fgti_round_up(rest, p->kn->u) >= v);
}

/* Returns the number of a parameter of direction d in the current layer. */
static int recurrent_param_of(const pass *p, int64_t d, int which)
{
    return fgti_recurrent_param(&p->o, p->layer, d, which);
}

/* ---- steps of a block of rows ---- */

typedef struct block {
    int64_t d, row, n;   /* direction; first row and number of rows */
    int64_t first_state; /* offset of the block's states in the array of the states of all layers */
    bool    in_panels;
} block;

static int64_t blocks_of(const pass *p)
{
    return (p->groups + p->block - 1) / p->block;
}

static block recurrent_block_of(const pass *p, int64_t task)
{
    const int64_t blocks = blocks_of(p);
    block         b      = {.d = task / blocks, .row = task % blocks * p->block};
    b.n                  = p->groups - b.row < p->block ? p->groups - b.row : p->block;
    b.first_state        = ((p->layer * p->o.dirs + b.d) * p->groups + b.row) * p->h;
    b.in_panels          = task % blocks < p->panels;
    return b;
}

/* Returns the row of the block's first sequence at the block's i-th step, in an array that holds `kept`
 * steps. The second direction goes backwards through time. */
static int64_t token(const pass *p, const block *b, int64_t kept, int64_t i)
{
    return b->row * kept + (kept == 1 ? 0 : b->d ? p->time - 1 - i : i);
}

static fgti_real *h_at(const pass *p, const block *b, int64_t i)
{
    return fgti_recurrent_out(p, p->layer) + token(p, b, p->h_kept, i) * p->o.dirs * p->h + b->d * p->h;
}

static fgti_real *c_at(const pass *p, const block *b, int64_t i)
{
    if (!p->cell->has_c) return NULL;
    return p->c + ((p->layer * p->o.dirs + b->d) * p->rows + token(p, b, p->c_kept, i)) * p->h;
}

/* Returns the i-th step, with its gates and the states before and after it. */
static fgti_step recurrent_step_of(const pass *p, const block *b, int64_t i)
{
    fgti_step s = {.rows    = b->n,
                   .h       = p->h,
                   .a       = fgti_recurrent_a(p, b->d) + token(p, b, p->a_kept, i) * p->slots,
                   .b       = p->packed[FGTI_WEIGHT_FOR_ROWS][b->d].b,
                   .h_out   = h_at(p, b, i),
                   .c_out   = c_at(p, b, i),
                   .lda     = p->a_kept * p->slots,
                   .ldh_out = p->h_kept * p->o.dirs * p->h,
                   .ldc_out = p->c_kept * p->h,
                   .relu    = p->o.relu};
    if (i) {
        s.h_in   = h_at(p, b, i - 1);
        s.c_in   = c_at(p, b, i - 1);
        s.ldh_in = s.ldh_out;
        s.ldc_in = s.ldc_out;
    } else {
        s.h_in   = p->io->state[0] + b->first_state;
        s.c_in   = p->cell->has_c ? p->io->state[1] + b->first_state : NULL;
        s.ldh_in = s.ldc_in = p->h;
    }
    return s;
}

static fgti_padding recurrent_padding_of(const pass *p, const block *b, int64_t i)
{
    return (fgti_padding){p->padding ? p->padding + (b->d ? p->time - 1 - i : i) : NULL, b->row,
                          p->io->in.nodes, p->time};
}

static void recurrent_copy_rows(int64_t rows, int64_t n, const fgti_real *src, int64_t lds, fgti_real *dst,
                                int64_t ldd)
{
    for (int64_t r = 0; r < rows; r++) memcpy(dst + r * ldd, src + r * lds, (size_t)n * sizeof *dst);
}

/* ---- forward ---- */

/* y (+)= x W for a block of m rows at step i */
static void recurrent_multiply(const pass *p, void *scratch, int64_t i, int64_t m,
                               const fgti_packed_weight *w, const fgti_real *x, int64_t ldx, bool add,
                               fgti_real *y, int64_t ldy)
{
    fgti_packed_weight_multiply(w, p->run->blas, p->run->vec, scratch, m, x, ldx, add, y, ldy, i % 2);
}

/* Computes x W' for some rows, which may belong to any steps. */
static void ahead_task(void *arg, int64_t task, int32_t worker)
{
    const pass   *p    = arg;
    const int64_t most = AHEAD * p->run->blas->tile_rows, parts = fgti_parts(p->rows, most);
    const int64_t d = task / parts, row = task % parts * most;
    recurrent_multiply(p, fgti_worker_scratch(p->run->exec, worker), task, fgti_least(most, p->rows - row),
                       &p->packed[FGTI_WEIGHT_FOR_ROWS][d].w, p->x + row * p->width, p->width, false,
                       fgti_recurrent_a(p, d) + row * p->slots, p->slots);
}

static void run_ahead(pass *p)
{
    const int64_t parts = fgti_parts(p->rows, AHEAD * p->run->blas->tile_rows);
    fgti_parallel(p->run->exec, p->o.dirs * parts, ahead_task, p);
}

/* Runs all steps of a block in panels. Between stacked layers, the block's part of `below` is a sequence of
 * panels. */
static void run_panels(const pass *p, const block *b, fgti_real *arena)
{
    const int64_t v = p->kn->v, wide = p->o.dirs * p->h;
    fgti_panels   panels = {.run      = p->run,
                            .cell     = p->cell,
                            .kn       = p->kn,
                            .rows     = b->n,
                            .time     = p->time,
                            .width    = p->width,
                            .h        = p->h,
                            .reversed = b->d > 0,
                            .relu     = p->o.relu,
                            .weights  = p->packed[FGTI_WEIGHT_FOR_PANELS][b->d],
                            .x        = p->x + b->row * p->time * p->width,
                            .ldx      = p->layer ? 0 : p->time * p->width,
                            .stepx    = p->layer ? wide * v : p->width};
    if (p->h_kept == p->time) {
        const bool    top = p->layer == p->o.layers - 1;
        const int64_t at  = b->row * p->time * wide + b->d * p->h * (top ? 1 : v);
        panels.y         = fgti_recurrent_out(p, p->layer) + at;
        panels.ldy       = top ? p->time * wide : 0;
        panels.stepy     = top ? wide : wide * v;
    }
    for (int i = 0; i < 1 + p->cell->has_c; i++) {
        panels.start[i] = p->io->state[i] + b->first_state;
        panels.end[i]   = p->io->state_end[i] + b->first_state;
    }
    fgti_panels_run(&panels, arena);
}

/* a = x W' + h U'. In the GRU the last gate uses h U' separately, so its h U' is stored after the gates. */
static void step_gates(const pass *p, const block *b, int64_t i, const fgti_step *s, void *scratch)
{
    const fgti_direction_weights *w = &p->packed[FGTI_WEIGHT_FOR_ROWS][b->d];
    const fgti_real              *x = p->x + token(p, b, p->time, i) * p->width;
    if (!p->ahead) recurrent_multiply(p, scratch, i, b->n, &w->w, x, p->time * p->width, false, s->a, s->lda);
    recurrent_multiply(p, scratch, i, b->n, &w->u, s->h_in, s->ldh_in, true, s->a, s->lda);
    if (w->apart.n)
        recurrent_multiply(p, scratch, i, b->n, &w->apart, s->h_in, s->ldh_in, false, s->a + p->gates,
                           s->lda);
}

static void recurrent_forward_task(void *arg, int64_t task, int32_t worker)
{
    const pass *p       = arg;
    const block b       = recurrent_block_of(p, task);
    void       *scratch = fgti_worker_scratch(p->run->exec, worker);
    fgti_real  *memory  = fgti_worker_arena(p->io, worker);
    fgti_step   s       = {0};
    block_arena arena;
    if (b.in_panels) {
        run_panels(p, &b, memory);
        return;
    }
    fgti_recurrent_place_arena(b.n, p->h, memory, &arena);
    for (int64_t i = 0; i < p->time; i++) {
        const fgti_padding padding = recurrent_padding_of(p, &b, i);
        s                          = recurrent_step_of(p, &b, i);
        step_gates(p, &b, i, &s, scratch);
        fgti_padding_save(&padding, &s, arena.aside);
        p->run->vec->cells[p->cell->kind].forward(&s);
        fgti_padding_restore(&padding, &s, arena.aside);
    }
    recurrent_copy_rows(b.n, p->h, s.h_out, s.ldh_out, p->io->state_end[0] + b.first_state, p->h);
    if (s.c_out)
        recurrent_copy_rows(b.n, p->h, s.c_out, s.ldc_out, p->io->state_end[1] + b.first_state, p->h);
}

/* a = x W' [+ b];  h_t = cell(a_t, h_{t-1} U')       x [R,D], W [gates,D], U [gates,H] */
fgt_status fgti_recurrent_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass          p   = fgti_recurrent_begin(run, l, io, false);
    const int64_t top = (p.o.layers - 1) * p.o.dirs;
    FGTI_TRY(fgti_key_padding(run, io->in.time, &p.padding));
    p.panels = panels_of(&p);
    if (p.panels) fgti_recurrent_weights_pack(&p.weights, run, io, FGTI_WEIGHT_FOR_PANELS);
    if (p.panels * p.kn->v < p.groups) fgti_recurrent_weights_pack(&p.weights, run, io, FGTI_WEIGHT_FOR_ROWS);
    for (int64_t k = 0; k < p.o.layers; k++) {
        fgti_recurrent_enter(&p, k);
        if (p.ahead) run_ahead(&p);
        fgti_parallel(run->exec, p.o.dirs * blocks_of(&p), recurrent_forward_task, &p);
    }
    for (int64_t d = 0; d < p.o.dirs && p.o.last; d++)
        recurrent_copy_rows(p.groups, p.h, io->state_end[0] + (top + d) * p.groups * p.h, p.h,
                            io->y + d * p.h, p.o.dirs * p.h);
    return FGT_OK;
}

/* ---- backward ---- */

/* Sets dy, the gradient of the i-th step's output. With the option `last`, the top layer has a gradient only
 * at the last step. */
static void set_dy(const pass *p, const block *b, int64_t i, fgti_step *s)
{
    const int64_t wide = p->o.dirs * p->h;
    const bool    last = p->o.last && p->layer == p->o.layers - 1, none = last && i < p->time - 1;
    const int64_t row = last ? b->row : token(p, b, p->time, i);
    s->dy             = none ? p->zero : p->dy + row * wide + b->d * p->h;
    s->lddy           = none ? 0 : last ? wide : p->time * wide;
}

/* dh = da U. In the GRU the last gate uses h U' separately: the gradient of its h U' has a slot of its own,
 * and the cell has already left a part of the gradient in dh, to which da U is added. */
static void through_u(const pass *p, const block *b, int64_t i, const fgti_step *s, void *scratch)
{
    const fgti_packed_weight *u = &p->turned[b->d], *apart = &p->turned_apart[b->d];
    recurrent_multiply(p, scratch, i, b->n, u, s->a, s->lda, apart->k > 0, s->dh, p->h);
    if (apart->k) recurrent_multiply(p, scratch, i, b->n, apart, s->a + p->gates, s->lda, true, s->dh, p->h);
}

static void backward_block(const pass *p, const block *b, int32_t worker)
{
    void        *scratch = fgti_worker_scratch(p->run->exec, worker);
    const size_t size    = (size_t)(b->n * p->h) * sizeof(fgti_real);
    block_arena  arena;
    fgti_recurrent_place_arena(b->n, p->h, fgti_worker_arena(p->io, worker), &arena);
    memset(arena.dh, 0, size);
    memset(arena.dc, 0, size);
    for (int64_t i = p->time - 1; i >= 0; i--) {
        fgti_step s = recurrent_step_of(p, b, i);
        s.dh        = arena.dh;
        s.dc        = arena.dc;
        set_dy(p, b, i, &s);
        const fgti_padding padding = recurrent_padding_of(p, b, i);
        fgti_padding_save_grad(&padding, p->run->vec, &s, arena.aside);
        p->run->vec->cells[p->cell->kind].backward(&s);
        through_u(p, b, i, &s, scratch);
        fgti_padding_restore_grad(&padding, &s, p->slots, arena.aside);
        if (!p->chunks)
            recurrent_copy_rows(b->n, p->h, s.h_in, s.ldh_in, p->h_in[b->d] + token(p, b, p->time, i) * p->h,
                                p->time * p->h);
    }
    memcpy(p->io->dstate[0] + b->first_state, arena.dh, size);
    if (p->cell->has_c) memcpy(p->io->dstate[1] + b->first_state, arena.dc, size);
}

static void recurrent_backward_task(void *arg, int64_t task, int32_t worker)
{
    const block b = recurrent_block_of(arg, task);
    backward_block(arg, &b, worker);
}

/* Runs the blocks of a chunk. Adds the contribution of each block to the chunk's sums for the gradients of
 * the weights. */
static void recurrent_chunk_task(void *arg, int64_t task, int32_t worker)
{
    const pass   *p = arg;
    const int64_t d = task / p->chunks, chunk = task % p->chunks, blocks = blocks_of(p);
    const int64_t first = blocks * chunk / p->chunks, end = blocks * (chunk + 1) / p->chunks;
    for (int64_t i = first; i < end; i++) {
        const block b = recurrent_block_of(p, d * blocks + i);
        backward_block(p, &b, worker);
        fgti_recurrent_sums_add(p, d, chunk, i == first, b.row * p->time, b.n * p->time,
                                p->io->state[0] + b.first_state, fgti_worker_arena(p->io, worker), p->dx);
    }
}

/* Packs U of the gates whose h U' is added to x W'. For the GRU, packs also U of the last gate, which uses h
 * U' separately. */
static void pack_backward(const pass *p, int64_t d)
{
    const fgti_real *u = fgti_w(p->l, p->io, recurrent_param_of(p, d, FGTI_W_HH));
    fgti_packed_weight_fill(&p->turned[d], p->run->blas, NULL, u, p->h, 1);
    fgti_packed_weight_fill(&p->turned_apart[d], p->run->blas, NULL, u + p->turned[d].k * p->h, p->h, 1);
}

/* db_ih += sum_t da and db_hh += sum_t da. In db_hh, a gate that uses h U' separately gets the sum of its own
 * slot instead */
static void bias_gradients(const pass *p, int64_t d)
{
    const fgti_vec *vec   = p->run->vec;
    const int64_t   apart = p->slots - p->gates, common = p->gates - apart;
    fgti_real      *hh;
    if (p->o.no_bias) return;
    vec->axpy(p->gates, 1, p->sum, fgti_dw(p->l, p->io, recurrent_param_of(p, d, FGTI_B_IH)));
    hh = fgti_dw(p->l, p->io, recurrent_param_of(p, d, FGTI_B_HH));
    vec->axpy(common, 1, p->sum, hh);
    vec->axpy(apart, 1, p->sum + p->gates, hh + common);
}

/* dx = da W, summed over both directions */
static void input_gradient(const pass *p, int64_t d, fgti_real *dx)
{
    fgti_affine_grad(p->run, p->rows, p->width, p->gates, p->x,
                     fgti_w(p->l, p->io, recurrent_param_of(p, d, FGTI_W_IH)), fgti_recurrent_a(p, d),
                     p->slots, NULL, NULL, dx, d > 0);
}

/* dW += da'x and dU += da'h_in, as products of all rows; also computes the sum for db */
static void weight_gradients(const pass *p, int64_t d)
{
    const int64_t    apart = p->slots - p->gates, common = p->gates - apart;
    const fgti_real *da = fgti_recurrent_a(p, d);
    fgti_real       *du = fgti_dw(p->l, p->io, recurrent_param_of(p, d, FGTI_W_HH));
    fgti_affine_grad(p->run, p->rows, p->width, p->gates, p->x, NULL, da, p->slots,
                     fgti_dw(p->l, p->io, recurrent_param_of(p, d, FGTI_W_IH)), NULL, NULL, false);
    fgti_affine_grad(p->run, p->rows, p->h, common, p->h_in[d], NULL, da, p->slots, du, NULL, NULL, false);
    if (apart)
        fgti_affine_grad(p->run, p->rows, p->h, apart, p->h_in[d], NULL, da + p->gates, p->slots,
                         du + common * p->h, NULL, NULL, false);
    memset(p->sum, 0, (size_t)p->slots * sizeof *p->sum);
    if (!p->o.no_bias) fgti_column_sum(p->run, p->rows, p->slots, p->slots, da, p->sum);
}

/* Computes the gradients of the current layer, and of its input if dx is not NULL. */
static void layer_gradients(pass *p, fgti_real *dx)
{
    const int64_t blocks = blocks_of(p);
    p->chunks            = fgti_recurrent_chunks(p, blocks);
    p->dx                = p->chunks && fgti_recurrent_sums_dx(p) ? dx : NULL;
    fgti_parallel(p->run->exec, p->o.dirs * (p->chunks ? p->chunks : blocks),
                  p->chunks ? recurrent_chunk_task : recurrent_backward_task, p);
    for (int64_t d = 0; d < p->o.dirs; d++) {
        if (p->chunks)
            fgti_recurrent_sums_end(p, d, p->chunks, p->sum);
        else
            weight_gradients(p, d);
        bias_gradients(p, d);
        if (dx && !p->dx) input_gradient(p, d, dx);
    }
}

/* Goes from the last layer to the first, and from the last step to the first. da overwrites a. */
fgt_status fgti_recurrent_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass p = fgti_recurrent_begin(run, l, io, true);
    p.dy   = io->dy;
    FGTI_TRY(fgti_key_padding(run, io->in.time, &p.padding));
    for (int64_t k = p.o.layers - 1; k >= 0; k--) {
        fgti_real *dx = k ? p.dbelow : io->dx;
        fgti_recurrent_enter(&p, k);
        for (int64_t d = 0; d < p.o.dirs; d++) pack_backward(&p, d);
        layer_gradients(&p, dx);
        const fgti_tail tail = fgti_recurrent_dropout(&p);
        if (k && tail.dropout > 0) fgti_tail_backward(run, &tail, p.rows * p.width, p.x, dx, dx);
        p.dy = dx;
    }
    return FGT_OK;
}
