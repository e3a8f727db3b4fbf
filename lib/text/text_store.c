/* SPDX-License-Identifier: BSD-3-Clause */
#include "text/text_store.h"

#include <string.h>

#include "core/context.h"
#include "text/utf8.h"

#define MARK "fgcorps2"

/* Size of a block: large enough to be read at the speed of the disk, and small enough for a cache of many
 * blocks. */
enum { BLOCK_BYTES = 1 << 18, ROW_BYTES = 8 };

/* Positions of the numbers at the start of the index, and flags. */
enum { N_FLAGS, N_REPLACED, N_CLASSES, N_HEAD };
enum { NUMBERS = 1, UNLABELED = 2 };

static const uint8_t types[] = {FGTI_CELLS_NUMBERS, FGTI_CELLS_BYTES};
enum { COLUMNS = sizeof types };

/* ---- writing ---- */

fgt_status fgti_text_writer_begin(fgt_context *ctx, const char *path, fgti_block_writer *w)
{
    return fgti_block_writer_begin(ctx, path, MARK, types, COLUMNS, BLOCK_BYTES / ROW_BYTES, w);
}

fgt_status fgti_text_writer_add(fgti_block_writer *w, const char *s, int64_t size, int64_t label)
{
    if (w->filled && (w->filled + 1) * ROW_BYTES + w->used + size > BLOCK_BYTES)
        FGTI_TRY(fgti_block_writer_flush(w));
    if (size > UINT32_MAX)
        return fgti_fail(&w->ctx->error, FGT_E_SIZE,
                         "the text is too long (got %lld bytes, need at most 2^32-1)", (long long)size);
    FGTI_TRY(fgti_grow(w->ctx, "block of texts", 1, w->used, w->used + size, 2 * (w->used + size) + 64,
                       &w->text_room, (void **)&w->text));
    if (size) memcpy(w->text + w->used, s, (size_t)size);
    w->used += size;
    uint32_t *word            = w->words;
    word[w->filled]           = (uint32_t)label;
    word[w->room + w->filled] = (uint32_t)w->used;
    w->filled++;
    w->index.rows++;
    return FGT_OK;
}

fgt_status fgti_text_writer_end(fgti_block_writer *w, const fgti_text_head *h)
{
    const fgti_strings *names = &h->classes->texts;
    int64_t            *number;
    FGTI_TRY(FGTI_NEW(w->ctx, N_HEAD + 2 * names->count, "classes", &number));
    number[N_FLAGS]    = h->numbers * NUMBERS + h->unlabeled * UNLABELED;
    number[N_REPLACED] = h->replaced;
    number[N_CLASSES]  = names->count;
    for (int64_t i = 0; i < names->count; i++) {
        number[N_HEAD + 2 * i]     = h->place ? h->place[i] : i;
        number[N_HEAD + 2 * i + 1] = h->classes->count[i];
    }
    const fgt_status s = fgti_block_writer_end(w, number, N_HEAD + 2 * names->count,
                                               (const fgti_strings *[]){names, h->columns}, 2);
    fgti_free(w->ctx, number);
    return s;
}

/* ---- opening ---- */

static fgt_status text_store_damaged(const fgti_text_store *s, const char *what)
{
    return fgti_block_file_damaged(&s->file, what);
}

static fgt_status text_store_read_head(fgti_text_store *s)
{
    const fgti_block_index *x      = &s->file.index;
    const int64_t          *number = x->number;
    if (x->columns != COLUMNS || memcmp(x->type, types, COLUMNS) || x->numbers < N_HEAD)
        return text_store_damaged(s, "its numbers of rows, classes and blocks");
    s->classes = number[N_CLASSES];
    if (number[N_REPLACED] < 0 || s->classes < 0 || s->classes > INT32_MAX || s->classes > x->names.count ||
        x->numbers != N_HEAD + 2 * s->classes)
        return text_store_damaged(s, "its numbers of rows, classes and blocks");
    if (number[N_FLAGS] & ~(int64_t)(NUMBERS | UNLABELED) || !s->classes != !!(number[N_FLAGS] & UNLABELED))
        return text_store_damaged(s, "the flags of its classes");
    s->numbers   = number[N_FLAGS] & NUMBERS;
    s->unlabeled = number[N_FLAGS] & UNLABELED;
    s->replaced  = number[N_REPLACED];
    return FGT_OK;
}

/* Checks that the class numbers of the blocks are a permutation of the classes. */
static fgt_status text_store_read_classes(fgti_text_store *s, fgti_words *classes)
{
    const fgti_block_index *x   = &s->file.index;
    const int64_t          *own = x->number + N_HEAD;
    int64_t                 sum = 0, at;
    FGTI_TRY(FGTI_NEW(s->file.ctx, s->classes + 1, "classes", &s->class_of));
    for (int64_t i = 0; i < s->classes; i++) s->class_of[i] = -1;
    for (int64_t i = 0; i < s->classes; i++, own += 2) {
        const char   *name = fgti_strings_get(&x->names, i);
        const int64_t size = fgti_strings_size(&x->names, i);
        if (own[0] < 0 || own[0] >= s->classes || s->class_of[own[0]] >= 0 || own[1] < 0 ||
            own[1] > x->rows - sum || !size || !fgti_utf8_is_text(name, size))
            return text_store_damaged(s, "its classes");
        FGTI_TRY(fgti_words_add(s->file.ctx, classes, name, size, &at));
        if (at != i) return text_store_damaged(s, "two classes have one name");
        s->class_of[own[0]] = (int32_t)i;
        classes->count[i]   = own[1];
        sum += own[1];
    }
    return s->unlabeled || sum == x->rows ? FGT_OK : text_store_damaged(s, "the sizes of its classes");
}

/* Reads the names of the columns. The first name is the column of the class and may be empty. The columns of
 * the text, one or more, follow. */
static fgt_status text_store_read_columns(const fgti_text_store *s, fgti_strings *columns)
{
    const fgti_strings *names = &s->file.index.names;
    if (names->count == s->classes + 1) return text_store_damaged(s, "the names of its columns");
    for (int64_t i = s->classes; i < names->count; i++) {
        const int64_t size = fgti_strings_size(names, i);
        if (size && !fgti_utf8_is_text(fgti_strings_get(names, i), size))
            return text_store_damaged(s, "the names of its columns");
        FGTI_TRY(fgti_strings_add(s->file.ctx, columns, fgti_strings_get(names, i), size));
    }
    return FGT_OK;
}

static fgt_status text_store_open_file(fgt_context *ctx, fgti_text_store *s, const char *path,
                                       fgti_words *classes, fgti_strings *columns)
{
    FGTI_TRY(fgti_block_file_open(ctx, path, MARK, "corpus file", &s->file));
    FGTI_TRY(text_store_read_head(s));
    FGTI_TRY(text_store_read_classes(s, classes));
    return text_store_read_columns(s, columns);
}

fgt_status fgti_text_store_open(fgt_context *ctx, const char *path, int64_t resident, fgti_words *classes,
                                fgti_strings *columns, fgti_text_store **out)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "corpus file", out));
    (*out)->users         = 1;
    const fgt_status r    = text_store_open_file(ctx, *out, path, classes, columns);
    (*out)->file.resident = resident;
    if (r != FGT_OK) fgti_text_store_close(out);
    return r;
}

void fgti_text_store_close(fgti_text_store **store)
{
    fgti_text_store *s = *store;
    *store             = NULL;
    if (!s || --s->users) return;
    fgt_context *ctx = s->file.ctx;
    fgti_free(ctx, s->class_of);
    fgti_block_file_close(&s->file);
    fgti_free(ctx, s);
}

bool fgti_text_store_is(const char *path)
{
    return fgti_block_file_is(path, MARK);
}
