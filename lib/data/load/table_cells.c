/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a file: numbers, missing values and texts. */
#include "data/load/table_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "data/load/loader.h"
#include "data/load/table_columns.h"
#include "data/load/table_header.h"
#include "data/load/table_hints.h"
#include "data/load/table_labels.h"
#include "data/load/table_points.h"
#include "data/load/time_names.h"
#include "data/time/scan/time_read.h"
#include "data/time/time.h"

static const char *column_name(const fgti_loader *l, int64_t column)
{
    return fgti_strings_get(&l->t->names, l->t->labels + column);
}

static fgt_status cell_refuse_missing(fgti_loader *l, int64_t cell, int64_t line, const char *text)
{
    char       show[FGTI_SHOW], shown[FGTI_SHOW], number[24], end[FGTI_HINT] = "";
    const bool error = fgti_number_is_error(text), some = *text;
    fgti_show(text, shown);
    if (line == l->csv.line && !error) fgti_loader_hint_end(l, end);
    return fgti_csv_fail(&l->csv, FGT_E_DATA, line,
                         "column \"%s\": %s%s%s%s; the option `missing` can mask or fill it%s",
                         fgti_show(fgti_loader_name(l, cell, number), show), some ? "\"" : "no value", shown,
                         error  ? "\" is the error of a formula"
                         : some ? "\" stands for a missing value"
                                : "",
                         error ? ", which the spreadsheet can correct" : "", end);
}

/* Keeps a text that error texts may show. *number: its index. */
static fgt_status keep_text(fgti_loader *l, const char *text, int64_t *number)
{
    *number = l->shown.count;
    return fgti_strings_add(l->ctx, &l->shown, text, (int64_t)strlen(text));
}

/* Handles a missing cell. Missing cells before the first value of a column are judged later, when the first
 * value shows the kind of the column: a column of texts may be left out. */
fgt_status fgti_loader_missing(fgti_loader *l, int64_t cell, int64_t line, const char *text, double *value)
{
    fgti_source *source = &l->source[cell];
    *value              = NAN;
    if (source->holds == FGTI_HOLDS_NOTHING) source->gaps |= fgti_number_is_gap(text);
    /* a series may begin later and end earlier than the file; fgti_long_pivot() checks the missing values
     * between */
    if (l->opts.missing != FGT_TABLE_MISSING_REFUSE || (l->id >= 0 && cell == l->value)) return FGT_OK;
    if (source->holds == FGTI_HOLDS_NUMBERS ||
        (source->holds == FGTI_HOLDS_TEXTS && fgti_categories_find(&l->categories, cell)))
        return cell_refuse_missing(l, cell, line, text);
    if (source->missing_line) return FGT_OK;
    source->missing_line = line;
    if (!*text) return FGT_OK;
    FGTI_TRY(keep_text(l, text, &source->missing_text));
    source->missing_text++;
    return FGT_OK;
}

static fgt_status check_before(fgti_loader *l, int64_t cell)
{
    const fgti_source *source = &l->source[cell];
    if (!source->missing_line) return FGT_OK;
    return cell_refuse_missing(l, cell, source->missing_line,
                               source->missing_text ? fgti_strings_get(&l->shown, source->missing_text - 1)
                                                    : "");
}

static fgt_status refuse_text(fgti_loader *l, int64_t cell, bool infinite)
{
    const int64_t line = l->csv.line;
    char          show[FGTI_SHOW], shown[FGTI_SHOW], hint[FGTI_HINT] = "", end[FGTI_HINT] = "";
    fgti_show(fgti_csv_cell(&l->csv, cell), shown);
    if (fgti_header_is_other(l)) {
        snprintf(end, sizeof end,
                 "; the line names the columns in another order: its rows can be in a file of their own, as "
                 "several files are read together");
    } else if (infinite) {
        fgti_loader_hint_missing(shown, hint);
    } else if (*fgti_loader_hint_notation(l, fgti_csv_cell(&l->csv, cell), hint)) {
        fgti_points_hint(l, cell, hint);
    } else {
        if (line == l->titles + 1)
            fgti_loader_hint_line(l, line, fgti_csv_cell(&l->csv, 0), hint);
        else
            fgti_loader_hint_missing(shown, hint);
        fgti_loader_hint_end(l, end);
    }
    return fgti_csv_fail(&l->csv, FGT_E_DATA, line, "column \"%s\": \"%s\" is not %s%s%s",
                         fgti_show(column_name(l, l->source[cell].column), show), shown,
                         infinite ? "finite" : "a number", hint, end);
}

/* Counts a text that may be a number in another notation. The column is a column of texts. */
static fgt_status look_at_text(fgti_loader *l, fgti_source *source, const char *text)
{
    double ignored;
    char   unit[FGTI_UNIT];
    source->texts++;
    if (!strpbrk(text, "0123456789") || (!fgti_shown_parse(l->locale, text, false, &ignored, unit) &&
                                         !fgti_shown_parse(l->locale, text, true, &ignored, unit)))
        return FGT_OK;
    if (source->alike++) return FGT_OK;
    source->alike_line = l->csv.line;
    return keep_text(l, text, &source->alike_text);
}

static bool cell_is_time(const fgti_loader *l, int64_t cell)
{
    fgti_stamp t;
    return fgti_time_read(fgti_csv_cell(&l->csv, cell), l->opts.time_form, &t) == FGTI_TIME_FOUND;
}

/* The hash of a text. With these hashes table_series.c checks whether the column names series. Afterwards the
 * column is dropped. */
static double hash_of(const fgti_loader *l, int64_t cell)
{
    const int64_t size = l->csv.cells[cell].size;
    return size ? (double)(fgti_keyed_hash(&l->hash, fgti_csv_cell(&l->csv, cell), size) >> 11) : NAN;
}

static fgt_status cell_read_text(fgti_loader *l, int64_t cell, fgti_number kind, double *value)
{
    fgti_source   *source = &l->source[cell];
    fgti_category *k      = fgti_categories_find(&l->categories, cell);
    char           number[24];
    *value = hash_of(l, cell);
    source->numbers += kind == FGTI_NUMBER;
    if (!k && kind == FGTI_NUMBER_TEXT) source->times += cell_is_time(l, cell);
    if (!k) return kind == FGTI_NUMBER_TEXT ? look_at_text(l, source, fgti_csv_cell(&l->csv, cell)) : FGT_OK;
    if (kind == FGTI_NUMBER_MISSING)
        FGTI_TRY(fgti_loader_missing(l, cell, l->csv.line, fgti_csv_cell(&l->csv, cell), value));
    FGTI_TRY(fgti_category_skip(&l->categories, k, l->t->rows));
    return fgti_category_put(&l->categories, k, fgti_loader_name(l, cell, number),
                             kind == FGTI_NUMBER_MISSING ? NULL : fgti_csv_cell(&l->csv, cell));
}

/* Whether a text is probably a number in another notation: 1,5 with the wrong decimal sign, 1 000, 5%, $5. In
 * a category, texts such as 5%, 1.2.3 or $5 are values, and only other notations count. */
static bool meant_as_number(const fgti_loader *l, const char *text, bool category)
{
    fgti_stamp t;
    double     ignored;
    char       unit[FGTI_UNIT];
    if (fgti_time_read(text, l->opts.time_form, &t) != FGTI_TIME_TEXT) return false;
    const char *p = text + (*text == '-' || *text == '+');
    if (category && (strchr(p, '%') || !(l->opts.decimal_comma || strpbrk(p, ",' ")))) return false;
    if (!strpbrk(p, "0123456789")) return false;
    return p[strspn(p, "0123456789.,' %")] == 0 ||
           (!category && (fgti_shown_parse(l->locale, text, false, &ignored, unit) ||
                          fgti_shown_parse(l->locale, text, true, &ignored, unit)));
}

/* Decides the kind of a column by its first value. A column of texts that opts list is an error, unless it is
 * listed as a category. */
static fgt_status begin_column(fgti_loader *l, int64_t cell, fgti_number kind)
{
    fgti_source *source   = &l->source[cell];
    const bool   category = fgti_categories_find(&l->categories, cell) != NULL;
    const bool   text     = kind == FGTI_NUMBER_TEXT && (category || !source->wanted) &&
                      (fgti_loader_is_point_month(l, cell) ||
                       !meant_as_number(l, fgti_csv_cell(&l->csv, cell), category));
    source->holds     = text ? FGTI_HOLDS_TEXTS : FGTI_HOLDS_NUMBERS;
    if (!text) return check_before(l, cell);
    source->text_line = l->csv.line;
    FGTI_TRY(keep_text(l, fgti_csv_cell(&l->csv, cell), &source->text));
    return category ? check_before(l, cell) : FGT_OK;
}

/* Checks that all numbers of a column have the same unit: percent, or one currency. */
static fgt_status check_unit(fgti_loader *l, int64_t cell)
{
    fgti_source *source = &l->source[cell];
    const bool   plain  = !*l->unit;
    char         show[FGTI_SHOW], shown[FGTI_SHOW];
    if (!plain && !*source->unit) memcpy(source->unit, l->unit, sizeof source->unit);
    source->plain |= plain;
    if ((plain || !strcmp(source->unit, l->unit)) && !(source->plain && !strcmp(source->unit, "%")))
        return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_DATA, l->csv.line,
                         "column \"%s\": \"%s\" is in another unit than the values before it",
                         fgti_show(column_name(l, source->column), show),
                         fgti_show(fgti_csv_cell(&l->csv, cell), shown));
}

/* Whether the cell's word is a value: a word for a missing value may be a value of a category. */
static bool cell_is_value(const fgti_loader *l, int64_t cell)
{
    const char *text = fgti_csv_cell(&l->csv, cell);
    return l->categories.count && fgti_categories_find(&l->categories, cell) && fgti_number_is_gap(text) &&
           !(l->opts.missing_text && !strcmp(text, l->opts.missing_text));
}

static fgt_status cell_read(fgti_loader *l, int64_t cell, double *value)
{
    fgti_source *source = &l->source[cell];
    fgti_number  kind   = fgti_loader_number(l, cell, value);
    if (kind == FGTI_NUMBER_MISSING && source->holds != FGTI_HOLDS_NUMBERS && cell_is_value(l, cell))
        kind = FGTI_NUMBER_TEXT;
    if (source->holds == FGTI_HOLDS_NOTHING && kind != FGTI_NUMBER_MISSING)
        FGTI_TRY(begin_column(l, cell, kind));
    if (source->holds == FGTI_HOLDS_TEXTS) return cell_read_text(l, cell, kind, value);
    switch (kind) {
    case FGTI_NUMBER:
        if (l->opts.spreadsheet) FGTI_TRY(check_unit(l, cell));
        if (!l->opts.has_marker || *value != l->opts.marker) return FGT_OK;
        /* fall through */
    case FGTI_NUMBER_MISSING:
        return fgti_loader_missing(l, cell, l->csv.line, fgti_csv_cell(&l->csv, cell), value);
    default: return refuse_text(l, cell, kind == FGTI_NUMBER_INFINITE);
    }
}

fgt_status fgti_loader_cells(fgti_loader *l, double *row)
{
    const bool plain = !l->special && !l->opts.has_marker;
    for (int64_t i = 0; i < l->cells; i++) {
        const fgti_source *source = &l->source[i];
        const fgti_record_cell *cell   = &l->csv.cells[i];
        if (source->column < 0) continue;
        double *value = &row[source->column];
        if (plain && source->holds == FGTI_HOLDS_NUMBERS &&
            fgti_number_read_short(l->csv.text + cell->begin, cell->size, value))
            continue;
        FGTI_TRY(cell_read(l, i, value));
    }
    return FGT_OK;
}

/* ---- the end of the file ---- */

/* Checks a column of texts that is left out. If most of its values are numbers, the first value is probably
 * wrong. If most of its values may be numbers, they probably have another notation. */
fgt_status fgti_loader_check_ignored(const fgti_loader *l, const fgti_source *source)
{
    char show[FGTI_SHOW], shown[FGTI_SHOW], hint[FGTI_HINT];
    if (!source->texts || source->numbers + source->alike < source->texts - source->alike) return FGT_OK;
    fgti_show(column_name(l, source->column), show);
    if (source->alike) {
        const char *text = fgti_strings_get(&l->shown, source->alike_text);
        return fgti_csv_fail(&l->csv, FGT_E_DATA, source->alike_line,
                             "column \"%s\": \"%s\" is not a number%s", show, fgti_show(text, shown),
                             fgti_loader_hint_notation(l, text, hint));
    }
    const char *text = fgti_strings_get(&l->shown, source->text);
    fgti_loader_hint_line(l, source->text_line, text, hint);
    return fgti_csv_fail(&l->csv, FGT_E_DATA, source->text_line,
                         "column \"%s\" begins with a text, \"%s\", but has %lld number%s%s", show,
                         fgti_show(text, shown), (long long)source->numbers, source->numbers == 1 ? "" : "s",
                         hint);
}

/* Checks a column of texts that may have the times. The column of times is found by its first cell. So it is
 * an error if a column has times but not in its first cell, and no other column has times. */
static fgt_status cell_check_times(const fgti_loader *l, const fgti_source *source)
{
    const fgti_strings *dates = &l->t->dates;
    const bool          empty = source->times == source->texts;
    char                show[FGTI_SHOW], shown[FGTI_SHOW];
    if (2 * source->times <= source->texts || l->opts.date != FGT_TABLE_DATE_AUTO) return FGT_OK;
    if (2 * fgti_labels_judge(dates, l->opts.time_form, fgti_loader_label_kind(l)).found > dates->count)
        return FGT_OK;
    fgti_show(column_name(l, source->column), show);
    if (l->opts.time)
        return fgti_csv_fail(&l->csv, FGT_E_DATA, l->first_line,
                             "column \"%s\" has times, but the option `time` names \"%s\", which has not",
                             show, fgti_show(l->opts.time, shown));
    if (empty)
        return fgti_csv_fail(&l->csv, FGT_E_DATA, l->first_line,
                             "column \"%s\" has times, but not in this line", show);
    return fgti_csv_fail(&l->csv, FGT_E_DATA, source->text_line,
                         "column \"%s\" has times, but \"%s\" is not a time stamp", show,
                         fgti_show(fgti_strings_get(&l->shown, source->text), shown));
}

static fgt_status ignore_column(fgti_loader *l, const fgti_source *source)
{
    const char *name = column_name(l, source->column);
    FGTI_TRY(fgti_loader_check_ignored(l, source));
    FGTI_TRY(cell_check_times(l, source));
    if (source->empty) FGTI_TRY(fgti_strings_add(l->ctx, &l->t->empty, name, (int64_t)strlen(name)));
    return fgti_strings_add(l->ctx, &l->t->ignored, name, (int64_t)strlen(name));
}

static void warn_of_columns(const fgti_loader *l)
{
    const fgti_strings *empty = &l->t->empty;
    char                list[360];
    if (empty->count)
        fgti_log(l->ctx, FGT_LOG_WARN, "%.200s: %lld column%s left out, because no row has a value in %s: %s",
                 l->csv.path, (long long)empty->count, empty->count == 1 ? " is" : "s are",
                 empty->count == 1 ? "it" : "them", fgti_strings_list(empty, 0, list, sizeof list));
}

/* Drops the columns of texts. Adds the columns of their categories. */
static fgt_status cell_take_off(fgti_loader *l, bool *drop, const char **name)
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
    warn_of_columns(l);
    int64_t kept = l->categories.count;
    for (int64_t c = 0; c < l->t->columns; c++) kept += !drop[c];
    if (!kept) return fgti_loader_refuse_all(l);
    return fgti_categories_finish(&l->categories, l->t, drop, name);
}

fgt_status fgti_loader_judge_empty(fgti_loader *l, int64_t cell)
{
    fgti_source *source = &l->source[cell];
    if (source->holds != FGTI_HOLDS_NOTHING || source->column < 0) return FGT_OK;
    const bool asked = source->wanted || fgti_categories_find(&l->categories, cell);
    if (asked) return check_before(l, cell);
    if (!source->missing_line && !source->gaps) return FGT_OK;
    source->holds = FGTI_HOLDS_TEXTS;
    source->empty = true;
    return FGT_OK;
}

/* Whether a name is usual for a column of row numbers: the empty name, which pandas and R write, or "Unnamed:
 * 0", which pandas makes of it. */
static bool is_nameless(const char *name)
{
    if (!*name) return true;
    if (strncasecmp(name, "unnamed: ", 9) != 0) return false;
    return name[9] && name[9 + strspn(name + 9, "0123456789.")] == 0;
}

/* Whether a column has whole numbers that all increase, or all decrease, from row to row. */
static bool numbers_rows(const fgt_table *t, int64_t column)
{
    const double *v = t->values + column, *next = v + t->columns;
    for (int64_t r = 0; r < t->rows; r++)
        if (!(v[r * t->columns] >= 0) || v[r * t->columns] != floor(v[r * t->columns])) return false;
    for (int64_t r = 1; r + 1 < t->rows; r++)
        if ((next[r * t->columns] > v[r * t->columns]) != (next[0] > v[0])) return false;
    for (int64_t r = 0; r + 1 < t->rows; r++)
        if (next[r * t->columns] == v[r * t->columns]) return false;
    return true;
}

void fgti_loader_leave_index(fgti_loader *l)
{
    if ((l->label < 0 && !l->joined) || !l->header.count) return;
    for (int64_t i = 0; i < l->cells && i != l->label; i++) {
        fgti_source *source = &l->source[i];
        if (source->column < 0 || source->wanted || source->holds != FGTI_HOLDS_NUMBERS ||
            !is_nameless(fgti_strings_get(&l->header, i)) || !numbers_rows(l->t, source->column))
            return;
        source->holds = FGTI_HOLDS_TEXTS;
    }
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
        s = cell_take_off(l, drop, name);
        fgti_free(l->ctx, name);
    }
    fgti_free(l->ctx, drop);
    return s == FGT_OK ? fgti_loader_check_names(l) : s;
}
