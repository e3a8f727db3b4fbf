/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/half.h"
#include "nn/low_rank.h"

static const fgti_opt embedding_opts[] = {
    FGTI_FIELD(fgt_embedding_opts, vocab, I64, 1, INT32_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_embedding_opts, out, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_embedding_opts, padding_idx, I64, 0, INT32_MAX, 0),
    FGTI_FIELD(fgt_embedding_opts, has_padding, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_embedding_opts, init, F32, 1e-9, 1e3, 1),
    FGTI_FIELD(fgt_embedding_opts, mask_padding, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_embedding_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgt_status embedding_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_embedding_opts *o = l->opts;
    if (o->has_padding && o->padding_idx >= o->vocab)
        return fgti_fail(&ctx->error, FGT_E_ARG, "padding_idx %lld is not below vocab %lld",
                         (long long)o->padding_idx, (long long)o->vocab);
    if (o->mask_padding && !o->has_padding)
        return fgti_fail(&ctx->error, FGT_E_ARG, "mask_padding needs has_padding and a padding_idx");
    l->masks     = o->mask_padding;
    l->mask_id   = o->padding_idx;
    l->out.width = o->out;
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
                fgti_fail(run->error, FGT_E_DATA,
                          "id %d at sample %lld of the batch, token %lld is outside 0 .. %lld", io->ids[r],
                          (long long)(r / t), (long long)(r % t), (long long)o->vocab - 1));
    return FGT_OK;
}

/* Gradients are added up in shares of the vocabulary, one task each. A row of W belongs to one share, so no
 * sum is split. */
#define SHARES 16

typedef struct lookup {
    const fgti_run  *run;
    const int32_t   *ids;
    int64_t          rows, h;
    const fgti_real *w, *dy;
    const uint16_t  *half; /* w in bf16, NULL: w itself is read */
    const fgti_low_rank *adapter; /* what is added to the rows of w; NULL: nothing */
    fgti_real       *y, *dw;
    int32_t         *list;              /* [R]: rows of dy, share by share */
    int64_t          first[SHARES + 1]; /* where a share begins in the list */
} lookup;

static lookup lookup_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return (lookup){.run = run, .ids = io->ids, .rows = fgti_rows(run->batch, io->in), .h = l->out.width};
}

static void embedding_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const int64_t rows = fgti_rows(batch, in);
    need->backward     = rows > INT32_MAX ? FGTI_HUGE : rows; /* the list, of rows' numbers in 32 bits */
    if (l->half) need->packs = fgti_halves(l->param[0].count);
}

#define ROWS_AT_ONCE FGTI_LOOKUP

static void forward_task(void *arg, int64_t task, int32_t worker)
{
    const lookup *p     = arg;
    const int64_t begin = task * ROWS_AT_ONCE;
    const int64_t end   = begin + ROWS_AT_ONCE < p->rows ? begin + ROWS_AT_ONCE : p->rows;
    (void)worker;
    for (int64_t r = begin; r < end; r++)
        if (p->half)
            p->run->vec->expand(p->h, p->half + p->ids[r] * p->h, p->y + r * p->h);
        else
            memcpy(p->y + r * p->h, p->w + p->ids[r] * p->h, (size_t)p->h * sizeof *p->w);
    if (p->adapter)
        fgti_low_rank_lookup(p->run->vec, p->adapter, end - begin, p->ids + begin, p->y + begin * p->h);
}

/* y[r] = W[id_r] */
static fgt_status embedding_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    lookup p = lookup_of(run, l, io);
    p.w      = fgti_w(l, io, 0);
    p.half   = l->half ? (const uint16_t *)io->packs : NULL;
    p.y      = io->y;
    p.adapter = fgti_low_rank_find(run, p.w);
    FGTI_TRY(check_ids(run, l, io));
    fgti_parallel(run->exec, (p.rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, forward_task, &p);
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

static int32_t share_of(int32_t id)
{
    return id % SHARES;
}

/* Fills the list and notes the touched rows of W, unless touched == NULL. `skip` is the id that has no
 * gradient. */
static void sort_rows(lookup *p, int64_t skip, fgti_touched *touched)
{
    int64_t next[SHARES];
    for (int64_t r = 0; r < p->rows; r++) {
        if (p->ids[r] == skip) continue;
        if (touched) fgti_touch(touched, p->ids[r]);
        p->first[share_of(p->ids[r]) + 1]++;
    }
    for (int s = 0; s < SHARES; s++) {
        next[s] = p->first[s];
        p->first[s + 1] += p->first[s];
    }
    for (int64_t r = 0; r < p->rows; r++)
        if (p->ids[r] != skip) p->list[next[share_of(p->ids[r])]++] = (int32_t)r;
}

static void backward_task(void *arg, int64_t share, int32_t worker)
{
    const lookup *p = arg;
    (void)worker;
    for (int64_t i = p->first[share]; i < p->first[share + 1]; i++)
        p->run->vec->axpy(p->h, 1, p->dy + p->list[i] * p->h, p->dw + p->ids[p->list[i]] * p->h);
}

/* dW[id_r] += dy[r], in the order of r */
static fgt_status embedding_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    lookup p  = lookup_of(run, l, io);
    p.dy      = io->dy;
    p.dw      = fgti_dw(l, io, 0);
    p.adapter = fgti_low_rank_find(run, p.dw);
    if (p.adapter) {
        fgti_low_rank_lookup_grad(run, p.adapter, p.rows, p.ids, l->param[0].zero_row, p.dy);
        return FGT_OK;
    }
    p.list   = (int32_t *)io->scratch;
    sort_rows(&p, l->param[0].zero_row, l->param[0].sparse ? io->touched : NULL);
    fgti_parallel(run->exec, SHARES, backward_task, &p);
    return FGT_OK;
}

const fgti_class fgti_class_embedding = {
    .name      = "embedding",
    .opts      = embedding_opts,
    .opts_size = sizeof(fgt_embedding_opts),
    .ids       = 1,
    .plan      = embedding_plan,
    .shape     = fgti_shape_width,
    .size      = embedding_size,
    .forward   = embedding_forward,
    .backward  = embedding_backward,
    .prepare   = embedding_prepare,
};
