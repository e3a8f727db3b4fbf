/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/join/long_rows.h"

#include <string.h>

#include "core/context.h"
#include "data/join/category_align.h"

fgt_status fgti_long_init(fgt_context *ctx, fgti_long *l, int64_t files)
{
    *l = (fgti_long){.ctx = ctx};
    FGTI_TRY(FGTI_NEW(ctx, files, "files", &l->path));
    return FGTI_NEW(ctx, files, "files", &l->file_begin);
}

void fgti_long_done(fgti_long *l)
{
    fgt_table_destroy(&l->rows);
    fgti_words_done(l->ctx, &l->series);
    fgti_free(l->ctx, l->of);
    fgti_free(l->ctx, l->file_begin);
    fgti_free(l->ctx, l->path);
    *l = (fgti_long){0};
}

fgt_status fgti_long_add(fgti_long *l, const char *name, int64_t size)
{
    const fgti_strings *known  = &l->series.texts;
    int64_t             number = l->count ? l->of[l->count - 1] : 0;
    FGTI_TRY(fgti_grow(l->ctx, "series of rows", sizeof *l->of, l->count, l->count + 1, 2 * l->count + 64,
                       &l->of_room, (void **)&l->of));
    if (!l->count || fgti_strings_size(known, number) != size ||
        memcmp(fgti_strings_get(known, number), name, (size_t)size) != 0)
        FGTI_TRY(fgti_words_add(l->ctx, &l->series, name, size, &number));
    l->of[l->count++] = (int32_t)number;
    return FGT_OK;
}

/* Finds, for each column of t, its place in the earlier rows. `names` are the names of t's columns. */
static fgt_status long_rows_find_columns(const fgti_long *l, const char *path, const fgt_table *t,
                                         const fgti_words *names, int64_t *place)
{
    char show[FGTI_SHOW];
    for (int64_t c = 0; c < t->columns; c++) {
        const char *name = fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, c);
        place[c]         = fgti_words_find(names, name, (int64_t)strlen(name));
        if (place[c] < 0)
            return fgti_fail(&l->ctx->error, FGT_E_NAME, "%.200s: column \"%s\" is not in %.200s", path,
                             fgti_show(name, show), l->path[0]);
    }
    if (t->columns == l->rows->columns) return FGT_OK;
    return fgti_fail(&l->ctx->error, FGT_E_NAME,
                     "%.200s: wrong number of columns of numbers (got %lld, need %lld as in %.200s)", path,
                     (long long)t->columns, (long long)l->rows->columns, l->path[0]);
}

/* Matches the columns of t to the earlier rows by name. Their order may differ. */
static fgt_status long_rows_match_columns(const fgti_long *l, const char *path, const fgt_table *t,
                                          int64_t *place)
{
    fgti_words names = {0};
    int64_t    ignored;
    fgt_status s = FGT_OK;
    for (int64_t c = 0; s == FGT_OK && c < l->rows->columns; c++) {
        const char *name = fgt_table_get_name(l->rows, FGT_TABLE_NAME_COLUMN, c);
        s                = fgti_words_add(l->ctx, &names, name, (int64_t)strlen(name), &ignored);
    }
    if (s == FGT_OK) s = long_rows_find_columns(l, path, t, &names, place);
    fgti_words_done(l->ctx, &names);
    return s;
}

static fgt_status append_rows(fgti_long *l, const fgt_table *t, const int64_t *place)
{
    fgt_table    *all     = l->rows;
    const int64_t columns = all->columns, used = all->rows * columns, need = used + t->rows * columns;
    FGTI_TRY(fgti_grow(l->ctx, "table", sizeof *all->values, used, need, need + used / 2, &all->capacity,
                       (void **)&all->values));
    for (int64_t r = 0; r < t->rows; r++) {
        FGTI_TRY(fgti_strings_add(l->ctx, &all->dates, fgti_strings_get(&t->dates, r),
                                  fgti_strings_size(&t->dates, r)));
        FGTI_TRY(fgti_lines_add(l->ctx, &all->lines, fgti_lines_get(&t->lines, r)));
        for (int64_t c = 0; c < columns; c++)
            all->values[used + r * columns + place[c]] = t->values[r * columns + c];
    }
    all->rows += t->rows;
    all->unseen += t->unseen;
    return fgti_strings_add_new(l->ctx, &all->ignored, &t->ignored);
}

static fgt_status long_append_table(fgti_long *l, const fgt_csv_opts *opts, const char *path, fgt_table *t)
{
    int64_t *place;
    FGTI_TRY(fgti_categories_align(l->ctx, (fgt_table *[]){l->rows, t}, 2, opts->categories,
                                   opts->category_count));
    FGTI_TRY(FGTI_NEW(l->ctx, t->columns, "columns", &place));
    fgt_status s = long_rows_match_columns(l, path, t, place);
    if (s == FGT_OK) s = append_rows(l, t, place);
    fgti_free(l->ctx, place);
    return s;
}

fgt_status fgti_long_append(fgti_long *l, const fgt_csv_opts *opts, const char *path, fgt_table **t)
{
    if (!l->rows) {
        l->rows                 = *t;
        *t                      = NULL;
        l->file_begin[l->files] = 0;
    } else {
        l->file_begin[l->files] = l->rows->rows;
        FGTI_TRY(long_append_table(l, opts, path, *t));
        fgt_table_destroy(t);
    }
    l->path[l->files++] = path;
    l->has_value        = l->rows->form.count > 1;
    return FGT_OK;
}

int64_t fgti_long_find_file(const fgti_long *l, int64_t row)
{
    int64_t f = l->files - 1;
    while (l->file_begin[f] > row) f--;
    return f;
}

void fgti_long_sort(const fgti_long *l, int64_t *begin, int64_t *row)
{
    const int64_t rows = l->rows->rows, series = l->series.texts.count;
    for (int64_t r = 0; r < rows; r++) begin[l->of[r] + 1]++;
    for (int64_t i = 0; i < series; i++) begin[i + 1] += begin[i];
    for (int64_t r = rows - 1; r >= 0; r--) row[--begin[l->of[r] + 1]] = r;
    memmove(begin, begin + 1, (size_t)series * sizeof *begin);
    begin[series] = rows;
}
