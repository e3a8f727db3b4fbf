/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/reduction.h"

#include <string.h>

#include "train/train_impl.h"

/* Elements of a bucket: a MiB, whose exchange takes much longer than its latency, much less than a pass. With
 * many ranks it is larger: each gets a segment of it from all others, in messages that are worth their
 * latency. */
#define BUCKET  (INT64_C(1) << 18)
#define SEGMENT (INT64_C(1) << 12)

/* ---- memory ---- */

/* Partial sums that are held at a time, at most: as the shards come, one after another. */
static int32_t count_partials(int64_t first, int64_t end)
{
    int64_t piece[FGTI_PIECES_MAX];
    int32_t most = 0;
    for (int64_t at = first + 1; at < end; at++) {
        const int32_t n = fgti_tree_pieces(first, at, piece);
        if (n > most) most = n;
    }
    return most;
}

static fgt_status add_partials(fgti_reduction *r)
{
    fgt_context  *ctx  = r->ranks->ctx;
    const int64_t rows = r->slabs.touched->rows;
    const int32_t n    = count_partials(r->first, r->end);
    for (; r->partials < n; r->partials++) {
        fgti_partial *p = &r->partial[r->partials];
        fgt_status    s =
            fgti_alloc_dirty(ctx, r->slabs.size, sizeof *p->value, "gradients of shards", (void **)&p->value);
        if (s == FGT_OK && rows)
            s = fgti_alloc_dirty(ctx, rows, sizeof *p->row, "gradients of shards", (void **)&p->row);
        if (s == FGT_OK) continue;
        fgti_free(ctx, p->value);
        return s;
    }
    return FGT_OK;
}

/* Who has which pieces. */
static fgt_status list_pieces(fgti_reduction *r)
{
    fgt_context  *ctx   = r->ranks->ctx;
    const int64_t ranks = r->ranks->with.ranks;
    int64_t       piece[FGTI_PIECES_MAX];
    FGTI_TRY(FGTI_NEW(ctx, ranks + 1, "gradients of shards", &r->before));
    for (int64_t q = 0; q < ranks; q++)
        r->before[q + 1] =
            r->before[q] + fgti_tree_pieces(fgti_ranks_share(r->ranks, r->shards, q),
                                            fgti_ranks_share(r->ranks, r->shards, q + 1), piece);
    r->all_pieces = r->before[ranks];
    FGTI_TRY(FGTI_NEW(ctx, r->all_pieces, "gradients of shards", &r->shard));
    FGTI_TRY(FGTI_NEW(ctx, r->all_pieces, "gradients of shards", &r->term));
    for (int64_t q = 0; q < ranks; q++) {
        const int32_t n = fgti_tree_pieces(fgti_ranks_share(r->ranks, r->shards, q),
                                           fgti_ranks_share(r->ranks, r->shards, q + 1), piece);
        memcpy(r->shard + r->before[q], piece, (size_t)n * sizeof *piece);
    }
    r->pieces = (int32_t)(r->before[r->ranks->with.rank + 1] - r->before[r->ranks->with.rank]);
    return FGT_OK;
}

/* Where the segment of rank q begins. */
static int64_t segment(const fgti_reduction *r, const fgti_bucket *b, int64_t q)
{
    return b->begin + fgti_ranks_share(r->ranks, b->end - b->begin, q);
}

static fgt_status add_buckets(fgti_reduction *r)
{
    fgt_context  *ctx   = r->ranks->ctx;
    const int64_t ranks = r->ranks->with.ranks, rank = r->ranks->with.rank,
                  sparse = fgti_slabs_sparse(&r->slabs);
    int64_t size         = BUCKET;
    while (size < ranks * SEGMENT || (r->slabs.size - sparse) / size >= FGTI_TAGS / 2) size *= 2;
    if (ranks == 1 || r->slabs.size == sparse) return FGT_OK;
    const int64_t n = (r->slabs.size - sparse - 1) / size + 1;
    FGTI_TRY(FGTI_NEW(ctx, n, "buckets of gradients", &r->bucket));
    for (; r->buckets < n; r->buckets++) {
        fgti_bucket *b = &r->bucket[r->buckets];
        b->end         = r->slabs.size - r->buckets * size;
        b->begin       = b->end - size > sparse ? b->end - size : sparse;
        if (r->ranks->with.sum) continue;
        const int64_t mine = segment(r, b, rank + 1) - segment(r, b, rank);
        fgt_status    s    = FGTI_NEW(ctx, 4 * ranks, "buckets of gradients", &b->table);
        if (s == FGT_OK) s = FGTI_NEW(ctx, r->pieces * (b->end - b->begin), "buckets of gradients", &b->send);
        if (s == FGT_OK) s = FGTI_NEW(ctx, r->all_pieces * mine, "buckets of gradients", &b->receive);
        if (s == FGT_OK) continue;
        fgti_free(ctx, b->table);
        fgti_free(ctx, b->send);
        return s;
    }
    return FGT_OK;
}

fgt_status fgti_reduction_init(fgt_model *model, fgti_ranks *ranks, int64_t shards, fgti_reduction *r)
{
    *r = (fgti_reduction){.model = model, .ranks = ranks, .slabs = fgti_model_slabs(model), .shards = shards};
    r->first = fgti_ranks_share(ranks, shards, ranks->with.rank);
    r->end   = fgti_ranks_share(ranks, shards, ranks->with.rank + 1);
    FGTI_TRY(list_pieces(r));
    FGTI_TRY(add_partials(r));
    FGTI_TRY(add_buckets(r));
    return r->slabs.touched->rows ? fgti_row_sum_init(r) : FGT_OK;
}

void fgti_reduction_done(fgti_reduction *r)
{
    if (!r->ranks) return;
    fgt_context *ctx = r->ranks->ctx;
    for (int32_t i = 0; i < r->partials; i++) {
        fgti_free(ctx, r->partial[i].value);
        fgti_free(ctx, r->partial[i].row);
    }
    for (int64_t i = 0; i < r->buckets; i++) {
        fgti_free(ctx, r->bucket[i].table);
        fgti_free(ctx, r->bucket[i].send);
        fgti_free(ctx, r->bucket[i].receive);
    }
    fgti_row_sum_done(r);
    fgti_free(ctx, r->bucket);
    fgti_free(ctx, r->before);
    fgti_free(ctx, r->shard);
    fgti_free(ctx, r->term);
    *r = (fgti_reduction){0};
}

/* ---- this rank's shards ---- */

typedef struct range {
    const fgti_vec  *vec;
    const fgti_real *from;
    fgti_real       *to;
    fgti_cut         cut;
} range;

static void add_chunk(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const range  *g  = arg;
    const int64_t at = chunk * g->cut.size;
    g->vec->axpy(fgti_cut_length(&g->cut, chunk), 1, g->from + at, g->to + at);
}

static void copy_chunk(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const range  *g  = arg;
    const int64_t at = chunk * g->cut.size;
    memcpy(g->to + at, g->from + at, (size_t)fgti_cut_length(&g->cut, chunk) * sizeof *g->to);
}

static void each_chunk(const fgti_reduction *r, void (*run)(void *, int64_t, int32_t), int64_t n,
                       const fgti_real *from, fgti_real *to)
{
    range g = {.vec = r->ranks->ctx->vec, .from = from, .to = to, .cut = fgti_cut_of(n, FGTI_GRAIN)};
    fgti_parallel(&r->ranks->ctx->exec, g.cut.count, run, &g);
}

void fgti_reduction_begin(fgti_reduction *r)
{
    r->next   = r->first;
    r->held   = 0;
    r->merges = 0;
    r->begun  = 0;
    r->status = FGT_OK;
    for (int64_t i = 0; i < r->buckets; i++) r->bucket[i].stage = FGTI_WAITS;
}

/* How many of those held, from the last on, become one node with the shard that comes. */
static int32_t count_merges(const fgti_reduction *r)
{
    int64_t size = 1, at = r->next;
    int32_t n = 0;
    while (n < r->held && at % (2 * size) && r->partial[r->held - 1 - n].shards == size) {
        at -= size;
        size *= 2;
        n++;
    }
    return n;
}

void fgti_reduction_add(fgti_reduction *r)
{
    const int64_t sparse = fgti_slabs_sparse(&r->slabs), dense = r->slabs.size - sparse;
    int64_t       size = 1;
    for (int32_t merges = count_merges(r); merges; merges--, size *= 2) {
        const fgti_partial *p = &r->partial[--r->held];
        each_chunk(r, add_chunk, dense, p->value + sparse, r->slabs.gradients + sparse);
        if (sparse) fgti_row_sum_add(r, p);
    }
    fgti_partial *p = &r->partial[r->held++];
    p->first        = r->next + 1 - size;
    p->shards       = size;
    each_chunk(r, copy_chunk, dense, r->slabs.gradients + sparse, p->value + sparse);
    if (sparse) fgti_row_sum_keep(r, p);
    fgti_gradients_clear(r->model);
    r->next++;
}

void fgti_reduction_last(fgti_reduction *r)
{
    r->merges = count_merges(r);
}

/* ---- the exchange of a bucket ---- */

static fgti_real *my_piece(const fgti_reduction *r, int32_t i)
{
    return i < r->held - r->merges ? r->partial[i].value : r->slabs.gradients;
}

static fgt_status begin_sum(fgti_reduction *r, fgti_bucket *b)
{
    const int64_t ranks = r->ranks->with.ranks, rank = r->ranks->with.rank, e = sizeof(fgti_real);
    const int64_t mine    = segment(r, b, rank + 1) - segment(r, b, rank);
    int64_t      *send_at = b->table, *send_bytes = send_at + ranks, *receive_at = send_bytes + ranks, at = 0;
    for (int64_t q = 0; q < ranks; q++) {
        const int64_t begin = segment(r, b, q), n = segment(r, b, q + 1) - begin;
        send_at[q]            = at * e;
        send_bytes[q]         = r->pieces * n * e;
        receive_at[q]         = r->before[q] * mine * e;
        receive_at[ranks + q] = (r->before[q + 1] - r->before[q]) * mine * e;
        for (int32_t i = 0; i < r->pieces; i++, at += n)
            memcpy(b->send + at, my_piece(r, i) + begin, (size_t)(n * e));
    }
    b->stage              = FGTI_SUMS;
    const fgt_exchange ex = {.size          = sizeof ex,
                             .tag           = 2 * (b - r->bucket),
                             .send          = b->send,
                             .send_at       = send_at,
                             .send_bytes    = send_bytes,
                             .receive       = b->receive,
                             .receive_at    = receive_at,
                             .receive_bytes = receive_at + ranks};
    return fgti_ranks_exchange(r->ranks, &ex, &b->request);
}

/* All pieces of the segment are there: their sum goes to all. */
static fgt_status begin_spread(fgti_reduction *r, fgti_bucket *b)
{
    const int64_t ranks = r->ranks->with.ranks, rank = r->ranks->with.rank, e = sizeof(fgti_real);
    const int64_t mine    = segment(r, b, rank + 1) - segment(r, b, rank);
    int64_t      *send_at = b->table, *send_bytes = send_at + ranks, *receive_at = send_bytes + ranks;
    for (int64_t i = 0; i < r->all_pieces; i++) r->term[i] = (fgti_term){r->shard[i], b->receive + i * mine};
    const fgti_real *sum = fgti_tree_sum(r->ranks->ctx->vec, r->term, r->all_pieces, 0, r->shards, mine);
    for (int64_t q = 0; q < ranks; q++) {
        const int64_t begin   = segment(r, b, q);
        send_at[q]            = 0;
        send_bytes[q]         = mine * e;
        receive_at[q]         = begin * e;
        receive_at[ranks + q] = (segment(r, b, q + 1) - begin) * e;
    }
    b->stage              = FGTI_SPREADS;
    const fgt_exchange ex = {.size          = sizeof ex,
                             .tag           = 2 * (b - r->bucket) + 1,
                             .send          = sum,
                             .send_at       = send_at,
                             .send_bytes    = send_bytes,
                             .receive       = r->slabs.gradients,
                             .receive_at    = receive_at,
                             .receive_bytes = receive_at + ranks};
    return fgti_ranks_exchange(r->ranks, &ex, &b->request);
}

/* The host's own sum wants one piece. */
static fgt_status begin_own_sum(fgti_reduction *r, fgti_bucket *b)
{
    const int64_t n = b->end - b->begin;
    for (int32_t i = 0; i < r->held - r->merges; i++)
        each_chunk(r, add_chunk, n, r->partial[i].value + b->begin, r->slabs.gradients + b->begin);
    b->stage = FGTI_SPREADS;
    return fgti_ranks_sum(r->ranks, 2 * (b - r->bucket), n, r->slabs.gradients + b->begin, FGTI_REAL,
                          &b->request);
}

static fgt_status begin_bucket(fgti_reduction *r, fgti_bucket *b)
{
    for (int32_t i = 0; i < r->merges; i++)
        each_chunk(r, add_chunk, b->end - b->begin, r->partial[r->held - 1 - i].value + b->begin,
                   r->slabs.gradients + b->begin);
    return r->ranks->with.sum ? begin_own_sum(r, b) : begin_sum(r, b);
}

static fgt_status advance(fgti_reduction *r, fgti_bucket *b, bool wait)
{
    bool done = true;
    while (b->stage != FGTI_SUMMED && done) {
        FGTI_TRY(fgti_ranks_finish(r->ranks, b->request, wait, &done));
        if (!done) return FGT_OK;
        if (b->stage == FGTI_SUMS)
            FGTI_TRY(begin_spread(r, b));
        else
            b->stage = FGTI_SUMMED;
    }
    return FGT_OK;
}

void fgti_reduction_ready(void *reduction, int64_t from)
{
    fgti_reduction *r = reduction;
    while (r->begun < r->buckets && r->bucket[r->begun].begin >= from && r->status == FGT_OK)
        r->status = begin_bucket(r, &r->bucket[r->begun++]);
    for (int64_t i = 0; i < r->begun && r->status == FGT_OK; i++)
        r->status = advance(r, &r->bucket[i], false);
}

fgt_status fgti_reduction_end(fgti_reduction *r)
{
    const int64_t sparse = fgti_slabs_sparse(&r->slabs);
    fgti_reduction_ready(r, 0);
    /* sums go out before anybody waits for those of others */
    for (int64_t i = 0; i < r->buckets && r->status == FGT_OK; i++)
        r->status = advance(r, &r->bucket[i], true);
    if (r->status != FGT_OK) return r->status;
    if (r->ranks->with.ranks == 1)
        for (int32_t i = 0; i < r->merges; i++)
            each_chunk(r, add_chunk, r->slabs.size - sparse, r->partial[r->held - 1 - i].value + sparse,
                       r->slabs.gradients + sparse);
    return sparse ? fgti_row_sum_run(r) : FGT_OK;
}
