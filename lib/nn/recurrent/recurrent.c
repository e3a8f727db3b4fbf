/* SPDX-License-Identifier: BSD-3-Clause */
/* A stacked layer k reads x_k (x_0 = x, else what k-1 made, after dropout) in each direction:
 *     h_t = cell(x_t W' + h_{t-1} U', b)
 * W is weight_ih, U weight_hh. The groups G = B N are cut into blocks of rows; a task takes one block and one
 * direction through all time steps, so nobody waits for anybody within the loop, and what a step makes is in
 * the first cache for the next. W and U are packed once for all of them, and stay packed from pass to pass
 * while they are the same. Where there is one block alone, x W' of all steps is one product before them, of
 * which all threads take a share. Arrays over time are [G,T,width], so a step of a block has its rows T
 * widths apart; a prediction does not keep what backward alone reads, but has it in the same place at every
 * step, and takes large blocks in panels (recurrent_panels.h). */
#include "nn/recurrent/recurrent.h"

#include <string.h>

#include "nn/masks.h"
#include "nn/recurrent/recurrent_padding.h"
#include "nn/recurrent/recurrent_panels.h"
#include "nn/recurrent/recurrent_weights.h"

/* Rows of a block: as many whole tiles of the product as fit into 16 rows, so that there are many blocks.
 * Where W and U are large, 64 rows for each time that they are read. */
#define BLOCK       16
#define BLOCK_LARGE 64 /* = FGTI_TILE_MAX: no block has more rows */

/* Tiles of rows whose x W' a task makes ahead. */
#define AHEAD 8

/* ---- a pass ---- */

/* A pass through one stacked layer at a time, and its memory. Everything for each layer and direction stands
 * at number `layer * dirs + direction`. */
typedef struct pass {
    const fgti_run     *run;
    const fgti_layer   *l;
    const fgti_io      *io;
    const fgti_cell    *cell;
    const fgti_kernel  *kn;
    const int32_t      *padding; /* [B,T], or NULL */
    fgti_recurrent_conf o;
    int64_t             groups, time, rows, h; /* R = G T rows */
    int64_t             gates, slots;          /* times H */
    int64_t             panels;                /* blocks in panels, the first ones */
    fgti_weights        weights;
    /* cache */
    fgti_real *a, *c; /* [layers,dirs,R,slots] and [..,R,H] */
    fgti_real *below; /* [layers,R,dirs H] of the layers whose output is not y; of panels [..,T,dirs H,v] */
    int64_t    wide;  /* elements of one of them: all panels are whole */
    /* scratch */
    fgti_packed turned[2];         /* backward: U' of each direction */
    fgti_real  *sum, *zero;        /* [slots], of a column; [H] */
    fgti_real  *dropped, *h_in[2]; /* [R,dirs H] and [R,H]: what W and U were multiplied with */
    fgti_real  *dbelow;            /* [R,dirs H] */
    /* the layer that is on */
    int64_t          layer, width; /* of x */
    fgti_packed      packed[FGTI_FORMS][2];
    const fgti_real *x, *dy;
    int64_t          block;
    bool             ahead;                  /* x W' of all steps before the first one */
    int64_t          a_kept, c_kept, h_kept; /* steps that a, c and h have places for: T or 1 */
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
    for (int64_t d = 0; d < p->o.dirs; d++) {
        if (backward) p->turned[d] = fgti_packed_take(&p->weights, 0, base, at);
        p->h_in[d] = fgti_take(base, at, backward ? fgti_mul(p->rows, p->h) : 0);
    }
    p->sum     = fgti_take(base, at, backward ? p->slots : 0);
    p->zero    = fgti_take(base, at, p->h);
    p->dropped = fgti_take(base, at, more && p->o.dropout > 0 ? wide : 0);
    p->dbelow  = fgti_take(base, at, more && backward ? wide : 0);
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
    p.weights = fgti_weights_of(l, in.width);
    p.wide    = fgti_mul(fgti_mul(fgti_round_up(p.groups, p.kn->v), p.time), fgti_mul(p.h, p.o.dirs));
    p.wide += FGTI_TILE_AHEAD;
    return p;
}

void fgti_recurrent_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    pass p = pass_of(l, batch, in);
    fgti_weights_place(&p.weights, NULL, &need->keep);
    place_cache(&p, NULL, &need->cache);
    place_scratch(&p, true, NULL, &need->scratch);
    need->arena = fgti_mul(BLOCK_LARGE, fgti_mul(4, p.h)); /* dh and dc, and what padding puts aside */
    const fgti_panels panels = {.cell = p.cell, .kn = p.kn, .width = in.width, .h = p.h, .ldx = 1};
    if (p.weights.small && fgti_panels_room(&panels) > need->arena) need->arena = fgti_panels_room(&panels);
}

/* Blocks in panels, the last of them where its sequences would not fill fewer tiles by rows. To the bits it
 * is the same. What padding marks is for rows alone. */
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
    fgti_weights_place(&p.weights, io->keep, &keep);
    place_cache(&p, io->cache, &cache);
    place_scratch(&p, backward, io->scratch, &scratch);
    p.run = run;
    p.io  = io;
    memset(p.zero, 0, (size_t)p.h * sizeof *p.zero);
    return p;
}

/* Number of a parameter of direction d in the layer that is on. */
static int param_of(const pass *p, int64_t d, int which)
{
    return fgti_recurrent_param(&p->o, p->layer, d, which);
}

/* What a stacked layer puts out [R,dirs H]. */
static fgti_real *out_of(const pass *p, int64_t layer)
{
    if (layer == p->o.layers - 1 && !p->o.last) return p->io->y;
    return p->below + layer * p->wide;
}

static fgti_real *a_of(const pass *p, int64_t d)
{
    return p->a + (p->layer * p->o.dirs + d) * p->rows * p->slots;
}

/* Between stacked layers. Each has a stream of its own, beyond the 2^34 steps of the one before. */
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

/* Makes a layer the one that is on: what it reads, how its rows are cut, what it keeps. */
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
    for (int64_t d = 0; d < p->o.dirs; d++) {
        p->packed[FGTI_BY_ROWS][d]   = fgti_weights_at(&p->weights, FGTI_BY_ROWS, layer, d);
        p->packed[FGTI_BY_PANELS][d] = fgti_weights_at(&p->weights, FGTI_BY_PANELS, layer, d);
    }
    read_below(p);
}

/* ---- steps of a block of rows ---- */

typedef struct block {
    int64_t d, row, n; /* direction; first row and number of rows */
    int64_t state;     /* where the block's states begin in those of the layer */
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
    b.state              = ((p->layer * p->o.dirs + b.d) * p->groups + b.row) * p->h;
    b.in_panels          = task % blocks < p->panels;
    return b;
}

/* Row of the block's first token at its i-th step, in an array that keeps so many of them; the second
 * direction reads backwards. */
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
                   .b       = p->packed[FGTI_BY_ROWS][b->d].b,
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
        s.h_in   = p->io->state[0] + b->state;
        s.c_in   = p->cell->has_c ? p->io->state[1] + b->state : NULL;
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

/* y (+)= x W, m rows of length k by packed weights with n columns, at the i-th step */
static void times(const pass *p, void *room, int64_t i, int64_t m, int64_t n, int64_t k, const fgti_real *x,
                  int64_t ldx, const fgti_real *w, bool add, fgti_real *y, int64_t ldy)
{
    fgti_gemm_run_packed(p->run->blas, room,
                         &(fgti_gemm){.m        = m,
                                      .n        = n,
                                      .k        = k,
                                      .alpha    = 1,
                                      .beta     = add,
                                      .a        = x,
                                      .rsa      = ldx,
                                      .csa      = 1,
                                      .c        = y,
                                      .ldc      = ldy,
                                      .reversed = i % 2},
                         w);
}

/* Some rows of x W' of all steps. */
static void ahead_task(void *arg, int64_t task, int32_t worker)
{
    const pass      *p    = arg;
    const int64_t    most = AHEAD * p->run->blas->tile_rows, parts = fgti_parts(p->rows, most);
    const int64_t    d = task / parts, row = task % parts * most;
    const fgti_real *w = p->packed[FGTI_BY_ROWS][d].w;
    times(p, fgti_worker_scratch(p->run->exec, worker), task, fgti_least(most, p->rows - row), p->gates,
          p->width, p->x + row * p->width, p->width, w, false, a_of(p, d) + row * p->slots, p->slots);
}

static void run_ahead(pass *p)
{
    const int64_t parts = fgti_parts(p->rows, AHEAD * p->run->blas->tile_rows);
    fgti_parallel(p->run->exec, p->o.dirs * parts, ahead_task, p);
}

/* All steps of a block in panels. Between layers, its part of `below` has them token after token. */
static void run_panels(const pass *p, const block *b, fgti_real *room)
{
    const int64_t v = p->kn->v, wide = p->o.dirs * p->h;
    fgti_panels   job = {.run      = p->run,
                         .cell     = p->cell,
                         .kn       = p->kn,
                         .rows     = b->n,
                         .time     = p->time,
                         .width    = p->width,
                         .h        = p->h,
                         .reversed = b->d > 0,
                         .relu     = p->o.relu,
                         .weights  = p->packed[FGTI_BY_PANELS][b->d],
                         .x        = p->x + b->row * p->time * p->width,
                         .ldx      = p->layer ? 0 : p->time * p->width,
                         .stepx    = p->layer ? wide * v : p->width};
    if (p->h_kept == p->time) {
        const bool top = p->layer == p->o.layers - 1;
        job.y          = out_of(p, p->layer) + b->row * p->time * wide + b->d * p->h * (top ? 1 : v);
        job.ldy        = top ? p->time * wide : 0;
        job.stepy      = top ? wide : wide * v;
    }
    for (int i = 0; i < 1 + p->cell->has_c; i++) {
        job.start[i] = p->io->state[i] + b->state;
        job.end[i]   = p->io->state_end[i] + b->state;
    }
    fgti_panels_run(&job, room);
}

static void forward_task(void *arg, int64_t task, int32_t worker)
{
    const pass       *p     = arg;
    const block       b     = block_of(p, task);
    const int64_t     apart = p->slots - p->gates, common = p->gates - apart;
    const fgti_packed w     = p->packed[FGTI_BY_ROWS][b.d];
    void             *room  = fgti_worker_scratch(p->run->exec, worker);
    fgti_real        *aside = p->io->arena + worker * p->io->arena_stride;
    fgti_step         s     = {0};
    if (b.in_panels) {
        run_panels(p, &b, aside);
        return;
    }
    for (int64_t i = 0; i < p->time; i++) {
        const fgti_real *x = p->x + token(p, &b, p->time, i) * p->width;
        s                  = step_of(p, &b, i);
        if (!p->ahead)
            times(p, room, i, b.n, p->gates, p->width, x, p->time * p->width, w.w, false, s.a, s.lda);
        times(p, room, i, b.n, common, p->h, s.h_in, s.ldh_in, w.u, true, s.a, s.lda);
        if (apart)
            times(p, room, i, b.n, apart, p->h, s.h_in, s.ldh_in, w.apart, false, s.a + p->gates, s.lda);
        const fgti_padding padding = padding_of(p, &b, i);
        fgti_padding_save(&padding, &s, aside);
        p->cell->forward(p->run->vec, &s);
        fgti_padding_restore(&padding, &s, aside);
    }
    copy_rows(b.n, p->h, s.h_out, s.ldh_out, p->io->state_end[0] + b.state, p->h);
    if (s.c_out) copy_rows(b.n, p->h, s.c_out, s.ldc_out, p->io->state_end[1] + b.state, p->h);
}

/* a = x W' [+ b];  h_t = cell(a_t, h_{t-1} U')       x [R,D], W [gates,D], U [gates,H] */
fgt_status fgti_recurrent_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass          p   = begin(run, l, io, false);
    const int64_t top = (p.o.layers - 1) * p.o.dirs;
    FGTI_TRY(fgti_key_padding(run, io->in.time, &p.padding));
    p.panels = panels_of(&p);
    if (p.panels) fgti_weights_pack(&p.weights, run, io, FGTI_BY_PANELS);
    if (p.panels * p.kn->v < p.groups) fgti_weights_pack(&p.weights, run, io, FGTI_BY_ROWS);
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

/* The gradient of what the i-th step puts out; with `last` the top has one at the end alone. */
static void set_dy(const pass *p, const block *b, int64_t i, fgti_step *s)
{
    const int64_t wide = p->o.dirs * p->h;
    const bool    last = p->o.last && p->layer == p->o.layers - 1, silent = last && i < p->time - 1;
    const int64_t row = last ? b->row : token(p, b, p->time, i);
    s->dy             = silent ? p->zero : p->dy + row * wide + b->d * p->h;
    s->lddy           = silent ? 0 : last ? wide : p->time * wide;
}

/* dh += da U: of a gate that meets h apart, its own slot counts; the kernel has left its part of dh there. */
static void through_u(const pass *p, const block *b, int64_t i, const fgti_step *s, void *room)
{
    const int64_t     apart = p->slots - p->gates;
    const fgti_packed w     = p->turned[b->d];
    times(p, room, i, b->n, p->h, p->gates - apart, s->a, s->lda, w.u, apart > 0, s->dh, p->h);
    if (apart) times(p, room, i, b->n, p->h, apart, s->a + p->gates, s->lda, w.apart, true, s->dh, p->h);
}

static void backward_task(void *arg, int64_t task, int32_t worker)
{
    const pass  *p  = arg;
    const block  b  = block_of(p, task);
    fgti_real   *dh = p->io->arena + worker * p->io->arena_stride, *dc = dh + p->block * p->h;
    fgti_real   *aside = dc + p->block * p->h;
    void        *room  = fgti_worker_scratch(p->run->exec, worker);
    const size_t size  = (size_t)(b.n * p->h) * sizeof *dh;
    memset(dh, 0, size);
    memset(dc, 0, size);
    for (int64_t i = p->time - 1; i >= 0; i--) {
        fgti_step s = step_of(p, &b, i);
        s.dh        = dh;
        s.dc        = dc;
        set_dy(p, &b, i, &s);
        const fgti_padding padding = padding_of(p, &b, i);
        fgti_padding_save_grad(&padding, p->run->vec, &s, aside);
        p->cell->backward(p->run->vec, &s);
        through_u(p, &b, i, &s, room);
        fgti_padding_restore_grad(&padding, &s, p->slots, aside);
        copy_rows(b.n, p->h, s.h_in, s.ldh_in, p->h_in[b.d] + token(p, &b, p->time, i) * p->h,
                  p->time * p->h);
    }
    memcpy(p->io->dstate[0] + b.state, dh, size);
    if (p->cell->has_c) memcpy(p->io->dstate[1] + b.state, dc, size);
}

static void pack_backward(const pass *p, int64_t d)
{
    const int64_t    apart = p->slots - p->gates, common = p->gates - apart;
    const fgti_real *u = fgti_w(p->l, p->io, param_of(p, d, FGTI_W_HH));
    fgti_gemm_pack(p->run->blas, common, p->h, u, p->h, 1, p->turned[d].u);
    fgti_gemm_pack(p->run->blas, apart, p->h, u + common * p->h, p->h, 1, p->turned[d].apart);
}

/* db_ih += sum_t da, db_hh the same but for a gate that meets h apart */
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

/* The steps in the other order, from the last layer to the first; da takes the place of a. */
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
