/* SPDX-License-Identifier: BSD-3-Clause */
/* What surrounds the attention sees rows alone. So blocks of rows pass through all of it while they are in
 * the cache; where the weights fit in beside them, through the products too, with weights packed once. Where
 * whole groups are such blocks, they go through the attention with the rest of the layer. */
#include "nn/attention/mha.h"
#include "nn/projection.h"

static const fgti_opt transformer_opts[] = {
    {"heads", offsetof(fgt_transformer_opts, heads), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"ff", offsetof(fgt_transformer_opts, ff), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"act", offsetof(fgt_transformer_opts, act), FGTI_OPT_ENUM, FGT_ACT_NONE, FGT_ACT_ELU, FGT_ACT_RELU},
    {"norm_first", offsetof(fgt_transformer_opts, norm_first), FGTI_OPT_BOOL, 0, 1, 0},
    {"no_bias", offsetof(fgt_transformer_opts, no_bias), FGTI_OPT_BOOL, 0, 1, 0},
    {"causal", offsetof(fgt_transformer_opts, causal), FGTI_OPT_BOOL, 0, 1, 0},
    {"dropout", offsetof(fgt_transformer_opts, dropout), FGTI_OPT_F32, 0, 0.999, 0},
    {"eps", offsetof(fgt_transformer_opts, eps), FGTI_OPT_F32, 1e-30, 1, 1e-5},
    {"mode", offsetof(fgt_transformer_opts, mode), FGTI_OPT_ENUM, FGT_ATTN_AUTO, FGT_ATTN_STREAM, 0},
    {0},
};

/* Parameters in PyTorch's order; without biases every second one is missing. */
enum { SELF_ATTN = 0, LINEAR1 = 4, LINEAR2 = 6, NORM1 = 8, NORM2 = 10 };

/* The weight of one of the above. */
static int weight_of(const fgti_layer *l, int which)
{
    const fgt_transformer_opts *o = l->opts;
    return o->no_bias ? which / 2 : which;
}

static const fgti_real *bias(const fgti_layer *l, const fgti_io *io, int which)
{
    const fgt_transformer_opts *o = l->opts;
    return o->no_bias ? NULL : fgti_w(l, io, which + 1);
}

static fgti_real *bias_gradient(const fgti_layer *l, const fgti_io *io, int which)
{
    const fgt_transformer_opts *o = l->opts;
    return o->no_bias ? NULL : fgti_dw(l, io, which + 1);
}

static fgt_status add_linear(fgt_context *ctx, fgti_layer *l, const char *weight, const char *bias_name,
                             int64_t d, int64_t h)
{
    const fgt_transformer_opts *o     = l->opts;
    const double                range = fgti_fan_in(d);
    FGTI_TRY(fgti_param_add(ctx, l, weight, 2, (int64_t[]){h, d}, FGTI_INIT_UNIFORM, range));
    return o->no_bias ? FGT_OK : fgti_param_add(ctx, l, bias_name, 1, &h, FGTI_INIT_UNIFORM, range);
}

static fgt_status add_norm(fgt_context *ctx, fgti_layer *l, const char *weight, const char *bias_name)
{
    const fgt_transformer_opts *o = l->opts;
    FGTI_TRY(fgti_param_add(ctx, l, weight, 1, &l->in.width, FGTI_INIT_ONE, 0));
    return o->no_bias ? FGT_OK : fgti_param_add(ctx, l, bias_name, 1, &l->in.width, FGTI_INIT_ZERO, 0);
}

static fgt_status transformer_plan(fgt_context *ctx, fgti_layer *l)
{
    static const char *const attention[4] = {"self_attn.in_proj_weight", "self_attn.in_proj_bias",
                                             "self_attn.out_proj.weight", "self_attn.out_proj.bias"};
    fgt_transformer_opts    *o            = l->opts;
    const int64_t            d            = l->in.width;
    if (!o->ff) o->ff = fgti_mul(4, d);
    FGTI_TRY(fgti_mha_plan(ctx, l, o->heads, o->no_bias, attention));
    FGTI_TRY(add_linear(ctx, l, "linear1.weight", "linear1.bias", d, o->ff));
    FGTI_TRY(add_linear(ctx, l, "linear2.weight", "linear2.bias", o->ff, d));
    FGTI_TRY(add_norm(ctx, l, "norm1.weight", "norm1.bias"));
    return add_norm(ctx, l, "norm2.weight", "norm2.bias");
}

static fgti_mha_conf conf_of(const fgt_transformer_opts *o)
{
    return (fgti_mha_conf){.heads     = o->heads,
                           .no_bias   = o->no_bias,
                           .param     = SELF_ATTN,
                           .attention = {.causal = o->causal, .attn_dropout = o->dropout, .mode = o->mode}};
}

/* The products with weights: Q, K and V, what the heads become, into the feed-forward block and out of it. */
enum { IN, OUT, UP, DOWN, MAPS };

/* y = x W' + b        x [R,D], W [H,D], y [R,ld] */
typedef struct map {
    int64_t          d, h, ld;
    const fgti_real *w, *b, *x;
    fgti_real       *y, *packed;
} map;

/* Everything a pass knows. a, h, b are the rows between the steps of the equation at
 * transformer_forward(), u and v those inside the feed-forward block. */
typedef struct job {
    const fgti_run   *run;
    const fgti_layer *l;
    const fgti_io    *io;
    int64_t           rows, d, f;
    double            dropout; /* 0 outside training */
    fgti_mha          attn;
    fgti_real        *a, *h, *b, *mean[2], *rstd[2], *u, *v; /* cache: [R,D], [R], [R,F] */
    fgti_real        *dx, *dz, *dv;                          /* scratch: [R,D], dv [R,F] */
    fgti_real        *version;                               /* kept, with the packed weights */
    map               map[MAPS];                             /* forward */
    bool              sliced;
} job;

static void set_sizes(job *j, const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_transformer_opts *o = l->opts;
    j->l                          = l;
    j->rows                       = fgti_rows(batch, in);
    j->d                          = in.width;
    j->f                          = o->ff;
    j->map[IN]                    = (map){.d = j->d, .h = fgti_mul(3, j->d)};
    j->map[OUT]                   = (map){.d = j->d, .h = j->d};
    j->map[UP]                    = (map){.d = j->d, .h = j->f};
    j->map[DOWN]                  = (map){.d = j->f, .h = j->d};
    j->sliced = fgti_projection_slices(j->d, j->map[IN].h) && fgti_projection_slices(j->d, j->f);
}

static int64_t place_keep(job *j, fgti_real *base)
{
    int64_t at = 0;
    if (!j->sliced) return 0;
    j->version = fgti_take(base, &at, (int64_t)(sizeof j->run->version / sizeof *base + 1));
    for (int i = 0; i < MAPS; i++)
        j->map[i].packed = fgti_take(base, &at, fgti_gemm_pack_size(j->map[i].d, j->map[i].h));
    return at;
}

/* relu(u) is positive where u is, and its gradient asks no more: it takes the place of u. */
static int64_t place_cache(job *j, fgti_real *base)
{
    const fgt_transformer_opts *o  = j->l->opts;
    const int64_t               rd = fgti_mul(j->rows, j->d), rf = fgti_mul(j->rows, j->f);
    int64_t                     at = 0;
    j->a                           = fgti_take(base, &at, rd);
    j->h                           = fgti_take(base, &at, rd);
    j->b                           = fgti_take(base, &at, rd);
    for (int i = 0; i < 2; i++) {
        j->mean[i] = fgti_take(base, &at, j->rows);
        j->rstd[i] = fgti_take(base, &at, j->rows);
    }
    j->u = fgti_take(base, &at, rf);
    j->v = o->act == FGT_ACT_RELU ? j->u : fgti_take(base, &at, rf);
    return at;
}

/* Returns where dv begins: the attention's scratch begins there too, since one is done before the other. dx
 * and dz are touched only where nobody asks for a gradient by x, and where there is dropout. */
static int64_t place_scratch(job *j, fgti_real *base)
{
    const int64_t rd = fgti_mul(j->rows, j->d);
    int64_t       at = 0;
    j->dx            = fgti_take(base, &at, rd);
    j->dz            = fgti_take(base, &at, rd);
    j->dv            = base ? base + at : NULL;
    return at;
}

/* Rows of a block of whole groups: what a row leaves between the steps stays in the second cache, where the
 * weights are too. */
#define GROUP_ROWS     320
#define GROUP_ELEMENTS (INT64_C(1) << 17)

static int64_t most_rows(const job *j)
{
    const int64_t fit = GROUP_ELEMENTS / (3 * j->d + j->f);
    return fgti_least(j->rows, fgti_least(fit, GROUP_ROWS));
}

static void transformer_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgti_mha_conf conf = conf_of(l->opts);
    job                 j    = {0};
    set_sizes(&j, l, batch, in);
    need->keep         = place_keep(&j, NULL);
    need->cache        = place_cache(&j, NULL);
    need->scratch      = place_scratch(&j, NULL);
    const int64_t feed = need->scratch + fgti_mul(j.rows, j.f);
    fgti_mha_size(&conf, l, batch, in, need);
    if (feed > need->scratch) need->scratch = feed;
    if (!j.sliced) return;
    j.rows = most_rows(&j);
    need->arena += place_cache(&j, NULL);
}

static fgt_status job_init(job *j, const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool backward)
{
    const fgt_transformer_opts *o    = l->opts;
    const fgti_mha_conf         conf = conf_of(o);
    *j                               = (job){.run = run, .io = io, .dropout = run->training ? o->dropout : 0};
    set_sizes(j, l, run->batch, io->in);
    const int64_t cache   = place_cache(j, io->cache);
    const int64_t scratch = backward ? place_scratch(j, io->scratch) : 0;
    return fgti_mha_init(&j->attn, run, l, io, &conf, io->cache + cache,
                         backward ? io->scratch + scratch : NULL);
}

static fgti_tail tail_of(const job *j, int32_t act, fgti_draw draw)
{
    return (fgti_tail){
        .act = (fgti_act)act, .dropout = j->dropout, .rng = fgti_layer_rng(j->run, j->l, draw)};
}

/* The gradient of what was dropped, from that of the sum. */
static const fgti_real *dropped_gradient(const job *j, fgti_draw draw, const fgti_real *dy)
{
    const fgti_tail tail = tail_of(j, FGT_ACT_NONE, draw);
    if (j->dropout <= 0) return dy;
    fgti_tail_backward(j->run, &tail, j->rows * j->d, dy, dy, j->dz);
    return j->dz;
}

static void norm_gradient(const job *j, int i, const fgti_real *x, const fgti_real *dy, fgti_real *dx)
{
    const int which = i ? NORM2 : NORM1, w = weight_of(j->l, which);
    fgti_norm_grad(j->run, j->rows, j->d, x, fgti_w(j->l, j->io, w), j->mean[i], j->rstd[i], dy,
                   fgti_dw(j->l, j->io, w), bias_gradient(j->l, j->io, which), dx);
}

/* dW2 += dy'v, dv = dy W2,  du = act'(u) dropout(dv),  dW1 += du'x, dx = du W1 */
static void feed_gradient(const job *j, const fgti_real *x, const fgti_real *dy, fgti_real *dx)
{
    const fgt_transformer_opts *o    = j->l->opts;
    const fgti_tail             tail = tail_of(j, o->act, FGTI_DRAW_HIDDEN);
    const int                   w1 = weight_of(j->l, LINEAR1), w2 = weight_of(j->l, LINEAR2);
    /* the memory of dv is that of the attention's gradients, before these or after them */
    fgti_red_zone_lift(j->dv, j->rows * j->f * (int64_t)sizeof *j->dv);
    fgti_affine_grad(j->run, j->rows, j->f, j->d, j->v, fgti_w(j->l, j->io, w2), dy, j->d,
                     fgti_dw(j->l, j->io, w2), bias_gradient(j->l, j->io, LINEAR2), j->dv, false);
    fgti_tail_backward(j->run, &tail, j->rows * j->f, j->u, j->dv, j->dv);
    fgti_affine_grad(j->run, j->rows, j->d, j->f, x, fgti_w(j->l, j->io, w1), j->dv, j->f,
                     fgti_dw(j->l, j->io, w1), bias_gradient(j->l, j->io, LINEAR1), dx, false);
}

/* ---- forward, in blocks of rows ---- */

static void set_map(job *j, int i, int which, const fgti_real *x, fgti_real *y, int64_t ld)
{
    map *m = &j->map[i];
    m->w   = fgti_w(j->l, j->io, weight_of(j->l, which));
    m->b   = bias(j->l, j->io, which);
    m->x   = x;
    m->y   = y;
    m->ld  = ld;
}

/* Says what each product reads and writes, and packs weights that are not those of the last pass. */
static void set_maps(job *j)
{
    const fgt_transformer_opts *o          = j->l->opts;
    const fgti_io              *io         = j->io;
    const bool                  norm_first = o->norm_first;
    set_map(j, IN, SELF_ATTN, norm_first ? j->a : io->x, j->attn.p.q, j->attn.p.ldq);
    set_map(j, OUT, SELF_ATTN + 2, j->attn.c, norm_first ? j->h : j->a, j->d);
    set_map(j, UP, LINEAR1, norm_first ? j->b : j->h, j->u, j->f);
    set_map(j, DOWN, LINEAR2, j->v, norm_first ? io->y : j->b, j->d);
    place_keep(j, io->keep);
    const fgti_projection kept = {.run = j->run, .version = j->version};
    if (!j->sliced || !fgti_projection_stale(&kept)) return;
    for (int i = 0; i < MAPS; i++) {
        const map *m = &j->map[i];
        fgti_gemm_pack(j->run->blas, m->d, m->h, m->w, 1, m->d, m->packed);
    }
}

static void product_rows(const job *j, const map *m, int64_t row, int64_t n, void *room)
{
    fgti_gemm_run_packed(j->run->blas, room,
                         &(fgti_gemm){.m     = n,
                                      .n     = m->h,
                                      .k     = m->d,
                                      .alpha = 1,
                                      .a     = m->x + row * m->d,
                                      .rsa   = m->d,
                                      .csa   = 1,
                                      .c     = m->y + row * m->ld,
                                      .ldc   = m->ld},
                         m->packed);
}

/* z = x + dropout(z) */
static void add_rows(const job *j, int64_t row, int64_t n, fgti_draw draw, const fgti_real *x, fgti_real *z)
{
    const fgti_vec *vec = j->run->vec;
    const int64_t   at = row * j->d, count = n * j->d;
    if (j->dropout > 0)
        vec->dropout(fgti_layer_rng(j->run, j->l, draw), j->dropout, (uint64_t)at, count, z + at, z + at);
    vec->axpy(count, 1, x + at, z + at);
}

static void norm_rows(const job *j, int i, int64_t row, int64_t n, const fgti_real *x, fgti_real *y)
{
    const fgt_transformer_opts *o     = j->l->opts;
    const int                   which = i ? NORM2 : NORM1;
    const int64_t               at    = row * j->d;
    j->run->vec->norm(n, j->d, o->eps, x + at, fgti_w(j->l, j->io, weight_of(j->l, which)),
                      bias(j->l, j->io, which), y + at, j->mean[i] + row, j->rstd[i] + row);
}

/* v = dropout(act(u)) */
static void activate_rows(const job *j, int64_t row, int64_t n)
{
    const fgt_transformer_opts *o   = j->l->opts;
    const fgti_vec             *vec = j->run->vec;
    const int64_t               at = row * j->f, count = n * j->f;
    vec->act((fgti_act)o->act, count, j->u + at, j->v + at);
    if (j->dropout > 0)
        vec->dropout(fgti_layer_rng(j->run, j->l, FGTI_DRAW_HIDDEN), j->dropout, (uint64_t)at, count,
                     j->v + at, j->v + at);
}

/* What follows a product, up to the next one. */
static void finish_rows(const job *j, int i, int64_t row, int64_t n)
{
    const fgt_transformer_opts *o = j->l->opts;
    const map                  *m = &j->map[i];
    if (m->b) j->run->vec->bias(n, m->h, m->ld, m->b, m->y + row * m->ld);
    if (i == OUT) {
        add_rows(j, row, n, FGTI_DRAW_ATTENDED, j->io->x, m->y);
        norm_rows(j, o->norm_first, row, n, m->y, o->norm_first ? j->b : j->h);
    } else if (i == UP) {
        activate_rows(j, row, n);
    } else if (i == DOWN) {
        add_rows(j, row, n, FGTI_DRAW_OUTPUT, j->h, m->y);
        if (!o->norm_first) norm_rows(j, 1, row, n, m->y, j->io->y);
    }
}

/* Products `first` to `last` with all that belongs to them. */
typedef struct stretch {
    const job *j;
    int        first, last;
} stretch;

/* Rows of a task: whole tiles of a product, and a multiple of the four elements that are drawn together. */
static int64_t block_rows(const job *j)
{
    return 8 * j->run->blas->tile_rows;
}

static void run_rows(const job *j, int first, int last, int64_t row, int64_t n, void *room)
{
    for (int i = first; i <= last; i++) {
        if (j->sliced) product_rows(j, &j->map[i], row, n, room);
        finish_rows(j, i, row, n);
    }
}

static void rows_task(void *arg, int64_t task, int32_t worker)
{
    const stretch *s   = arg;
    const job     *j   = s->j;
    const int64_t  row = task * block_rows(j), n = fgti_least(block_rows(j), j->rows - row);
    run_rows(j, s->first, s->last, row, n, fgti_worker_scratch(j->run->exec, worker));
}

static void pass_rows(const job *j, int first, int last)
{
    const int64_t tasks = (j->rows - 1) / block_rows(j) + 1;
    stretch       s     = {j, first, last};
    for (int i = first; !j->sliced && i <= last; i++) {
        const map *m = &j->map[i];
        fgti_affine(j->run, j->rows, m->d, m->h, m->x, m->w, NULL, m->y, m->ld);
        fgti_parallel(j->run->exec, tasks, rows_task, &(stretch){j, i, i});
    }
    if (j->sliced) fgti_parallel(j->run->exec, tasks, rows_task, &s);
}

/* ---- forward, in blocks of groups ---- */

/* Blocks that feed a small machine. */
#define GROUP_BLOCKS 8

/* Groups of a block: the fewest that leave a 32nd of their tiles empty or less. 0: there are none such, or a
 * block would begin between elements that are drawn together. */
static int64_t groups_at_once(const job *j)
{
    const fgti_attention *at = &j->attn.chain.at;
    const int64_t         u = j->run->blas->tile_rows, t = at->tq, rows = most_rows(j);
    for (int64_t n = 1; j->sliced && n * t <= rows && n * GROUP_BLOCKS <= at->groups; n++)
        if (32 * (fgti_round_up(n * t, u) - n * t) <= n * t) return j->dropout > 0 && n * t % 4 ? 0 : n;
    return 0;
}

/* The block's own job for a prediction, which keeps nothing but queries, keys and values: its rows from 0 on,
 * in the arena's memory. */
static job alone(const job *j, fgti_io *io, int64_t row, int64_t n, fgti_real *arena)
{
    job mine = *j;
    *io      = *j->io;
    io->x += row * j->d;
    io->y += row * j->d;
    mine.io   = io;
    mine.rows = n;
    mine.attn.p.q += row * j->attn.p.ldq;
    mine.attn.c += row * j->d;
    place_cache(&mine, arena + fgti_chain_arena(&j->attn.chain));
    set_maps(&mine);
    return mine;
}

/* All of the layer for some groups. */
typedef struct groups_job {
    const job *j;
    int64_t    each;
} groups_job;

static void groups_task(void *arg, int64_t task, int32_t worker)
{
    const groups_job           *b     = arg;
    const job                  *j     = b->j;
    const fgti_chain           *c     = &j->attn.chain;
    const int64_t               first = task * b->each, last = fgti_least(first + b->each, c->at.groups);
    const bool                  kept = j->run->differentiable;
    const int64_t               n = (last - first) * c->at.tq, row = kept ? first * c->at.tq : 0;
    fgti_real                  *memory = j->io->arena + worker * j->io->arena_stride;
    void                       *room   = fgti_worker_scratch(j->run->exec, worker);
    const fgt_transformer_opts *o      = j->l->opts;
    fgti_io                     io;
    const job                   mine = kept ? *j : alone(j, &io, first * c->at.tq, n, memory);
    if (o->norm_first) norm_rows(&mine, 0, row, n, mine.io->x, mine.a);
    run_rows(&mine, IN, IN, row, n, room);
    for (int64_t g = first; g < last; g++)
        for (int64_t h = 0; h < c->at.heads; h++) fgti_chain_forward(c, g, h, memory);
    run_rows(&mine, OUT, DOWN, row, n, room);
}

/* norm first:  a = norm1(x),  h = x + dropout(attn(a)),  b = norm2(h),  y = h + dropout(feed(b))
 * otherwise:   a = x + dropout(attn(x)),  h = norm1(a),  b = h + dropout(feed(h)),  y = norm2(b)
 * where feed(x) = v W2' + b2,  v = dropout(act(u)),  u = x W1' + b1 */
static fgt_status transformer_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_transformer_opts *o = l->opts;
    job                         j;
    FGTI_TRY(job_init(&j, run, l, io, false));
    set_maps(&j);
    const groups_job b = {&j, groups_at_once(&j)};
    if (b.each) {
        fgti_parallel(run->exec, fgti_parts(j.attn.chain.at.groups, b.each), groups_task, (void *)&b);
        return FGT_OK;
    }
    if (o->norm_first)
        fgti_norm(run, j.rows, j.d, o->eps, io->x, fgti_w(l, io, weight_of(l, NORM1)), bias(l, io, NORM1),
                  j.a, j.mean[0], j.rstd[0]);
    pass_rows(&j, IN, IN);
    fgti_mha_attend(&j.attn);
    pass_rows(&j, OUT, DOWN);
    return FGT_OK;
}

/* ---- backward ---- */

/* From the last step to the first, within two arrays: dy and dx, or scratch where nobody asks for dx. What
 * reaches x past the attention ends up in dy. */
static fgt_status transformer_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_transformer_opts *o = l->opts;
    job                         j;
    FGTI_TRY(job_init(&j, run, l, io, true));
    const int64_t n  = j.rows * j.d;
    fgti_real    *dy = io->dy, *dx = io->dx ? io->dx : j.dx;
    if (o->norm_first) {
        feed_gradient(&j, j.b, dropped_gradient(&j, FGTI_DRAW_OUTPUT, dy), dx);
        norm_gradient(&j, 1, j.h, dx, dx);
        fgti_add(run, n, dx, dy);
        fgti_mha_backward(&j.attn, j.a, dropped_gradient(&j, FGTI_DRAW_ATTENDED, dy), dx);
        norm_gradient(&j, 0, io->x, dx, io->dx);
    } else {
        norm_gradient(&j, 1, j.b, dy, dy);
        feed_gradient(&j, j.h, dropped_gradient(&j, FGTI_DRAW_OUTPUT, dy), dx);
        fgti_add(run, n, dx, dy);
        norm_gradient(&j, 0, j.a, dy, dy);
        fgti_mha_backward(&j.attn, io->x, dropped_gradient(&j, FGTI_DRAW_ATTENDED, dy), io->dx);
    }
    if (io->dx) fgti_add(run, n, dy, io->dx);
    return FGT_OK;
}

static fgt_status transformer_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                        int64_t shape[4], fgti_real *a)
{
    job j;
    FGTI_TRY(job_init(&j, run, l, io, false));
    fgti_mha_adjacency(&j.attn, shape, a);
    return FGT_OK;
}

const fgti_class fgti_class_transformer = {
    .name      = "transformer",
    .opts      = transformer_opts,
    .opts_size = sizeof(fgt_transformer_opts),
    .masks     = FGTI_MASKS_ALL,
    .plan      = transformer_plan,
    .size      = transformer_size,
    .forward   = transformer_forward,
    .backward  = transformer_backward,
    .adjacency = transformer_adjacency,
};
