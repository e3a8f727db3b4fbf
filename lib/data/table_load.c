/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/opts.h"
#include "data/csv.h"
#include "data/number.h"
#include "data/table.h"

typedef struct loader {
    fgt_context *ctx;
    fgt_csv_opts opts;
    fgti_csv     csv;
    locale_t     locale; /* "C" */
    fgt_table   *t;
    int64_t      cells;  /* in the first line, and so in every line; 0: no line was read yet */
} loader;

/* Numbers of enumerators. */
enum { DATES = 3, MISSINGS = 3 };
_Static_assert(FGT_DATE_FIRST == DATES - 1 && FGT_MISSING_FORWARD_FILL == MISSINGS - 1,
               "counts of enumerators");

static fgt_status check_opts(fgti_error *err, fgt_csv_opts *o)
{
    static const fgti_opt table[] = {
        {"max_rows", offsetof(fgt_csv_opts, max_rows), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
        {"has_marker", offsetof(fgt_csv_opts, has_marker), FGTI_OPT_BOOL, 0, 1, 0},
        {"no_header", offsetof(fgt_csv_opts, no_header), FGTI_OPT_BOOL, 0, 1, 0},
        {"date", offsetof(fgt_csv_opts, date), FGTI_OPT_ENUM, 0, DATES - 1, 0},
        {"missing", offsetof(fgt_csv_opts, missing), FGTI_OPT_ENUM, 0, MISSINGS - 1, 0},
        {"reserved", offsetof(fgt_csv_opts, reserved), FGTI_OPT_BOOL, 0, 0, 0},
        {0},
    };
    FGTI_TRY(fgti_opts_check(err, "fgt_csv_opts", table, o));
    if (!o->delimiter) o->delimiter = ',';
    /* characters of numbers and of quoted cells cannot separate cells */
    const bool fit = o->delimiter == '\t' || (o->delimiter >= ' ' && o->delimiter <= '~');
    if (!fit || strchr("\"+-.0123456789eE", o->delimiter))
        return fgti_fail(err, FGT_E_ARG, "fgt_csv_opts: character %d cannot be the delimiter", o->delimiter);
    return FGT_OK;
}

static const char *column_name(const loader *l, int64_t column)
{
    return fgti_strings_get(&l->t->names, l->t->labels + column);
}

/* Keeps all cells of the header. Whether the first column holds labels is known after the first line of
 * data. */
static fgt_status read_header(loader *l)
{
    for (int64_t i = 0; i < l->csv.count; i++) {
        const fgti_cell *cell = &l->csv.cells[i];
        FGTI_TRY(fgti_strings_add(l->ctx, &l->t->names, fgti_csv_cell(&l->csv, i), cell->size));
    }
    return FGT_OK;
}

/* Columns with an empty name are named by their number, as in a table without a header. */
static fgt_status name_columns(loader *l)
{
    fgti_strings old = l->t->names, named = {0};
    fgt_status s   = FGT_OK;
    for (int64_t i = 0; i < l->cells && s == FGT_OK; i++) {
        const char   *name   = i < old.count ? fgti_strings_get(&old, i) : "";
        const int64_t column = i - l->t->labels;
        if (*name || (column < 0 && !l->opts.no_header))
            s = fgti_strings_add(l->ctx, &named, name, (int64_t)strlen(name));
        else if (column < 0)
            s = fgti_strings_add(l->ctx, &named, "date", 4);
        else
            s = fgti_strings_add_number(l->ctx, &named, column);
    }
    l->t->names = named;
    fgti_strings_done(l->ctx, &old);
    return s;
}

/* Decides what the columns are, from the header and the first line of data. */
static fgt_status begin_data(loader *l)
{
    fgt_table *t = l->t;
    double     ignored;
    int64_t    twice;
    char       show[FGTI_SHOW];
    t->labels = l->opts.date == FGT_DATE_FIRST;
    if (l->opts.date == FGT_DATE_AUTO)
        t->labels = fgti_number_parse(l->locale, fgti_csv_cell(&l->csv, 0), l->csv.cells[0].size, &ignored) ==
                    FGTI_NUMBER_TEXT;
    t->columns = l->cells - t->labels;
    if (t->columns < 1)
        return fgti_fail(&l->ctx->error, FGT_E_DATA, "%.300s: there is no column of numbers", l->csv.path);
    FGTI_TRY(name_columns(l));
    FGTI_TRY(fgti_strings_find_double(l->ctx, &t->names, t->labels, &twice));
    if (twice >= 0)
        return fgti_fail(&l->ctx->error, FGT_E_FORMAT, "%.300s: two columns are named \"%s\"", l->csv.path,
                         fgti_show(fgti_strings_get(&t->names, twice), show));
    return FGT_OK;
}

static fgt_status fill_missing(loader *l, int64_t line, int64_t column, const char *why, double *value)
{
    char             show[FGTI_SHOW];
    const fgt_table *t    = l->t;
    const char      *name = fgti_show(column_name(l, column), show);
    if (l->opts.missing == FGT_MISSING_MASK) {
        *value = NAN;
    } else if (l->opts.missing == FGT_MISSING_REFUSE) {
        return fgti_csv_fail(&l->csv, FGT_E_DATA, line,
                             "row %lld, column \"%s\": %s; the option `missing` can mask or fill it",
                             (long long)t->rows, name, why);
    } else if (t->rows == 0) {
        return fgti_csv_fail(&l->csv, FGT_E_DATA, line,
                             "row 0, column \"%s\": %s, and there is no earlier value to fill it with", name,
                             why);
    } else {
        *value = t->values[(t->rows - 1) * t->columns + column];
    }
    return FGT_OK;
}

static fgt_status read_value(loader *l, int64_t cell, double *value)
{
    char          show[FGTI_SHOW], shown[FGTI_SHOW];
    const int64_t column = cell - l->t->labels, line = l->csv.line;
    const char   *text   = fgti_csv_cell(&l->csv, cell);
    switch (fgti_number_parse(l->locale, text, l->csv.cells[cell].size, value)) {
    case FGTI_NUMBER:
        if (!l->opts.has_marker || *value != l->opts.marker) return FGT_OK;
        return fill_missing(l, line, column, "the marker of a missing value", value);
    case FGTI_NUMBER_MISSING: return fill_missing(l, line, column, "no value", value);
    case FGTI_NUMBER_INFINITE:
        return fgti_csv_fail(&l->csv, FGT_E_DATA, line, "column \"%s\": \"%s\" is not finite",
                             fgti_show(column_name(l, column), show), fgti_show(text, shown));
    default:
        return fgti_csv_fail(&l->csv, FGT_E_DATA, line, "column \"%s\": \"%s\" is not a number",
                             fgti_show(column_name(l, column), show), fgti_show(text, shown));
    }
}

/* Makes `values` long enough for one more row. It grows geometrically, but not beyond what the whole file is
 * expected to need, judging by the share of it that has been read. It grows at most fourfold, because that
 * estimate may be wrong. */
static fgt_status grow_values(loader *l)
{
    fgt_table   *t = l->t;
    int64_t      need, want;
    const double share = fgti_reader_progress(l->csv.reader);
    const double rows  = (double)t->rows;
    double       guess = share > 0 ? 1.01 * rows / share + 16 : 2 * rows;
    if (l->opts.max_rows && guess > (double)l->opts.max_rows) guess = (double)l->opts.max_rows;
    const double least = 8192.0 / (double)t->columns; /* 64 KiB */
    if (guess > 4 * rows) guess = 4 * rows;
    if (guess < least) guess = least;
    if (!fgti_size_mul(t->rows + 1, t->columns, &need) || !fgti_size_mul((int64_t)guess, t->columns, &want))
        return fgti_fail(&l->ctx->error, FGT_E_SIZE, "%.300s: too large", l->csv.path);
    return fgti_grow(l->ctx, "table", sizeof *t->values, t->rows * t->columns, need, want, &t->capacity,
                     (void **)&t->values);
}

static fgt_status read_row(loader *l)
{
    fgt_table *t = l->t;
    FGTI_TRY(grow_values(l));
    double *row = t->values + t->rows * t->columns;
    for (int64_t c = 0; c < t->columns; c++) FGTI_TRY(read_value(l, c + t->labels, &row[c]));
    if (t->labels)
        FGTI_TRY(fgti_strings_add(l->ctx, &t->dates, fgti_csv_cell(&l->csv, 0), l->csv.cells[0].size));
    t->rows++;
    return FGT_OK;
}

static bool full(const loader *l)
{
    return l->opts.max_rows && l->t->rows >= l->opts.max_rows;
}

/* Handles blank lines that are followed by data. With one column each is an empty cell, otherwise an
 * error. */
static fgt_status read_blanks(loader *l, int64_t first, int64_t count)
{
    fgt_table *t = l->t;
    for (int64_t line = first; line < first + count && !full(l); line++) {
        if (l->cells != 1)
            return fgti_csv_fail(&l->csv, FGT_E_FORMAT, line, "the line is blank, expected %lld cells",
                                 (long long)l->cells);
        FGTI_TRY(grow_values(l));
        FGTI_TRY(fill_missing(l, line, 0, "no value", &t->values[t->rows]));
        t->rows++;
    }
    return FGT_OK;
}

static bool is_blank(const fgti_csv *csv)
{
    return csv->count == 1 && csv->cells[0].size == 0 && !csv->cells[0].quoted;
}

/* Reads the next line that is not blank. *first_blank and *blanks describe the blank lines before it. */
static fgt_status next_line(loader *l, int64_t *first_blank, int64_t *blanks, bool *more)
{
    for (*blanks = 0;; ++*blanks) {
        FGTI_TRY(fgti_csv_next(&l->csv, more));
        if (!*more || !is_blank(&l->csv)) return FGT_OK;
        if (!*blanks) *first_blank = l->csv.line;
    }
}

static fgt_status read_all(loader *l)
{
    fgt_table *t = l->t;
    int64_t    first_blank = 0, blanks;
    bool       more;
    FGTI_TRY(next_line(l, &first_blank, &blanks, &more));
    if (!more) return fgti_fail(&l->ctx->error, FGT_E_FORMAT, "%.300s: the file is empty", l->csv.path);
    l->cells = l->csv.count;
    blanks   = 0; /* blank lines before the table are ignored */
    if (!l->opts.no_header) {
        FGTI_TRY(read_header(l));
        FGTI_TRY(next_line(l, &first_blank, &blanks, &more));
    }
    while (more) {
        if (l->csv.count != l->cells)
            return fgti_csv_fail(&l->csv, FGT_E_FORMAT, l->csv.line, "%lld cells, expected %lld",
                                 (long long)l->csv.count, (long long)l->cells);
        if (!t->columns) FGTI_TRY(begin_data(l));
        FGTI_TRY(read_blanks(l, first_blank, blanks));
        if (full(l)) return FGT_OK;
        FGTI_TRY(read_row(l));
        if (full(l)) return FGT_OK;
        FGTI_TRY(next_line(l, &first_blank, &blanks, &more));
    }
    if (!t->rows)
        return fgti_fail(&l->ctx->error, FGT_E_DATA, "%.300s: the file has a header but no data",
                         l->csv.path);
    return FGT_OK;
}

/* Shrinks `values` to the size that is needed, if more than an eighth is unused. */
static fgt_status trim_values(loader *l)
{
    fgt_table    *t    = l->t;
    const int64_t used = t->rows * t->columns;
    double       *values;
    if (t->capacity - used <= used / 8) return FGT_OK;
    FGTI_TRY(FGTI_NEW(l->ctx, used, "table", &values));
    memcpy(values, t->values, (size_t)used * sizeof *values);
    fgti_free(l->ctx, t->values);
    t->values = values;
    t->capacity = used;
    return FGT_OK;
}

static fgt_status load(loader *l, const char *path)
{
    FGTI_TRY(fgti_csv_open(l->ctx, path, (char)l->opts.delimiter, &l->csv));
    FGTI_TRY(read_all(l));
    return trim_values(l);
}

fgt_status fgt_table_load(fgt_context *ctx, const char *path, const fgt_csv_opts *opts, fgt_table **table)
{
    if (table) *table = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!table || !path) return fgti_fail(&ctx->error, FGT_E_ARG, "table: path or result pointer is NULL");
    loader l = {.ctx = ctx, .csv = {.ctx = ctx}};
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_csv_opts", opts, &l.opts, sizeof l.opts));
    FGTI_TRY(check_opts(&ctx->error, &l.opts));
    l.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (l.locale == (locale_t)0) return fgti_fail(&ctx->error, FGT_E_NOMEM, "no memory for the locale \"C\"");
    fgt_status s = FGTI_NEW(ctx, 1, "table", &l.t);
    if (s == FGT_OK) {
        l.t->ctx = ctx;
        s        = load(&l, path);
        fgti_csv_close(&l.csv);
    }
    freelocale(l.locale);
    if (s == FGT_OK)
        *table = l.t;
    else
        fgt_table_destroy(&l.t);
    return s;
}
