/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/fit/shards.h"

#include <string.h>

#include "model/gradient_watch.h"
#include "model/gradients.h"
#include "model/pass/own_pass.h"
#include "train/fit/shards_ranks.h"
#include "train/fit/trainer_due.h"
#include "train/fit/trainer_loss.h"
#include "train/loss/loss_run.h"
#include "train/optim/optim.h"
#include "train/reduction/reduction.h"

/* Number of shards of a batch if the caller gives none. If there are more ranks, it is the number of
 * ranks. */
#define SHARDS 8

/* ---- before the first step ---- */

static fgt_status read_shards(fgti_error *err, int64_t shards, int32_t ranks, int64_t *out)
{
    *out = shards;
    if (!shards)
        for (*out = SHARDS; *out < ranks;) *out *= 2;
    if (*out < 1 || *out > FGTI_TAGS || *out & (*out - 1))
        return fgti_fail(err, FGT_E_ARG, "fit: shards is wrong (got %lld, need a power of two, at most 8192)",
                         (long long)*out);
    if (ranks <= *out) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "fit: a batch of %lld shards is too small for %d ranks", (long long)*out,
                     (int)ranks);
}

fgt_status fgti_shards_open(fgti_trainer *t)
{
    const fgt_fit_opts *o = &t->opts;
    fgti_shards        *s = &t->shards;
    if (!o->training.collective && !o->training.shards) return FGT_OK;
    FGTI_TRY(fgti_ranks_init(t->ctx, o->training.collective, &s->ranks));
    const fgt_status read = read_shards(&t->ctx->error, o->training.shards, s->ranks.with.ranks, &s->count);
    FGTI_TRY(fgti_ranks_agree(&s->ranks, read));
    t->opts.training.shards = s->count; /* stored here because checkpoints contain this number */
    return FGT_OK;
}

/* Number of samples of a batch that come before shard k. */
static int64_t sample_of(const fgti_shards *s, int64_t n, int64_t k)
{
    return n * k / s->count;
}

/* The first fields of the message that a rank sends at the end of a step. Each is an int64_t. */
enum { STATUS, WISH, DUE, ROWS, HEAD };

/* Bytes of the message from rank q about a batch of n samples. It has the fields above, then losses, scores
 * and squares. */
static int64_t tail_bytes(const fgti_shards *s, int64_t n, int64_t q)
{
    const int64_t first  = fgti_ranks_share(&s->ranks, s->count, q),
                  end    = fgti_ranks_share(&s->ranks, s->count, q + 1);
    const int64_t scores = s->score ? sample_of(s, n, end) - sample_of(s, n, first) : 0;
    return (int64_t)(sizeof(int64_t[HEAD]) + (size_t)(end - first) * sizeof *s->loss) +
           (scores + 1) / 2 * 8 + s->grains[q] * (int64_t)sizeof(double);
}

static int64_t batches(const fgt_source *source, int64_t size)
{
    return source->count ? (source->count - 1) / size + 1 : 0;
}

static int64_t count_grains(const fgti_segments *s, int64_t q)
{
    int64_t n = 0;
    for (int64_t k = 0; k < s->buckets && !s->whole; k++)
        n += fgti_segments_grains(fgti_segments_of(s, k, q));
    return n;
}

fgt_status fgti_shards_init(fgti_trainer *t)
{
    fgt_context  *ctx   = t->ctx;
    fgti_shards  *s     = &t->shards;
    const int64_t ranks = s->ranks.with.ranks, batch = t->opts.training.batch,
                  scored = t->opts.training.selector ? batch : 0;
    const int64_t n = batches(&t->validation, batch), samples = scored ? t->train.count : 0;
    int64_t       tails = 0;
    if (!s->count) return FGT_OK;
    if (fgti_model_carries(t->model))
        return fgti_fail(&ctx->error, FGT_E_UNSUPPORTED,
                         "fit: the model carries states over, which is not possible from shard to shard");
    FGTI_TRY(fgti_reduction_init(t->model, &s->ranks, s->count, &s->reduction));
    FGTI_TRY(FGTI_NEW(ctx, ranks, "shards", &s->grains));
    for (int64_t q = 0; q < ranks; q++) s->grains[q] = count_grains(&s->reduction.segments, q);
    if (ranks > 1 && fgti_shards_writes(t) && t->opts.training.checkpoint)
        FGTI_TRY(fgti_optim_need_whole(t->optim));
    FGTI_TRY(FGTI_NEW(ctx, s->count, "shards", &s->loss));
    if (scored) FGTI_TRY(FGTI_NEW(ctx, scored, "shards", &s->score));
    FGTI_TRY(FGTI_NEW(ctx, ranks, "shards", &s->bytes));
    for (int64_t q = 0; q < ranks; q++) tails += tail_bytes(s, batch, q) + 8; /* shares vary with n */
    FGTI_TRY(FGTI_NEW(ctx, tails, "shards", &s->tail));
    FGTI_TRY(FGTI_NEW(ctx, tails, "shards", &s->tails));
    FGTI_TRY(FGTI_NEW(ctx, n, "shards", &s->batch_loss));
    FGTI_TRY(FGTI_NEW(ctx, n, "shards", &s->batch_losses));
    FGTI_TRY(FGTI_NEW(ctx, samples, "shards", &s->my_scores));
    return FGTI_NEW(ctx, samples, "shards", &s->scores);
}

void fgti_shards_done(fgti_trainer *t)
{
    fgti_shards *s   = &t->shards;
    void *const  p[] = {s->loss,       s->score,        s->tail,      s->tails,  s->bytes,
                        s->batch_loss, s->batch_losses, s->my_scores, s->scores, s->grains};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) fgti_free(t->ctx, p[i]);
    fgti_reduction_done(&s->reduction);
    fgti_ranks_done(&s->ranks);
}

/* ---- a batch ---- */

/* The divisor of the mean loss if no target of the batch is missing: the number of elements or, for classes,
 * of rows. */
static int64_t nominal(const fgti_batch *b, int64_t n)
{
    return fgt_view_count(&b->target) / b->target.shape[0] * n;
}

/* Computes the gradients of a shard. They are sums over the elements of the shard, divided by the number of
 * elements in a whole batch. */
static fgt_status learn_shard(fgti_trainer *t, const int64_t *index, int64_t n, int64_t k, uint64_t pass)
{
    fgti_shards              *s  = &t->shards;
    fgti_batch               *b  = &t->batch;
    const int64_t             at = sample_of(s, n, k), m = sample_of(s, n, k + 1) - at;
    fgti_loss_sum            *l     = &s->loss[k];
    const fgti_gradient_watch watch = {fgti_reduction_ready, &s->reduction};
    *l                              = (fgti_loss_sum){0};
    if (!m) return FGT_OK;
    FGTI_TRY(fgti_batch_load(t->model, b, &t->train, index + at, m));
    fgti_model_set_passes(t->model, pass);
    FGTI_TRY(fgti_batch_blame(t->ctx, index + at, fgti_model_train_forward(t->model, &b->x, &b->y)));
    FGTI_TRY(fgti_trainer_loss(t, index + at, m, &l->sum, &l->count));
    if (s->score) memcpy(s->score + at, b->score, (size_t)m * sizeof *s->score);
    if (!l->count) return FGT_OK;
    const double share = (double)l->count / (double)nominal(b, n);
    if (share != 1) t->ctx->vec->scale(fgt_view_count(&b->y), (fgti_real)share, b->y.data);
    if (k + 1 == s->reduction.end) fgti_model_watch_gradients(t->model, watch);
    const fgt_status status = fgti_model_train_backward(t->model, &b->y);
    fgti_model_watch_gradients(t->model, (fgti_gradient_watch){0});
    return status;
}

static fgt_status learn_shards(fgti_trainer *t, const int64_t *index, int64_t n)
{
    fgti_shards   *s      = &t->shards;
    const uint64_t pass   = fgti_model_get_passes(t->model);
    fgt_status     status = FGT_OK;
    fgti_reduction_begin(&s->reduction);
    for (int64_t k = s->reduction.first; k < s->reduction.end; k++) {
        const bool last = k + 1 == s->reduction.end;
        if (last) fgti_reduction_last(&s->reduction);
        if (status == FGT_OK) status = learn_shard(t, index, n, k, pass + (uint64_t)k);
        if (!last) fgti_reduction_add(&s->reduction);
    }
    fgti_model_set_passes(t->model, pass + (uint64_t)s->count);
    return status;
}

/* Copies the squares of rank q's gradients to its message or, with `from`, from its message. */
static void copy_squares(fgti_trainer *t, int64_t q, unsigned char *tail, bool from)
{
    const fgti_segments *s = &t->shards.reduction.segments;
    for (int64_t k = 0; k < s->buckets && !s->whole; k++) {
        const fgti_slab_range r      = fgti_segments_of(s, k, q);
        double          *square = t->optim->square + (r.begin - s->sparse) / FGTI_SEGMENT_GRAIN;
        const size_t     bytes  = (size_t)fgti_segments_grains(r) * sizeof *square;
        memcpy(from ? (void *)square : tail, from ? tail : (void *)square, bytes);
        tail += bytes;
    }
}

/* Copies the losses and scores of rank q to its message or, with `from`, from its message. Returns the place
 * after them in the message. */
static unsigned char *copy_losses(fgti_trainer *t, int64_t n, int64_t q, unsigned char *tail, bool from)
{
    fgti_shards  *s     = &t->shards;
    const int64_t first = fgti_ranks_share(&s->ranks, s->count, q),
                  end   = fgti_ranks_share(&s->ranks, s->count, q + 1);
    const int64_t at = sample_of(s, n, first), scores = sample_of(s, n, end) - at;
    const size_t  bytes = (size_t)(end - first) * sizeof *s->loss;
    memcpy(from ? (void *)(s->loss + first) : tail, from ? tail : (void *)(s->loss + first), bytes);
    tail += bytes;
    if (!s->score) return tail;
    memcpy(from ? (void *)(s->score + at) : tail, from ? tail : (void *)(s->score + at),
           (size_t)scores * sizeof *s->score);
    return tail + (scores + 1) / 2 * 8;
}

static void write_tail(fgti_trainer *t, int64_t n, fgt_status status)
{
    fgti_shards  *s          = &t->shards;
    const int64_t rank       = s->ranks.with.rank;
    const bool    due        = fgti_shards_writes(t) && fgti_trainer_part_due(t, t->sample + n);
    const int64_t head[HEAD] = {status, s->wish, due, t->slabs.touched->count};
    memcpy(s->tail, head, sizeof head);
    copy_squares(t, rank, copy_losses(t, n, rank, s->tail + sizeof head, false), false);
}

/* Exchanges the status, losses, scores and squares of the shards among all ranks. */
static fgt_status exchange_tails(fgti_trainer *t, int64_t n, fgt_status status, bool *failed)
{
    fgti_shards  *s     = &t->shards;
    const int64_t ranks = s->ranks.with.ranks;
    int64_t       head[HEAD];
    write_tail(t, n, status);
    for (int64_t q = 0; q < ranks; q++) s->bytes[q] = tail_bytes(s, n, q);
    FGTI_TRY(fgti_ranks_gather(&s->ranks, s->tail, s->bytes, s->tails));
    unsigned char *at = s->tails;
    for (int64_t q = 0; q < ranks; at += s->bytes[q++]) {
        memcpy(head, at, sizeof head);
        copy_squares(t, q, copy_losses(t, n, q, at + sizeof head, true), true);
        *failed |= head[STATUS] != FGT_OK;
        s->wish |= head[WISH] != 0;
        if (!q) s->due = head[DUE] != 0;
        if (s->reduction.rows.count) s->reduction.rows.count[q] = head[ROWS];
    }
    return FGT_OK;
}

fgt_status fgti_shards_learn(fgti_trainer *t, const int64_t *index, int64_t n, double *sum, int64_t *counted)
{
    fgti_shards *s      = &t->shards;
    fgt_status   status = learn_shards(t, index, n), exchanged = fgti_reduction_end(&s->reduction);
    bool         failed = false;
    if (exchanged == FGT_OK) fgti_optim_square(t->optim);
    if (exchanged == FGT_OK) exchanged = exchange_tails(t, n, status, &failed);
    if (failed || exchanged != FGT_OK) fgti_gradients_clear(t->model);
    if (exchanged != FGT_OK) return exchanged;
    if (failed) return fgti_shards_agree(t, status);
    *sum     = 0;
    *counted = 0;
    for (int64_t k = 0; k < s->count; k++) {
        *sum += s->loss[k].sum;
        *counted += s->loss[k].count;
    }
    t->report.cancelled = s->wish;
    /* if targets are missing, the mean is over fewer elements than the gradients were divided by */
    if (*counted)
        s->scale = (double)nominal(&t->batch, n) / (double)*counted;
    else
        fgti_gradients_clear(t->model);
    return t->opts.training.selector ? fgt_attent_add(t->opts.training.selector, index, n, s->score) : FGT_OK;
}

/* ---- whole sources ---- */

static fgt_status validate_mine(fgti_trainer *t, int64_t begin, int64_t end)
{
    fgti_batch *b = &t->batch;
    int64_t     n;
    for (int64_t i = begin; i < end; i++) {
        fgti_loss_sum *l = &t->shards.batch_loss[i];
        FGTI_TRY(fgti_batch_predict(t->model, b, &t->validation, i * b->size, &n));
        FGTI_TRY(fgti_batch_blame(t->ctx, b->index,
                                  fgti_loss_run(t->ctx, &t->loss, &b->y, &b->target, &b->spectral, &l->sum,
                                                &l->count, NULL)));
    }
    return FGT_OK;
}

/* The sums of the batches are added in the order of the batches. */
fgt_status fgti_shards_validate(fgti_trainer *t, double *loss)
{
    fgti_shards  *s = &t->shards;
    const int64_t n = batches(&t->validation, t->batch.size), rank = s->ranks.with.rank;
    const int64_t begin = fgti_ranks_share(&s->ranks, n, rank);
    fgti_loss_sum all   = {0};
    FGTI_TRY(fgti_shards_agree(t, validate_mine(t, begin, fgti_ranks_share(&s->ranks, n, rank + 1))));
    for (int64_t q = 0; q < s->ranks.with.ranks; q++)
        s->bytes[q] = (fgti_ranks_share(&s->ranks, n, q + 1) - fgti_ranks_share(&s->ranks, n, q)) *
                      (int64_t)sizeof *s->batch_loss;
    FGTI_TRY(fgti_ranks_gather(&s->ranks, s->batch_loss + begin, s->bytes, s->batch_losses));
    for (int64_t i = 0; i < n; i++) {
        all.sum += s->batch_losses[i].sum;
        all.count += s->batch_losses[i].count;
    }
    if (!all.count)
        return fgti_fail(&t->ctx->error, FGT_E_DATA, "all targets are missing (need at least one)");
    *loss = all.sum / (double)all.count;
    return FGT_OK;
}

static fgt_status score_mine(fgti_trainer *t, int64_t begin, int64_t end)
{
    fgti_batch            *b      = &t->batch;
    const fgt_loss_samples scores = fgti_batch_scores(b, t->opts.training.selector);
    fgti_loss_sum          l;
    int64_t                n;
    for (int64_t i = begin; i < end; i++) {
        FGTI_TRY(fgti_batch_predict(t->model, b, &t->train, i * b->size, &n));
        FGTI_TRY(fgti_batch_loss(t->ctx, b, &t->loss, b->index, &scores, &l.sum, &l.count, NULL));
        memcpy(t->shards.my_scores + i * b->size, b->score, (size_t)n * sizeof *b->score);
    }
    return FGT_OK;
}

fgt_status fgti_shards_score(fgti_trainer *t)
{
    fgti_shards  *s    = &t->shards;
    const int64_t size = t->batch.size, n = batches(&t->train, size), rank = s->ranks.with.rank;
    const int64_t begin = fgti_ranks_share(&s->ranks, n, rank);
    FGTI_TRY(fgti_shards_agree(t, score_mine(t, begin, fgti_ranks_share(&s->ranks, n, rank + 1))));
    for (int64_t q = 0, at = 0; q < s->ranks.with.ranks; q++) {
        int64_t end = fgti_ranks_share(&s->ranks, n, q + 1) * size;
        if (end > t->train.count) end = t->train.count;
        s->bytes[q] = (end - at) * (int64_t)sizeof *s->scores;
        at          = end;
    }
    FGTI_TRY(fgti_ranks_gather(&s->ranks, s->my_scores + begin * size, s->bytes, s->scores));
    for (int64_t at = 0; at < t->train.count; at += size) {
        const int64_t left = t->train.count - at, m = left < size ? left : size;
        for (int64_t i = 0; i < m; i++) t->batch.index[i] = at + i;
        FGTI_TRY(fgt_attent_add(t->opts.training.selector, t->batch.index, m, s->scores + at));
    }
    return FGT_OK;
}

fgt_status fgti_shards_settle(fgti_trainer *t)
{
    bool any = false;
    if (!t->shards.count) return FGT_OK;
    FGTI_TRY(fgti_ranks_any(&t->shards.ranks, t->shards.wish, &any));
    if (any) t->report.cancelled = 1;
    return FGT_OK;
}
