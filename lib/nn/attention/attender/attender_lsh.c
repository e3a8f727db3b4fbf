/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/attender.h"

#include <math.h>
#include <string.h>

#include "nn/attention/attender/lsh_hash.h"
#include "nn/masks.h"

/* LSH attention of the Reformer (Kitaev et al. 2020; LSHSelfAttention of github lucidrains/reformer-pytorch),
 * O = A V. Queries are also the keys: k_j = q_j / |q_j|. T tokens and the zeros after them are L positions, a
 * multiple of 2 m. In each round, a token's bucket is the index of the largest element of [q R, -q R], where
 * R is random. The positions are sorted by bucket and then by position, and cut into chunks of m. The chunks
 * of all rounds form one circle. C(i) are the positions in the chunks of token i and in the chunks before
 * these chunks. A position is in C(i) as often as it occurs in these chunks:
 *     s_ij = q_i k_j' / sqrt(dh);   s_ii = -5e4;   causal: -inf for j > i
 *     A_ij = sum_{c in C(i), c = j} exp(s_ij) / sum_{c in C(i)} exp(s_ic).
 * The source has one softmax per round, and weights the rounds by the softmax of the logarithms of their
 * sums. This is equal. The forward pass goes from chunk to chunk and updates the maximum and the sum of each
 * row. The backward pass computes the scores again, and ds_ij = A_ij (dO_i V_j' - dO_i O_i'). This also holds
 * for s_ii, although it is a constant, because A_ii > 0 only if a token sees only itself. Buckets have no
 * gradient. */

#define BUCKET 64 /* the defaults of the source */
#define ROUNDS 8
#define SELF   (-5e4) /* a token's score with itself: it attends to itself only if it sees no other token */
#define SHORT  1e-12  /* a query that is shorter has the key zero */

static int64_t bucket_size(int32_t option)
{
    return option ? option : BUCKET;
}

static int64_t rounds_of(int32_t option)
{
    return option ? option : ROUNDS;
}

static int64_t padded_time(int64_t time, int64_t bucket)
{
    return fgti_round_up(time, fgti_mul(2, bucket));
}

/* ---- memory ---- */

static void lsh_place(fgti_chain *c, fgti_real *base, int64_t *at)
{
    const fgti_attention *attention = &c->attention;
    const int64_t         pairs     = fgti_mul(attention->groups, attention->heads);
    fgti_lsh             *p         = &c->lsh;
    p->bucket                       = bucket_size(attention->conf.bucket_size);
    p->rounds                       = rounds_of(attention->conf.n_hashes);
    p->padded                       = padded_time(attention->tq, p->bucket);
    const int64_t columns           = fgti_lsh_set_digits(p);
    p->drawn     = fgti_take(base, at, fgti_mul(attention->dh, fgti_mul(p->rounds, columns)));
    p->rotations = p->given ? p->given : p->drawn;
    p->order     = fgti_take_integers(base, at, fgti_mul(pairs, fgti_mul(p->rounds, p->padded)));
    p->shift     = fgti_take(base, at, fgti_mul(pairs, attention->tq));
    p->factor    = fgti_take(base, at, fgti_mul(pairs, attention->tq));
}

/* One group and head in a pass. Rows in the arena are ld apart. The queries of a chunk are lanes. */
typedef struct head {
    const fgti_chain *c;
    const fgti_lsh   *lsh;
    int64_t           time, dh, n, m, ld, lanes; /* n: columns of X */
    const int32_t    *padding;                   /* padding of the sample's tokens, or NULL */
    const fgti_real  *q, *v;                     /* v: X of the product that is computed */
    int64_t           ldq, ldv;
    int32_t          *order;          /* [rounds,L] */
    fgti_real        *shift, *factor; /* [T]; in the forward pass, the maximum and the sum so far */
    void             *scratch;
    /* in the arena */
    fgti_real *inverse;         /* [T]: 1/|q_j| */
    fgti_lsh_hash hash;

    int32_t   *position;        /* [2m]: positions of the rows of `keys` */
    fgti_real *keys, *values;   /* [2m,ld]: chunk c is in half c mod 2, and the chunk before it in the other
                                 * half */
    fgti_real *query;           /* [dh,lanes] */
    fgti_real *s;               /* [2m,lanes] */
    fgti_real *out;             /* [m,ld] */
    fgti_real *top, *sum, *fix; /* [lanes] each */
    fgti_real *rows;            /* [m,ld]: the queries of a chunk as rows */
    /* backward */
    fgti_real *dy;    /* [m,ld]: dO */
    fgti_real *dyt;   /* [n,lanes] */
    fgti_real *ds;    /* [2m,lanes] */
    fgti_real *dkeys; /* [2m,ld]: dK of a chunk, or dV */
    fgti_real *delta; /* [T]: dO_i O_i' */
    fgti_real *dk;    /* [T,dh] */
} head;

static int64_t lsh_place_arena(head *hd, const fgti_chain *c, fgti_real *base)
{
    const fgti_lsh *p    = &c->lsh;
    const int64_t   time = c->attention.tq, dh = c->attention.dh, m = p->bucket;
    const int64_t   keys = fgti_mul(2, m);
    int64_t         at = 0;
    hd->ld             = fgti_round_up(dh > c->n ? dh : c->n, FGTI_REGISTER);
    hd->lanes          = fgti_round_up(m, FGTI_REGISTER);
    hd->inverse        = fgti_take(base, &at, time);
    hd->hash           = fgti_lsh_hash_place(p, base, &at);
    hd->position       = fgti_take_integers(base, &at, keys);
    hd->keys           = fgti_take(base, &at, fgti_mul(keys, hd->ld));
    hd->values         = fgti_take(base, &at, fgti_mul(keys, hd->ld));
    hd->query          = fgti_take(base, &at, fgti_mul(dh, hd->lanes));
    hd->s              = fgti_take(base, &at, fgti_mul(keys, hd->lanes));
    hd->out            = fgti_take(base, &at, fgti_mul(m, hd->ld));
    hd->top            = fgti_take(base, &at, hd->lanes);
    hd->sum            = fgti_take(base, &at, hd->lanes);
    hd->fix            = fgti_take(base, &at, hd->lanes);
    hd->rows           = fgti_take(base, &at, fgti_mul(m, hd->ld));
    hd->dy             = fgti_take(base, &at, fgti_mul(m, hd->ld));
    hd->dyt            = fgti_take(base, &at, fgti_mul(c->n, hd->lanes));
    hd->ds             = fgti_take(base, &at, fgti_mul(keys, hd->lanes));
    hd->dkeys          = fgti_take(base, &at, fgti_mul(keys, hd->ld));
    hd->delta          = fgti_take(base, &at, time);
    hd->dk             = fgti_take(base, &at, fgti_mul(time, dh));
    return at;
}

static int64_t lsh_arena(const fgti_chain *c)
{
    head hd;
    return lsh_place_arena(&hd, c, NULL);
}

static head lsh_head_of(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    const fgti_attention *attention = &c->attention;
    const fgti_lsh       *p         = &c->lsh;
    const int64_t         gh        = g * attention->heads + h;
    head                  hd        = {.c       = c,
                                       .lsh     = p,
                                       .time    = attention->tq,
                                       .dh      = attention->dh,
                                       .m       = p->bucket,
                                       .q       = fgti_attention_q(attention, g, h),
                                       .n       = c->n,
                                       .ldq     = attention->ldq,
                                       .order   = p->order + gh * p->rounds * p->padded,
                                       .shift   = p->shift + gh * attention->tq,
                                       .factor  = p->factor + gh * attention->tq,
                                       .scratch = scratch};
    lsh_place_arena(&hd, c, arena);
    if (attention->padding) hd.padding = attention->padding + g / attention->nodes * hd.time;
    for (int64_t t = 0; t < hd.time; t++) {
        const double length = sqrt(attention->run->vec->sumsq(hd.dh, hd.q + t * hd.ldq));
        hd.inverse[t]       = length < SHORT ? 0 : (fgti_real)(1 / length);
    }
    return hd;
}

/* C [rows,n] = alpha X Y, where X has its elements at x[r*rs + p*cs]; n is a multiple of FGTI_REGISTER */
static void lsh_multiply(const head *hd, int64_t rows, int64_t n, int64_t k, fgti_real alpha,
                         const fgti_real *x, int64_t rs, int64_t cs, const fgti_real *y, fgti_real *c)
{
    const fgti_run *run = hd->c->attention.run;
    if (run->products == FGT_PRODUCTS_AUTO) {
        run->vec->panels->multiply(rows, n, k, alpha, x, rs, cs, y, n, 0, c, n);
        return;
    }
    const fgti_gemm g = {rows, n, k, alpha, 0, x, rs, cs, y, n, 1, c, n, false, NULL, 0, NULL, false};
    fgti_gemm_run(run->blas, hd->scratch, &g);
}

/* ---- options and masks ---- */

static const char *lsh_misfit(const fgt_attention_rule *conf, const fgti_layer *l)
{
    return l->inputs > 1 ? "a memory" : fgti_attender_misfit(conf, l);
}

static int64_t lsh_attending(const fgt_attention_rule *conf, int64_t n)
{
    const int64_t m = bucket_size(conf->bucket_size), pairs = fgti_mul(rounds_of(conf->n_hashes), 2 * m);
    return fgti_mul(pairs, padded_time(n, m)) / n;
}

static fgt_status lsh_check(fgti_chain *c)
{
    const fgti_attention *attention = &c->attention;
    const int64_t         m         = bucket_size(attention->conf.bucket_size);
    FGTI_TRY(fgti_attender_check_masks(c, "key padding and rotations"));
    return fgti_rotations(attention->run, attention->dh, rounds_of(attention->conf.n_hashes),
                          padded_time(attention->tq, m) / m / 2, &c->lsh.given);
}

static void lsh_prepare(const fgti_chain *c, const fgti_io *io)
{
    const fgti_lsh *p = &c->lsh;
    const int64_t   n = c->attention.dh * p->rounds * p->columns;
    (void)io;
    for (int64_t i = 0; i < n && !p->given; i++)
        p->drawn[i] = (fgti_real)fgti_rng_normal(c->attention.key_rng, (uint64_t)i);
}

/* ---- chunks ---- */

static int64_t lsh_chunks_of(const head *hd)
{
    return hd->lsh->rounds * hd->lsh->padded / hd->m;
}

/* Fills `to` [m,ld]. Each row gets n columns of a row of x, then zeros. Positions without a token become rows
 * of zeros. */
static void load_rows(const head *hd, int64_t n, const int32_t *position, const fgti_real *x, int64_t ldx,
                      fgti_real *to)
{
    const size_t row = (size_t)n * sizeof *to, rest = (size_t)(hd->ld - n) * sizeof *to;
    for (int64_t i = 0; i < hd->m; i++, to += hd->ld) {
        if (position[i] < hd->time)
            memcpy(to, x + position[i] * ldx, row);
        else
            memset(to, 0, row);
        memset(to + n, 0, rest);
    }
}

/* Loads keys and values of a chunk into the chunk's half of `keys` and `values`. */
static void load_keys(const head *hd, int64_t chunk)
{
    const int32_t *order = hd->order + chunk * hd->m;
    const int64_t  first = chunk % 2 * hd->m;
    fgti_real     *keys  = hd->keys + first * hd->ld;
    memcpy(hd->position + first, order, (size_t)hd->m * sizeof *order);
    load_rows(hd, hd->n, order, hd->v, hd->ldv, hd->values + first * hd->ld);
    load_rows(hd, hd->dh, order, hd->q, hd->ldq, keys);
    for (int64_t i = 0; i < hd->m; i++, keys += hd->ld) {
        const fgti_real f = order[i] < hd->time ? hd->inverse[order[i]] : 0;
        for (int64_t d = 0; d < hd->dh; d++) keys[d] *= f;
    }
}

/* Transposes rows [m,ld] to the columns of to [n,lanes]. */
static void lsh_turn(const head *hd, int64_t n, const fgti_real *rows, fgti_real *to)
{
    hd->c->attention.run->vec->transpose(hd->m, n, rows, hd->ld, to, hd->lanes);
    for (int64_t d = 0; d < n; d++)
        memset(to + d * hd->lanes + hd->m, 0, (size_t)(hd->lanes - hd->m) * sizeof *to);
}

/* Loads maximum and sum, or shift and factor, of a chunk's queries. */
static void lsh_load_state(const head *hd, const int32_t *order)
{
    for (int64_t i = 0; i < hd->lanes; i++) {
        const bool token = i < hd->m && order[i] < hd->time;
        hd->top[i]       = token ? hd->shift[order[i]] : -(fgti_real)INFINITY;
        hd->sum[i]       = token ? hd->factor[order[i]] : 0;
    }
}

/* Masks the keys that a query may not see, and the query itself as a key. A position can be twice in the
 * chunks of a query only where two rounds meet. */
static void lsh_mask(const head *hd, int64_t chunk)
{
    const int32_t  *order  = hd->order + chunk * hd->m;
    const int64_t   own    = chunk % 2 * hd->m;
    const bool      of_two = chunk % (hd->lsh->padded / hd->m) == 0;
    const bool      causal = hd->c->attention.conf.causal;
    const fgti_real inf    = (fgti_real)INFINITY;
    for (int64_t j = 0; j < 2 * hd->m; j++) {
        const int32_t key    = hd->position[j];
        fgti_real    *s      = hd->s + j * hd->lanes;
        const bool    hidden = hd->padding && key < hd->time && hd->padding[key];
        for (int64_t i = 0; (hidden || causal) && i < hd->m; i++)
            if (hidden || key > order[i]) s[i] = -inf;
        if (j >= own && j < own + hd->m) s[j - own] = (fgti_real)SELF;
        for (int64_t i = 0; of_two && i < hd->m; i++)
            if (key == order[i]) s[i] = (fgti_real)SELF;
    }
}

/* Computes the scores s of a chunk. The keys of this chunk and of the chunk before it must be loaded. */
static void lsh_score(const head *hd, int64_t chunk)
{
    load_rows(hd, hd->dh, hd->order + chunk * hd->m, hd->q, hd->ldq, hd->rows);
    lsh_turn(hd, hd->dh, hd->rows, hd->query);
    lsh_multiply(hd, 2 * hd->m, hd->lanes, hd->dh, fgti_attention_scale(&hd->c->attention), hd->keys, hd->ld,
                 1, hd->query, hd->s);
    lsh_mask(hd, chunk);
}

/* Turns s into A of a chunk, by shift and factor. Positions without a token get zeros. */
static void lsh_weigh(const head *hd, int64_t chunk)
{
    lsh_score(hd, chunk);
    lsh_load_state(hd, hd->order + chunk * hd->m);
    for (int64_t i = 0; i < hd->lanes; i++)
        if (hd->sum[i] == 0) hd->top[i] = 0;
    hd->c->attention.run->vec->panels->exp_lanes(2 * hd->m, hd->lanes, hd->top, hd->sum, hd->s);
}

static void lsh_clear_rows(const head *hd, int64_t n, fgti_real *y, int64_t ld)
{
    for (int64_t t = 0; t < hd->time; t++) memset(y + t * ld, 0, (size_t)n * sizeof *y);
}

/* ---- the passes ---- */

/* O_i = fix O_i + sum_j exp(s_ij - top_i) V_j. Stores top and sum for the next chunks */
static void lsh_attend(const head *hd, int64_t chunk, fgti_real *o, int64_t ldo)
{
    const int32_t  *order = hd->order + chunk * hd->m;
    const fgti_vec *vec   = hd->c->attention.run->vec;
    lsh_score(hd, chunk);
    lsh_load_state(hd, order);
    vec->panels->softmax_part(2 * hd->m, hd->lanes, hd->s, hd->top, hd->sum, hd->fix);
    lsh_multiply(hd, hd->m, hd->ld, 2 * hd->m, 1, hd->s, 1, hd->lanes, hd->values, hd->out);
    for (int64_t i = 0; i < hd->m; i++) {
        const int64_t t = order[i];
        if (t >= hd->time) continue;
        hd->shift[t]  = hd->top[i];
        hd->factor[t] = hd->sum[i];
        vec->scale(hd->n, hd->fix[i], o + t * ldo);
        vec->axpy(hd->n, 1, hd->out + i * hd->ld, o + t * ldo);
    }
}

/* y_t += x for the tokens t of a chunk, or of its keys */
static void add_to(const head *hd, int64_t rows, int64_t n, const int32_t *position, const fgti_real *x,
                   fgti_real *y, int64_t ld)
{
    const fgti_vec *vec = hd->c->attention.run->vec;
    for (int64_t i = 0; i < rows; i++)
        if (position[i] < hd->time) vec->axpy(n, 1, x + i * hd->ld, y + position[i] * ld);
}

/* Computes O of the first product. The later products use the same softmax. */
static void lsh_begin(const head *hd, fgti_real *o, int64_t ldo)
{
    const fgti_vec *vec = hd->c->attention.run->vec;
    lsh_clear_rows(hd, hd->n, o, ldo);
    for (int64_t t = 0; t < hd->time; t++) hd->shift[t] = -(fgti_real)INFINITY, hd->factor[t] = 0;
    load_keys(hd, lsh_chunks_of(hd) - 1);
    for (int64_t chunk = 0; chunk < lsh_chunks_of(hd); chunk++) {
        load_keys(hd, chunk);
        lsh_attend(hd, chunk, o, ldo);
    }
    vec->panels->softmax_end(hd->time, hd->shift, hd->factor);
    for (int64_t t = 0; t < hd->time; t++) vec->scale(hd->n, hd->factor[t], o + t * ldo);
}

/* O = A X of a later product */
static void lsh_go_on(const head *hd, fgti_real *o, int64_t ldo)
{
    lsh_clear_rows(hd, hd->n, o, ldo);
    load_keys(hd, lsh_chunks_of(hd) - 1);
    for (int64_t chunk = 0; chunk < lsh_chunks_of(hd); chunk++) {
        load_keys(hd, chunk);
        lsh_weigh(hd, chunk);
        lsh_multiply(hd, hd->m, hd->ld, 2 * hd->m, 1, hd->s, 1, hd->lanes, hd->values, hd->out);
        add_to(hd, hd->m, hd->n, hd->order + chunk * hd->m, hd->out, o, ldo);
    }
}

static void lsh_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    head hd = lsh_head_of(c, g, h, arena, scratch);
    fgti_lsh_sort(&hd.hash, c, hd.q, hd.ldq, hd.order, scratch);
    for (int64_t i = 0; i < c->products; i++) {
        fgti_real *o = fgti_span_rows_of(c, c->o, g, h, i);
        hd.v         = fgti_chain_input(c, g, h, i, &hd.ldv);
        if (i)
            lsh_go_on(&hd, o, c->o.ld);
        else
            lsh_begin(&hd, o, c->o.ld);
        fgti_chain_add(c, g, h, i);
    }
}

/* ds = scale A (ds - delta), where delta is [lanes] */
static void lsh_scores_grad(int64_t keys, int64_t lanes, fgti_real scale, const fgti_real *restrict a,
                            const fgti_real *restrict delta, fgti_real *restrict ds)
{
    for (int64_t j = 0; j < keys; j++)
        for (int64_t i = 0; i < lanes; i++)
            ds[j * lanes + i] = scale * a[j * lanes + i] * (ds[j * lanes + i] - delta[i]);
}

/* dV_j += A_ij dO_i;  ds_ij = A_ij (dO_i V_j' - delta_i);  dk_j += ds_ij q_i and dq_i += ds_ij k_j, both
 * scaled */
static void attend_grad(const head *hd, int64_t chunk, const fgti_real *dy, int64_t lddy, fgti_real *dv,
                        int64_t lddv, fgti_real *dq, int64_t lddq)
{
    const int32_t  *order = hd->order + chunk * hd->m;
    const fgti_real scale = fgti_attention_scale(&hd->c->attention);
    const int64_t   keys  = 2 * hd->m;
    lsh_weigh(hd, chunk);
    load_rows(hd, hd->n, order, dy, lddy, hd->dy);
    lsh_turn(hd, hd->n, hd->dy, hd->dyt);
    for (int64_t i = 0; i < hd->lanes; i++)
        hd->fix[i] = i < hd->m && order[i] < hd->time ? hd->delta[order[i]] : 0;
    lsh_multiply(hd, keys, hd->ld, hd->m, 1, hd->s, hd->lanes, 1, hd->dy, hd->dkeys);
    add_to(hd, keys, hd->n, hd->position, hd->dkeys, dv, lddv);
    lsh_multiply(hd, keys, hd->lanes, hd->n, 1, hd->values, hd->ld, 1, hd->dyt, hd->ds);
    lsh_scores_grad(keys, hd->lanes, scale, hd->s, hd->fix, hd->ds);
    lsh_multiply(hd, keys, hd->ld, hd->m, 1, hd->ds, hd->lanes, 1, hd->rows, hd->dkeys);
    add_to(hd, keys, hd->dh, hd->position, hd->dkeys, hd->dk, hd->dh);
    lsh_multiply(hd, hd->m, hd->ld, keys, 1, hd->ds, 1, hd->lanes, hd->keys, hd->out);
    add_to(hd, hd->m, hd->dh, order, hd->out, dq, lddq);
}

/* The gradient through k = q/|q|:  dq += (dk - (dk k') k)/|q| */
static void normalise_grad(const head *hd, fgti_real *dq, int64_t lddq)
{
    for (int64_t t = 0; t < hd->time; t++) {
        const fgti_real *q = hd->q + t * hd->ldq, *dk = hd->dk + t * hd->dh, f = hd->inverse[t];
        fgti_real        dot = 0;
        for (int64_t d = 0; d < hd->dh; d++) dot += dk[d] * q[d] * f;
        for (int64_t d = 0; d < hd->dh; d++) dq[t * lddq + d] += f * (dk[d] - dot * q[d] * f);
    }
}

static void lsh_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    head       hd = lsh_head_of(c, g, h, arena, scratch);
    fgti_real *dq = fgti_span_rows(c, c->dq, g, h);
    lsh_clear_rows(&hd, hd.dh, dq, c->dq.ld);
    lsh_clear_rows(&hd, hd.dh, hd.dk, hd.dh);
    for (int64_t i = c->products - 1; i >= 0; i--) {
        const fgti_real *dy = fgti_span_rows_of(c, c->dy, g, h, i), *o = fgti_span_rows_of(c, c->o, g, h, i);
        int64_t          lddx;
        fgti_real       *dx = fgti_chain_input_gradient(c, g, h, i, &lddx);
        hd.v                = fgti_chain_input(c, g, h, i, &hd.ldv);
        lsh_clear_rows(&hd, hd.n, dx, lddx);
        memset(hd.delta, 0, (size_t)hd.time * sizeof *hd.delta);
        c->attention.run->vec->panels->dot_rows(hd.time, hd.n, dy, c->dy.ld, o, c->o.ld, hd.delta);
        load_keys(&hd, lsh_chunks_of(&hd) - 1);
        for (int64_t chunk = 0; chunk < lsh_chunks_of(&hd); chunk++) {
            load_keys(&hd, chunk);
            attend_grad(&hd, chunk, dy, c->dy.ld, dx, lddx, dq, c->dq.ld);
        }
    }
    normalise_grad(&hd, dq, c->dq.ld);
}

/* Writes A. The zeros after the tokens have no columns, but are counted in the sum of a row. */
static void lsh_matrix(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch,
                       fgti_real *a)
{
    head hd = lsh_head_of(c, g, h, arena, scratch);
    hd.v    = fgti_chain_input(c, g, h, 0, &hd.ldv);
    memset(a, 0, (size_t)(hd.time * hd.time) * sizeof *a);
    load_keys(&hd, lsh_chunks_of(&hd) - 1);
    for (int64_t chunk = 0; chunk < lsh_chunks_of(&hd); chunk++) {
        const int32_t *order = hd.order + chunk * hd.m;
        load_keys(&hd, chunk);
        lsh_weigh(&hd, chunk);
        for (int64_t j = 0; j < 2 * hd.m; j++)
            for (int64_t i = 0; hd.position[j] < hd.time && i < hd.m; i++)
                if (order[i] < hd.time) a[order[i] * hd.time + hd.position[j]] += hd.s[j * hd.lanes + i];
    }
}

const fgti_attender fgti_attender_lsh = {
    .name      = "lsh",
    .kept      = FGTI_ROUTE_ATTENTION_LSH,
    .streamed  = FGTI_ROUTE_ATTENTION_LSH,
    .shared    = true,
    .misfit    = lsh_misfit,
    .attending = lsh_attending,
    .place     = lsh_place,
    .arena     = lsh_arena,
    .check     = lsh_check,
    .prepare   = lsh_prepare,
    .forward   = lsh_forward,
    .backward  = lsh_backward,
    .matrix    = lsh_matrix,
};
