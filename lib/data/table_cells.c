/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a table that is read from a file: numbers, missing values, texts. */
#include <math.h>
#include <string.h>

#include "data/table_load.h"
#include "data/time/time.h"

static const char *column_name(const fgti_loader *l, int64_t column)
{
    return fgti_strings_get(&l->t->names, l->t->labels + column);
}

static fgt_status refuse_missing(const fgti_loader *l, int64_t cell, int64_t line, int64_t row,
                                 const char *why)
{
    char show[FGTI_SHOW], number[24];
    return fgti_csv_fail(&l->csv, FGT_E_DATA, line,
                         "row %lld, column \"%s\": %s; the option `missing` can mask or fill it",
                         (long long)row, fgti_show(fgti_loader_name(l, cell, number), show), why);
}

/* What stands in a column before its first value is judged when that value shows what the column holds: one
 * of texts may be of no interest. */
fgt_status fgti_loader_missing(fgti_loader *l, int64_t cell, int64_t line, const char *why, double *value)
{
    fgti_source *source = &l->source[cell];
    *value              = NAN;
    /* before a series begins and after it ends a missing value is no mistake: fgti_long_pivot() judges */
    if (l->opts.missing != FGT_MISSING_REFUSE || (l->id >= 0 && cell == l->value)) return FGT_OK;
    if (source->holds == FGTI_HOLDS_NUMBERS ||
        (source->holds == FGTI_HOLDS_TEXTS && fgti_categories_find(&l->categories, cell)))
        return refuse_missing(l, cell, line, l->taken + l->t->rows, why);
    if (!source->missing_line) {
        source->missing_line = line;
        source->missing_row  = l->taken + l->t->rows;
    }
    return FGT_OK;
}

static fgt_status check_before(const fgti_loader *l, int64_t cell)
{
    const fgti_source *source = &l->source[cell];
    return source->missing_line
               ? refuse_missing(l, cell, source->missing_line, source->missing_row, "no value")
               : FGT_OK;
}

static fgt_status refuse_text(const fgti_loader *l, int64_t cell, bool infinite)
{
    char        show[FGTI_SHOW], shown[FGTI_SHOW];
    const char *text = fgti_csv_cell(&l->csv, cell);
    return fgti_csv_fail(
        &l->csv, FGT_E_DATA, l->csv.line, "column \"%s\": \"%s\" is not %s%s",
        fgti_show(column_name(l, l->source[cell].column), show), fgti_show(text, shown),
        infinite ? "finite" : "a number",
        !infinite && strchr(text, ',') ? "; if its comma is a decimal point, `decimal_comma` says so" : "");
}

static fgt_status read_text(fgti_loader *l, int64_t cell, fgti_number kind, double *value)
{
    fgti_source   *source = &l->source[cell];
    fgti_category *k      = fgti_categories_find(&l->categories, cell);
    char           number[24];
    *value = NAN;
    source->texts += kind == FGTI_NUMBER_TEXT;
    source->numbers += kind == FGTI_NUMBER;
    if (!k) return FGT_OK;
    if (kind == FGTI_NUMBER_MISSING) FGTI_TRY(fgti_loader_missing(l, cell, l->csv.line, "no value", value));
    FGTI_TRY(fgti_category_skip(&l->categories, k, l->t->rows));
    return fgti_category_put(&l->categories, k, fgti_loader_name(l, cell, number),
                             kind == FGTI_NUMBER_MISSING ? NULL : fgti_csv_cell(&l->csv, cell));
}

/* Whether a text was meant to be a number: 1,5 with the wrong decimal sign, 1 000, 5%. Values of a category
 * may be 5% or 1.2.3, but hardly numbers in another notation. */
static bool meant_as_number(const fgti_loader *l, const char *text, bool category)
{
    fgti_stamp t;
    if (fgti_time_read(text, l->opts.time_form, &t) != FGTI_TIME_TEXT) return false;
    const char *p = text + (*text == '-' || *text == '+');
    if (category && (strchr(p, '%') || !(l->opts.decimal_comma || strpbrk(p, ",' ")))) return false;
    return strpbrk(p, "0123456789") && p[strspn(p, "0123456789.,' %")] == 0;
}

/* The first value of a column says what it holds. Columns of texts that were asked for by name are refused,
 * unless as categories. */
static fgt_status begin_column(fgti_loader *l, int64_t cell, fgti_number kind)
{
    fgti_source *source   = &l->source[cell];
    const bool   category = fgti_categories_find(&l->categories, cell) != NULL;
    const bool   text     = kind == FGTI_NUMBER_TEXT && (category || !source->wanted) &&
                      !meant_as_number(l, fgti_csv_cell(&l->csv, cell), category);
    source->holds     = text ? FGTI_HOLDS_TEXTS : FGTI_HOLDS_NUMBERS;
    source->text_line = l->csv.line;
    return text && !category ? FGT_OK : check_before(l, cell);
}

fgt_status fgti_loader_cell(fgti_loader *l, int64_t cell, double *value)
{
    fgti_source      *source = &l->source[cell];
    const fgti_number kind   = fgti_loader_number(l, cell, value);
    if (source->holds == FGTI_HOLDS_NOTHING && kind != FGTI_NUMBER_MISSING)
        FGTI_TRY(begin_column(l, cell, kind));
    if (source->holds == FGTI_HOLDS_TEXTS) return read_text(l, cell, kind, value);
    switch (kind) {
    case FGTI_NUMBER:
        if (!l->opts.has_marker || *value != l->opts.marker) return FGT_OK;
        return fgti_loader_missing(l, cell, l->csv.line, "the marker of a missing value", value);
    case FGTI_NUMBER_MISSING: return fgti_loader_missing(l, cell, l->csv.line, "no value", value);
    default: return refuse_text(l, cell, kind == FGTI_NUMBER_INFINITE);
    }
}

/* ---- the end of the file ---- */

/* A column that is left out must be one of texts: where most values are numbers, the first one is wrong. */
fgt_status fgti_loader_check_ignored(const fgti_loader *l, const fgti_source *source)
{
    char show[FGTI_SHOW];
    if (!source->texts || source->numbers < source->texts) return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_DATA, source->text_line,
                         "column \"%s\" begins with a text, but has %lld numbers",
                         fgti_show(column_name(l, source->column), show), (long long)source->numbers);
}

static fgt_status ignore_column(fgti_loader *l, const fgti_source *source)
{
    const char *name = column_name(l, source->column);
    FGTI_TRY(fgti_loader_check_ignored(l, source));
    return fgti_strings_add(l->ctx, &l->t->ignored, name, (int64_t)strlen(name));
}

/* Columns of texts go, and their categories come. */
static fgt_status take_off(fgti_loader *l, bool *drop, const char **name)
{
    for (int64_t i = 0; i < l->categories.count; i++) {
        const fgti_source *source = &l->source[l->categories.list[i].source];
        if (source->holds != FGTI_HOLDS_TEXTS) continue;
        name[i] = column_name(l, source->column);
        FGTI_TRY(fgti_category_skip(&l->categories, &l->categories.list[i], l->t->rows));
    }
    for (int64_t i = 0; i < l->cells; i++) {
        const fgti_source *source = &l->source[i];
        if (source->column < 0 || source->holds != FGTI_HOLDS_TEXTS) continue;
        drop[source->column] = true;
        if (!source->label && !fgti_categories_find(&l->categories, i)) FGTI_TRY(ignore_column(l, source));
    }
    return fgti_categories_finish(&l->categories, l->t, drop, name);
}

fgt_status fgti_loader_judge_empty(fgti_loader *l, int64_t cell)
{
    fgti_source *source = &l->source[cell];
    if (source->holds != FGTI_HOLDS_NOTHING || source->column < 0 || !source->missing_line) return FGT_OK;
    if (source->wanted || fgti_categories_find(&l->categories, cell)) return check_before(l, cell);
    source->holds = FGTI_HOLDS_TEXTS;
    return FGT_OK;
}

fgt_status fgti_loader_finish(fgti_loader *l)
{
    bool        *drop, texts = false;
    const char **name;
    for (int64_t i = 0; i < l->cells; i++) {
        FGTI_TRY(fgti_loader_judge_empty(l, i));
        texts |= l->source[i].holds == FGTI_HOLDS_TEXTS;
    }
    if (!texts) return FGT_OK;
    FGTI_TRY(FGTI_NEW(l->ctx, l->t->columns, "columns", &drop));
    fgt_status s = FGTI_NEW(l->ctx, l->categories.count, "categories", &name);
    if (s == FGT_OK) {
        s = take_off(l, drop, name);
        fgti_free(l->ctx, name);
    }
    fgti_free(l->ctx, drop);
    return s == FGT_OK ? fgti_loader_check_names(l) : s;
}
