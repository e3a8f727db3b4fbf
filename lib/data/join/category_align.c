/* SPDX-License-Identifier: BSD-3-Clause */
/* Categories of several files. Each file gets columns for the values that only other files have. */
#include "data/join/category_align.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/sort.h"

/* A column that is the indicator of a value. */
typedef struct item {
    int64_t category, column;
} item;

typedef struct side {
    fgt_table   *t;
    fgti_words   names; /* names of all columns */
    int64_t     *first; /* [categories]: the first column of each category; -1: the category has no column */
    item        *items; /* [count]: ordered by category, then by column */
    int64_t      count, capacity;
    fgti_strings more; /* more: names of columns to add; like [more]: for each of them, a column of the same
                        * category */
    int64_t     *like, like_capacity;
} side;

typedef struct aligned {
    fgt_context *ctx;
    fgti_words   categories;
    side        *side; /* [count] */
    int64_t      count;
} aligned;

static fgt_status align_hash_names(aligned *a, side *s)
{
    int64_t ignored;
    fgti_words_done(a->ctx, &s->names);
    for (int64_t c = 0; c < s->t->columns; c++) {
        const char *name = fgt_table_get_name(s->t, FGT_TABLE_NAME_COLUMN, c);
        FGTI_TRY(fgti_words_add(a->ctx, &s->names, name, (int64_t)strlen(name), &ignored));
    }
    return FGT_OK;
}

static int compare_items(const void *x, const void *y, const void *arg)
{
    const item *a = x, *b = y;
    (void)arg;
    return a->category != b->category ? (a->category > b->category) - (a->category < b->category)
                                      : (a->column > b->column) - (a->column < b->column);
}

/* A column "a=b=c" may belong to the category "a" or to the category "a=b". */
static fgt_status find_items(const aligned *a, side *s)
{
    s->count = 0;
    for (int64_t k = 0; k < a->categories.texts.count; k++) s->first[k] = -1;
    for (int64_t c = 0; c < s->t->columns; c++) {
        const char *name = fgt_table_get_name(s->t, FGT_TABLE_NAME_COLUMN, c);
        for (const char *equals = strchr(name, '='); equals; equals = strchr(equals + 1, '=')) {
            const int64_t k = fgti_words_find(&a->categories, name, equals - name);
            if (k < 0 || equals == name) continue;
            FGTI_TRY(fgti_grow(a->ctx, "columns of categories", sizeof *s->items, s->count, s->count + 1,
                               2 * s->count + 16, &s->capacity, (void **)&s->items));
            s->items[s->count++] = (item){k, c};
            if (s->first[k] < 0) s->first[k] = c;
        }
    }
    fgti_sort(s->items, s->count, sizeof *s->items, compare_items, NULL);
    return FGT_OK;
}

/* ---- files without a value ---- */

static bool align_is_empty(const fgt_table *t, int64_t column)
{
    for (int64_t r = 0; r < t->rows; r++)
        if (!isnan(t->values[r * t->columns + column])) return false;
    return true;
}

/* The name of the category's column in the first table that has one; NULL: no table has one. */
static const char *align_find_name(const aligned *a, int64_t category)
{
    for (int64_t i = 0; i < a->count; i++)
        if (a->side[i].first[category] >= 0)
            return fgt_table_get_name(a->side[i].t, FGT_TABLE_NAME_COLUMN, a->side[i].first[category]);
    return NULL;
}

/* name [columns]: the new name of each column; NULL: the name stays. */
static void find_renamed(const aligned *a, const side *s, const char **name)
{
    for (int64_t k = 0; k < a->categories.texts.count; k++) {
        const fgti_strings *texts = &a->categories.texts;
        const int64_t       column =
            fgti_words_find(&s->names, fgti_strings_get(texts, k), fgti_strings_size(texts, k));
        if (s->first[k] < 0 && column >= 0 && align_is_empty(s->t, column))
            name[column] = align_find_name(a, k);
    }
}

/* If a file has no value of a category, it has one column with the name of the category, and all cells are
 * missing. This column gets the name of a value's column in another file. */
static fgt_status rename_empty(aligned *a, side *s)
{
    fgt_table   *t     = s->t;
    fgti_strings names = {0};
    const char **name;
    FGTI_TRY(FGTI_NEW(a->ctx, t->columns, "names of columns", &name));
    find_renamed(a, s, name);
    fgt_status e = FGT_OK;
    for (int64_t i = 0; e == FGT_OK && i < t->names.count; i++) {
        const char *own = i >= t->labels && name[i - t->labels] ? name[i - t->labels]
                                                                : fgti_strings_get(&t->names, i);
        e = fgti_strings_add(a->ctx, &names, own, (int64_t)strlen(own));
    }
    fgti_free(a->ctx, name);
    fgti_strings_done(a->ctx, e == FGT_OK ? &t->names : &names);
    if (e == FGT_OK) t->names = names;
    return e;
}

/* ---- values that a file lacks ---- */

static fgt_status lack(const aligned *a, side *s, const char *name, int64_t category)
{
    const int64_t size = (int64_t)strlen(name), n = s->more.count;
    int64_t       ignored;
    if (s->first[category] < 0 || fgti_words_find(&s->names, name, size) >= 0) return FGT_OK;
    FGTI_TRY(fgti_words_add(a->ctx, &s->names, name, size, &ignored));
    FGTI_TRY(fgti_grow(a->ctx, "columns of categories", sizeof *s->like, n, n + 1, 2 * n + 16,
                       &s->like_capacity, (void **)&s->like));
    s->like[n] = s->first[category];
    return fgti_strings_add(a->ctx, &s->more, name, size);
}

/* Finds the columns that a file lacks. They are ordered by category, then by file, then as in the file. */
static fgt_status find_lacking(aligned *a)
{
    int64_t *at;
    FGTI_TRY(FGTI_NEW(a->ctx, a->count, "files", &at));
    fgt_status e = FGT_OK;
    for (int64_t k = 0; e == FGT_OK && k < a->categories.texts.count; k++)
        for (int64_t i = 0; e == FGT_OK && i < a->count; i++) {
            const side *s = &a->side[i];
            for (; e == FGT_OK && at[i] < s->count && s->items[at[i]].category == k; at[i]++)
                for (int64_t other = 0; e == FGT_OK && other < a->count; other++)
                    e = lack(a, &a->side[other],
                             fgt_table_get_name(s->t, FGT_TABLE_NAME_COLUMN, s->items[at[i]].column), k);
        }
    fgti_free(a->ctx, at);
    return e;
}

/* Adds columns of 0 to a file. A cell is missing if the other columns of its category are missing there. */
static fgt_status add_zeros(const aligned *a, const side *s)
{
    fgt_table    *t   = s->t;
    const int64_t old = t->columns, columns = old + s->more.count;
    double       *values;
    int64_t       count;
    if (columns == old) return FGT_OK;
    if (!fgti_size_mul(t->rows, columns, &count))
        return fgti_fail(&a->ctx->error, FGT_E_SIZE, "table: too large");
    FGTI_TRY(FGTI_NEW(a->ctx, count, "table", &values));
    const fgt_status e = fgti_strings_append(a->ctx, &t->names, &s->more);
    if (e != FGT_OK) {
        fgti_free(a->ctx, values);
        return e;
    }
    for (int64_t r = 0; r < t->rows; r++) {
        memcpy(values + r * columns, t->values + r * old, (size_t)old * sizeof *values);
        for (int64_t c = old; c < columns; c++)
            values[r * columns + c] = isnan(t->values[r * old + s->like[c - old]]) ? NAN : 0;
    }
    fgti_free(a->ctx, t->values);
    t->values   = values;
    t->columns  = columns;
    t->capacity = count;
    return FGT_OK;
}

/* ---- all of it ---- */

static fgt_status align(aligned *a)
{
    for (int64_t i = 0; i < a->count; i++) {
        side *s = &a->side[i];
        FGTI_TRY(FGTI_NEW(a->ctx, a->categories.texts.count, "categories", &s->first));
        FGTI_TRY(align_hash_names(a, s));
        FGTI_TRY(find_items(a, s));
    }
    for (int64_t i = 0; i < a->count; i++) FGTI_TRY(rename_empty(a, &a->side[i]));
    for (int64_t i = 0; i < a->count; i++) {
        FGTI_TRY(align_hash_names(a, &a->side[i]));
        FGTI_TRY(find_items(a, &a->side[i]));
    }
    FGTI_TRY(find_lacking(a));
    for (int64_t i = 0; i < a->count; i++) FGTI_TRY(add_zeros(a, &a->side[i]));
    return FGT_OK;
}

fgt_status fgti_categories_align(fgt_context *ctx, fgt_table **tables, int64_t count,
                                 const char *const *names, int64_t name_count)
{
    aligned a = {.ctx = ctx, .count = count};
    int64_t ignored;
    if (!name_count || count < 2) return FGT_OK;
    fgt_status e = FGTI_NEW(ctx, count, "files", &a.side);
    for (int64_t k = 0; e == FGT_OK && k < name_count; k++)
        e = fgti_words_add(ctx, &a.categories, names[k], (int64_t)strlen(names[k]), &ignored);
    for (int64_t i = 0; e == FGT_OK && i < count; i++) a.side[i].t = tables[i];
    if (e == FGT_OK) e = align(&a);
    for (int64_t i = 0; a.side && i < count; i++) {
        side *s = &a.side[i];
        fgti_words_done(ctx, &s->names);
        fgti_strings_done(ctx, &s->more);
        fgti_free(ctx, s->first);
        fgti_free(ctx, s->items);
        fgti_free(ctx, s->like);
    }
    fgti_free(ctx, a.side);
    fgti_words_done(ctx, &a.categories);
    return e;
}
