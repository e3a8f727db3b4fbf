/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/context.h"
#include "core/hash.h"
#include "core/strings/list.h"
#include "text/text_store.h"

/* Long enough to be read at the speed of the disk, and short enough for a cache of many blocks. */
#define BLOCK_BYTES (INT64_C(1) << 18)
#define HEAD        8 /* bytes of a row besides its text */

uint64_t fgti_text_hash(const unsigned char *bytes, int64_t size)
{
    uint64_t      hash  = FGTI_HASH_START;
    const int64_t whole = size - size % 4;
    for (int64_t i = 0; i < whole; i += 4) hash = fgti_hash_value(hash, fgti_get_u32(bytes + i));
    return fgti_hash(hash, bytes + whole, size - whole);
}

fgt_status fgti_text_writer_begin(fgt_context *ctx, const char *path, fgti_text_writer *w)
{
    *w = (fgti_text_writer){.ctx = ctx};
    return fgti_block_writer_begin(ctx, path, FGTI_TEXT_MARK, &w->out);
}

static fgt_status write_block(fgti_text_writer *w)
{
    const int64_t n = w->filled, size = n * HEAD + w->used;
    FGTI_TRY(fgti_grow(w->ctx, "block of texts", 1, 0, size, size, &w->bytes_capacity, (void **)&w->bytes));
    FGTI_TRY(fgti_grow(w->ctx, "index of blocks", sizeof *w->block, w->count, w->count + 1, 2 * w->count + 16,
                       &w->capacity, (void **)&w->block));
    for (int64_t i = 0; i < n; i++) {
        memcpy(w->bytes + 4 * i, w->head + HEAD * i, 4);
        memcpy(w->bytes + 4 * (n + i), w->head + HEAD * i + 4, 4);
    }
    if (w->used) memcpy(w->bytes + HEAD * n, w->texts, (size_t)w->used);
    w->block[w->count++] = (fgti_text_block){fgti_text_hash(w->bytes, size), w->written, w->rows - n};
    w->written += size;
    w->filled = w->used = 0;
    return fgti_atomic_write(&w->out.file, w->bytes, (size_t)size);
}

fgt_status fgti_text_writer_add(fgti_text_writer *w, const char *s, int64_t size, int64_t label)
{
    if (w->filled && (w->filled + 1) * HEAD + w->used + size > BLOCK_BYTES) FGTI_TRY(write_block(w));
    if (size > UINT32_MAX)
        return fgti_fail(&w->ctx->error, FGT_E_SIZE, "the text has %lld bytes, more than 2^32-1",
                         (long long)size);
    FGTI_TRY(fgti_grow(w->ctx, "block of texts", HEAD, w->filled, w->filled + 1, 2 * w->filled + 64,
                       &w->filled_capacity, (void **)&w->head));
    FGTI_TRY(fgti_grow(w->ctx, "block of texts", 1, w->used, w->used + size, 2 * (w->used + size) + 64,
                       &w->used_capacity, (void **)&w->texts));
    if (size) memcpy(w->texts + w->used, s, (size_t)size);
    w->used += size;
    fgti_put_u32(w->head + HEAD * w->filled, (uint32_t)label);
    fgti_put_u32(w->head + HEAD * w->filled + 4, (uint32_t)w->used);
    w->filled++;
    w->rows++;
    return FGT_OK;
}

static fgt_status add_blocks(fgti_text_writer *w)
{
    for (int64_t b = 0; b < w->count; b++) {
        const fgti_text_block x = w->block[b], next = b + 1 < w->count
                                                          ? w->block[b + 1]
                                                          : (fgti_text_block){0, w->written, w->rows};
        FGTI_TRY(fgti_index_add(&w->out, x.hash));
        FGTI_TRY(fgti_index_add(&w->out, (uint64_t)(next.begin - x.begin)));
        FGTI_TRY(fgti_index_add(&w->out, (uint64_t)(next.row - x.row)));
    }
    return FGT_OK;
}

fgt_status fgti_text_writer_end(fgti_text_writer *w, const fgti_text_head *h)
{
    fgti_block_writer  *out   = &w->out;
    const fgti_strings *names = &h->classes->texts, *columns = h->columns;
    if (w->filled) FGTI_TRY(write_block(w));
    FGTI_TRY(fgti_index_add(out, (uint64_t)w->rows));
    FGTI_TRY(fgti_index_add(out, (uint64_t)names->count));
    FGTI_TRY(fgti_index_add(out, (uint64_t)w->count));
    FGTI_TRY(fgti_index_add(out, (uint64_t)(h->numbers * FGTI_TEXT_NUMBERS +
                                            h->unlabeled * FGTI_TEXT_UNLABELED +
                                            !!columns->count * FGTI_TEXT_COLUMNS)));
    FGTI_TRY(fgti_index_add(out, (uint64_t)h->replaced));
    for (int64_t i = 0; i < names->count; i++) {
        FGTI_TRY(fgti_index_add(out, (uint64_t)(h->place ? h->place[i] : i)));
        FGTI_TRY(fgti_index_add(out, (uint64_t)h->classes->count[i]));
        FGTI_TRY(fgti_index_add_name(out, fgti_strings_get(names, i), fgti_strings_size(names, i)));
    }
    if (columns->count) FGTI_TRY(fgti_index_add(out, (uint64_t)columns->count));
    for (int64_t i = 0; i < columns->count; i++)
        FGTI_TRY(fgti_index_add_name(out, fgti_strings_get(columns, i), fgti_strings_size(columns, i)));
    FGTI_TRY(add_blocks(w));
    return fgti_block_writer_end(out);
}

void fgti_text_writer_abandon(fgti_text_writer *w)
{
    fgti_block_writer_abandon(&w->out);
    fgti_free(w->ctx, w->block);
    fgti_free(w->ctx, w->head);
    fgti_free(w->ctx, w->texts);
    fgti_free(w->ctx, w->bytes);
    *w = (fgti_text_writer){.ctx = w->ctx};
}
