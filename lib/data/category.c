/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/category.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"

int64_t fgti_category_source(const char *entry, fgti_find_fn find, const void *user, const char **value)
{
    int64_t found = find(user, entry, (int64_t)strlen(entry));
    *value        = NULL;
    if (found >= 0) return found;
    for (const char *equals = strchr(entry, '='); equals; equals = strchr(equals + 1, '=')) {
        const int64_t at = equals > entry ? find(user, entry, equals - entry) : -1;
        if (at < 0 || (found >= 0 && at > found)) continue;
        found  = at;
        *value = equals + 1;
    }
    return found;
}

/* ---- entries of the option `categories` ---- */

fgti_category *fgti_categories_find(const fgti_categories *c, int64_t source)
{
    return source < c->sources && c->place[source] ? &c->list[c->place[source] - 1] : NULL;
}

static fgt_status set_place(fgti_categories *c, int64_t source)
{
    const int64_t before = c->sources;
    FGTI_TRY(fgti_grow(c->ctx, "categories", sizeof *c->place, before, source + 1, 2 * source + 16,
                       &c->sources, (void **)&c->place));
    for (int64_t i = before; i < c->sources; i++) c->place[i] = 0;
    c->place[source] = (int32_t)c->count;
    return FGT_OK;
}

static int32_t category_find_value(const fgti_category *k, const char *text)
{
    for (int32_t i = 0; i < k->values.count; i++)
        if (!strcmp(fgti_strings_get(&k->values, i), text)) return i;
    return FGTI_CODE_UNSEEN;
}

static fgt_status add_value(const fgti_categories *c, fgti_category *k, const char *value, int64_t size)
{
    if (k->values.count == FGTI_CATEGORY_MAX)
        return fgti_fail(&c->ctx->error, FGT_E_ARG, "%.300s: more than %d values of one column are named",
                         c->what, FGTI_CATEGORY_MAX);
    return fgti_strings_add(c->ctx, &k->values, value, size);
}

/* The length of the text before its last bracket; 0: the text does not end in brackets. */
static int64_t bracket_size(const char *text)
{
    const char *cut = strrchr(text, '[');
    return cut && text[strlen(text) - 1] == ']' ? cut - text : 0;
}

/* The length of the value in "value[series]"; 0: the brackets do not hold a series of the file. */
static int64_t part_size(const fgti_categories *c, const char *text)
{
    const int64_t size = (int64_t)strlen(text);
    for (const char *cut = strchr(text, '['); cut; cut = strchr(cut + 1, '['))
        if (cut > text && fgti_words_find(c->series, cut + 1, size - 2 - (cut - text)) >= 0)
            return cut - text;
    return 0;
}

/* Whether the brackets of values name series. They do if a value's brackets name a series of the file, or if
 * there are more values than a column can have. Then all brackets name series, even series that the file
 * lacks. */
static bool has_series(const fgti_categories *c, const fgti_category *k)
{
    int64_t i = 0;
    while (i < k->parts.count && !part_size(c, fgti_strings_get(&k->parts, i))) i++;
    return i < k->parts.count || k->named + k->parts.count > FGTI_CATEGORY_MAX;
}

/* The length of the value in `part`, without the brackets of a series. series: all brackets name series. */
static int64_t meant_size(const fgti_categories *c, const char *part, bool series)
{
    const int64_t size = part_size(c, part);
    return size ? size : series ? bracket_size(part) : (int64_t)strlen(part);
}

/* Whether an unlisted value may be a listed value whose brackets name a series. Only after all series have
 * been read, has_series() can tell. */
static bool may_be_meant(const fgti_category *k, const char *value)
{
    for (int64_t i = 0; i < k->parts.count; i++) {
        const char *part = fgti_strings_get(&k->parts, i);
        if (!strcmp(part, value) || fgti_table_is_part(part, value)) return true;
    }
    return false;
}

static bool is_meant(const fgti_categories *c, const fgti_category *k, bool series, const char *value)
{
    const int64_t size = (int64_t)strlen(value);
    for (int64_t i = 0; i < k->parts.count; i++) {
        const char *part = fgti_strings_get(&k->parts, i);
        if (!strcmp(part, value)) return true;
        if (meant_size(c, part, series) == size && !strncmp(part, value, (size_t)size)) return true;
    }
    return false;
}

static void note_unseen(fgti_category *k, int64_t row, const char *value)
{
    char show[FGTI_SHOW];
    if (!k->unseen || row < k->first) {
        k->first = row;
        snprintf(k->first_value, sizeof k->first_value, "%s", fgti_show(value, show));
    }
    k->unseen++;
}

/* Drops values that may_be_meant() kept but that are not listed. Their cells count as unseen. */
static fgt_status drop_others(const fgti_categories *c, fgti_category *k, bool series)
{
    int8_t       place[FGTI_CATEGORY_MAX];
    fgti_strings kept = {0};
    fgt_status   s    = FGT_OK;
    for (int64_t v = 0; s == FGT_OK && v < k->values.count; v++) {
        const char *value = fgti_strings_get(&k->values, v);
        const bool  stays = v < k->named || is_meant(c, k, series, value);
        place[v]          = (int8_t)(stays ? kept.count : FGTI_CODE_UNSEEN);
        if (stays) s = fgti_strings_add(c->ctx, &kept, value, (int64_t)strlen(value));
    }
    for (int64_t r = 0; s == FGT_OK && r < k->rows; r++) {
        const int8_t v = k->code[r];
        if (v < 0) continue;
        k->code[r] = place[v];
        if (place[v] == FGTI_CODE_UNSEEN) note_unseen(k, r, fgti_strings_get(&k->values, v));
    }
    fgti_strings_done(c->ctx, s == FGT_OK ? &k->values : &kept);
    if (s == FGT_OK) k->values = kept;
    return s;
}

/* Whether a column has the value `part`. The column may have it as it is listed, or without its brackets if
 * they name a series that the file lacks. */
static bool is_there(const fgti_categories *c, const fgti_category *k, const char *part, bool series)
{
    const int64_t size = meant_size(c, part, series);
    for (int64_t v = 0; v < k->values.count; v++) {
        const char *value = fgti_strings_get(&k->values, v);
        if (fgti_strings_size(&k->values, v) == size && !strncmp(part, value, (size_t)size)) return true;
        if (series && !part_size(c, part) && fgti_table_is_part(part, value)) return true;
    }
    return false;
}

/* Adds columns for values that are listed with a series and do not occur. The columns are 0 for all series.
 * Values whose series is in the file come first. */
static fgt_status settle_parts(const fgti_categories *c, fgti_category *k)
{
    if (!k->given || !k->parts.count) return FGT_OK;
    const bool series = has_series(c, k);
    FGTI_TRY(drop_others(c, k, series));
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < k->parts.count; i++) {
            const char *part = fgti_strings_get(&k->parts, i);
            if ((pass == 0) == (part_size(c, part) != 0) && !is_there(c, k, part, series))
                FGTI_TRY(add_value(c, k, part, meant_size(c, part, series)));
        }
    return FGT_OK;
}

/* An entry without a value accepts all values of the column, so it drops the list of given values. */
fgt_status fgti_categories_add(fgti_categories *c, int64_t source, const char *value)
{
    fgti_category *k = fgti_categories_find(c, source);
    if (!k) {
        FGTI_TRY(fgti_grow(c->ctx, "categories", sizeof *c->list, c->count, c->count + 1, 2 * c->count + 4,
                           &c->capacity, (void **)&c->list));
        c->count++;
        const fgt_status s = set_place(c, source);
        if (s != FGT_OK) {
            c->count--;
            return s;
        }
        k  = &c->list[c->count - 1];
        *k = (fgti_category){.source = source, .given = value != NULL};
    }
    if (!value) k->given = false;
    if (!value || category_find_value(k, value) >= 0) return FGT_OK;
    const int64_t size = (int64_t)strlen(value);
    if (c->series && bracket_size(value)) return fgti_strings_add(c->ctx, &k->parts, value, size);
    FGTI_TRY(add_value(c, k, value, size));
    k->named = k->values.count;
    return FGT_OK;
}

/* ---- rows ---- */

static fgt_status add_code(const fgti_categories *c, fgti_category *k, int32_t code)
{
    FGTI_TRY(fgti_grow(c->ctx, "categories of rows", 1, k->rows, k->rows + 1, 2 * k->rows + 64, &k->capacity,
                       (void **)&k->code));
    k->code[k->rows++] = (int8_t)code;
    return FGT_OK;
}

fgt_status fgti_category_put(const fgti_categories *c, fgti_category *k, const char *name, const char *text)
{
    char    show[FGTI_SHOW], value[FGTI_SHOW], row[FGTI_ROW_TEXT];
    int32_t code = text ? category_find_value(k, text) : FGTI_CODE_MISSING;
    if (code != FGTI_CODE_UNSEEN || (k->given && !may_be_meant(k, text))) {
        if (code == FGTI_CODE_UNSEEN) note_unseen(k, k->rows, text);
        return add_code(c, k, code);
    }
    if (k->values.count == FGTI_CATEGORY_MAX)
        return fgti_fail(&c->ctx->error, FGT_E_DATA,
                         "%.300s: column \"%s\" has more than %d values (\"%s\" in %s): it is no category",
                         c->what, fgti_show(name, show), FGTI_CATEGORY_MAX, fgti_show(text, value),
                         fgti_row_text(c->lines, k->rows, NULL, row));
    code = (int32_t)k->values.count;
    FGTI_TRY(fgti_strings_add(c->ctx, &k->values, text, (int64_t)strlen(text)));
    return add_code(c, k, code);
}

fgt_status fgti_category_skip(const fgti_categories *c, fgti_category *k, int64_t rows)
{
    while (k->rows < rows) FGTI_TRY(add_code(c, k, FGTI_CODE_MISSING));
    return FGT_OK;
}

/* ---- columns of the table ---- */

/* Sorts values by their bytes. Listed values keep the order of the list instead. */
static void sort_values(const fgti_category *k, int32_t order[FGTI_CATEGORY_MAX])
{
    for (int32_t i = 0; i < k->values.count; i++) {
        int32_t at = i;
        while (!k->given && at &&
               strcmp(fgti_strings_get(&k->values, order[at - 1]), fgti_strings_get(&k->values, i)) > 0) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

static fgt_status category_add_name(fgt_context *ctx, const char *name, const char *value,
                                    fgti_strings *names)
{
    const size_t n = strlen(name), v = strlen(value);
    char        *text;
    FGTI_TRY(FGTI_NEW(ctx, (int64_t)(n + v + 2), "name of a column", &text));
    memcpy(text, name, n);
    text[n] = '=';
    memcpy(text + n + 1, value, v + 1);
    const fgt_status s = fgti_strings_add(ctx, names, text, (int64_t)(n + v + 1));
    fgti_free(ctx, text);
    return s;
}

static fgt_status make_names(const fgti_categories *c, const fgt_table *t, const bool *drop,
                             const char *const *name, fgti_strings *names)
{
    int32_t order[FGTI_CATEGORY_MAX];
    for (int64_t i = 0; i < t->labels + t->columns; i++)
        if (i < t->labels || !drop[i - t->labels])
            FGTI_TRY(fgti_strings_add(c->ctx, names, fgti_strings_get(&t->names, i),
                                      fgti_strings_size(&t->names, i)));
    for (int64_t i = 0; i < c->count; i++) {
        if (!name[i]) continue;
        sort_values(&c->list[i], order);
        for (int64_t v = 0; v < c->list[i].values.count; v++)
            FGTI_TRY(
                category_add_name(c->ctx, name[i], fgti_strings_get(&c->list[i].values, order[v]), names));
    }
    return FGT_OK;
}

/* Writes one row of the indicators of a category. */
static void category_put_row(const fgti_category *k, int64_t row, const int32_t *order, double *out)
{
    const int32_t code = k->code[row];
    for (int64_t v = 0; v < k->values.count; v++) *out++ = code == FGTI_CODE_MISSING ? NAN : order[v] == code;
}

static void make_values(const fgti_categories *c, const fgt_table *t, const bool *drop,
                        const char *const *name, int64_t columns, double *values)
{
    int32_t order[FGTI_CATEGORY_MAX];
    int64_t first = 0;
    for (int64_t i = 0; i < t->columns; i++) {
        if (drop[i]) continue;
        for (int64_t r = 0; r < t->rows; r++) values[r * columns + first] = t->values[r * t->columns + i];
        first++;
    }
    for (int64_t i = 0; i < c->count; i++) {
        if (!name[i]) continue;
        sort_values(&c->list[i], order);
        for (int64_t r = 0; r < t->rows; r++)
            category_put_row(&c->list[i], r, order, values + r * columns + first);
        first += c->list[i].values.count;
    }
}

/* Values that are not listed cause a warning, not an error. */
static void warn_of_unseen(const fgti_categories *c, const fgti_category *k, const char *name,
                           const fgt_table *t)
{
    char show[FGTI_SHOW], row[FGTI_ROW_TEXT];
    if (!k->unseen) return;
    fgti_log(c->ctx, FGT_LOG_WARN,
             "%.200s: column \"%s\" has %lld cell%s with a category that is not known, the first \"%s\" in "
             "%s; the columns of the known categories are 0 there",
             c->what, fgti_show(name, show), (long long)k->unseen, k->unseen == 1 ? "" : "s", k->first_value,
             fgti_row_text(c->lines, k->first, fgt_table_get_name(t, FGT_TABLE_NAME_ROW, k->first), row));
}

fgt_status fgti_categories_finish(fgti_categories *c, fgt_table *t, const bool *drop, const char *const *name)
{
    fgti_strings names = {0};
    double      *values;
    int64_t      count;
    for (int64_t i = 0; i < c->count; i++) FGTI_TRY(settle_parts(c, &c->list[i]));
    fgt_status    s       = make_names(c, t, drop, name, &names);
    const int64_t columns = names.count - t->labels;
    if (s == FGT_OK && columns < 1)
        s = fgti_fail(&c->ctx->error, FGT_E_DATA, "%.300s: there is no column of numbers", c->what);
    if (s == FGT_OK && !fgti_size_mul(t->rows, columns, &count))
        s = fgti_fail(&c->ctx->error, FGT_E_SIZE, "%.300s: too large", c->what);
    if (s == FGT_OK) s = FGTI_NEW(c->ctx, count, "table", &values);
    if (s != FGT_OK) {
        fgti_strings_done(c->ctx, &names);
        return s;
    }
    make_values(c, t, drop, name, columns, values);
    for (int64_t i = 0; i < c->count; i++)
        if (name[i]) warn_of_unseen(c, &c->list[i], name[i], t);
    for (int64_t i = 0; i < c->count; i++) t->unseen += c->list[i].unseen;
    fgti_strings_done(c->ctx, &t->names);
    fgti_free(c->ctx, t->values);
    t->names    = names;
    t->values   = values;
    t->columns  = columns;
    t->capacity = count;
    return FGT_OK;
}

void fgti_categories_done(fgti_categories *c)
{
    for (int64_t i = 0; i < c->count; i++) {
        fgti_strings_done(c->ctx, &c->list[i].values);
        fgti_strings_done(c->ctx, &c->list[i].parts);
        fgti_free(c->ctx, c->list[i].code);
    }
    fgti_free(c->ctx, c->list);
    fgti_free(c->ctx, c->place);
}
