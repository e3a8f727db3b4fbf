/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes tables from Arrow arrays. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/opts.h"
#include "data/arrow/arrow_column.h"
#include "data/arrow/arrow_long.h"
#include "data/category.h"
#include "data/table.h"
#include "data/table_time.h"

enum { MISSINGS = 4 };
_Static_assert(FGT_TABLE_MISSING_ZERO == MISSINGS - 1, "count of enumerators");

/* A column with a longer value is not read as a category. */
#define TEXT_MAX 4096

typedef struct import {
    fgt_context             *ctx;
    fgt_arrow_opts           opts;
    const struct ArrowArray *root;
    fgt_table               *t;
    int64_t                  count;  /* columns of the array */
    fgti_arrow_column       *column; /* [count] */
    fgti_words               names;  /* names of the columns; of equal names, the first column counts */
    int64_t                 *named;  /* [names]: the first column with this name */
    int64_t                 *order;  /* [count]: the columns of numbers, in the order of the table */
    bool                    *taken;  /* [count]: the column is in `order` */
    fgti_words               listed; /* names that opts list as categories */
    int64_t                  time;   /* index of the column of times; -1: no times */
    int64_t                  series; /* long form: index of the column of series; -1: wide form */
    fgti_categories          categories;
    char                     text[TEXT_MAX + 1];
} import;

static fgt_status arrow_read_opts(fgti_error *err, const fgt_arrow_opts *in, fgt_arrow_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_arrow_opts, column_count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_arrow_opts, category_count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_arrow_opts, no_times, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_arrow_opts, repair, ENUM, 0, FGT_TABLE_REPAIR_ALL, 0),
        FGTI_FIELD(fgt_arrow_opts, missing, ENUM, 0, MISSINGS - 1, 0),
        FGTI_FIELD(fgt_arrow_opts, skip, BOOL, 0, 1, 0),
        {0},
    };
    FGTI_TRY(fgti_opts_read(err, "fgt_arrow_opts", in, o, sizeof *o));
    FGTI_TRY(fgti_opts_check(err, "fgt_arrow_opts", table, o));
    FGTI_TRY(fgti_clock_check_round(err, "fgt_arrow_opts", o->round));
    if (!o->columns != !o->column_count || !o->categories != !o->category_count)
        return fgti_fail(
            err, FGT_E_ARG,
            "fgt_arrow_opts: a list and its count do not go together (got one of them, need both or "
            "neither)");
    for (int64_t i = 0; i < o->column_count; i++)
        if (!o->columns[i])
            return fgti_fail(err, FGT_E_ARG, "fgt_arrow_opts: name %lld of columns is NULL", (long long)i);
    for (int64_t i = 0; i < o->category_count; i++)
        if (!o->categories[i])
            return fgti_fail(err, FGT_E_ARG, "fgt_arrow_opts: name %lld of categories is NULL", (long long)i);
    if (o->value && !o->id)
        return fgti_fail(err, FGT_E_ARG, "fgt_arrow_opts: value names a column, but id does not");
    if (o->time && o->no_times)
        return fgti_fail(err, FGT_E_ARG, "fgt_arrow_opts: time names a column, but no_times is set");
    return FGT_OK;
}

/* ---- choosing the columns ---- */

static fgt_status read_schema(import *m, const struct ArrowSchema *schema)
{
    fgti_error              *err  = &m->ctx->error;
    const struct ArrowArray *root = m->root;
    if (!schema->release) return fgti_fail(err, FGT_E_ARG, "arrow: the schema was released");
    if (!schema->format || strcmp(schema->format, "+s") != 0)
        return fgti_fail(err, FGT_E_UNSUPPORTED, "arrow: the format is \"%.20s\", not a struct of columns",
                         schema->format ? schema->format : "");
    FGTI_TRY(fgti_arrow_check(err, "table", root, 1, 0, 0));
    if (schema->n_children < 0 || schema->n_children != root->n_children)
        return fgti_fail(
            err, FGT_E_FORMAT,
            "arrow: schema and array have wrong numbers of columns (got %lld and %lld, need the same)",
            (long long)schema->n_children, (long long)root->n_children);
    if (schema->n_children && (!schema->children || !root->children))
        return fgti_fail(err, FGT_E_FORMAT, "arrow: the list of columns is NULL");
    if (!root->length) return fgti_fail(err, FGT_E_DATA, "arrow: the table has no rows");
    m->count = schema->n_children;
    FGTI_TRY(FGTI_NEW(m->ctx, m->count, "columns", &m->column));
    FGTI_TRY(FGTI_NEW(m->ctx, m->count, "columns", &m->order));
    FGTI_TRY(FGTI_NEW(m->ctx, m->count, "columns", &m->taken));
    for (int64_t i = 0; i < m->count; i++)
        FGTI_TRY(fgti_arrow_column_init(err, schema->children[i], root->children[i], i, root->offset,
                                        root->length, &m->column[i]));
    for (int64_t i = 0; i < m->count; i++) {
        char show[FGTI_SHOW], format[FGTI_SHOW];
        if (m->column[i].holds != FGTI_ARROW_OTHER || m->opts.skip) continue;
        return fgti_fail(err, FGT_E_UNSUPPORTED,
                         "arrow: column \"%s\" has format \"%s\", which is not read%s; `skip` leaves it out",
                         fgti_show(m->column[i].name, show), fgti_show(schema->children[i]->format, format),
                         schema->children[i]->dictionary ? " with a dictionary" : "");
    }
    return FGT_OK;
}

static fgt_status arrow_hash_names(import *m)
{
    int64_t at;
    FGTI_TRY(FGTI_NEW(m->ctx, m->count, "columns", &m->named));
    for (int64_t i = 0; i < m->count; i++) {
        const char   *name  = m->column[i].name;
        const int64_t count = m->names.texts.count;
        FGTI_TRY(fgti_words_add(m->ctx, &m->names, name, (int64_t)strlen(name), &at));
        if (at == count) m->named[at] = i;
    }
    for (int64_t i = 0; i < m->opts.category_count; i++) {
        const char *name = m->opts.categories[i];
        FGTI_TRY(fgti_words_add(m->ctx, &m->listed, name, (int64_t)strlen(name), &at));
    }
    return FGT_OK;
}

static int64_t arrow_column_of(const void *user, const char *name, int64_t size)
{
    const import *m  = user;
    const int64_t at = fgti_words_find(&m->names, name, size);
    return at < 0 ? -1 : m->named[at];
}

static fgt_status arrow_find_column(const import *m, const char *name, int64_t *column)
{
    char show[FGTI_SHOW];
    *column = arrow_column_of(m, name, (int64_t)strlen(name));
    if (*column >= 0) return FGT_OK;
    return fgti_fail(&m->ctx->error, FGT_E_NAME, "arrow: there is no column \"%s\"", fgti_show(name, show));
}

static fgt_status choose_time(import *m)
{
    char show[FGTI_SHOW];
    m->time = -1;
    if (m->opts.no_times) return FGT_OK;
    if (m->opts.time) {
        FGTI_TRY(arrow_find_column(m, m->opts.time, &m->time));
        if (m->column[m->time].holds == FGTI_ARROW_TIMES) return FGT_OK;
        return fgti_fail(&m->ctx->error, FGT_E_DATA, "arrow: column \"%s\" has no timestamps or dates",
                         fgti_show(m->opts.time, show));
    }
    for (int64_t i = 0; i < m->count && m->time < 0; i++)
        if (m->column[i].holds == FGTI_ARROW_TIMES) m->time = i;
    return FGT_OK;
}

static fgt_status arrow_add_column(import *m, int64_t column)
{
    const char *name          = m->column[column].name;
    m->order[m->t->columns++] = column;
    m->taken[column]          = true;
    return fgti_strings_add(m->ctx, &m->t->names, name, (int64_t)strlen(name));
}

static fgt_status add_wanted(import *m, const char *name)
{
    char    show[FGTI_SHOW];
    int64_t column;
    FGTI_TRY(arrow_find_column(m, name, &column));
    if (m->column[column].holds != FGTI_ARROW_NUMBERS)
        return fgti_fail(&m->ctx->error, FGT_E_DATA, "arrow: column \"%s\" holds no numbers",
                         fgti_show(name, show));
    if (m->taken[column])
        return fgti_fail(&m->ctx->error, FGT_E_ARG, "fgt_arrow_opts: column \"%s\" is listed twice",
                         fgti_show(name, show));
    return arrow_add_column(m, column);
}

/* In long form the first column of the table has the values of the series. */
static fgt_status choose_series(import *m)
{
    char        show[FGTI_SHOW];
    fgti_error *err = &m->ctx->error;
    m->series       = -1;
    if (!m->opts.id) return FGT_OK;
    FGTI_TRY(arrow_find_column(m, m->opts.id, &m->series));
    const fgti_arrow_column *c = &m->column[m->series];
    if (c->holds != FGTI_ARROW_TEXTS && (c->holds != FGTI_ARROW_NUMBERS || !c->index))
        return fgti_fail(err, FGT_E_DATA,
                         "arrow: column \"%s\" has no names of series (need texts or integers)",
                         fgti_show(c->name, show));
    if (m->time < 0)
        return fgti_fail(err, FGT_E_DATA,
                         "arrow: a table in long form needs a column of timestamps or dates");
    const char *time = m->column[m->time].name;
    m->t->labels     = 1;
    FGTI_TRY(fgti_strings_add(m->ctx, &m->t->names, time, (int64_t)strlen(time)));
    return m->opts.value ? add_wanted(m, m->opts.value) : FGT_OK;
}

static fgt_status choose_categories(import *m)
{
    for (int64_t i = 0; i < m->opts.category_count; i++) {
        const char   *value;
        const char   *entry = m->opts.categories[i];
        const int64_t at    = fgti_category_source(entry, arrow_column_of, m, &value);
        int64_t       none;
        char          show[FGTI_SHOW];
        if (at < 0) return arrow_find_column(m, entry, &none);
        if (m->column[at].holds == FGTI_ARROW_TEXTS)
            FGTI_TRY(fgti_categories_add(&m->categories, at, value));
        else if (value || m->column[at].holds != FGTI_ARROW_NUMBERS)
            return fgti_fail(&m->ctx->error, FGT_E_DATA, "arrow: column \"%s\" has no texts",
                             fgti_show(m->column[at].name, show));
    }
    return FGT_OK;
}

/* Whether a column is listed among the categories. A listed column of numbers is still read as numbers. */
static bool arrow_is_named(const import *m, int64_t column)
{
    const char *name = m->column[column].name;
    return fgti_words_find(&m->listed, name, (int64_t)strlen(name)) >= 0;
}

static fgt_status arrow_choose_columns(import *m)
{
    fgt_table *t = m->t;
    FGTI_TRY(arrow_hash_names(m));
    FGTI_TRY(choose_time(m));
    FGTI_TRY(choose_series(m));
    FGTI_TRY(choose_categories(m));
    for (int64_t i = 0; i < m->opts.column_count; i++) FGTI_TRY(add_wanted(m, m->opts.columns[i]));
    for (int64_t i = 0; i < m->count; i++) {
        const fgti_arrow_column *c = &m->column[i];
        if (i == m->time || i == m->series || m->taken[i] || fgti_categories_find(&m->categories, i))
            continue;
        const bool numbers = c->holds == FGTI_ARROW_NUMBERS;
        if (numbers && (!m->opts.columns || arrow_is_named(m, i)))
            FGTI_TRY(arrow_add_column(m, i));
        else if (!numbers && !m->opts.columns)
            FGTI_TRY(fgti_strings_add(m->ctx, &t->ignored, c->name, (int64_t)strlen(c->name)));
    }
    if (t->columns || m->categories.count) return FGT_OK;
    return fgti_fail(&m->ctx->error, FGT_E_DATA, "arrow: there is no column of numbers");
}

/* ---- rows ---- */

static bool arrow_is_missing(const import *m, const fgti_arrow_column *c, int64_t row)
{
    const uint8_t *valid = m->root->null_count ? m->root->buffers[0] : NULL;
    const int64_t  place = m->root->offset + row;
    return (valid && !(valid[place / 8] >> (place % 8) & 1)) || fgti_arrow_is_missing(c, row);
}

static fgt_status arrow_refuse_missing(const import *m, const fgti_arrow_column *c, int64_t row)
{
    char show[FGTI_SHOW];
    if (m->opts.missing != FGT_TABLE_MISSING_REFUSE || m->series >= 0) return FGT_OK;
    return fgti_fail(&m->ctx->error, FGT_E_DATA,
                     "arrow: row %lld, column \"%s\": no value; the option `missing` can mask or fill it",
                     (long long)row, fgti_show(c->name, show));
}

/* Reads the values of a column. *empty: no row has a value. An empty column is left out, unless missing
 * values are allowed or the caller has listed the column. */
static fgt_status arrow_read_numbers(import *m, int64_t column, bool *empty)
{
    fgt_table               *t     = m->t;
    const fgti_arrow_column *c     = &m->column[m->order[column]];
    int64_t                  first = -1; /* first row without a value; -1: every row has one */
    char                     show[FGTI_SHOW];
    *empty = true;
    for (int64_t r = 0; r < t->rows; r++) {
        const double v = arrow_is_missing(m, c, r) ? NAN : fgti_arrow_number(c, r);
        if (isinf(v))
            return fgti_fail(&m->ctx->error, FGT_E_DATA, "arrow: row %lld, column \"%s\" is not finite",
                             (long long)r, fgti_show(c->name, show));
        if (isnan(v) && first < 0) first = r;
        *empty                             = *empty && isnan(v);
        t->values[r * t->columns + column] = v;
    }
    *empty = *empty && m->opts.missing == FGT_TABLE_MISSING_REFUSE && m->series < 0 &&
             column >= m->opts.column_count;
    return first < 0 || *empty ? FGT_OK : arrow_refuse_missing(m, c, first);
}

static fgt_status arrow_read_text(import *m, fgti_category *k, int64_t row)
{
    const fgti_arrow_column *c    = &m->column[k->source];
    const char              *text = NULL;
    int64_t                  size = 0;
    char                     show[FGTI_SHOW];
    if (!arrow_is_missing(m, c, row)) FGTI_TRY(fgti_arrow_text(&m->ctx->error, c, row, &text, &size));
    if (!text) FGTI_TRY(arrow_refuse_missing(m, c, row));
    if (size > TEXT_MAX || (text && memchr(text, 0, (size_t)size)))
        return fgti_fail(&m->ctx->error, FGT_E_DATA,
                         "arrow: row %lld, column \"%s\": %lld bytes%s are no name of a category",
                         (long long)row, fgti_show(c->name, show), (long long)size,
                         size > TEXT_MAX ? "" : " with a zero");
    if (text) memcpy(m->text, text, (size_t)size);
    m->text[size] = 0;
    return fgti_category_put(&m->categories, k, c->name, text ? m->text : NULL);
}

/* Makes a column of each series. */
static fgt_status arrow_pivot(import *m, const int64_t *times)
{
    bool *missing;
    FGTI_TRY(FGTI_NEW(m->ctx, m->t->rows, "series of rows", &missing));
    for (int64_t r = 0; r < m->t->rows; r++) missing[r] = arrow_is_missing(m, &m->column[m->series], r);
    const fgt_status s = fgti_arrow_pivot(&m->column[m->series], missing, times, &m->opts, &m->t);
    fgti_free(m->ctx, missing);
    return s;
}

static fgt_status arrow_read_times(import *m)
{
    const fgti_arrow_column *c = &m->column[m->time];
    fgt_table               *t = m->t;
    int64_t                 *times;
    char                     show[FGTI_SHOW], what[FGTI_SHOW + 16];
    fgt_status               s = FGT_OK;
    snprintf(what, sizeof what, "arrow: \"%s\"", fgti_show(c->name, show));
    FGTI_TRY(FGTI_NEW(m->ctx, t->rows, "times of rows", &times));
    for (int64_t r = 0; s == FGT_OK && r < t->rows; r++)
        s = arrow_is_missing(m, c, r)
                ? fgti_fail(&m->ctx->error, FGT_E_DATA, "arrow: row %lld, column \"%s\": no time",
                            (long long)r, fgti_show(c->name, show))
                : fgti_arrow_time(&m->ctx->error, c, r, &times[r]);
    if (s == FGT_OK && m->series < 0) {
        t->clock.round = m->opts.round;
        fgti_clock_round(&t->clock, t->rows, times);
        return fgti_table_take_times(t, what, times, m->opts.repair, NULL);
    }
    if (s == FGT_OK) s = arrow_pivot(m, times);
    fgti_free(m->ctx, times);
    return s;
}

static fgt_status arrow_read_columns(import *m, bool *drop, const char **name)
{
    fgt_table *t = m->t;
    for (int64_t i = 0; i < t->columns; i++) {
        FGTI_TRY(arrow_read_numbers(m, i, &drop[i]));
        const char *text = m->column[m->order[i]].name;
        if (drop[i]) FGTI_TRY(fgti_strings_add(m->ctx, &t->ignored, text, (int64_t)strlen(text)));
    }
    for (int64_t i = 0; i < m->categories.count; i++) {
        name[i] = m->column[m->categories.list[i].source].name;
        for (int64_t r = 0; r < t->rows; r++) FGTI_TRY(arrow_read_text(m, &m->categories.list[i], r));
    }
    return fgti_categories_finish(&m->categories, t, drop, name);
}

static fgt_status arrow_read_rows(import *m)
{
    fgt_table   *t = m->t;
    bool        *drop;
    const char **name;
    int64_t      twice;
    char         show[FGTI_SHOW];
    t->rows = m->root->length;
    if (!fgti_size_mul(t->rows, t->columns, &t->capacity))
        return fgti_fail(&m->ctx->error, FGT_E_SIZE, "arrow: too large");
    FGTI_TRY(FGTI_NEW(m->ctx, t->capacity, "table", &t->values));
    FGTI_TRY(FGTI_NEW(m->ctx, t->columns, "columns", &drop));
    fgt_status s = FGTI_NEW(m->ctx, m->categories.count, "categories", &name);
    if (s == FGT_OK) {
        s = arrow_read_columns(m, drop, name);
        fgti_free(m->ctx, name);
    }
    fgti_free(m->ctx, drop);
    FGTI_TRY(s);
    FGTI_TRY(fgti_strings_find_double(m->ctx, &t->names, 0, &twice));
    if (twice >= 0)
        return fgti_fail(&m->ctx->error, FGT_E_FORMAT, "arrow: two columns are named \"%s\"",
                         fgti_show(fgti_strings_get(&t->names, twice), show));
    if (m->time >= 0) FGTI_TRY(arrow_read_times(m));
    return m->series < 0 ? fgti_table_fill(t, m->opts.missing, "arrow") : FGT_OK;
}

fgt_status fgt_table_create_arrow(fgt_context *ctx, const struct ArrowSchema *schema,
                                  const struct ArrowArray *array, const fgt_arrow_opts *opts,
                                  fgt_table **table)
{
    if (table) *table = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!schema || !array || !table)
        return fgti_fail(&ctx->error, FGT_E_ARG, "arrow: schema, array or result pointer is NULL");
import m = {.ctx = ctx, .root = array, .categories = {.ctx = ctx, .what = "arrow" } };
FGTI_TRY(arrow_read_opts(&ctx->error, opts, &m.opts));
fgt_status s = FGTI_NEW(ctx, 1, "table", &m.t);
if (s == FGT_OK) {
    m.t->ctx = ctx;
    s        = read_schema(&m, schema);
}
if (s == FGT_OK) s = arrow_choose_columns(&m);
if (s == FGT_OK) s = arrow_read_rows(&m);
if (s == FGT_OK) s = fgti_table_hash_names(m.t);
fgti_categories_done(&m.categories);
fgti_words_done(ctx, &m.names);
fgti_words_done(ctx, &m.listed);
fgti_free(ctx, m.named);
fgti_free(ctx, m.taken);
fgti_free(ctx, m.order);
fgti_free(ctx, m.column);
if (s == FGT_OK)
    *table = m.t;
else
    fgt_table_destroy(&m.t);
return s;
}
