/* SPDX-License-Identifier: BSD-3-Clause */

/* Reads the rows of CSV files into a table in memory. */

#include "data/load/table_load.h"

#include <stdio.h>
#include <string.h>

#include "data/csv/first_block.h"
#include "data/join/table_join.h"
#include "data/join/table_long.h"
#include "data/load/loader.h"
#include "data/load/table_cells.h"
#include "data/load/table_columns.h"
#include "data/load/table_form.h"
#include "data/load/table_header.h"
#include "data/load/table_hints.h"
#include "data/load/table_labels.h"
#include "data/load/table_opts.h"
#include "data/load/table_points.h"
#include "data/load/table_series.h"
#include "data/load/time_names.h"
#include "data/table_time.h"

/* Makes room for one more row in `values`. The room grows geometrically. It is limited to the size that the
 * whole file is expected to need, estimated from the share of the file that has been read. The estimate may
 * be wrong, so the room grows at most fourfold at a time. */
static fgt_status grow_values(fgti_loader *l)
{
    fgt_table *t = l->t;
    int64_t    need, want;
    if (t->columns <= t->capacity && t->rows <= t->capacity / t->columns - 1) return FGT_OK;
    const double share = fgti_reader_progress(l->csv.reader);
    const double rows  = (double)t->rows;
    double       guess = share > 0 ? 1.01 * rows / share + 16 : 2 * rows;
    if (l->opts.max_rows && guess > (double)l->opts.max_rows) guess = (double)l->opts.max_rows;
    const double least = 8192.0 / (double)t->columns; /* 64 KiB */
    if (guess > 4 * rows) guess = 4 * rows;
    if (guess < least) guess = least;
    if (!fgti_size_mul(t->rows + 1, t->columns, &need) || !fgti_size_mul((int64_t)guess, t->columns, &want))
        return fgti_fail(&l->ctx->error, FGT_E_SIZE, "%.300s: too large", l->csv.path);
    return fgti_grow_dirty(l->ctx, "table", sizeof *t->values, t->rows * t->columns, need, want, &t->capacity,
                           (void **)&t->values);
}

static fgt_status end_row(fgti_loader *l)
{
    l->t->rows++;
    return l->take && l->t->rows == l->piece ? l->take(l, l->user) : FGT_OK;
}

static fgt_status table_read_row(fgti_loader *l)
{
    fgt_table *t = l->t;
    FGTI_TRY(grow_values(l));
    FGTI_TRY(fgti_lines_add(l->ctx, &t->lines, l->csv.line));
    double *row = t->values + t->rows * t->columns;
    if (l->points.watch) FGTI_TRY(fgti_points_look(l));
    FGTI_TRY(fgti_loader_cells(l, row));
    FGTI_TRY(fgti_loader_add_label(l, false));
    if (l->id >= 0) FGTI_TRY(fgti_loader_add_series(l));
    return end_row(l);
}

static bool full(const fgti_loader *l)
{
    return l->opts.max_rows && l->taken + l->t->rows >= l->opts.max_rows;
}

/* Reads blank lines that are followed by data. In a file of one column, each of them is a row with an empty
 * cell. In other files they are an error. */
static fgt_status read_blanks(fgti_loader *l, int64_t first, int64_t count)
{
    fgt_table *t = l->t;
    for (int64_t line = first; line < first + count && !full(l); line++) {
        if (l->cells != 1) return fgti_loader_refuse_blank(l, line);
        FGTI_TRY(grow_values(l));
        FGTI_TRY(fgti_lines_add(l->ctx, &t->lines, line));
        FGTI_TRY(fgti_loader_missing(l, 0, line, "", &t->values[t->rows]));
        FGTI_TRY(end_row(l));
    }
    return FGT_OK;
}

/* Whether a line has several cells, all of them empty. */
static bool table_is_empty(const fgti_loader *l)
{
    int64_t i = 0;
    while (i < l->cells && !l->csv.cells[i].size) i++;
    return i == l->cells && l->cells > 1;
}

/* Reads the empty lines that were held back. A row follows them, so they are rows. */
static fgt_status read_empty(fgti_loader *l)
{
    fgt_table *t = l->t;
    for (; l->empty_rows && !full(l); l->empty_rows--, l->empty_line++) {
        if (l->id >= 0) return fgti_loader_refuse_nameless(l, l->key[0], l->empty_line);
        FGTI_TRY(grow_values(l));
        FGTI_TRY(fgti_lines_add(l->ctx, &t->lines, l->empty_line));
        double *row = t->values + t->rows * t->columns;
        for (int64_t i = 0; i < l->cells; i++)
            if (l->source[i].column >= 0)
                FGTI_TRY(fgti_loader_missing(l, i, l->empty_line, "", &row[l->source[i].column]));
        FGTI_TRY(fgti_loader_add_label(l, true));
        FGTI_TRY(end_row(l));
    }
    return FGT_OK;
}

/* Drops an empty cell at the end of a row. Some programs write a delimiter after each cell, but not after the
 * last name of the header. */
static void drop_ended(fgti_loader *l)
{
    const fgti_record_cell *last = &l->csv.cells[l->csv.count - 1];
    if (l->csv.count != l->cells + 1 || last->size || last->quoted) return;
    l->csv.count--;
    if (!l->ended_rows++) l->ended_line = l->csv.line;
}

static void warn_of_ended(const fgti_loader *l)
{
    if (l->ended_rows)
        fgti_log(l->ctx, FGT_LOG_WARN,
                 "%.200s: line %lld ends with a delimiter, but the header does not%s; the empty cell is left "
                 "out",
                 l->csv.path, (long long)l->ended_line,
                 l->ended_rows > 1 ? ", and so do other lines" : "");
}

static void warn_of_empty(fgti_loader *l)
{
    if (!l->empty_rows) return;
    fgti_log(l->ctx, FGT_LOG_WARN, "%.200s: line %lld: %lld empty row%s at the end %s left out", l->csv.path,
             (long long)l->empty_line, (long long)l->empty_rows, l->empty_rows == 1 ? "" : "s",
             l->empty_rows == 1 ? "is" : "are");
}

static bool table_is_blank(const fgti_csv *csv)
{
    return csv->count == 1 && csv->cells[0].size == 0 && !csv->cells[0].quoted;
}

/* Reads the next line that is not blank. Adds the blank lines before it to *blanks; *first_blank is the first
 * of them. */
static fgt_status table_next_line(fgti_loader *l, int64_t *first_blank, int64_t *blanks, bool *more)
{
    for (;; ++*blanks) {
        FGTI_TRY(fgti_csv_next(&l->csv, more));
        if (!*more || !table_is_blank(&l->csv)) return FGT_OK;
        if (!*blanks) *first_blank = l->csv.line;
    }
}

static fgt_status refuse_long(const fgti_loader *l)
{
    return fgti_fail(&l->ctx->error, FGT_E_UNSUPPORTED,
                     "%.300s: a file in long form cannot be converted row by row; fgt_table_load() and "
                     "fgt_table_save() do it in memory",
                     l->csv.path);
}

/* Reads the lines before the first row. */
static fgt_status table_read_head(fgti_loader *l, bool *more)
{
    int64_t ignored, blanks = 0; /* blank lines before the table are ignored */
    FGTI_TRY(table_next_line(l, &ignored, &blanks, more));
    if (!*more) return fgti_fail(&l->ctx->error, FGT_E_FORMAT, "%.300s: the file is empty", l->csv.path);
    l->cells       = l->csv.count;
    l->header_line = l->csv.line;
    FGTI_TRY(fgti_loader_check_delimiter(l));
    if (l->opts.no_header) return FGT_OK;
    FGTI_TRY(fgti_loader_header(l));
    if (l->rows_delimiter) fgti_loader_change_delimiter(l);
    if (!l->opts.units) return FGT_OK;
    FGTI_TRY(table_next_line(l, &ignored, &blanks, more));
    return *more ? fgti_header_check_units(l) : FGT_OK;
}

/* Skips a header that is repeated, and the line of units after it. Files that were concatenated have such
 * lines. */
static fgt_status pass_header(fgti_loader *l, int64_t *blanks)
{
    bool more;
    if (!l->repeats++) l->repeat_line = l->csv.line;
    if (l->cells > 1) *blanks = 0;
    return l->opts.units ? fgti_csv_next_filled(&l->csv, &more) : FGT_OK;
}

/* Reads the current line. If it is a row, the empty lines that were held back become rows before it. Empty
 * lines are left out only at the end, where spreadsheets write rows that were emptied. */
static fgt_status table_read_line(fgti_loader *l, int64_t first_blank, int64_t *blanks)
{
    if (fgti_header_repeats(l)) return pass_header(l, blanks);
    if (!l->opts.no_header) drop_ended(l);
    if (l->csv.count != l->cells) return fgti_loader_refuse_cells(l);
    if (table_is_empty(l)) {
        if (!l->empty_rows++) l->empty_line = l->csv.line;
        return FGT_OK;
    }
    if (!l->t->columns) FGTI_TRY(fgti_loader_columns(l));
    if (l->take && l->id >= 0) return refuse_long(l);
    FGTI_TRY(read_blanks(l, first_blank, *blanks));
    *blanks = 0;
    FGTI_TRY(read_empty(l));
    return full(l) ? FGT_OK : table_read_row(l);
}

static fgt_status table_read_rows(fgti_loader *l)
{
    int64_t first_blank = 0, blanks = 0;
    bool    more;
    FGTI_TRY(table_read_head(l, &more));
    if (!l->opts.no_header) FGTI_TRY(table_next_line(l, &first_blank, &blanks, &more));
    while (more) {
        FGTI_TRY(table_read_line(l, first_blank, &blanks));
        if (full(l)) return FGT_OK;
        FGTI_TRY(table_next_line(l, &first_blank, &blanks, &more));
    }
    return FGT_OK;
}

static fgt_status read_all_rows(fgti_loader *l)
{
    FGTI_TRY(table_read_rows(l));
    if (!l->taken && !l->t->rows)
        return fgti_fail(&l->ctx->error, FGT_E_DATA, "%.300s: the file has a header but no data",
                         l->csv.path);
    if (!full(l)) warn_of_empty(l);
    warn_of_ended(l);
    fgti_header_warn(l);
    return fgti_points_judge(l);
}

/* Shrinks `values` to the size that it needs, if more than an eighth is unused. */
static fgt_status trim_values(fgti_loader *l)
{
    fgt_table    *t    = l->t;
    const int64_t used = t->rows * t->columns;
    double       *values;
    if (t->capacity - used <= used / 8) return FGT_OK;
    FGTI_TRY(FGTI_NEW(l->ctx, used, "table", &values));
    memcpy(values, t->values, (size_t)used * sizeof *values);
    fgti_free(l->ctx, t->values);
    t->values   = values;
    t->capacity = used;
    return FGT_OK;
}

/* Reads the times of the rows from labels that are time stamps. Error texts name the column, and say so if
 * numbers were taken for times. */
static fgt_status table_read_times(fgti_loader *l)
{
    fgt_table *t = l->t;
    int64_t   *times;
    double     ignored;
    char       what[320], show[FGTI_SHOW];
    if (!t->labels || l->opts.date == FGT_TABLE_DATE_LABELS) return FGT_OK;
    const char *first  = fgti_strings_get(&t->dates, 0);
    const bool  number = fgti_number_parse(l->locale, first, (int64_t)strlen(first), &ignored) == FGTI_NUMBER;
    const fgti_row_labels labels = {.what = what, .texts = &t->dates, .lines = &t->lines};
    snprintf(what, sizeof what, "%.200s: column \"%s\"%s", l->csv.path,
             fgti_show(fgti_strings_get(&t->names, 0), show),
             number && !l->opts.time ? ", whose numbers are taken for times" : "");
    FGTI_TRY(
        fgti_axis_read(l->ctx, &labels, l->opts.time_form, fgti_loader_label_kind(l), &t->written, &times));
    if (!times) {
        t->info.unread = !fgti_labels_number_rows(&t->dates);
        return FGT_OK;
    }
    t->clock.round = l->opts.round;
    fgt_status s   = fgti_zone_copy(l->ctx, &l->zone, &t->clock.zone);
    if (s == FGT_OK)
        s = fgti_clock_read(l->ctx, &t->clock, &labels, &t->written, NULL, 1, l->opts.step, times);
    if (s == FGT_OK) return fgti_table_take_times(t, what, times, l->opts.repair, l->opts.step);
    fgti_free(l->ctx, times);
    return s;
}

/* Whether the second line has only digits and commas. Such a line may be a single number. */
static bool is_lone_number(const fgti_csv *csv)
{
    const char *p = csv->next;
    for (int line = 0; line < 2; line++) {
        while (p < csv->end && (*p == '\n' || *p == '\r')) p++;
        while (!line && p < csv->end && *p != '\n' && *p != '\r') p++;
    }
    p += p < csv->end && (*p == '-' || *p == '+');
    while (p < csv->end && *p && strchr("0123456789, ", *p)) p++;
    return p == csv->end || *p == '\n' || *p == '\r';
}

/* Chooses the possible delimiters. With decimal commas, a comma does not separate cells. The exceptions:
 * cells with commas are quoted, or no number has a decimal comma. */
static const char *choose_delimiters(fgti_loader *l)
{
    const char *p = l->csv.next;
    if (l->opts.delimiter) {
        l->delimiter[0] = (char)l->opts.delimiter;
        return l->delimiter;
    }
    bool quoted = !l->opts.decimal_comma || (l->other == ',' && !is_lone_number(&l->csv));
    for (; !quoted && p + 1 < l->csv.end; p++)
        quoted = (p[0] == ',' && p[1] == '"') || (p[0] == '"' && p[1] == ',');
    return quoted ? ",;\t|" : ";\t|";
}

/* Opens the file and finds its delimiter. */
static fgt_status table_begin_file(fgti_loader *l, const char *path)
{
    fgti_csv *csv = &l->csv;
    FGTI_TRY(fgti_csv_open(l->ctx, path, 0, csv));
    FGTI_TRY(fgti_csv_check_text(csv));
    FGTI_TRY(fgti_csv_skip(csv, l->opts.skip, l->opts.comment));
    FGTI_TRY(fgti_csv_skip_blank(csv));
    l->mark                = csv->next < csv->end ? *csv->next : 0;
    l->other               = fgti_csv_find_delimiter(csv, ",;\t|");
    const char *delimiters = choose_delimiters(l);
    fgti_csv_detect(csv, delimiters);
    l->titles = fgti_csv_count_titles(csv, delimiters, fgti_loader_is_time_name);
    char own;
    l->rows_delimiter =
        l->opts.no_header || l->opts.delimiter ? 0 : fgti_csv_find_rows_delimiter(csv, delimiters, &own);
    if (l->rows_delimiter) fgti_csv_set_delimiter(csv, own);
    return FGT_OK;
}

fgt_status fgti_loader_open(fgti_loader *l, const char *path)
{
    l->csv        = (fgti_csv){.ctx = l->ctx};
    l->categories = (fgti_categories){.ctx = l->ctx, .what = path};
    l->hash       = fgti_hash_key_draw();
    FGTI_TRY(FGTI_NEW(l->ctx, 1, "table", &l->t));
    l->t->ctx           = l->ctx;
    l->categories.lines = &l->t->lines;
    if (fgti_store_is(path))
        return fgti_fail(&l->ctx->error, FGT_E_FORMAT,
                         "%.300s: it is a table file (fgt_table_open() opens it), not a CSV file", path);
    FGTI_TRY(table_begin_file(l, path));
    return read_all_rows(l);
}

void fgti_loader_close(fgti_loader *l)
{
    fgti_csv_close(&l->csv);
    fgti_strings_done(l->ctx, &l->header);
    fgti_strings_done(l->ctx, &l->labels);
    fgti_strings_done(l->ctx, &l->given);
    fgti_strings_done(l->ctx, &l->joint);
    fgti_strings_done(l->ctx, &l->shown);
    fgti_words_done(l->ctx, &l->names);
    fgti_free(l->ctx, l->named);
    fgti_free(l->ctx, l->source);
    fgti_categories_done(&l->categories);
    l->source     = NULL;
    l->named      = NULL;
    l->empty_rows = l->repeats = 0;
}

static fgt_status table_read_file(fgti_loader *l, const char *path)
{
    FGTI_TRY(fgti_loader_open(l, path));
    FGTI_TRY(fgti_loader_settle_labels(l));
    fgti_loader_leave_index(l);
    FGTI_TRY(fgti_loader_check_series(l));
    FGTI_TRY(fgti_loader_finish(l));
    if (l->id >= 0) return FGT_OK;
    FGTI_TRY(trim_values(l));
    return table_read_times(l);
}

/* ---- several files ---- */

/* Loads one file. *table: the table of a wide file; NULL: the file is long, and its rows were added to the
 * rows of long files. */
static fgt_status load_file(fgti_loader *l, const char *path, fgt_table **table)
{
    *table = NULL;
    fgt_status s = table_read_file(l, path);
    fgti_loader_close(l);
    if (s == FGT_OK && l->id >= 0) s = fgti_long_append(&l->rows, &l->opts, path, &l->t);
    if (s == FGT_OK)
        *table = l->t;
    else
        fgt_table_destroy(&l->t);
    return s;
}

/* Refuses names in opts that no file has. The name of a category may also be a series' name, as in the
 * columns of a forecaster. */
static fgt_status check_found(const fgti_loader *l)
{
    const fgt_csv_opts *o = &l->opts;
    char                show[FGTI_SHOW];
    for (int64_t k = 0; k < o->column_count + o->category_count; k++) {
        const bool  plain = k < o->column_count;
        const char *name  = plain ? o->columns[k] : o->categories[k - o->column_count];
        if (l->found[k] || (!plain && fgti_words_find(&l->rows.series, name, (int64_t)strlen(name)) >= 0))
            continue;
        return fgti_fail(&l->ctx->error, FGT_E_NAME, "no file has a column \"%s\"", fgti_show(name, show));
    }
    return FGT_OK;
}

/* Loads all files. All long files together become one table, which is the first. */
static fgt_status load_all(fgti_loader *l, const char *const *paths, int64_t count, fgt_table **tables,
                           const char **names)
{
    int64_t    n = 0;
    fgt_table *wide;
    const int64_t names_count = l->opts.column_count + l->opts.category_count;
    FGTI_TRY(fgti_long_init(l->ctx, &l->rows, count));
    l->rows.zone = &l->zone;
    FGTI_TRY(FGTI_NEW(l->ctx, names_count, "names of columns", &l->found));
    l->several = count > 1;
    for (int64_t i = 0; i < count; i++) {
        FGTI_TRY(load_file(l, paths[i], &wide));
        if (!wide) continue;
        names[n]    = paths[i];
        tables[n++] = wide;
    }
    FGTI_TRY(check_found(l));
    if (l->rows.files) {
        tables[n] = tables[0];
        names[n]  = names[0];
        tables[0] = NULL;
        names[0]  = l->rows.path[0];
        FGTI_TRY(fgti_long_pivot(&l->rows, &l->opts, &tables[0]));
        n++;
    }
    if (n > 1)
        FGTI_TRY(fgti_table_combine(l->ctx, tables, names, n, &l->opts));
    else if (!l->rows.files)
        FGTI_TRY(fgti_table_fill(tables[0], l->opts.missing, names[0]));
    if (l->rows.files) tables[0]->info.appended += l->rows.files - 1;
    return fgti_table_hash_names(tables[0]);
}

/* Joins the tables into the first one, and frees the others. */
static fgt_status load_files(fgti_loader *l, const char *const *paths, int64_t count, fgt_table **table)
{
    fgt_table  **tables = NULL;
    const char **names  = NULL;
    fgt_status   s      = FGTI_NEW(l->ctx, count, "files", &tables);
    if (s == FGT_OK) s = FGTI_NEW(l->ctx, count, "files", &names);
    if (s == FGT_OK) s = load_all(l, paths, count, tables, names);
    fgti_long_done(&l->rows);
    fgti_free(l->ctx, l->found);
    if (s == FGT_OK) {
        *table    = tables[0];
        tables[0] = NULL;
    }
    for (int64_t i = 0; tables && i < count; i++) fgt_table_destroy(&tables[i]);
    fgti_free(l->ctx, names);
    fgti_free(l->ctx, tables);
    return s;
}

fgt_status fgt_table_load_files(fgt_context *ctx, const char *const *paths, int64_t count,
                                const fgt_csv_opts *opts, fgt_table **table)
{
    if (table) *table = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!table || !paths || count < 1)
        return fgti_fail(&ctx->error, FGT_E_ARG, "table: paths or result pointer is NULL, or no path");
    for (int64_t i = 0; i < count; i++)
        if (!paths[i]) return fgti_fail(&ctx->error, FGT_E_ARG, "table: path %lld is NULL", (long long)i);
    fgti_loader l;
    fgt_status  s = fgti_loader_init(ctx, opts, &l);
    if (s == FGT_OK) s = load_files(&l, paths, count, table);
    fgti_loader_done(&l);
    return s;
}

fgt_status fgt_table_load(fgt_context *ctx, const char *path, const fgt_csv_opts *opts, fgt_table **table)
{
    if (table) *table = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!path) return fgti_fail(&ctx->error, FGT_E_ARG, "table: path or result pointer is NULL");
    return fgt_table_load_files(ctx, &path, 1, opts, table);
}
