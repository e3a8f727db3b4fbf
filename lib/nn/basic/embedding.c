/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/half.h"
#include "nn/layer.h"
#include "nn/low_rank.h"

static const fgti_opt embedding_opts[] = {
    FGTI_FIELD(fgt_embedding_opts, vocab, I64, 1, INT32_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_embedding_opts, out, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_embedding_opts, padding_idx, I64, 0, INT32_MAX, 0),
    FGTI_FIELD(fgt_embedding_opts, has_padding, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_embedding_opts, init, F32, 1e-9, 1e3, 1),
    FGTI_FIELD(fgt_embedding_opts, mask_padding, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_embedding_opts, reserved, BOOL, 0, 0, 0),
    FGTI_FIELD(fgt_embedding_opts, bag, I64, 0, INT32_MAX, 0),
    {0},
};

static int64_t bag_of(const fgti_layer *l)
{
    const int64_t bag = ((const fgt_embedding_opts *)l->opts)->bag;
    return bag ? bag : 1;
}

static fgt_status embedding_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_embedding_opts *o = l->opts;
    const int64_t             bag = bag_of(l);
    if (in.time % bag)
        return fgti_fail(err, FGT_E_SHAPE,
                         "ids: wrong number of tokens (got %lld, need a multiple of bag, %lld)",
                         (long long)in.time, (long long)bag);
    *out = (fgti_shape){in.nodes, in.time / bag, o->out};
    return FGT_OK;
}

/* A token of y stands for a bag of ids. The token is padding if the first id of its bag is padding. */
static int64_t embedding_stride(const fgti_layer *l)
{
    return bag_of(l) > 1 ? bag_of(l) : 0;
}

static fgt_status embedding_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_embedding_opts *o = l->opts;
    if (o->has_padding && o->padding_idx >= o->vocab)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "padding_idx is out of range (got %lld, need below vocab %lld)",
                         (long long)o->padding_idx, (long long)o->vocab);
    if (o->mask_padding && !o->has_padding)
        return fgti_fail(&ctx->error, FGT_E_ARG, "mask_padding needs has_padding and a padding_idx");
    l->masks   = o->mask_padding;
    l->mask_id = o->padding_idx;
    FGTI_TRY(embedding_shape(&ctx->error, l, l->in, &l->out));
    FGTI_TRY(fgti_param_add(ctx, l, "weight", 2, (int64_t[]){o->vocab, o->out}, FGTI_INIT_NORMAL, o->init));
    l->param[0].zero_row = o->has_padding ? o->padding_idx : -1;
    l->param[0].sparse   = true;
    return FGT_OK;
}

static fgt_status check_ids(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_embedding_opts *o = l->opts;
    const int64_t             t = io->in.time;
    for (int64_t r = 0; r < run->batch * t; r++)
        if (io->ids[r] < 0 || io->ids[r] >= o->vocab)
            return fgti_error_at(
                run->error, r / t,
                fgti_fail(
                    run->error, FGT_E_DATA,
                    "id is out of range (got %d at sample %lld of the batch, token %lld, need 0 .. %lld)",
                    io->ids[r], (long long)(r / t), (long long)(r % t), (long long)o->vocab - 1));
    return FGT_OK;
}

/* Number of shares of the vocabulary. A bag is the ids of one token, which are adjacent. For gradients the
 * vocabulary is divided into shares, one for each task. A row of W belongs to one share, so no sum is
 * divided. */
#define SHARES 16

typedef struct lookup {
    const fgti_run  *run;
    const int32_t   *ids;
    int64_t              rows, h, bag; /* rows: number of tokens; bag: ids of a token */
    int32_t          padding;      /* id whose row is 0; -1: no such id */
    const fgti_real *w, *dy;
    const uint16_t  *half; /* w in bf16; NULL: w itself is read */
    const fgti_low_rank *adapter; /* adds a product of its factors to each row of w; NULL: no adapter */
    fgti_real       *y, *dw;
    int32_t             *list;              /* [R bag]: positions of ids, sorted by the shares of the ids */
    int64_t          first[SHARES + 1]; /* begin of each share in the list */
} lookup;

static lookup lookup_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t bag = bag_of(l);
    return (lookup){.run     = run,
                    .ids     = io->ids,
                    .rows    = fgti_rows(run->batch, io->in) / bag,
                    .h       = l->out.width,
                    .bag     = bag,
                    .padding = (int32_t)l->param[0].zero_row};
}

static void embedding_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const int64_t ids = fgti_rows(batch, in);
    need->backward    = ids > INT32_MAX ? FGTI_HUGE : ids; /* the list, with 32-bit positions */
    if (l->half) need->packs = fgti_halves(l->param[0].count);
}

#define ROWS_AT_ONCE FGTI_LOOKUP

static void embedding_copy_row(const lookup *p, int32_t id, fgti_real *y)
{
    if (p->half)
        p->run->vec->expand(p->h, p->half + id * p->h, y);
    else
        memcpy(y, p->w + id * p->h, (size_t)p->h * sizeof *y);
}

static void embedding_add_row(const lookup *p, int32_t id, fgti_real *y)
{
    fgti_real part[64];
    if (id == p->padding) return;
    if (!p->half) p->run->vec->axpy(p->h, 1, p->w + id * p->h, y);
    for (int64_t i = 0, n; p->half && i < p->h; i += n) {
        n = fgti_least(64, p->h - i);
        p->run->vec->expand(n, p->half + id * p->h + i, part);
        p->run->vec->axpy(n, 1, part, y + i);
    }
}

/* Takes id k of each of n bags. `first` is the number of the first bag. */
static void take_ids(const lookup *p, int64_t first, int64_t n, int64_t k, int32_t *ids)
{
    for (int64_t i = 0; i < n; i++) ids[i] = p->ids[(first + i) * p->bag + k];
}

static void add_adapter(const lookup *p, int64_t first, int64_t n)
{
    int32_t ids[ROWS_AT_ONCE];
    for (int64_t k = 0; k < p->bag; k++) {
        take_ids(p, first, n, k, ids);
        fgti_low_rank_lookup(p->run->vec, p->adapter, n, ids, p->y + first * p->h);
    }
}

static void embedding_forward_task(void *arg, int64_t task, int32_t worker)
{
    const lookup *p     = arg;
    const int64_t begin = task * ROWS_AT_ONCE;
    const int64_t end   = begin + ROWS_AT_ONCE < p->rows ? begin + ROWS_AT_ONCE : p->rows;
    (void)worker;
    for (int64_t r = begin; r < end; r++) {
        const int32_t *ids = p->ids + r * p->bag;
        embedding_copy_row(p, ids[0], p->y + r * p->h);
        for (int64_t k = 1; k < p->bag; k++) embedding_add_row(p, ids[k], p->y + r * p->h);
    }
    if (p->adapter) add_adapter(p, begin, end - begin);
}

/* y[r] = sum of W[id] over the ids of bag r */
static fgt_status embedding_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    lookup p = lookup_of(run, l, io);
    p.w      = fgti_w(l, io, 0);
    p.half   = l->half ? (const uint16_t *)io->packs : NULL;
    p.y      = io->y;
    p.adapter = fgti_low_rank_find(run, p.w);
    FGTI_TRY(check_ids(run, l, io));
    fgti_parallel(run->exec, (p.rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, embedding_forward_task, &p);
    return FGT_OK;
}

static void embedding_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    const fgti_real *w    = fgti_w(l, io, 0);
    uint16_t        *half = (uint16_t *)io->packs;
    (void)run;
    for (int64_t i = 0; l->half && i < l->param[0].count; i++) half[i] = fgti_half_of(w[i]);
    unread[0] = l->half;
}

static int32_t embedding_share_of(int32_t id)
{
    return id % SHARES;
}

/* Fills the list and marks the touched rows of W, unless touched == NULL. Padding has no gradient. */
static void sort_ids(lookup *p, fgti_touched *touched)
{
    const int64_t n = p->rows * p->bag;
    int64_t       next[SHARES];
    for (int64_t i = 0; i < n; i++) {
        if (p->ids[i] == p->padding) continue;
        if (touched) fgti_touch(touched, p->ids[i]);
        p->first[embedding_share_of(p->ids[i]) + 1]++;
    }
    for (int s = 0; s < SHARES; s++) {
        next[s] = p->first[s];
        p->first[s + 1] += p->first[s];
    }
    for (int64_t i = 0; i < n; i++)
        if (p->ids[i] != p->padding) p->list[next[embedding_share_of(p->ids[i])]++] = (int32_t)i;
}

static void embedding_backward_task(void *arg, int64_t share, int32_t worker)
{
    const lookup *p = arg;
    (void)worker;
    for (int64_t i = p->first[share]; i < p->first[share + 1]; i++)
        p->run->vec->axpy(p->h, 1, p->dy + p->list[i] / p->bag * p->h, p->dw + p->ids[p->list[i]] * p->h);
}

/* dW[id] += dy[r] for each id of bag r, in the order of r */
static fgt_status embedding_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    lookup p  = lookup_of(run, l, io);
    p.dy      = io->dy;
    p.dw      = fgti_dw(l, io, 0);
    p.adapter = fgti_low_rank_find(run, p.dw);
    p.list    = (int32_t *)io->scratch;
    for (int64_t k = 0; p.adapter && k < p.bag; k++) {
        take_ids(&p, 0, p.rows, k, p.list);
        fgti_low_rank_lookup_grad(run, p.adapter, p.rows, p.list, p.padding, p.dy);
    }
    if (p.adapter) return FGT_OK;
    sort_ids(&p, l->param[0].sparse ? io->touched : NULL);
    fgti_parallel(run->exec, SHARES, embedding_backward_task, &p);
    return FGT_OK;
}

static const char *embedding_step_misfit(const fgti_layer *l, int64_t room)
{
    (void)room;
    return bag_of(l) > 1 ? "makes one token of several ids" : NULL;
}

const fgti_class fgti_class_embedding = {
    .name      = "embedding",
    .opts      = embedding_opts,
    .opts_size = sizeof(fgt_embedding_opts),
    .streams   = true,
    .ids       = 1,
    .plan      = embedding_plan,
    .shape     = embedding_shape,
    .stride    = embedding_stride,
    .size      = embedding_size,
    .step_misfit = embedding_step_misfit,
    .forward   = embedding_forward,
    .backward  = embedding_backward,
    .prepare   = embedding_prepare,
};
