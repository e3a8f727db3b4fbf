/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts CSV files to a table file, row by row. */
#include <fighter/experimental/table_file.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/opts.h"
#include "data/load/loader.h"
#include "data/load/table_cells.h"
#include "data/load/table_hints.h"
#include "data/load/table_labels.h"
#include "data/load/table_load.h"
#include "data/load/table_opts.h"
#include "data/load/table_series.h"
#include "data/load/time_names.h"
#include "data/table.h"
#include "data/table_repeats.h"
#include "data/table_time.h"

/* Rows that are written at a time. The first piece also decides what the columns and the times are. */
enum { PIECE = 4096 };

/* Cells of missing rows (4 MB) that may be written before it is known whether the file has enough other
 * rows. */
enum { EASY = 1 << 20 };

typedef struct converter {
    fgti_loader       l;
    fgt_convert_opts  opts;
    const char       *to;
    int64_t           file, files; /* file: number of the present file; files: number of all files */
    bool              by_clock;    /* the step is counted in days and months of the clock */
    bool              begun, same; /* begun: the table file has its columns; same: the columns of the present
                                    * file have been matched to them */
    fgti_store_writer w;
    int64_t          *cell; /* [columns]: where the value of each column is in a row of the loader's table */
    int64_t           columns;
    double           *row;          /* [columns] */
    double           *last;         /* [columns]: the last row */
    double           *before;       /* [columns]: the row before it */
    double           *raw;          /* [columns]: the last row, before missing values were filled */
    int64_t          *times;        /* times of the piece; NULL: the rows have no times */
    int64_t           last_time;    /* time of the last row; the next field is its line */
    int64_t           line;
    fgti_time_form    form; /* how the times are written */
    fgti_gaps         gaps;
    fgt_table_info    info;   /* numbers of repeats, conflicts and filled values so far */
    int64_t           filled; /* number of values that were filled in the last row */
} converter;

/* ---- columns ---- */

/* Whether a column is kept. The rules are those for loading a whole file. */
static bool is_kept(const converter *c, const fgti_source *source)
{
    if (source->column < 0 || source->holds == FGTI_HOLDS_TEXTS) return false;
    return source->holds == FGTI_HOLDS_NUMBERS || source->wanted || !source->missing_line ||
           c->l.opts.missing != FGT_TABLE_MISSING_REFUSE;
}

static const char *convert_name_of(const converter *c, int64_t column)
{
    return fgti_strings_get(&c->l.t->names, c->l.t->labels + column);
}

/* Finds, for each column of the loader's table, the cell of a line from which it is read. */
static fgt_status find_cells(const converter *c, int64_t **cell)
{
    FGTI_TRY(FGTI_NEW(c->l.ctx, c->l.t->columns, "columns", cell));
    for (int64_t i = 0; i < c->l.cells; i++)
        if (c->l.source[i].column >= 0) (*cell)[c->l.source[i].column] = i;
    return FGT_OK;
}

/* Lists the name of the times, if there are times, and the names of the columns that are kept. */
static fgt_status convert_name_columns(const converter *c, fgti_strings *names)
{
    const fgt_table *t    = c->l.t;
    const char      *time = fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0);
    int64_t         *cell;
    FGTI_TRY(find_cells(c, &cell));
    fgt_status s = c->times ? fgti_strings_add(t->ctx, names, time, (int64_t)strlen(time)) : FGT_OK;
    for (int64_t k = 0; s == FGT_OK && k < t->columns; k++)
        if (is_kept(c, &c->l.source[cell[k]]))
            s = fgti_strings_add(t->ctx, names, convert_name_of(c, k),
                                 (int64_t)strlen(convert_name_of(c, k)));
    fgti_free(t->ctx, cell);
    return s;
}

static fgt_status convert_begin_file(converter *c)
{
    const fgt_table *t    = c->l.t;
    fgti_store_head  head = {.has_times = c->times != NULL, .first = c->times ? c->times[0] : 0};
    FGTI_TRY(FGTI_NEW(t->ctx, t->columns, "columns", &c->cell));
    fgt_status s = convert_name_columns(c, &head.names);
    c->columns = head.columns = head.names.count - head.has_times;
    if (s == FGT_OK && !c->columns) s = fgti_loader_refuse_all(&c->l);
    if (s == FGT_OK) s = FGTI_NEW(t->ctx, c->columns, "row", &c->row);
    if (s == FGT_OK) s = FGTI_NEW(t->ctx, c->columns, "row", &c->last);
    if (s == FGT_OK) s = FGTI_NEW(t->ctx, c->columns, "row", &c->before);
    if (s == FGT_OK) s = FGTI_NEW(t->ctx, c->columns, "row", &c->raw);
    if (s != FGT_OK) {
        fgti_strings_done(t->ctx, &head.names);
        return s;
    }
    for (int64_t k = 0; k < c->columns; k++) c->last[k] = c->before[k] = NAN;
    c->begun = true;
    return fgti_store_begin(t->ctx, c->to, &head, &c->w);
}

static fgt_status refuse_columns(const converter *c, const char *name, const char *why)
{
    char show[FGTI_SHOW];
    return fgti_fail(&c->l.ctx->error, FGT_E_NAME, "%.300s: column \"%s\" %s", c->l.csv.path,
                     fgti_show(name, show), why);
}

/* Finds each column of the table file in the present file. own, cell: the names and cells of the present
 * file. */
static fgt_status match_names(converter *c, const fgti_words *own, const int64_t *cell)
{
    const fgti_strings *names   = &c->w.head.names;
    const int64_t       labels  = c->w.head.has_times;
    int64_t             numbers = 0;
    for (int64_t k = 0; k < c->columns; k++) {
        const char   *name = fgti_strings_get(names, labels + k);
        const int64_t at   = fgti_words_find(own, name, fgti_strings_size(names, labels + k));
        if (at < 0) return refuse_columns(c, name, "is missing, but the first file has it");
        fgti_source *source = &c->l.source[cell[at]];
        if (source->holds == FGTI_HOLDS_TEXTS)
            return refuse_columns(c, name, "holds texts, but numbers in the first file");
        source->wanted = true; /* from now on a text in this column is an error */
        c->cell[k]     = at;
    }
    for (int64_t i = 0; i < c->l.cells; i++)
        if (c->l.source[i].holds == FGTI_HOLDS_NUMBERS && c->l.source[i].column >= 0 &&
            ++numbers > c->columns)
            return fgti_fail(&c->l.ctx->error, FGT_E_NAME,
                             "%.300s: it has more columns of numbers than the first file", c->l.csv.path);
    return FGT_OK;
}

static fgt_status convert_match_columns(converter *c)
{
    const fgti_strings *names = &c->l.t->names;
    fgti_words          own   = {0};
    int64_t            *cell, number;
    FGTI_TRY(find_cells(c, &cell));
    fgt_status s = FGT_OK;
    for (int64_t k = c->l.t->labels; s == FGT_OK && k < names->count; k++)
        s = fgti_words_add(c->l.ctx, &own, fgti_strings_get(names, k), fgti_strings_size(names, k), &number);
    if (s == FGT_OK) s = match_names(c, &own, cell);
    fgti_words_done(c->l.ctx, &own);
    fgti_free(c->l.ctx, cell);
    return s;
}

/* ---- times ---- */

/* Finds in the first piece whether the step is counted by the clock. The table file does not keep the offsets
 * of the clock. */
static fgt_status read_clock(converter *c, const fgti_row_labels *labels)
{
    const fgt_table *t     = c->l.t;
    fgti_clock       clock = {.round = c->l.opts.round};
    fgt_status       s     = fgti_zone_copy(c->l.ctx, &c->l.zone, &clock.zone);
    if (s == FGT_OK)
        s = fgti_clock_read(c->l.ctx, &clock, labels, &c->form, NULL, 1, c->l.opts.step, c->times);
    if (!c->begun) c->by_clock = clock.by_clock;
    for (int64_t r = 0; s == FGT_OK && clock.offset && clock.by_clock != c->by_clock && r < t->rows; r++)
        c->times[r] += clock.offset[r] * (c->by_clock ? FGTI_MINUTE : -FGTI_MINUTE);
    fgti_clock_done(c->l.ctx, &clock);
    return s;
}

/* Reads the times of the piece. The first piece decides whether the rows have times. */
static fgt_status convert_read_times(converter *c)
{
    const fgt_table    *t = c->l.t;
    const fgt_csv_opts *o = &c->l.opts;
    char                what[400], show[FGTI_SHOW];
    fgti_free(c->l.ctx, c->times);
    c->times        = NULL;
    const bool must = c->begun ? c->w.head.has_times : o->time || o->time_form;
    if (c->begun && !c->w.head.has_times) return FGT_OK;
    if (!t->labels && c->begun)
        return fgti_fail(&c->l.ctx->error, FGT_E_DATA,
                         "%.300s: its rows have no times, but the first file's rows have", c->l.csv.path);
    if (!t->labels || o->date == FGT_TABLE_DATE_LABELS) return FGT_OK;
    const fgti_row_labels labels = {.what = what, .texts = &t->dates, .lines = &t->lines};
    snprintf(what, sizeof what, "%.300s: column \"%s\"", c->l.csv.path,
             fgti_show(fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0), show));
    const fgti_labels kind = must ? FGTI_LABELS_TIMES : fgti_loader_label_kind(&c->l);
    if (!c->begun) c->form.rule = fgti_labels_rule(&t->dates, o->time_form, kind);
    FGTI_TRY(fgti_labels_read(c->l.ctx, &labels, kind, &c->form, &c->times));
    return c->times ? read_clock(c, &labels) : FGT_OK;
}

/* Finds the step in the first piece. If that piece has only one row, finds it in a later piece. */
static fgt_status convert_find_step(converter *c)
{
    const int64_t  n    = c->l.t->rows;
    fgt_time_step *step = &c->w.head.step;
    int64_t       *times;
    if (!c->times || fgti_step_known(step)) return FGT_OK;
    FGTI_TRY(FGTI_NEW(c->l.ctx, n + 1, "times of rows", &times));
    times[0] = c->w.head.first;
    memcpy(times + 1, c->times, (size_t)n * sizeof *times);
    const fgt_status s = fgti_step_rising(c->l.ctx, times, n + 1, step);
    fgti_free(c->l.ctx, times);
    return s;
}

static fgt_status convert_refuse_time(const converter *c, int64_t row, const char *why)
{
    char                 here[FGTI_ROW_TEXT], last[24], text[FGTI_STEP_TEXT];
    const fgt_time_step *step  = &c->w.head.step;
    const bool           known = fgti_step_known(step); /* false if this is the second row of the file */
    fgti_time_format(c->last_time, last, sizeof last);
    return fgti_fail(&c->l.ctx->error, FGT_E_DATA, "%.300s: %s follows the row of %s%s%s: %s", c->l.csv.path,
                     fgti_table_row(c->l.t, row, here), last, known ? ", at steps of " : "",
                     known ? fgti_step_text(step, text) : "", why);
}

/* Refuses the file if too many rows are missing between its rows. The limit is the one of
 * fgti_axis_init(). */
static fgt_status check_gaps(const converter *c, int64_t rows)
{
    if (c->gaps.missing / FGTI_GAPS_MOST <= rows) return FGT_OK;
    return fgti_axis_refuse_missing(&c->l.ctx->error, c->l.csv.path, &c->gaps, rows, &c->w.head.step);
}

static fgt_status add_gap(converter *c, int64_t row, int64_t missing)
{
    const int64_t rows = c->w.head.rows - c->gaps.missing;
    if (!missing) return FGT_OK;
    fgti_gaps_add(&c->gaps, c->last_time, c->times[row], missing);
    if (!(c->l.opts.repair & FGT_TABLE_REPAIR_GAPS))
        return convert_refuse_time(c, row,
                                   "the option `repair` gaps can add rows of missing values between them");
    return c->gaps.missing <= EASY / c->columns ? FGT_OK : check_gaps(c, rows);
}

/* Compares the time of a row with the last row's. again: the times are equal. missing: number of rows that
 * are missing between the two. */
static fgt_status place_on_axis(converter *c, int64_t row, bool *again, int64_t *missing)
{
    const int64_t          time = c->times[row];
    const fgti_store_head *h = &c->w.head;
    *again                   = false;
    *missing                 = 0;
    if (!h->rows) return FGT_OK;
    if (time < c->last_time)
        return convert_refuse_time(c, row, "the rows must be in the order of their times");
    if (time == c->last_time) {
        *again = true;
        c->info.repeats++;
        if (c->l.opts.repair & FGT_TABLE_REPAIR_REPEATS) return FGT_OK;
        return convert_refuse_time(c, row, "the option `repair` repeats can remove repeated rows");
    }
    const int64_t n = fgti_step_count(&h->step, c->last_time, time);
    if (!n)
        return convert_refuse_time(c, row,
                                   "it is not a whole number of steps later; the option `round` rounds the "
                                   "times of a clock with jitter");
    /* because the file keeps only the time of row 0 */
    if (fgti_time_add(h->first, &h->step, h->rows - 1 + n) != time)
        return convert_refuse_time(c, row, "its day of the month does not follow from the first row");
    *missing = n - 1;
    return add_gap(c, row, *missing);
}

/* ---- rows ---- */

/* Checks row 0, which cannot be filled, because no row precedes it. The check waits for the next row, because
 * a row with the same time may replace row 0. */
static fgt_status check_first(const converter *c)
{
    const fgti_store_head *h = &c->w.head;
    if (c->l.opts.missing != FGT_TABLE_MISSING_FORWARD_FILL || h->rows != 1) return FGT_OK;
    for (int64_t k = 0; k < c->columns; k++)
        if (isnan(c->last[k]))
            return fgti_table_refuse_first(&c->l.ctx->error, c->l.csv.path, 0,
                                           fgti_strings_get(&h->names, h->has_times + k));
    return FGT_OK;
}

/* Adds a row. If it replaces the last row, its missing values are filled from the row before the replaced
 * one. */
static fgt_status convert_add_row(converter *c, bool again)
{
    double *last = c->last;
    if (again) c->info.filled -= c->filled;
    c->filled = 0;
    if (!again) {
        FGTI_TRY(check_first(c));
        c->last   = c->before;
        c->before = last;
    }
    for (int64_t k = 0; k < c->columns; k++)
        if (isnan(c->row[k])) {
            c->row[k] = fgti_missing_value(c->l.opts.missing, c->before[k]);
            c->filled += !isnan(c->row[k]);
        }
    c->info.filled += c->filled;
    memcpy(c->last, c->row, (size_t)c->columns * sizeof *c->row);
    return fgti_store_add(&c->w, c->row, again);
}

static fgt_status convert_add_rows(converter *c)
{
    const fgt_table *t = c->l.t;
    char             row[FGTI_ROW_TEXT];
    for (int64_t r = 0; r < t->rows; r++) {
        bool    again   = false;
        int64_t missing = 0;
        if (c->times) FGTI_TRY(place_on_axis(c, r, &again, &missing));
        for (int64_t i = 0; i < missing; i++) {
            for (int64_t k = 0; k < c->columns; k++) c->row[k] = NAN;
            FGTI_TRY(convert_add_row(c, false));
        }
        for (int64_t k = 0; k < c->columns; k++) c->row[k] = t->values[r * t->columns + c->cell[k]];
        if (again) {
            fgti_conflict_add(&c->info, c->l.taken + r - 1, c->times[r], c->row, c->raw, c->columns);
            if (c->info.conflict_row == c->l.taken + r - 1) c->info.conflict_line = c->line;
        }
        memcpy(c->raw, c->row, (size_t)c->columns * sizeof *c->row);
        const fgt_status s = convert_add_row(c, again);
        if (s == FGT_E_DATA)
            fgti_error_prefix(&t->ctx->error, "%.300s: %s", c->l.csv.path, fgti_table_row(t, r, row));
        FGTI_TRY(s);
        if (c->times) c->last_time = c->times[r];
        c->line = fgti_lines_get(&t->lines, r);
    }
    return FGT_OK;
}

static fgt_status convert_fail_told(const converter *c)
{
    const double share = ((double)c->file + fgti_reader_progress(c->l.csv.reader)) / (double)c->files;
    if (!c->opts.progress || !c->opts.progress(c->opts.user, share, c->w.head.rows)) return FGT_OK;
    return fgti_fail(&c->l.ctx->error, FGT_E_CANCELLED, "convert: stopped after row %lld",
                     (long long)c->w.head.rows - 1);
}

/* Moves the rows of the loader's table into the table file. */
static fgt_status convert_write_piece(fgti_loader *l, void *user)
{
    converter *c = user;
    FGTI_TRY(fgti_loader_settle_labels(l));
    if (!c->same) fgti_loader_leave_index(l);
    const fgt_status s = fgti_loader_check_series(l);
    if (s == FGT_E_DATA) return FGT_E_UNSUPPORTED; /* series cannot be found in a part of the rows */
    FGTI_TRY(s);
    FGTI_TRY(convert_read_times(c));
    if (!c->begun) FGTI_TRY(convert_begin_file(c));
    if (!c->same) FGTI_TRY(convert_match_columns(c));
    c->same = true;
    FGTI_TRY(convert_find_step(c));
    FGTI_TRY(convert_add_rows(c));
    l->taken += l->t->rows;
    l->t->rows = 0;
    fgti_strings_done(l->ctx, &l->t->dates);
    fgti_lines_done(l->ctx, &l->t->lines);
    return convert_fail_told(c);
}

static fgt_status finish_file(converter *c)
{
    fgti_loader *l = &c->l;
    if (l->t->rows) FGTI_TRY(convert_write_piece(l, c));
    FGTI_TRY(check_first(c));
    for (int64_t i = 0; i < l->cells; i++) {
        FGTI_TRY(fgti_loader_judge_empty(l, i));
        if (l->source[i].column < 0 || l->source[i].holds != FGTI_HOLDS_TEXTS) continue;
        FGTI_TRY(fgti_loader_check_ignored(l, &l->source[i]));
        c->info.ignored += c->file == 0; /* counted only in the first file, which decides the columns */
    }
    return FGT_OK;
}

static fgt_status convert_file(converter *c, const char *path)
{
    c->same      = false;
    c->l.taken   = 0;
    fgt_status s = fgti_loader_open(&c->l, path);
    if (s == FGT_OK) s = finish_file(c);
    fgti_loader_close(&c->l);
    fgt_table_destroy(&c->l.t);
    return s;
}

/* ---- all of it ---- */

static fgt_status check_order(converter *c, const char *const *paths, int64_t count)
{
    const fgt_csv_opts *o   = &c->l.opts;
    fgti_error         *err = &c->l.ctx->error;
    for (int64_t i = 0; i < count; i++)
        if (!paths[i]) return fgti_fail(err, FGT_E_ARG, "convert: path %lld is NULL", (long long)i);
    if (o->categories || o->id || o->form == FGT_TABLE_FORM_LONG)
        return fgti_fail(
            err, FGT_E_UNSUPPORTED,
            "convert: categories and files in long form need all rows in memory: fgt_table_save()");
    if (o->repair & FGT_TABLE_REPAIR_ORDER)
        return fgti_fail(
            err, FGT_E_UNSUPPORTED,
            "convert: rows are read once, and cannot be put in order; without FGT_TABLE_REPAIR_ORDER "
            "such a file is refused");
    return FGT_OK;
}

static fgt_status write_info(const converter *c, fgt_table_info *info)
{
    const fgti_store_head *h   = &c->w.head;
    fgt_table_info         all = c->info;
    all.size                   = sizeof all;
    all.rows                   = h->rows;
    all.columns                = h->columns;
    all.gaps                   = c->gaps.missing;
    all.step                   = h->rows > 1 ? h->step : (fgt_time_step){0};
    all.missing                = fgti_store_count_missing(h);
    all.appended = c->files - 1;
    return fgti_result_write(NULL, "", &all, sizeof all, info);
}

/* Refuses the file if too many repeats have other values. The limit is the one of
 * fgti_table_settle_repeats(). */
static fgt_status check_repeats(const converter *c)
{
    const fgt_table_info *i = &c->info;
    char                  time[24];
    if (!fgti_repeats_many(i->conflicts, c->w.head.rows - c->gaps.missing + i->repeats)) return FGT_OK;
    fgti_time_format(i->conflict_time, time, sizeof time);
    return fgti_fail(&c->l.ctx->error, FGT_E_DATA,
                     "%.300s: %lld rows have the time of another one with other values, the first in line "
                     "%lld (%s): something else than the time tells them apart",
                     c->l.csv.path, (long long)i->conflicts, (long long)i->conflict_line, time);
}

static fgt_status convert_files(converter *c, const char *const *paths, int64_t count)
{
    FGTI_TRY(check_order(c, paths, count));
    c->l.take  = convert_write_piece;
    c->l.user  = c;
    c->l.piece = PIECE;
    c->files   = count;
    for (c->file = 0; c->file < count; c->file++) FGTI_TRY(convert_file(c, paths[c->file]));
    FGTI_TRY(check_repeats(c));
    FGTI_TRY(check_gaps(c, c->w.head.rows - c->gaps.missing));
    return fgti_store_end(&c->w);
}

fgt_status fgt_table_convert(fgt_context *ctx, const char *const *paths, int64_t count,
                             const fgt_convert_opts *opts, const char *to, fgt_table_info *info)
{
    converter c = {0};
    if (!ctx) return FGT_E_ARG;
    if (!paths || count < 1 || !to)
        return fgti_fail(&ctx->error, FGT_E_ARG, "convert: a pointer is NULL, or count is below 1");
    if (info) FGTI_TRY(fgti_result_check(&ctx->error, "fgt_table_info", info));
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_convert_opts", opts, &c.opts, sizeof c.opts));
    c.to         = to;
    fgt_status s = fgti_loader_init(ctx, c.opts.csv, &c.l);
    if (s == FGT_OK) s = convert_files(&c, paths, count);
    if (s == FGT_OK && info) s = write_info(&c, info);
    fgti_store_abandon(&c.w);
    fgti_loader_done(&c.l);
    fgti_free(ctx, c.cell);
    fgti_free(ctx, c.row);
    fgti_free(ctx, c.last);
    fgti_free(ctx, c.before);
    fgti_free(ctx, c.raw);
    fgti_free(ctx, c.times);
    return s;
}
