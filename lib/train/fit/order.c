/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/fit/order.h"

#include "core/context.h"
#include "core/rng.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Cuts the samples into chunks of equal length, and the chunks into streams of equal length. The rest, which
 * has fewer samples than there are chunks, is left out of the epoch. */
static fgt_status order_cut(fgti_order *o)
{
    const fgti_order_opts *p = &o->opts;
    o->streams               = p->shards > 1 ? p->shards : 1;
    if (p->batch % o->streams)
        return fgti_fail(
            &o->ctx->error, FGT_E_ARG,
            "fit: batch is wrong (got %lld, need a multiple of the %lld shards if samples are on disk)",
            (long long)p->batch, (long long)o->streams);
    if (p->count < o->streams)
        return fgti_fail(&o->ctx->error, FGT_E_DATA, "fit: %lld samples are too few for %lld shards",
                         (long long)p->count, (long long)o->streams);
    const int64_t own = p->count / o->streams;
    o->parts          = (own - 1) / p->chunk + 1;
    o->opts.chunk     = own / o->parts;
    o->taken          = o->parts / p->thin > 1 ? o->parts / p->thin : 1;
    o->pool           = p->pool / o->streams > 1 ? least(p->pool / o->streams, o->taken) : 1;
    o->samples        = o->streams * o->taken * o->opts.chunk;
    return FGT_OK;
}

fgt_status fgti_order_init(fgt_context *ctx, const fgti_order_opts *opts, fgti_order *o)
{
    *o = (fgti_order){.ctx = ctx, .opts = *opts, .samples = opts->count};
    if (!opts->chunk && opts->thin > 1)
        return fgti_fail(
            &ctx->error, FGT_E_ARG,
            "fit: thin is wrong (got %lld, need 1 for a source without chunks); use a selector instead",
            (long long)opts->thin);
    if (!opts->chunk) {
        FGTI_TRY(FGTI_NEW(ctx, opts->count, "order of the samples", &o->index));
        for (int64_t i = 0; i < opts->count; i++) o->index[i] = i;
        return FGT_OK;
    }
    FGTI_TRY(order_cut(o));
    FGTI_TRY(FGTI_NEW(ctx, o->streams * o->parts, "order of the chunks", &o->part));
    FGTI_TRY(FGTI_NEW(ctx, o->streams, "order of the chunks", &o->loaded));
    FGTI_TRY(FGTI_NEW(ctx, o->streams * o->pool * o->opts.chunk, "order of the samples", &o->index));
    return FGTI_NEW(ctx, opts->batch, "order of the samples", &o->batch);
}

void fgti_order_done(fgti_order *o)
{
    fgti_free(o->ctx, o->part);
    fgti_free(o->ctx, o->loaded);
    fgti_free(o->ctx, o->index);
    fgti_free(o->ctx, o->batch);
    *o = (fgti_order){0};
}

/* The random numbers for list k of an epoch. List 0 has all samples. */
static fgti_rng order_rng_of(const fgti_order *o, int64_t k)
{
    return fgti_rng_of(o->opts.seed, FGTI_STREAM_SHUFFLE, (uint64_t)k, (uint64_t)o->epoch);
}

static void shuffle(const fgti_order *o, int64_t k, int64_t n, int64_t *out)
{
    if (!o->opts.no_shuffle) fgti_rng_shuffle(order_rng_of(o, k), n, out);
    for (int64_t i = 0; o->opts.no_shuffle && i < n; i++) out[i] = i;
}

/* Draws `taken` of the chunks, each with the same probability (Knuth, algorithm S). The result is in
 * ascending order. */
static void order_draw(const fgti_order *o, int64_t k, int64_t *out)
{
    for (int64_t i = 0, n = 0; n < o->taken; i++) {
        const uint64_t left = (uint64_t)(o->parts - i), wanted = (uint64_t)(o->taken - n);
        if (fgti_rng_below(order_rng_of(o, k), (uint64_t)i, left) < wanted) out[n++] = i;
    }
}

void fgti_order_begin(fgti_order *o, int64_t epoch)
{
    o->epoch = epoch;
    if (!o->opts.chunk) {
        shuffle(o, 0, o->samples, o->index);
        return;
    }
    const int64_t rest = o->opts.count - o->streams * o->parts * o->opts.chunk;
    o->shift = o->opts.no_shuffle ? 0 : (int64_t)fgti_rng_below(order_rng_of(o, 0), 0, (uint64_t)rest + 1);
    for (int64_t s = 0; s < o->streams; s++) {
        int64_t *part = o->part + s * o->parts;
        if (o->opts.no_shuffle)
            order_draw(o, 1 + s, part);
        else
            shuffle(o, 1 + s, o->parts, part);
        o->loaded[s] = -1;
    }
}

/* Mixes the samples of a pool in stream s. */
static void order_load(fgti_order *o, int64_t s, int64_t pool)
{
    const int64_t  first = pool * o->pool, chunk = o->opts.chunk;
    const int64_t  n     = least(o->pool, o->taken - first) * chunk;
    const int64_t *part  = o->part + s * o->parts + first;
    int64_t       *index = o->index + s * o->pool * chunk;
    shuffle(o, 1 + o->streams + s * o->taken + pool, n, index);
    for (int64_t i = 0; i < n; i++)
        index[i] = o->shift + (s * o->parts + part[index[i] / chunk]) * chunk + index[i] % chunk;
    o->loaded[s] = pool;
}

const int64_t *fgti_order_take(fgti_order *o, int64_t first, int64_t n)
{
    if (!o->opts.chunk) return o->index + first;
    const int64_t size = o->pool * o->opts.chunk, from = first / o->streams, each = n / o->streams;
    for (int64_t s = 0; s < o->streams; s++)
        for (int64_t i = 0; i < each; i++) {
            const int64_t at = from + i;
            if (at / size != o->loaded[s]) order_load(o, s, at / size);
            o->batch[s * each + i] = o->index[s * size + at % size];
        }
    return o->batch;
}
