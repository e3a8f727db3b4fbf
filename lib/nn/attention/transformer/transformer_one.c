/* SPDX-License-Identifier: BSD-3-Clause */
/* A prediction of which only one row of each group is read, the last token or the class token. Keys and
 * values are computed for all rows, and everything else only for the row that is read. The other rows of the
 * output are zero. */
#include "nn/attention/transformer/transformer_one.h"

#include <string.h>

#include "nn/attention/transformer/transformer_forward.h"
#include "nn/attention/transformer/transformer_pass.h"

/* Returns the number of lanes for all heads side by side, in whole registers. */
static int64_t lanes_of(const fgti_transformer_pass *p)
{
    return fgti_round_up(p->mha.chain.attention.heads, FGTI_REGISTER);
}

bool fgti_transformer_is_one(const fgti_transformer_pass *p)
{
    const fgt_transformer_opts *o = p->l->opts;
    if (!p->l->wanted || p->l->graph || p->run->differentiable || p->io->in.time < 3) return false;
    if (o->attention.causal && p->l->wanted > 0) return false; /* only the last token attends to all */
    for (int i = 0; i < FGT_MASK_COUNT; i++)
        if (p->run->mask[i]) return false;
    return true;
}

/* The parts of a worker's arena. */
typedef struct one_arena {
    fgti_real *q, *a, *c;      /* [D][lanes], [T][lanes], [lanes][D] */
    fgti_real *shift, *factor; /* [lanes] */
} one_arena;

static int64_t transformer_one_layout(const fgti_transformer_pass *p, int64_t time, one_arena *r,
                                      fgti_real *base)
{
    const int64_t lanes = lanes_of(p);
    int64_t       at    = 0;
    r->q                = fgti_take(base, &at, fgti_mul(p->d, lanes));
    r->a                = fgti_take(base, &at, fgti_mul(time, lanes));
    r->c                = fgti_take(base, &at, fgti_mul(p->d, lanes));
    r->shift            = fgti_take(base, &at, lanes);
    r->factor           = fgti_take(base, &at, lanes);
    return at;
}

int64_t fgti_transformer_one_arena(const fgti_transformer_pass *p, int64_t time)
{
    one_arena r;
    return p->l->wanted ? transformer_one_layout(p, time, &r, NULL) : 0;
}

/* Returns the row of group g that is read. */
static int64_t transformer_one_row_of(const fgti_transformer_pass *p, int64_t g)
{
    const int64_t t = p->io->in.time;
    return g * t + (p->l->wanted < 0 ? t - 1 : p->l->wanted - 1);
}

/* Writes the context of the row that is read to row g of c. The heads of Q are in separate columns, so one
 * product computes the scores of all heads. In the product with V, each head uses only its own columns of
 * V. */
static void transformer_one_attend(const fgti_transformer_pass *p, int64_t g, fgti_real *arena)
{
    const fgti_attention  *attention = &p->mha.chain.attention;
    const fgti_vec_panels *panels    = p->run->vec->panels;
    const int64_t          t = attention->tk, dh = attention->dh, d = p->d, lanes = lanes_of(p);
    const int64_t          ld = p->mha.p.ldkv;
    const fgti_real       *q  = p->mha.p.q + transformer_one_row_of(p, g) * p->mha.p.ldq;
    const fgti_real       *k = p->mha.p.k + g * t * ld, *v = p->mha.p.v + g * t * ld;
    one_arena              r;
    transformer_one_layout(p, p->io->in.time, &r, arena);
    memset(r.q, 0, (size_t)(d * lanes) * sizeof *r.q);
    for (int64_t i = 0; i < d; i++) r.q[i * lanes + i / dh] = q[i];
    panels->multiply(t, lanes, d, fgti_attention_scale(attention), k, ld, 1, r.q, lanes, 0, r.a, lanes);
    panels->softmax(t, lanes, r.a, r.shift, r.factor);
    panels->multiply(attention->heads, d, t, 1, r.a, 1, lanes, v, ld, 0, r.c, d);
    for (int64_t i = 0; i < d; i++) p->mha.c[g * d + i] = r.c[i / dh * d + i];
}

/* The rows of x and of y that are read, one of each for each group, are stored in c after the contexts.
 * few_x() and few_y() return their places. */
static fgti_real *few_x(const fgti_transformer_pass *p)
{
    return p->mha.c + p->mha.chain.attention.groups * p->d;
}

static fgti_real *few_y(const fgti_transformer_pass *p)
{
    return p->mha.c + 2 * p->mha.chain.attention.groups * p->d;
}

static void transformer_one_group_task(void *arg, int64_t g, int32_t worker)
{
    const fgti_transformer_pass *p = arg;
    transformer_one_attend(p, g, fgti_worker_arena(p->io, worker));
    memcpy(few_x(p) + g * p->d, p->io->x + transformer_one_row_of(p, g) * p->d,
           (size_t)p->d * sizeof *p->io->x);
}

void fgti_transformer_one(fgti_transformer_pass *p)
{
    fgti_transformer_begin(p);
    const int64_t         groups = p->mha.chain.attention.groups, d = p->d;
    fgti_transformer_pass few = *p;
    fgti_io               io  = *p->io;
    fgti_transformer_project(p);
    fgti_parallel(p->run->exec, groups, transformer_one_group_task, p);
    io.x     = few_x(p);
    io.y     = few_y(p);
    few.io   = &io;
    few.rows = groups;
    fgti_transformer_set_maps(&few);
    fgti_transformer_rows(&few, FGTI_MAP_OUT, FGTI_MAP_DOWN);
    memset(p->io->y, 0, (size_t)(p->rows * d) * sizeof *io.y);
    for (int64_t g = 0; g < groups; g++)
        memcpy(p->io->y + transformer_one_row_of(p, g) * d, io.y + g * d, (size_t)d * sizeof *io.y);
}
