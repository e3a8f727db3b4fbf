/* SPDX-License-Identifier: BSD-3-Clause */

/* Reads a list of special days from a CSV file. */

#include <string.h>

#include "core/context.h"
#include "data/csv/csv.h"
#include "data/csv/first_block.h"
#include "data/csv/number.h"
#include "data/days.h"
#include "data/time/lines.h"
#include "data/time/scan/time_read.h"
#include "data/time/time_labels.h"

typedef struct day_file {
    fgti_csv     csv;
    int32_t      form;
    locale_t     locale;            /* "C" */
    int64_t      cells, date, name; /* cells: number of cells in a line; date, name: columns of the days and
                                     * of their names; name -1: not found yet */
    int64_t      named;             /* the first row with a name */
    bool         settled;           /* two names differ, so the column of names is certain */
    bool        *seen;              /* [cells]: the column has had a value; the first value decides the
                                     * column's kind */
    fgti_strings dates, names;      /* the date and the name of each row; a name may be empty */
    fgti_lines   lines;
} day_file;

static fgti_time_found days_read_cell(const day_file *f, int64_t cell)
{
    fgti_stamp t;
    return fgti_time_read(fgti_csv_cell(&f->csv, cell), f->form, &t);
}

static bool days_is_time(const day_file *f, int64_t cell)
{
    const fgti_time_found found = days_read_cell(f, cell);
    return found != FGTI_TIME_TEXT && found != FGTI_TIME_RANGE;
}

/* Finds the column of days by the current line. If the line has no day that exists, a day that does not exist
 * is taken, so that it is refused with its line. False: the line has no day, as a header line. */
static bool find_date(day_file *f)
{
    f->cells = f->csv.count;
    for (f->date = 0; f->date < f->cells && !days_is_time(f, f->date);) f->date++;
    if (f->date < f->cells) return true;
    for (f->date = 0; f->date < f->cells && days_read_cell(f, f->date) != FGTI_TIME_RANGE;) f->date++;
    return f->date < f->cells;
}

/* Whether the current line's name differs from the name of the first named day. If it does, the column has
 * the names of days: a column of a country or a kind would be the same in all lines. */
static bool names_differ(const day_file *f)
{
    const char *now = fgti_csv_cell(&f->csv, f->name);
    return *now && strcmp(now, fgti_strings_get(&f->names, f->named)) != 0;
}

/* Takes as names the first column whose first value is a text. As long as all its texts are equal, a column
 * before it that gets its first value replaces it. The days before that line then have no names. */
static fgt_status days_find_name(day_file *f)
{
    fgt_context *ctx = f->csv.ctx;
    double       ignored;
    if (f->name >= 0 && names_differ(f)) f->settled = true;
    const int64_t end = f->settled ? 0 : f->name < 0 ? f->cells : f->name;
    for (int64_t i = 0; i < end; i++) {
        const fgti_number kind =
            fgti_number_parse(f->locale, fgti_csv_cell(&f->csv, i), f->csv.cells[i].size, &ignored);
        if (i == f->date || f->seen[i] || kind == FGTI_NUMBER_MISSING) continue;
        f->seen[i] = true;
        if (kind != FGTI_NUMBER_TEXT || days_is_time(f, i)) continue;
        f->name  = i;
        f->named = f->dates.count;
        fgti_strings_done(ctx, &f->names);
        while (f->names.count < f->dates.count) FGTI_TRY(fgti_strings_add(ctx, &f->names, "", 0));
        return FGT_OK;
    }
    return FGT_OK;
}

static fgt_status days_read_row(day_file *f)
{
    fgt_context *ctx = f->csv.ctx;
    if (f->csv.count != f->cells)
        return fgti_csv_fail(&f->csv, FGT_E_FORMAT, f->csv.line,
                             "wrong number of cells (got %lld, need %lld)", (long long)f->csv.count,
                             (long long)f->cells);
    FGTI_TRY(days_find_name(f));
    FGTI_TRY(fgti_lines_add(ctx, &f->lines, f->csv.line));
    FGTI_TRY(fgti_strings_add(ctx, &f->dates, fgti_csv_cell(&f->csv, f->date), f->csv.cells[f->date].size));
    if (f->name < 0) return FGT_OK;
    return fgti_strings_add(ctx, &f->names, fgti_csv_cell(&f->csv, f->name), f->csv.cells[f->name].size);
}

static fgt_status days_read_rows(day_file *f, const char *path)
{
    fgti_csv *csv = &f->csv;
    bool      more, first = true;
    FGTI_TRY(fgti_csv_next_filled(csv, &more));
    if (!more) return fgti_fail(&csv->ctx->error, FGT_E_FORMAT, "%.300s: the file is empty", path);
    for (; more && !find_date(f) && first; first = false) FGTI_TRY(fgti_csv_next_filled(csv, &more));
    if (!more || f->date == f->cells)
        return fgti_fail(&csv->ctx->error, FGT_E_DATA, "%.300s: there is no column of days", path);
    FGTI_TRY(FGTI_NEW(csv->ctx, f->cells, "columns", &f->seen));
    while (more) {
        FGTI_TRY(days_read_row(f));
        FGTI_TRY(fgti_csv_next_filled(csv, &more));
    }
    return FGT_OK;
}

static fgt_status days_make(const day_file *f, const char *path, fgt_days **days)
{
    fgt_context  *ctx   = f->csv.ctx;
    const int64_t count = f->dates.count;
    int64_t      *times;
    const char  **names = NULL;
    fgti_time_form        form;
    fgti_stamp            stamp  = {0};
    const fgti_row_labels labels = {.what = path, .texts = &f->dates, .lines = &f->lines};
    FGTI_TRY(fgti_axis_read(ctx, &labels, f->form, FGTI_LABELS_NEEDED, &form, &times));
    for (int64_t i = 0; i < count; i++) { /* the day on the clock of its label */
        fgti_time_read_by(fgti_strings_get(&f->dates, i), &form.rule, &stamp);
        times[i] += stamp.offset * INT64_C(60000);
    }
    fgt_status s = FGTI_NEW(ctx, count, "names of days", &names);
    for (int64_t i = 0; s == FGT_OK && f->name >= 0 && i < count; i++)
        names[i] = fgti_strings_get(&f->names, i);
    if (s == FGT_OK) s = fgt_days_create(ctx, times, names, count, days);
    fgti_free(ctx, names);
    fgti_free(ctx, times);
    return s;
}

static fgt_status days_read(day_file *f, const char *path, fgt_days **days)
{
    FGTI_TRY(fgti_csv_open(f->csv.ctx, path, 0, &f->csv));
    fgti_csv_detect(&f->csv, ",;\t|");
    FGTI_TRY(days_read_rows(f, path));
    return days_make(f, path, days);
}

fgt_status fgt_days_load(fgt_context *ctx, const char *path, int32_t form, fgt_days **days)
{
    day_file f = {.csv = {.ctx = ctx}, .form = form, .name = -1};
    if (days) *days = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!path || !days) return fgti_fail(&ctx->error, FGT_E_ARG, "days: path or result pointer is NULL");
    if (form < 0 || form >= FGTI_TIME_FORMS)
        return fgti_fail(&ctx->error, FGT_E_ARG, "days: form is out of range (got %d, need 0 .. %d)",
                         (int)form, FGTI_TIME_FORMS - 1);
    f.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (f.locale == (locale_t)0) return fgti_fail(&ctx->error, FGT_E_NOMEM, "no memory for the locale \"C\"");
    const fgt_status s = days_read(&f, path, days);
    fgti_csv_close(&f.csv);
    fgti_strings_done(ctx, &f.dates);
    fgti_strings_done(ctx, &f.names);
    fgti_lines_done(ctx, &f.lines);
    fgti_free(ctx, f.seen);
    freelocale(f.locale);
    return s;
}
