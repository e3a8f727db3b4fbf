/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/reduction/reduction.h"

#include <string.h>

#include "model/access.h"
#include "model/gradients.h"
#include "train/cut.h"
#include "train/reduction/reduction_rows.h"

/* ---- memory ---- */

/* Most partial sums that exist at a time if the shards first .. end-1 are added one after another. */
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

/* Lists the pieces that each rank will have. */
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

/* Number of elements of a bucket in this rank's segment. */
static int64_t count_mine(const fgti_reduction *r, int64_t k)
{
    const fgti_slab_range mine = fgti_segments_of(&r->segments, k, r->ranks->with.rank);
    return mine.end - mine.begin;
}

static fgt_status add_bucket(fgti_reduction *r, int64_t k)
{
    fgt_context     *ctx = r->ranks->ctx;
    fgti_bucket     *b   = &r->bucket[k];
    const fgti_slab_range all = fgti_segments_bucket(&r->segments, k);
    b->begin             = all.begin;
    b->end               = all.end;
    if (r->segments.whole) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, 4 * (int64_t)r->ranks->with.ranks, "buckets of gradients", &b->table));
    if (r->pieces > 1)
        FGTI_TRY(FGTI_NEW(ctx, r->pieces * (b->end - b->begin), "buckets of gradients", &b->send));
    return FGTI_NEW(ctx, (r->all_pieces - r->pieces) * count_mine(r, k), "buckets of gradients",
                    &b->receive);
}

static fgt_status add_buckets(fgti_reduction *r)
{
    fgti_segments_init(&r->slabs, r->ranks, &r->segments);
    const int64_t n = r->segments.buckets;
    FGTI_TRY(FGTI_NEW(r->ranks->ctx, n, "buckets of gradients", &r->bucket));
    r->buckets = n;
    for (int64_t k = 0; k < n; k++) FGTI_TRY(add_bucket(r, k));
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

/* ---- the shards of this rank ---- */

typedef struct range {
    const fgti_vec  *vec;
    const fgti_real *from;
    fgti_real       *to;
    fgti_cut         cut;
} range;

static void reduction_add_chunk(void *arg, int64_t chunk, int32_t worker)
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

/* Number of partial sums that are combined with the next shard into one node of the tree. They are always the
 * last partial sums. */
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
        each_chunk(r, reduction_add_chunk, dense, p->value + sparse, r->slabs.gradients + sparse);
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

static fgti_real *reduction_my_piece(const fgti_reduction *r, int32_t i)
{
    return i < r->held - r->merges ? r->partial[i].value : r->slabs.gradients;
}

/* The number of pieces that were received from ranks before rank q. */
static int64_t received_before(const fgti_reduction *r, int64_t q)
{
    return r->before[q] - (q > r->ranks->with.rank ? r->pieces : 0);
}

/* Sends each other rank this rank's pieces of the other rank's segment. The pieces of this rank's own segment
 * stay here. */
static fgt_status begin_sum(fgti_reduction *r, int64_t k)
{
    fgti_bucket  *b     = &r->bucket[k];
    const int64_t ranks = r->ranks->with.ranks, rank = r->ranks->with.rank, e = sizeof(fgti_real);
    const int64_t mine    = count_mine(r, k);
    int64_t      *send_at = b->table, *send_bytes = send_at + ranks, *receive_at = send_bytes + ranks, at = 0;
    for (int64_t q = 0; q < ranks; q++) {
        const fgti_slab_range s = fgti_segments_of(&r->segments, k, q);
        const int64_t    n = s.end - s.begin;
        send_at[q]            = (b->send ? at : s.begin) * e;
        send_bytes[q]         = q == rank ? 0 : r->pieces * n * e;
        receive_at[q]         = received_before(r, q) * mine * e;
        receive_at[ranks + q] = q == rank ? 0 : (r->before[q + 1] - r->before[q]) * mine * e;
        for (int32_t i = 0; b->send && q != rank && i < r->pieces; i++, at += n)
            memcpy(b->send + at, reduction_my_piece(r, i) + s.begin, (size_t)(n * e));
    }
    b->stage              = FGTI_SUMS;
    const fgt_exchange ex = {.size          = sizeof ex,
                             .tag           = 2 * k,
                             .send          = b->send ? b->send : r->slabs.gradients,
                             .send_at       = send_at,
                             .send_bytes    = send_bytes,
                             .receive       = b->receive,
                             .receive_at    = receive_at,
                             .receive_bytes = receive_at + ranks};
    return fgti_ranks_exchange(r->ranks, &ex, &b->request);
}

/* Sums the pieces of this rank's segment, all of which have arrived. Sets the gradients of other segments to
 * zero for the next pass. */
static void add_pieces(fgti_reduction *r, int64_t k)
{
    const fgti_bucket *b     = &r->bucket[k];
    const int64_t      ranks = r->ranks->with.ranks, rank = r->ranks->with.rank, mine = count_mine(r, k);
    const fgti_slab_range s     = fgti_segments_of(&r->segments, k, rank);
    fgti_real         *g     = r->slabs.gradients;
    for (int64_t q = 0; q < ranks; q++)
        for (int64_t i = 0; i < r->before[q + 1] - r->before[q]; i++) {
            fgti_real *theirs                = b->receive + (received_before(r, q) + i) * mine;
            r->term[r->before[q] + i].shard = r->shard[r->before[q] + i];
            r->term[r->before[q] + i].value =
                q == rank ? reduction_my_piece(r, (int32_t)i) + s.begin : theirs;
        }
    const fgti_real *sum = fgti_tree_sum(r->ranks->ctx->vec, r->term, r->all_pieces, 0, r->shards, mine);
    if (sum != g + s.begin) memcpy(g + s.begin, sum, (size_t)mine * sizeof *g);
    memset(g + b->begin, 0, (size_t)(s.begin - b->begin) * sizeof *g);
    memset(g + s.end, 0, (size_t)(b->end - s.end) * sizeof *g);
}

fgt_status fgti_reduction_spread(fgti_reduction *r, int64_t k, const fgti_real *from, fgti_real *to,
                                 bool to_all)
{
    fgti_bucket  *b     = &r->bucket[k];
    const int64_t ranks = r->ranks->with.ranks, rank = r->ranks->with.rank, e = sizeof *to;
    const int64_t mine    = count_mine(r, k);
    int64_t      *send_at = b->table, *send_bytes = send_at + ranks, *receive_at = send_bytes + ranks;
    for (int64_t q = 0; q < ranks; q++) {
        const fgti_slab_range s = fgti_segments_of(&r->segments, k, q);
        send_at[q]            = 0;
        send_bytes[q]         = q == rank || (q && !to_all) ? 0 : mine * e;
        receive_at[q]         = rank && !to_all ? 0 : s.begin * e;
        receive_at[ranks + q] = q == rank || (rank && !to_all) ? 0 : (s.end - s.begin) * e;
    }
    b->stage              = FGTI_SPREADS;
    const fgt_exchange ex = {.size          = sizeof ex,
                             .tag           = 2 * k + 1,
                             .send          = from,
                             .send_at       = send_at,
                             .send_bytes    = send_bytes,
                             .receive       = to,
                             .receive_at    = receive_at,
                             .receive_bytes = receive_at + ranks};
    return fgti_ranks_exchange(r->ranks, &ex, &b->request);
}

fgt_status fgti_reduction_settle(fgti_reduction *r)
{
    bool done;
    for (int64_t k = 0; k < r->buckets; k++) {
        if (r->bucket[k].stage != FGTI_SPREADS) continue;
        FGTI_TRY(fgti_ranks_finish(r->ranks, r->bucket[k].request, true, &done));
        r->bucket[k].stage = FGTI_SUMMED;
    }
    return FGT_OK;
}

/* Prepares the sum that the host computes itself. It takes one piece from each rank. */
static fgt_status begin_own_sum(fgti_reduction *r, int64_t k)
{
    fgti_bucket  *b = &r->bucket[k];
    const int64_t n = b->end - b->begin;
    for (int32_t i = 0; i < r->held - r->merges; i++)
        each_chunk(r, reduction_add_chunk, n, r->partial[i].value + b->begin, r->slabs.gradients + b->begin);
    b->stage = FGTI_SUMS;
    return fgti_ranks_sum(r->ranks, 2 * k, n, r->slabs.gradients + b->begin, FGTI_REAL, &b->request);
}

static fgt_status begin_bucket(fgti_reduction *r, int64_t k)
{
    const fgti_bucket *b = &r->bucket[k];
    for (int32_t i = 0; i < r->merges; i++)
        each_chunk(r, reduction_add_chunk, b->end - b->begin, r->partial[r->held - 1 - i].value + b->begin,
                   r->slabs.gradients + b->begin);
    return r->segments.whole ? begin_own_sum(r, k) : begin_sum(r, k);
}

static fgt_status reduction_advance(fgti_reduction *r, int64_t k, bool wait)
{
    fgti_bucket *b    = &r->bucket[k];
    bool         done = false;
    if (b->stage != FGTI_SUMS) return FGT_OK;
    FGTI_TRY(fgti_ranks_finish(r->ranks, b->request, wait, &done));
    if (!done) return FGT_OK;
    b->stage = FGTI_SUMMED;
    if (!r->segments.whole) add_pieces(r, k);
    return FGT_OK;
}

void fgti_reduction_ready(void *reduction, int64_t from)
{
    fgti_reduction *r = reduction;
    for (; r->begun < r->buckets && r->bucket[r->begun].begin >= from && r->status == FGT_OK; r->begun++)
        r->status = begin_bucket(r, r->begun);
    for (int64_t k = 0; k < r->begun && r->status == FGT_OK; k++) r->status = reduction_advance(r, k, false);
}

fgt_status fgti_reduction_end(fgti_reduction *r)
{
    const int64_t sparse = fgti_slabs_sparse(&r->slabs);
    fgti_reduction_ready(r, 0);
    for (int64_t k = 0; k < r->buckets && r->status == FGT_OK; k++) r->status = reduction_advance(r, k, true);
    if (r->status != FGT_OK) return r->status;
    if (r->ranks->with.ranks == 1)
        for (int32_t i = 0; i < r->merges; i++)
            each_chunk(r, reduction_add_chunk, r->slabs.size - sparse,
                       r->partial[r->held - 1 - i].value + sparse, r->slabs.gradients + sparse);
    return sparse ? fgti_row_sum_run(r) : FGT_OK;
}
