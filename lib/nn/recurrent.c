/* SPDX-License-Identifier: BSD-3-Clause */
/* A stacked layer k reads x_k (x_0 = x, else what k-1 made, after dropout) in each direction:
 *     h_t = cell(x_t W' + h_{t-1} U', b)
 * W is weight_ih, U weight_hh. The groups G = B N are cut into blocks of rows; a task takes one block and one
 * direction through all time steps, so nobody waits for anybody within the loop, and what a step makes is in
 * the first cache for the next. W and U are packed once for all of them. Where there is one block alone, x W'
 * of all steps is one product before them, of which all threads take a share. Arrays over time are
 * [G,T,width], so a step of a block has its rows T widths apart; a prediction does not keep what backward
 * alone reads, but has it in the same place at every step. */
#include "nn/recurrent.h"

#include <string.h>

#include "nn/masks.h"
#include "nn/recurrent_padding.h"

/* Rows of a block: as many whole tiles of the product as fit into 16 rows, so that there are many blocks.
 * Where W and U have more than 2^17 elements, half a megabyte and half of a usual second cache, 64 rows for
 * each time that they are read. */
#define BLOCK       16
#define BLOCK_LARGE 64 /* = FGTI_TILE_MAX: no block has more rows */
#define LARGE       131072

/* ---- a pass ---- */

/* A pass through one stacked layer at a time, and its memory. Everything for each layer and direction stands
 * at number `layer * dirs + direction`. */
typedef struct pass {
    const fgti_run     *run;
    const fgti_layer   *l;
    const fgti_io      *io;
    const fgti_cell    *cell;
    const int32_t      *padding; /* [B,T], or NULL */
    fgti_recurrent_conf o;
    int64_t             groups, time, rows, h; /* R = G T rows */
    int64_t             gates, slots;          /* times H */
    int64_t             widest;                /* x of any layer */
    /* cache */
    fgti_real *a, *c; /* [layers,dirs,R,slots] and [..,R,H] */
    fgti_real *below; /* [layers,R,dirs H] of the layers whose output is not y */
    /* scratch */
    fgti_real *packed_w[2];                /* W in each direction */
    fgti_real *packed[2], *packed_last[2]; /* U; on its own: a last gate that meets h apart */
    fgti_real *bias[2], *zero;             /* [slots] and [H] */
    fgti_real *dropped, *h_in[2];          /* [R,dirs H] and [R,H]: what W and U were multiplied with */
    fgti_real *dbelow;                     /* [R,dirs H] */
    /* the layer that is on */
    int64_t          layer, width; /* of x */
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
    p->below = fgti_take(base, at, fgti_mul(fgti_mul(p->rows, p->h), fgti_mul(kept, p->o.dirs)));
}

/* As fgti_gemm_pack_size, in either order of the two, but sticking. */
static int64_t packed_size(int64_t k, int64_t n)
{
    return fgti_mul(k + FGTI_TILE_MAX, n + FGTI_TILE_MAX);
}

static void place_scratch(pass *p, bool backward, fgti_real *base, int64_t *at)
{
    const int64_t wide = fgti_mul(fgti_mul(p->rows, p->h), p->o.dirs);
    const bool    more = p->o.layers > 1;
    const int64_t apart = p->slots - p->gates;
    for (int64_t d = 0; d < p->o.dirs; d++) {
        p->packed_w[d]    = fgti_take(base, at, packed_size(p->widest, p->gates));
        p->packed[d]      = fgti_take(base, at, packed_size(p->h, p->gates));
        p->packed_last[d] = fgti_take(base, at, apart ? packed_size(p->h, apart) : 0);
        p->bias[d] = fgti_take(base, at, p->slots);
        p->h_in[d] = fgti_take(base, at, backward ? fgti_mul(p->rows, p->h) : 0);
    }
    p->zero    = fgti_take(base, at, p->h);
    p->dropped = fgti_take(base, at, more && p->o.dropout > 0 ? wide : 0);
    p->dbelow  = fgti_take(base, at, more && backward ? wide : 0);
}

static pass pass_of(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    pass p   = {.l = l, .cell = fgti_cell_of(l), .o = fgti_recurrent_conf_of(l), .time = in.time};
    p.groups = fgti_mul(batch, in.nodes);
    p.rows   = fgti_rows(batch, in);
    p.h      = p.o.hidden;
    p.gates  = fgti_mul(p.cell->gates, p.h);
    p.slots  = fgti_mul(p.cell->slots, p.h);
    p.widest = in.width;
    if (p.o.layers > 1 && fgti_mul(p.o.dirs, p.h) > p.widest) p.widest = fgti_mul(p.o.dirs, p.h);
    return p;
}

void fgti_recurrent_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    pass p = pass_of(l, batch, in);
    place_cache(&p, NULL, &need->cache);
    place_scratch(&p, true, NULL, &need->scratch);
    need->lane = fgti_mul(BLOCK_LARGE, fgti_mul(4, p.h)); /* dh and dc, and what padding puts aside */
}

static pass begin(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool backward)
{
    pass    p     = pass_of(l, run->batch, io->in);
    int64_t cache = 0, scratch = 0;
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
    return (int)(p->layer * p->o.dirs + d) * (p->o.no_bias ? 2 : 4) + which;
}

/* What a stacked layer puts out [R,dirs H]. */
static fgti_real *out_of(const pass *p, int64_t layer)
{
    if (layer == p->o.layers - 1 && !p->o.last) return p->io->y;
    return p->below + layer * p->rows * p->o.dirs * p->h;
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
    const bool silent = layer == p->o.layers - 1 && p->o.last, training = p->run->training;
    p->layer          = layer;
    p->width          = layer ? p->o.dirs * p->h : p->io->in.width;
    const int64_t most = p->gates * (p->h + p->width) > LARGE ? BLOCK_LARGE : BLOCK;
    const int64_t tile = p->run->blas->tile_rows;
    p->block           = tile < most ? most / tile * tile : tile;
    p->ahead           = p->groups <= p->block;
    p->a_kept          = training || p->ahead ? p->time : 1;
    p->c_kept          = training ? p->time : 1;
    p->h_kept          = training || !silent ? p->time : 1;
    read_below(p);
}

/* ---- steps of a block of rows ---- */

typedef struct block {
    int64_t d, row, n; /* direction; first row and number of rows */
    int64_t state;     /* where the block's states begin in those of the layer */
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
                   .b       = p->bias[b->d],
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

/* What is added to the gates: both biases, but of a last gate that meets h apart, each its own. */
static void sum_biases(const pass *p, int64_t d)
{
    fgti_real *b = p->bias[d];
    memset(b, 0, (size_t)p->slots * sizeof *b);
    if (p->o.no_bias) return;
    const fgti_real *ih = fgti_w(p->l, p->io, param_of(p, d, FGTI_B_IH)),
                    *hh = fgti_w(p->l, p->io, param_of(p, d, FGTI_B_HH));
    const int64_t apart = p->slots - p->gates, common = p->gates - apart;
    memcpy(b, ih, (size_t)p->gates * sizeof *b);
    p->run->vec->axpy(common, 1, hh, b);
    memcpy(b + p->gates, hh + common, (size_t)apart * sizeof *b);
}

/* One step of one block, as in streaming: nothing would be read twice. */
static bool reads_once(const pass *p)
{
    return p->time == 1 && blocks_of(p) == 1;
}

static void pack_forward(const pass *p, int64_t d)
{
    const fgti_real *w = fgti_w(p->l, p->io, param_of(p, d, FGTI_W_IH));
    const fgti_real *u = fgti_w(p->l, p->io, param_of(p, d, FGTI_W_HH));
    const int64_t    apart = p->slots - p->gates, common = p->gates - apart;
    if (!p->ahead) fgti_gemm_pack(p->run->blas, p->width, p->gates, w, 1, p->width, p->packed_w[d]);
    if (reads_once(p)) return;
    fgti_gemm_pack(p->run->blas, p->h, common, u, 1, p->h, p->packed[d]);
    fgti_gemm_pack(p->run->blas, p->h, apart, u + common * p->h, 1, p->h, p->packed_last[d]);
}

/* a = x W' */
static void times_w(const pass *p, const block *b, int64_t i, const fgti_step *s, void *room)
{
    fgti_gemm_run_packed(p->run->blas, room,
                         &(fgti_gemm){.m     = b->n,
                                      .n     = p->gates,
                                      .k     = p->width,
                                      .alpha = 1,
                                      .a     = p->x + token(p, b, p->time, i) * p->width,
                                      .rsa   = p->time * p->width,
                                      .csa   = 1,
                                      .c     = s->a,
                                      .ldc   = s->lda},
                         p->packed_w[b->d]);
}

/* a (+)= h U', n slots from `first` on, whose weights begin at row `row` of U */
static void times_u(const pass *p, const block *b, const fgti_step *s, int64_t first, int64_t row, int64_t n,
                    bool add, const fgti_real *packed, void *room)
{
    const fgti_gemm g = {.m     = b->n,
                         .n     = n,
                         .k     = p->h,
                         .alpha = 1,
                         .beta  = add,
                         .a     = s->h_in,
                         .rsa   = s->ldh_in,
                         .csa   = 1,
                         .b     = fgti_w(p->l, p->io, param_of(p, b->d, FGTI_W_HH)) + row * p->h,
                         .rsb   = 1,
                         .csb   = p->h,
                         .c     = s->a + first,
                         .ldc   = s->lda};
    if (reads_once(p))
        fgti_gemm_run(p->run->blas, room, &g);
    else
        fgti_gemm_run_packed(p->run->blas, room, &g, packed);
}

static void forward_task(void *arg, int64_t task, int32_t lane)
{
    const pass   *p     = arg;
    const block   b     = block_of(p, task);
    const int64_t apart = p->slots - p->gates, common = p->gates - apart;
    void         *room  = fgti_lane_scratch(p->run->exec, lane);
    fgti_real    *aside = p->io->lane + lane * p->io->lane_stride;
    fgti_step     s     = {0};
    for (int64_t i = 0; i < p->time; i++) {
        s = step_of(p, &b, i);
        if (!p->ahead) times_w(p, &b, i, &s, room);
        times_u(p, &b, &s, 0, 0, common, true, p->packed[b.d], room);
        if (apart) times_u(p, &b, &s, p->gates, common, apart, false, p->packed_last[b.d], room);
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
    for (int64_t k = 0; k < p.o.layers; k++) {
        enter(&p, k);
        for (int64_t d = 0; d < p.o.dirs; d++) {
            if (p.ahead)
                fgti_affine(run, p.rows, p.width, p.gates, p.x, fgti_w(l, io, param_of(&p, d, FGTI_W_IH)),
                            NULL, a_of(&p, d), p.slots);
            pack_forward(&p, d);
            sum_biases(&p, d);
        }
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
    const int64_t row  = last ? b->row : token(p, b, p->time, i);
    s->dy              = silent ? p->zero : p->dy + row * wide + b->d * p->h;
    s->lddy            = silent ? 0 : last ? wide : p->time * wide;
}

/* dh += da U: of a gate that meets h apart, its own slot counts. */
static void through_u(const pass *p, const block *b, const fgti_step *s, void *room)
{
    const int64_t apart = p->slots - p->gates;
    fgti_gemm     g     = {.m     = b->n,
                           .n     = p->h,
                           .k     = p->gates - apart,
                           .alpha = 1,
                           .beta  = apart > 0, /* the kernel has left its part of dh there */
                           .a     = s->a,
                           .rsa   = s->lda,
                           .csa   = 1,
                           .c     = s->dh,
                           .ldc   = p->h};
    fgti_gemm_run_packed(p->run->blas, room, &g, p->packed[b->d]);
    if (!apart) return;
    g.k = apart;
    g.a = s->a + p->gates;
    fgti_gemm_run_packed(p->run->blas, room, &g, p->packed_last[b->d]);
}

static void backward_task(void *arg, int64_t task, int32_t lane)
{
    const pass  *p    = arg;
    const block  b    = block_of(p, task);
    fgti_real   *dh   = p->io->lane + lane * p->io->lane_stride, *dc = dh + p->block * p->h;
    fgti_real   *aside = dc + p->block * p->h;
    void        *room = fgti_lane_scratch(p->run->exec, lane);
    const size_t size = (size_t)(b.n * p->h) * sizeof *dh;
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
        through_u(p, &b, &s, room);
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
    const fgti_real *u     = fgti_w(p->l, p->io, param_of(p, d, FGTI_W_HH));
    fgti_gemm_pack(p->run->blas, common, p->h, u, p->h, 1, p->packed[d]);
    fgti_gemm_pack(p->run->blas, apart, p->h, u + common * p->h, p->h, 1, p->packed_last[d]);
}

/* db_ih += sum_t da, db_hh the same but for a gate that meets h apart. bias is free by now. */
static void bias_gradients(const pass *p, int64_t d)
{
    const fgti_vec *vec   = p->run->vec;
    const int64_t   apart = p->slots - p->gates, common = p->gates - apart;
    fgti_real      *sum   = p->bias[d], *hh;
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
    const fgti_real *da    = a_of(p, d);
    const int        w = param_of(p, d, FGTI_W_IH), u = param_of(p, d, FGTI_W_HH);
    fgti_real       *du    = fgti_dw(p->l, p->io, u);
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
