/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/store/block_write.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/hash.h"
#include "core/size.h"

/* PIECE: words that are converted at a time. TOGETHER: columns that are measured together. */
enum { PIECE = 1024, TOGETHER = 4 };

/* ---- moments and hashes ---- */

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Measures the chunks of `columns` columns, at most TOGETHER. Column k begins at value + k * stride. Inside a
 * column, hash and sums make each step wait for the one before. So several columns together take hardly
 * longer than one. */
static inline void measure_columns(const float *value, int64_t stride, int64_t n, int columns, uint64_t *hash,
                                   fgti_chunk_moments *moments)
{
    double  sum[TOGETHER] = {0}, mean[TOGETHER], square[TOGETHER] = {0};
    float   least[TOGETHER], most[TOGETHER];
    int64_t count[TOGETHER] = {0};
    for (int k = 0; k < columns; k++) {
        hash[k]  = FGTI_HASH_START;
        least[k] = HUGE_VALF;
        most[k]  = -HUGE_VALF;
    }
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < columns; k++) {
            const float v = value[k * stride + i];
            hash[k]       = fgti_hash_value(hash[k], bits_of(v));
            least[k]      = v < least[k] ? v : least[k];
            most[k]       = v > most[k] ? v : most[k];
            sum[k] += isnan(v) ? 0 : (double)v;
            count[k] += !isnan(v);
        }
    for (int k = 0; k < columns; k++) mean[k] = count[k] ? sum[k] / (double)count[k] : 0;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < columns; k++) {
            const double d = (double)value[k * stride + i] - mean[k];
            square[k] += isnan(d) ? 0 : d * d;
        }
    for (int k = 0; k < columns; k++)
        moments[k] = count[k] ? (fgti_chunk_moments){mean[k], square[k], count[k], least[k], most[k]}
                              : (fgti_chunk_moments){0};
}

void fgti_chunk_measure(const float *value, int64_t n, fgti_chunk_moments *m)
{
    uint64_t hash;
    measure_columns(value, 0, n, 1, &hash, m);
}

void fgti_chunk_merge(fgti_chunk_moments *a, const fgti_chunk_moments *b)
{
    if (!b->count) return;
    const double n = (double)a->count, m = (double)b->count, d = b->mean - a->mean;
    if (!a->count || b->least < a->least) a->least = b->least;
    if (!a->count || b->most > a->most) a->most = b->most;
    a->mean += d * m / (n + m);
    a->square += b->square + d * d * n * m / (n + m);
    a->count += b->count;
}

uint64_t fgti_block_hash(uint64_t hash, const void *bytes, int64_t size)
{
    const unsigned char *p     = bytes;
    const int64_t        whole = size - size % 4;
    for (int64_t i = 0; i < whole; i += 4) hash = fgti_hash_value(hash, fgti_get_u32(p + i));
    return fgti_hash(hash, p + whole, size - whole);
}

/* ---- blocks ---- */

fgt_status fgti_block_writer_begin(fgt_context *ctx, const char *path, const char *mark, const uint8_t *type,
                                   int64_t columns, int64_t room, fgti_block_writer *w)
{
    int64_t words;
    *w = (fgti_block_writer){
        .ctx = ctx, .mark = mark, .hash = FGTI_HASH_START, .room = room, .index = {.columns = columns}};
    if (!fgti_size_mul(room, columns, &words))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "%.300s: too many columns", path);
    FGTI_TRY(FGTI_NEW(ctx, columns, "columns", &w->index.type));
    memcpy(w->index.type, type, (size_t)columns);
    FGTI_TRY(fgti_alloc_dirty(ctx, words, 4, "block of rows", &w->words));
    FGTI_TRY(fgti_atomic_open(ctx, path, &w->file));
    return fgti_atomic_write(&w->file, mark, FGTI_MARK);
}

/* Writes the words of a column. *hash: the hash of the bytes so far. */
static fgt_status block_write_words(fgti_block_writer *w, int64_t column, uint64_t *hash)
{
    const unsigned char *words = (const unsigned char *)w->words + 4 * column * w->room;
    unsigned char        bytes[4 * PIECE];
    for (int64_t i = 0, m; i < w->filled; i += m) {
        m = fgti_least(w->filled - i, PIECE);
        for (int64_t k = 0; k < m; k++) {
            uint32_t word;
            memcpy(&word, words + 4 * (i + k), 4);
            fgti_put_u32(bytes + 4 * k, word);
        }
        if (hash) *hash = fgti_block_hash(*hash, bytes, 4 * m);
        FGTI_TRY(fgti_atomic_write(&w->file, bytes, (size_t)(4 * m)));
    }
    return FGT_OK;
}

static fgt_status write_chunk(fgti_block_writer *w, int64_t column, fgti_chunk *chunk)
{
    const uint8_t type  = w->index.type[column];
    const bool    bytes = type == FGTI_CELLS_BYTES;
    if (type != FGTI_CELLS_FLOATS)
        chunk->hash = FGTI_HASH_START; /* the hash of floats was computed with their moments */
    FGTI_TRY(block_write_words(w, column, type == FGTI_CELLS_FLOATS ? NULL : &chunk->hash));
    chunk[1].begin = chunk->begin + 4 * w->filled + (bytes ? w->used : 0);
    if (!bytes || !w->used) return FGT_OK;
    chunk->hash = fgti_block_hash(chunk->hash, w->text, w->used);
    return fgti_atomic_write(&w->file, w->text, (size_t)w->used);
}

static fgt_status grow_index(fgti_block_writer *w)
{
    fgti_block_index *x    = &w->index;
    const int64_t     used = x->blocks * x->columns, more = used + x->columns;
    const bool        none = !x->blocks;
    FGTI_TRY(fgti_grow(w->ctx, "index of blocks", sizeof *x->row, none ? 0 : x->blocks + 1, x->blocks + 2,
                       2 * x->blocks + 16, &w->row_room, (void **)&x->row));
    FGTI_TRY(fgti_grow(w->ctx, "index of blocks", sizeof *x->chunk, none ? 0 : used + 1, more + 1, 2 * used,
                       &w->chunk_room, (void **)&x->chunk));
    if (none) {
        x->row[0]   = 0;
        x->chunk[0] = (fgti_chunk){0};
    }
    return fgti_grow(w->ctx, "index of blocks", sizeof *x->moments, used, more, 2 * used, &w->moments_room,
                     (void **)&x->moments);
}

/* Measures neighbouring columns of floats, in groups of TOGETHER. */
static void measure_block(fgti_block_writer *w, fgti_chunk *chunk, fgti_chunk_moments *moments)
{
    const fgti_block_index *x = &w->index;
    for (int64_t c = 0, n; c < x->columns; c += n) {
        uint64_t hash[TOGETHER];
        n = 1;
        memset(&moments[c], 0, sizeof *moments);
        if (x->type[c] != FGTI_CELLS_FLOATS) continue;
        while (n < TOGETHER && c + n < x->columns && x->type[c + n] == FGTI_CELLS_FLOATS) n++;
        const float *value = (const float *)w->words + c * w->room;
        if (n == TOGETHER)
            measure_columns(value, w->room, w->filled, TOGETHER, hash, &moments[c]);
        else
            for (int64_t k = 0; k < n; k++)
                measure_columns(value + k * w->room, 0, w->filled, 1, &hash[k], &moments[c + k]);
        for (int64_t k = 0; k < n; k++) chunk[c + k].hash = hash[k];
    }
}

fgt_status fgti_block_writer_flush(fgti_block_writer *w)
{
    fgti_block_index *x = &w->index;
    FGTI_TRY(grow_index(w));
    fgti_chunk *chunk = x->chunk + x->blocks * x->columns;
    measure_block(w, chunk, x->moments + x->blocks * x->columns);
    for (int64_t c = 0; c < x->columns; c++) FGTI_TRY(write_chunk(w, c, &chunk[c]));
    x->row[x->blocks + 1] = x->row[x->blocks] + w->filled;
    x->blocks++;
    w->filled = w->used = 0;
    return FGT_OK;
}

/* ---- the index ---- */

static fgt_status add_bytes(fgti_block_writer *w, const void *bytes, int64_t size)
{
    w->hash = fgti_hash(w->hash, bytes, size);
    w->bytes += (uint64_t)size;
    return fgti_atomic_write(&w->file, bytes, (size_t)size);
}

static void put_u64(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++) p[i] = (unsigned char)(v >> (8 * i));
}

static fgt_status add_u64(fgti_block_writer *w, uint64_t v)
{
    unsigned char bytes[8];
    put_u64(bytes, v);
    return add_bytes(w, bytes, sizeof bytes);
}

static fgt_status block_add_chunk(fgti_block_writer *w, int64_t block, int64_t column)
{
    const fgti_block_index   *x = &w->index;
    const int64_t             i = block * x->columns + column, rows = x->row[block + 1] - x->row[block];
    const fgti_chunk_moments *m = &x->moments[i];
    FGTI_TRY(add_u64(w, x->chunk[i].hash));
    if (x->type[column] == FGTI_CELLS_BYTES)
        return add_u64(w, (uint64_t)(x->chunk[i + 1].begin - x->chunk[i].begin - 4 * rows));
    if (x->type[column] == FGTI_CELLS_NUMBERS) return FGT_OK;
    FGTI_TRY(add_u64(w, bits_of_double(m->mean)));
    FGTI_TRY(add_u64(w, bits_of_double(m->square)));
    FGTI_TRY(add_u64(w, (uint64_t)m->count));
    return add_u64(w, bits_of(m->least) | (uint64_t)bits_of(m->most) << 32);
}

static fgt_status block_add_name(fgti_block_writer *w, const fgti_strings *names, int64_t i)
{
    const int64_t size = fgti_strings_size(names, i);
    FGTI_TRY(add_u64(w, (uint64_t)size));
    return add_bytes(w, fgti_strings_get(names, i), size);
}

fgt_status fgti_block_writer_end(fgti_block_writer *w, const int64_t *number, int64_t numbers,
                                 const fgti_strings *const *names, int64_t lists)
{
    if (w->filled) FGTI_TRY(fgti_block_writer_flush(w));
    const fgti_block_index *x     = &w->index;
    int64_t                 count = 0;
    for (int64_t l = 0; l < lists; l++) count += names[l]->count;
    const int64_t size[] = {x->columns, x->blocks, numbers, count};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) FGTI_TRY(add_u64(w, (uint64_t)size[i]));
    for (int64_t c = 0; c < x->columns; c++) FGTI_TRY(add_u64(w, x->type[c]));
    for (int64_t b = 0; b < x->blocks; b++) {
        FGTI_TRY(add_u64(w, (uint64_t)(x->row[b + 1] - x->row[b])));
        for (int64_t c = 0; c < x->columns; c++) FGTI_TRY(block_add_chunk(w, b, c));
    }
    for (int64_t i = 0; i < numbers; i++) FGTI_TRY(add_u64(w, (uint64_t)number[i]));
    for (int64_t l = 0; l < lists; l++)
        for (int64_t i = 0; i < names[l]->count; i++) FGTI_TRY(block_add_name(w, names[l], i));
    unsigned char end[FGTI_INDEX_END];
    put_u64(end, w->bytes);
    put_u64(end + 8, w->hash);
    memcpy(end + 16, w->mark, FGTI_MARK);
    FGTI_TRY(fgti_atomic_write(&w->file, end, sizeof end));
    return fgti_atomic_commit(&w->file);
}

void fgti_block_writer_abandon(fgti_block_writer *w)
{
    if (w->file.temp)
        fgti_atomic_abandon(&w->file); /* without this check, file descriptor 0 would be closed if no file was
                                        * opened */
    if (!w->ctx) return;
    fgti_block_index_done(w->ctx, &w->index);
    fgti_free(w->ctx, w->words);
    fgti_free(w->ctx, w->text);
    w->words = w->text = NULL;
}
