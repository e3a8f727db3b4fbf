/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/context.h"
#include "text/text_store.h"
#include "text/utf8.h"

enum { NUMBERS = 5, CLASS_LEAST = 24, BLOCK_ENTRY = 24, HEAD = 8 };

static fgt_status text_store_damaged(const fgti_text_store *s, const char *what)
{
    return fgti_block_file_damaged(&s->file, what);
}

/* Checks every number: the hash detects damage, but not a file that was forged. */
static fgt_status read_numbers(fgti_text_store *s, fgti_index *x)
{
    const uint64_t room = (uint64_t)s->file.index_bytes;
    uint64_t       number[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        if (!fgti_index_get(x, &number[i])) return text_store_damaged(s, "the size of its index");
    const uint64_t rows = number[0], classes = number[1], blocks = number[2], flags = number[3];
    if (!rows || rows > (uint64_t)s->file.data / HEAD || classes > room / CLASS_LEAST ||
        classes > INT32_MAX || !blocks || blocks > room / BLOCK_ENTRY || blocks > rows ||
        number[4] > (uint64_t)INT64_MAX)
        return text_store_damaged(s, "its numbers of rows, classes and blocks");
    if (flags > (FGTI_TEXT_NUMBERS | FGTI_TEXT_UNLABELED | FGTI_TEXT_COLUMNS) ||
        !classes != !!(flags & FGTI_TEXT_UNLABELED))
        return text_store_damaged(s, "the flags of its classes");
    s->rows      = (int64_t)rows;
    s->classes   = (int64_t)classes;
    s->blocks    = (int64_t)blocks;
    s->numbers   = flags & FGTI_TEXT_NUMBERS;
    s->unlabeled = flags & FGTI_TEXT_UNLABELED;
    s->named     = flags & FGTI_TEXT_COLUMNS;
    s->replaced  = (int64_t)number[4];
    return FGT_OK;
}

/* Checks that the class numbers of the blocks are a permutation of the classes. */
static fgt_status read_classes(fgti_text_store *s, fgti_index *x, fgti_words *classes)
{
    int64_t sum = 0, number, size;
    FGTI_TRY(FGTI_NEW(s->ctx, s->classes + 1, "classes", &s->class_of));
    for (int64_t i = 0; i < s->classes; i++) s->class_of[i] = -1;
    for (int64_t i = 0; i < s->classes; i++) {
        uint64_t    own, count;
        const char *name;
        if (!fgti_index_get(x, &own) || !fgti_index_get(x, &count) || !fgti_index_get_name(x, &name, &size))
            return text_store_damaged(s, "its classes");
        if (own >= (uint64_t)s->classes || s->class_of[own] >= 0 || count > (uint64_t)(s->rows - sum) ||
            !size || !fgti_utf8_is_text(name, size))
            return text_store_damaged(s, "its classes");
        FGTI_TRY(fgti_words_add(s->ctx, classes, name, size, &number));
        if (number != i) return text_store_damaged(s, "two classes have one name");
        s->class_of[own]  = (int32_t)i;
        classes->count[i] = (int64_t)count;
        sum += (int64_t)count;
    }
    return s->unlabeled || sum == s->rows ? FGT_OK : text_store_damaged(s, "the sizes of its classes");
}

/* The first name is the column of the class, which may be empty; one or more columns of the text follow. */
static fgt_status read_columns(const fgti_text_store *s, fgti_index *x, fgti_strings *columns)
{
    uint64_t    count;
    const char *name;
    int64_t     size;
    if (!s->named) return FGT_OK;
    if (!fgti_index_get(x, &count) || count < 2) return text_store_damaged(s, "the names of its columns");
    for (uint64_t i = 0; i < count; i++) {
        if (!fgti_index_get_name(x, &name, &size) || (size && !fgti_utf8_is_text(name, size)))
            return text_store_damaged(s, "the names of its columns");
        FGTI_TRY(fgti_strings_add(s->ctx, columns, name, size));
    }
    return FGT_OK;
}

static fgt_status read_blocks(fgti_text_store *s, fgti_index *x)
{
    int64_t begin = 0, row = 0;
    if (x->end - x->next != s->blocks * BLOCK_ENTRY)
        return text_store_damaged(s, "its index has another size");
    FGTI_TRY(FGTI_NEW(s->ctx, s->blocks + 1, "index of blocks", &s->block));
    for (int64_t b = 0; b < s->blocks; b++) {
        uint64_t hash = 0, bytes = 0, rows = 0;
        fgti_index_get(x, &hash);
        fgti_index_get(x, &bytes);
        fgti_index_get(x, &rows);
        s->block[b] = (fgti_text_block){hash, begin, row};
        if (!rows || rows > (uint64_t)(s->rows - row) || bytes > (uint64_t)(s->file.data - begin) ||
            rows > bytes / HEAD)
            return text_store_damaged(s, "the sizes of its blocks");
        begin += (int64_t)bytes;
        row += (int64_t)rows;
        if ((int64_t)bytes > s->longest) s->longest = (int64_t)bytes;
        if ((int64_t)rows > s->most_rows) s->most_rows = (int64_t)rows;
    }
    s->block[s->blocks] = (fgti_text_block){0, begin, row};
    return row == s->rows && begin == s->file.data ? FGT_OK
                                                   : text_store_damaged(s, "the sizes of its blocks");
}

static fgt_status text_store_open_file(fgti_text_store *s, const char *path, fgti_words *classes,
                                       fgti_strings *columns)
{
    FGTI_TRY(fgti_block_file_open(s->ctx, path, FGTI_TEXT_MARK, "corpus file", &s->file));
    fgti_index x = {s->file.index, s->file.index + s->file.index_bytes};
    FGTI_TRY(read_numbers(s, &x));
    FGTI_TRY(read_classes(s, &x, classes));
    FGTI_TRY(read_columns(s, &x, columns));
    FGTI_TRY(read_blocks(s, &x));
    fgti_block_file_forget(&s->file);
    return FGT_OK;
}

fgt_status fgti_text_store_open(fgt_context *ctx, const char *path, int64_t resident, fgti_words *classes,
                                fgti_strings *columns, fgti_text_store **out)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "corpus file", out));
    **out              = (fgti_text_store){.ctx = ctx, .users = 1, .resident = resident};
    const fgt_status r = text_store_open_file(*out, path, classes, columns);
    if (r != FGT_OK) fgti_text_store_close(out);
    return r;
}

void fgti_text_store_close(fgti_text_store **store)
{
    fgti_text_store *s = *store;
    *store             = NULL;
    if (!s || --s->users) return;
    fgti_block_file_close(&s->file);
    fgti_free(s->ctx, s->block);
    fgti_free(s->ctx, s->class_of);
    fgti_free(s->ctx, s);
}

bool fgti_text_store_is(const char *path)
{
    return fgti_block_file_is(path, FGTI_TEXT_MARK);
}
