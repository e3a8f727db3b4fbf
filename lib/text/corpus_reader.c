/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the rows of a corpus in memory or on disk, and finds the rows of a part of a corpus. */
#include "text/corpus_reader.h"

#include "core/context.h"
#include "core/rng.h"
#include "core/size.h"

/* ---- parts ---- */

static int64_t part_draw(const fgti_corpus_part *p, int64_t group)
{
    return (int64_t)fgti_rng_below(fgti_rng_of(p->seed, FGTI_STREAM_SPLIT, 0, 0), (uint64_t)group,
                                   (uint64_t)p->every);
}

int64_t fgti_corpus_part_count(const fgti_corpus_part *p, int64_t rows)
{
    if (!p->every) return rows;
    return p->drawn ? rows / p->every : rows - rows / p->every;
}

int64_t fgti_corpus_part_row(const fgti_corpus_part *p, int64_t rows, int64_t i)
{
    if (!p->every) return i;
    if (p->drawn) return i * p->every + part_draw(p, i);
    const int64_t group = i / (p->every - 1), place = i % (p->every - 1);
    if (group >= rows / p->every) return i + rows / p->every;
    return group * p->every + place + (place >= part_draw(p, group));
}

/* Returns the number of consecutive rows of the part that lie within any `rows` consecutive rows of the file;
 * at least 1. Neighbouring drawn rows are less than two groups apart. Of the other rows, one is missing in
 * each group, and one in each of up to two groups that the range cuts. */
static int64_t count_part_rows_in(const fgti_corpus_part *p, int64_t rows)
{
    if (!p->every) return rows;
    const int64_t groups = rows / p->every;
    const int64_t n      = p->drawn ? groups - 1 : rows - groups - 2;
    return n > 1 ? n : 1;
}

/* ---- reading ---- */

/* Number of blocks in memory that reading in order needs. */
enum { FEW = 2 };

/* Copies the error to the context of the reader, where the caller looks for it. */
static fgt_status pass_on(const fgti_corpus_reader *r, fgt_status s)
{
    if (s != FGT_OK && r->ctx != r->corpus->ctx) r->ctx->error = r->corpus->ctx->error;
    return s;
}

fgt_status fgti_corpus_reader_open(fgt_context *ctx, const fgt_corpus *corpus, int64_t bytes,
                                   fgti_corpus_reader *r)
{
    const fgti_text_store *store = corpus->store;
    *r                           = (fgti_corpus_reader){.ctx = ctx, .corpus = corpus};
    if (!store) return FGT_OK;
    const int64_t slots = bytes ? fgti_text_store_slots(store, bytes) : FEW;
    return pass_on(r, fgti_text_cache_new(store, slots, &r->cache));
}

fgt_status fgti_corpus_reader_get(fgti_corpus_reader *r, int64_t row, fgti_stored_text *out)
{
    const fgt_corpus *c = r->corpus;
    if (c->store)
        return pass_on(r, fgti_text_cache_get(
                              r->cache, fgti_corpus_part_row(&c->part, c->store->file.index.rows, row), out));
    *out = (fgti_stored_text){fgti_strings_get(&c->texts, row), fgti_strings_size(&c->texts, row),
                              c->label[row]};
    return FGT_OK;
}

void fgti_corpus_reader_close(fgti_corpus_reader *r)
{
    fgti_text_cache_done(&r->cache);
}

int64_t fgti_corpus_get_resident(const fgt_corpus *c)
{
    return c->store ? c->store->file.resident : 0;
}

/* TOGETHER: number of chunks that are shuffled together in training. LEAST: the fewest blocks of a chunk.
 * Chunks are short, because neighbouring rows may have the same class. */
enum { TOGETHER = 64, LEAST = 2 };

void fgti_corpus_cut(const fgt_corpus *c, int64_t bytes, int64_t *chunk, int64_t *pool)
{
    *chunk = *pool = 0;
    if (!c->store) return;
    const int64_t slots = fgti_text_store_slots(c->store, bytes);
    *pool               = fgti_least(slots / LEAST, TOGETHER);
    *chunk              = count_part_rows_in(&c->part, fgti_text_store_rows_in(c->store, slots / *pool));
}
