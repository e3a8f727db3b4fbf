/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacked layer k reads x_k in each direction: x_0 is the input, x_k the output of layer k-1 after dropout.
 *     h_t = cell(x_t W' + h_{t-1} U', b)          W = weight_ih [gates,D], U = weight_hh [gates,H]
 *
 * The G = B N sequences are cut into blocks. A task takes one block and one direction through all time steps:
 * there is no synchronisation inside the loop over time, and what one step writes is in the first cache for
 * the next. W and U are packed once for all blocks, and stay packed from pass to pass until the weights
 * change. If there is only one block, x W' of all steps is computed first, as one product in which all
 * workers share.
 *
 * Arrays over time are [G,T,width], so the rows of a block at one step are T widths apart. A prediction does
 * not keep what only backward reads: every step writes it to the same place. Its large blocks are run in
 * panels (recurrent_panels.h). */
#include "nn/recurrent/recurrent.h"

#include <string.h>

#include "nn/masks.h"
#include "nn/recurrent/recurrent_padding.h"
#include "nn/recurrent/recurrent_panels.h"
#include "nn/recurrent/recurrent_weights.h"

/* Sequences of a block: as many whole tiles of the product as fit into 16 rows, so that there are many
 * blocks. Where W and U are large, 64: then they are read fewer times. */
#define BLOCK       16
#define BLOCK_LARGE 64 /* = FGTI_TILE_MAX: no block has more rows */

/* When x W' of all steps is computed before the first one: tiles of rows that a task takes. */
#define AHEAD 8

/* ---- a pass ---- */

/* A pass through the stacked layers, one at a time, and its memory. Arrays for each layer and direction have
 * the index `layer * dirs + direction`. */
typedef struct pass {
    const fgti_run        *run;
    const fgti_layer      *l;
    const fgti_io         *io;
    const fgti_cell       *cell;
    const fgti_kernel     *kn;
    const int32_t         *padding; /* [B,T], or NULL */
    fgti_recurrent_conf    o;
    int64_t                groups, time, rows, h; /* R = G T rows */
    int64_t                gates, slots;          /* times H */
    int64_t                panels;                /* the first so many blocks are run in panels */
    fgti_recurrent_weights weights;
    /* cache */
    fgti_real *a, *c; /* [layers,dirs,R,slots] and [..,R,H] */
    fgti_real *below; /* [layers,R,dirs H] of the layers whose output is not y; of panels [..,T,dirs H,v] */
    int64_t    wide;  /* elements of one of them: all panels are whole */
    /* scratch */
    fgti_packed_weight turned[2], turned_apart[2]; /* backward: U of each direction, see pack_backward() */
    fgti_real         *sum, *zero;                 /* column sums [slots]; zeros [H] */
    fgti_real         *dropped, *h_in[2];          /* [R,dirs H] and [R,H]: what W and U were multiplied by */
    fgti_real         *dbelow;                     /* [R,dirs H] */
    /* the current layer */
    int64_t                layer, width; /* of x */
    fgti_direction_weights packed[FGTI_WEIGHT_FORMS][2];
    const fgti_real       *x, *dy;
    int64_t                block;
    bool                   ahead;                  /* x W' of all steps is computed before the first one */
    int64_t                a_kept, c_kept, h_kept; /* how many steps a, c and h hold: T, or 1 */
} pass;

static void place_cache(pass *p, fgti_real *base, int64_t *at)
{
    const int64_t all = p->o.layers * p->o.dirs, kept = p->o.last ? p->o.layers : p->o.layers - 1;
    p->a     = fgti_take(base, at, fgti_mul(fgti_mul(p->rows, p->slots), all));
    p->c     = fgti_take(base, at, p->cell->has_c ? fgti_mul(fgti_mul(p->rows, p->h), all) : 0);
    p->below = fgti_take(base, at, fgti_mul(p->wide, kept));
}

static void place_scratch(pass *p, bool backward, fgti_real *base, int64_t *at)
{
    const int64_t wide = fgti_mul(fgti_mul(p->rows, p->h), p->o.dirs);
    const bool    more = p->o.layers > 1;
    p->dropped         = fgti_take(base, at, more && p->o.dropout > 0 ? wide : 0);
    if (!backward) return;
    for (int64_t d = 0; d < p->o.dirs; d++) {
        const int64_t apart = p->weights.apart, common = p->gates - apart;
        p->turned[d]       = fgti_packed_weight_take(FGTI_WEIGHT_FOR_ROWS, common, p->h, base, at);
        p->turned_apart[d] = fgti_packed_weight_take(FGTI_WEIGHT_FOR_ROWS, apart, p->h, base, at);
        p->h_in[d]         = fgti_take(base, at, fgti_mul(p->rows, p->h));
    }
    p->sum    = fgti_take(base, at, p->slots);
    p->zero   = fgti_take(base, at, p->h);
    p->dbelow = fgti_take(base, at, more ? wide : 0);
}

/* What a task has in its worker's arena for a block of n rows: the gradients of h and c, and what padding
 * puts aside, [2,n,H]. */
typedef struct block_arena {
    fgti_real *dh, *dc, *aside;
} block_arena;

static int64_t place_arena(int64_t n, int64_t h, fgti_real *base, block_arena *arena)
{
    int64_t at   = 0;
    arena->dh    = fgti_take(base, &at, fgti_mul(n, h));
    arena->dc    = fgti_take(base, &at, fgti_mul(n, h));
    arena->aside = fgti_take(base, &at, fgti_mul(2, fgti_mul(n, h)));
    return at;
}

static pass pass_of(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    pass p    = {.l = l, .cell = fgti_cell_of(l), .o = fgti_recurrent_conf_of(l), .time = in.time};
    p.groups  = fgti_mul(batch, in.nodes);
    p.rows    = fgti_rows(batch, in);
    p.h       = p.o.hidden;
    p.gates   = fgti_mul(p.cell->gates, p.h);
    p.slots   = fgti_mul(p.cell->slots, p.h);
    p.kn      = fgti_tile_kernel(l->blas);
    p.weights = fgti_recurrent_weights_of(l, in.width);
    p.wide    = fgti_mul(fgti_mul(fgti_round_up(p.groups, p.kn->v), p.time), fgti_mul(p.h, p.o.dirs));
    p.wide += FGTI_TILE_AHEAD;
    return p;
}

void fgti_recurrent_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    pass p = pass_of(l, batch, in);
    fgti_recurrent_weights_place(&p.weights, NULL, &need->keep);
    place_cache(&p, NULL, &need->cache);
    place_scratch(&p, true, NULL, &need->scratch);
    block_arena arena;
    need->arena              = place_arena(BLOCK_LARGE, p.h, NULL, &arena);
    const fgti_panels panels = {.cell = p.cell, .kn = p.kn, .width = in.width, .h = p.h, .ldx = 1};
    if (p.weights.small && fgti_panels_arena(&panels) > need->arena) need->arena = fgti_panels_arena(&panels);
}

/* How many blocks are run in panels. The last, partly filled one is among them unless its sequences fill
 * fewer tiles as rows. Rows and panels give the same bits. Padding is implemented for rows only. */
static int64_t panels_of(const pass *p)
{
    const int64_t v = p->kn->v, rest = p->groups % v;
    if (p->run->differentiable || p->padding || !p->weights.small || !p->run->blas->microkernel) return 0;
    return p->groups / v + (fgti_round_up(rest, p->kn->u) >= v);
}

static pass begin(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool backward)
{
    pass    p    = pass_of(l, run->batch, io->in);
    int64_t keep = 0, cache = 0, scratch = 0;
    fgti_recurrent_weights_place(&p.weights, io->keep, &keep);
    place_cache(&p, io->cache, &cache);
    place_scratch(&p, backward, io->scratch, &scratch);
    p.run = run;
    p.io  = io;
    if (backward) memset(p.zero, 0, (size_t)p.h * sizeof *p.zero);
    return p;
}

/* Number of a parameter of direction d in the current layer. */
static int param_of(const pass *p, int64_t d, int which)
{
    return fgti_recurrent_param(&p->o, p->layer, d, which);
}

/* The output of a stacked layer [R,dirs H]. */
static fgti_real *out_of(const pass *p, int64_t layer)
{
    if (layer == p->o.layers - 1 && !p->o.last) return p->io->y;
    return p->below + layer * p->wide;
}

static fgti_real *a_of(const pass *p, int64_t d)
{
    return p->a + (p->layer * p->o.dirs + d) * p->rows * p->slots;
}

/* Dropout between stacked layers. Each layer draws from a stream of its own: no training has 2^34 steps. */
static fgti_tail dropout_of(const pass *p)
{
    fgti_rng rng = fgti_layer_rng(p->run, p->l, FGTI_DRAW_OUTPUT);
    rng.stream ^= (uint64_t)p->layer << 34;
    return (fgti_tail){.act = FGTI_ACT_NONE, .dropout = p->o.dropout, .rng = rng};
}

static void read_below(pass *p)
{
    p->x = p->layer ? out_of(p, p->layer - 1) : p->io->x;
    if (!p->layer || !p->run->training || p->o.dropout == 0) return;
    const fgti_tail tail = dropout_of(p);
    fgti_tail_forward(p->run, &tail, p->rows * p->width, p->x, NULL, p->dropped);
    p->x = p->dropped;
}

/* Makes `layer` the current one: what it reads, how its sequences are cut into blocks, what it keeps. */
static void enter(pass *p, int64_t layer)
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

/* ---- steps of a block of rows ---- */

typedef struct block {
    int64_t d, row, n;   /* direction; first row and number of rows */
    int64_t first_state; /* offset of the block's states in those of all layers */
    bool    in_panels;
} block;

static int64_t blocks_of(const pass *p)
{
    return (p->groups + p->block - 1) / p->block;
}

static block block_of(const pass *p, int64_t task)
{
    const int64_t blocks = blocks_of(p);
    block         b      = {.d = task / blocks, .row = task % blocks * p->block};
    b.n                  = p->groups - b.row < p->block ? p->groups - b.row : p->block;
    b.first_state        = ((p->layer * p->o.dirs + b.d) * p->groups + b.row) * p->h;
    b.in_panels          = task % blocks < p->panels;
    return b;
}

/* Row of the block's first token at its i-th step, in an array that holds `kept` steps. The second direction
 * reads the time backwards. */
static int64_t token(const pass *p, const block *b, int64_t kept, int64_t i)
{
    return b->row * kept + (kept == 1 ? 0 : b->d ? p->time - 1 - i : i);
}

static fgti_real *h_at(const pass *p, const block *b, int64_t i)
{
    return out_of(p, p->layer) + token(p, b, p->h_kept, i) * p->o.dirs * p->h + b->d * p->h;
}

static fgti_real *c_at(const pass *p, const block *b, int64_t i)
{
    if (!p->cell->has_c) return NULL;
    return p->c + ((p->layer * p->o.dirs + b->d) * p->rows + token(p, b, p->c_kept, i)) * p->h;
}

/* The i-th step: gates, states before and after. */
static fgti_step step_of(const pass *p, const block *b, int64_t i)
{
    fgti_step s = {.rows    = b->n,
                   .h       = p->h,
                   .a       = a_of(p, b->d) + token(p, b, p->a_kept, i) * p->slots,
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

static fgti_padding padding_of(const pass *p, const block *b, int64_t i)
{
    return (fgti_padding){p->padding ? p->padding + (b->d ? p->time - 1 - i : i) : NULL, b->row,
                          p->io->in.nodes, p->time};
}

static void copy_rows(int64_t rows, int64_t n, const fgti_real *src, int64_t lds, fgti_real *dst, int64_t ldd)
{
    for (int64_t r = 0; r < rows; r++) memcpy(dst + r * ldd, src + r * lds, (size_t)n * sizeof *dst);
}

/* ---- forward ---- */

/* y (+)= x W for a block of m rows at step i */
static void multiply(const pass *p, void *scratch, int64_t i, int64_t m, const fgti_packed_weight *w,
                     const fgti_real *x, int64_t ldx, bool add, fgti_real *y, int64_t ldy)
{
    fgti_packed_weight_multiply(w, p->run->blas, scratch, m, x, ldx, add, y, ldy, i % 2);
}

/* Some rows of x W' of all steps. */
static void ahead_task(void *arg, int64_t task, int32_t worker)
{
    const pass   *p    = arg;
    const int64_t most = AHEAD * p->run->blas->tile_rows, parts = fgti_parts(p->rows, most);
    const int64_t d = task / parts, row = task % parts * most;
    multiply(p, fgti_worker_scratch(p->run->exec, worker), task, fgti_least(most, p->rows - row),
             &p->packed[FGTI_WEIGHT_FOR_ROWS][d].w, p->x + row * p->width, p->width, false,
             a_of(p, d) + row * p->slots, p->slots);
}

static void run_ahead(pass *p)
{
    const int64_t parts = fgti_parts(p->rows, AHEAD * p->run->blas->tile_rows);
    fgti_parallel(p->run->exec, p->o.dirs * parts, ahead_task, p);
}

/* All steps of a block in panels. Between layers, the block's part of `below` has one panel after the
 * other. */
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
        const bool top = p->layer == p->o.layers - 1;
        panels.y       = out_of(p, p->layer) + b->row * p->time * wide + b->d * p->h * (top ? 1 : v);
        panels.ldy     = top ? p->time * wide : 0;
        panels.stepy   = top ? wide : wide * v;
    }
    for (int i = 0; i < 1 + p->cell->has_c; i++) {
        panels.start[i] = p->io->state[i] + b->first_state;
        panels.end[i]   = p->io->state_end[i] + b->first_state;
    }
    fgti_panels_run(&panels, arena);
}

/* a = x W' + h U'; what a last gate has of h alone stands behind the other gates. */
static void step_gates(const pass *p, const block *b, int64_t i, const fgti_step *s, void *scratch)
{
    const fgti_direction_weights *w = &p->packed[FGTI_WEIGHT_FOR_ROWS][b->d];
    const fgti_real              *x = p->x + token(p, b, p->time, i) * p->width;
    if (!p->ahead) multiply(p, scratch, i, b->n, &w->w, x, p->time * p->width, false, s->a, s->lda);
    multiply(p, scratch, i, b->n, &w->u, s->h_in, s->ldh_in, true, s->a, s->lda);
    if (w->apart.n)
        multiply(p, scratch, i, b->n, &w->apart, s->h_in, s->ldh_in, false, s->a + p->gates, s->lda);
}

static void forward_task(void *arg, int64_t task, int32_t worker)
{
    const pass *p       = arg;
    const block b       = block_of(p, task);
    void       *scratch = fgti_worker_scratch(p->run->exec, worker);
    fgti_real  *memory  = p->io->arena + worker * p->io->arena_stride;
    fgti_step   s       = {0};
    block_arena arena;
    if (b.in_panels) {
        run_panels(p, &b, memory);
        return;
    }
    place_arena(b.n, p->h, memory, &arena);
    for (int64_t i = 0; i < p->time; i++) {
        const fgti_padding padding = padding_of(p, &b, i);
        s                          = step_of(p, &b, i);
        step_gates(p, &b, i, &s, scratch);
        fgti_padding_save(&padding, &s, arena.aside);
        p->cell->forward(p->run->vec, &s);
        fgti_padding_restore(&padding, &s, arena.aside);
    }
    copy_rows(b.n, p->h, s.h_out, s.ldh_out, p->io->state_end[0] + b.first_state, p->h);
    if (s.c_out) copy_rows(b.n, p->h, s.c_out, s.ldc_out, p->io->state_end[1] + b.first_state, p->h);
}

/* a = x W' [+ b];  h_t = cell(a_t, h_{t-1} U')       x [R,D], W [gates,D], U [gates,H] */
fgt_status fgti_recurrent_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass          p   = begin(run, l, io, false);
    const int64_t top = (p.o.layers - 1) * p.o.dirs;
    FGTI_TRY(fgti_key_padding(run, io->in.time, &p.padding));
    p.panels = panels_of(&p);
    if (p.panels) fgti_recurrent_weights_pack(&p.weights, run, io, FGTI_WEIGHT_FOR_PANELS);
    if (p.panels * p.kn->v < p.groups) fgti_recurrent_weights_pack(&p.weights, run, io, FGTI_WEIGHT_FOR_ROWS);
    for (int64_t k = 0; k < p.o.layers; k++) {
        enter(&p, k);
        if (p.ahead) run_ahead(&p);
        fgti_parallel(run->exec, p.o.dirs * blocks_of(&p), forward_task, &p);
    }
    for (int64_t d = 0; d < p.o.dirs && p.o.last; d++)
        copy_rows(p.groups, p.h, io->state_end[0] + (top + d) * p.groups * p.h, p.h, io->y + d * p.h,
                  p.o.dirs * p.h);
    return FGT_OK;
}

/* ---- backward ---- */

/* The gradient of the i-th step's output. With the option `last`, the top layer has one at the last step
 * only. */
static void set_dy(const pass *p, const block *b, int64_t i, fgti_step *s)
{
    const int64_t wide = p->o.dirs * p->h;
    const bool    last = p->o.last && p->layer == p->o.layers - 1, none = last && i < p->time - 1;
    const int64_t row = last ? b->row : token(p, b, p->time, i);
    s->dy             = none ? p->zero : p->dy + row * wide + b->d * p->h;
    s->lddy           = none ? 0 : last ? wide : p->time * wide;
}

/* dh (+)= da U. For a gate that meets h apart, da stands in its own slot, and the cell has left the rest of
 * its gradient in dh. */
static void through_u(const pass *p, const block *b, int64_t i, const fgti_step *s, void *scratch)
{
    const fgti_packed_weight *u = &p->turned[b->d], *apart = &p->turned_apart[b->d];
    multiply(p, scratch, i, b->n, u, s->a, s->lda, apart->k > 0, s->dh, p->h);
    if (apart->k) multiply(p, scratch, i, b->n, apart, s->a + p->gates, s->lda, true, s->dh, p->h);
}

static void backward_task(void *arg, int64_t task, int32_t worker)
{
    const pass  *p       = arg;
    const block  b       = block_of(p, task);
    void        *scratch = fgti_worker_scratch(p->run->exec, worker);
    const size_t size    = (size_t)(b.n * p->h) * sizeof(fgti_real);
    block_arena  arena;
    place_arena(b.n, p->h, p->io->arena + worker * p->io->arena_stride, &arena);
    memset(arena.dh, 0, size);
    memset(arena.dc, 0, size);
    for (int64_t i = p->time - 1; i >= 0; i--) {
        fgti_step s = step_of(p, &b, i);
        s.dh        = arena.dh;
        s.dc        = arena.dc;
        set_dy(p, &b, i, &s);
        const fgti_padding padding = padding_of(p, &b, i);
        fgti_padding_save_grad(&padding, p->run->vec, &s, arena.aside);
        p->cell->backward(p->run->vec, &s);
        through_u(p, &b, i, &s, scratch);
        fgti_padding_restore_grad(&padding, &s, p->slots, arena.aside);
        copy_rows(b.n, p->h, s.h_in, s.ldh_in, p->h_in[b.d] + token(p, &b, p->time, i) * p->h,
                  p->time * p->h);
    }
    memcpy(p->io->dstate[0] + b.first_state, arena.dh, size);
    if (p->cell->has_c) memcpy(p->io->dstate[1] + b.first_state, arena.dc, size);
}

/* U of the gates that are added up with those of x, and of the last gate where it meets h apart. */
static void pack_backward(const pass *p, int64_t d)
{
    const fgti_real *u = fgti_w(p->l, p->io, param_of(p, d, FGTI_W_HH));
    fgti_packed_weight_fill(&p->turned[d], p->run->blas, u, p->h, 1);
    fgti_packed_weight_fill(&p->turned_apart[d], p->run->blas, u + p->turned[d].k * p->h, p->h, 1);
}

/* db_ih += sum_t da; db_hh += the same, but for a gate that meets h apart the sum of its own slot */
static void bias_gradients(const pass *p, int64_t d)
{
    const fgti_vec *vec   = p->run->vec;
    const int64_t   apart = p->slots - p->gates, common = p->gates - apart;
    fgti_real      *sum = p->sum, *hh;
    if (p->o.no_bias) return;
    memset(sum, 0, (size_t)p->slots * sizeof *sum);
    fgti_column_sum(p->run, p->rows, p->slots, p->slots, a_of(p, d), sum);
    vec->axpy(p->gates, 1, sum, fgti_dw(p->l, p->io, param_of(p, d, FGTI_B_IH)));
    hh = fgti_dw(p->l, p->io, param_of(p, d, FGTI_B_HH));
    vec->axpy(common, 1, sum, hh);
    vec->axpy(apart, 1, sum + p->gates, hh + common);
}

/* dW += da'x,  dU += da'h_in,  dx = da W, the sum over both directions */
static void weight_gradients(const pass *p, int64_t d, fgti_real *dx)
{
    const int64_t    apart = p->slots - p->gates, common = p->gates - apart;
    const fgti_real *da = a_of(p, d);
    const int        w = param_of(p, d, FGTI_W_IH), u = param_of(p, d, FGTI_W_HH);
    fgti_real       *du = fgti_dw(p->l, p->io, u);
    fgti_affine_grad(p->run, p->rows, p->width, p->gates, p->x, fgti_w(p->l, p->io, w), da, p->slots,
                     fgti_dw(p->l, p->io, w), NULL, dx, d > 0);
    fgti_affine_grad(p->run, p->rows, p->h, common, p->h_in[d], NULL, da, p->slots, du, NULL, NULL, false);
    if (apart)
        fgti_affine_grad(p->run, p->rows, p->h, apart, p->h_in[d], NULL, da + p->gates, p->slots,
                         du + common * p->h, NULL, NULL, false);
    bias_gradients(p, d);
}

/* From the last layer to the first, and from the last step to the first; da takes the place of a. */
fgt_status fgti_recurrent_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass p = begin(run, l, io, true);
    p.dy   = io->dy;
    FGTI_TRY(fgti_key_padding(run, io->in.time, &p.padding));
    for (int64_t k = p.o.layers - 1; k >= 0; k--) {
        fgti_real *dx = k ? p.dbelow : io->dx;
        enter(&p, k);
        for (int64_t d = 0; d < p.o.dirs; d++) pack_backward(&p, d);
        fgti_parallel(run->exec, p.o.dirs * blocks_of(&p), backward_task, &p);
        for (int64_t d = 0; d < p.o.dirs; d++) weight_gradients(&p, d, dx);
        if (k && p.o.dropout > 0) {
            const fgti_tail tail = dropout_of(&p);
            fgti_tail_backward(run, &tail, p.rows * p.width, p.x, dx, dx);
        }
        p.dy = dx;
    }
    return FGT_OK;
}
