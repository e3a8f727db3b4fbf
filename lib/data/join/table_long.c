/* SPDX-License-Identifier: BSD-3-Clause */

/* Turns the rows of long files into a table that has a column for each series. */

#include "data/join/table_long.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/text.h"
#include "data/join/table_lone.h"
#include "data/join/table_steps.h"
#include "data/table_repeats.h"
#include "data/table_time.h"

/* ---- from rows to columns ---- */

/* Kinds of a row of a series: all its values are missing, or it has at least one value. */
enum { EMPTY_ROW = 1, FILLED_ROW = 2 };

typedef struct pivot {
    const fgti_long    *l;
    const fgt_csv_opts *opts;
    fgt_context        *ctx;
    fgti_axis           axis;
    int64_t            *at;     /* [rows]: the row of the result; -1 - r: the later row r replaced this row */
    int64_t            *first;  /* [columns of rows]: for each column, its first column in the result */
    bool               *shared; /* [columns of rows]: all series have this column in common */
    uint8_t            *seen;   /* [rows of the result, series]: EMPTY_ROW or FILLED_ROW; 0: the series has no
                                 * such row */
    fgt_table          *out;
} pivot;

/* The row of the axis that has this time. The row after `before` is tried first, because the rows of a file
 * usually follow each other. */
static int64_t table_long_find_row(const fgti_axis *a, int64_t before, int64_t time)
{
    if (before + 1 < a->rows && a->time[before + 1] == time) return before + 1;
    return fgti_time_find(a->time, a->rows, time);
}

/* Makes one axis for all series. Adds rows that no series has. Gaps of single series are checked later. */
static fgt_status table_long_make_axis(pivot *p)
{
    const fgt_table *rows = p->l->rows;
    int64_t         *times, *sorted;
    char             what[320];
    fgti_row_labels  labels = {what, &rows->dates, &rows->lines, false, p->opts->round};
    snprintf(what, sizeof what, "%.240s%s", p->l->path[0], p->l->files > 1 ? " and the other files" : "");
    FGTI_TRY(FGTI_NEW(p->ctx, rows->rows, "times of rows", &p->at));
    FGTI_TRY(fgti_axis_read(p->ctx, &labels, p->opts->time_form, FGTI_LABELS_NEEDED, &p->l->rows->written,
                            &times));
    fgti_clock *clock = &p->out->clock;
    clock->round      = p->opts->round;
    fgt_status s      = fgti_zone_copy(p->ctx, p->l->zone, &clock->zone);
    if (s == FGT_OK)
        s = fgti_clock_read(p->ctx, clock, &labels, &rows->written, p->l->of, p->l->series.texts.count,
                            p->opts->step, times);
    labels.zoned = clock->offset != NULL;
    if (s == FGT_OK) s = FGTI_NEW(p->ctx, rows->rows, "times of rows", &sorted);
    if (s == FGT_OK) {
        memcpy(sorted, times, (size_t)rows->rows * sizeof *times);
        s = fgti_axis_merge(p->ctx, &labels, rows->rows, sorted, FGT_TABLE_REPAIR_ALL, p->opts->step,
                            &p->axis);
        if (s == FGT_E_DATA) s = fgti_long_split_axis(p->l, times, s, &p->axis);
        p->axis.labels = NULL;
        s              = fgti_long_judge_labels(p->l, times, &p->axis.step, s);
    }
    if (s == FGT_OK) s = fgti_clock_place(p->ctx, clock, &p->axis);
    for (int64_t r = 0; s == FGT_OK && r < rows->rows; r++)
        p->at[r] = table_long_find_row(&p->axis, r ? p->at[r - 1] : -1, times[r]);
    fgti_free(p->ctx, times);
    return s;
}

static fgt_status table_long_refuse_repeat(const pivot *p, int64_t before)
{
    const fgti_long *l   = p->l;
    const fgt_table *all = l->rows;
    int64_t          row = before + 1;
    char             show[FGTI_SHOW], time[FGTI_SHOW], here[FGTI_ROW_TEXT], there[FGTI_ROW_TEXT];
    char             first[FGTI_NUMBER_TEXT_MAX], second[FGTI_NUMBER_TEXT_MAX];
    char             values[2 * FGTI_NUMBER_TEXT_MAX + 32] = "";
    while (p->at[before] != p->at[row] || l->of[before] != l->of[row]) row++;
    const char  *path  = l->path[fgti_long_find_file(l, row)];
    const char  *other = l->path[fgti_long_find_file(l, before)];
    const double v = all->values[row * all->columns], u = all->values[before * all->columns];
    if (l->has_value && v != u && !isnan(v) && !isnan(u))
        snprintf(values, sizeof values, ", with other values (%s, %s)", fgti_number_text(v, first),
                 fgti_number_text(u, second));
    return fgti_fail(
        &p->ctx->error, FGT_E_DATA,
        "%.200s: %s is of \"%s\" at %s, and so is %s%s%.200s%s%s; the option `repair` repeats can "
        "remove such rows",
        path, fgti_row_text(&all->lines, row, NULL, here),
        fgti_show(fgti_strings_get(&l->series.texts, l->of[row]), show),
        fgti_show(fgti_strings_get(&all->dates, row), time),
        fgti_row_text(&all->lines, before, p->opts->round ? fgti_strings_get(&all->dates, before) : NULL,
                      there),
        path == other ? "" : " of ", path == other ? "" : other,
        p->opts->round ? ", by the option `round`" : "", values);
}

static bool table_long_has_value(const fgt_table *rows, int64_t row)
{
    for (int64_t c = 0; c < rows->columns; c++)
        if (!isnan(rows->values[row * rows->columns + c])) return true;
    return false;
}

/* Of several rows with the same series and time, only the last one is kept, because it is a correction. */
static fgt_status drop_repeats(pivot *p)
{
    const fgt_table *rows   = p->l->rows;
    const int64_t    series = p->l->series.texts.count;
    int64_t          first  = -1;
    FGTI_TRY(fgti_table_check_size(&p->ctx->error, p->l->path[0], p->axis.rows, series,
                                   rows->rows * rows->columns));
    FGTI_TRY(FGTI_NEW(p->ctx, p->axis.rows * series, "table", &p->seen));
    for (int64_t r = rows->rows - 1; r >= 0; r--) {
        uint8_t *seen = &p->seen[p->at[r] * series + p->l->of[r]];
        if (!*seen) {
            *seen = table_long_has_value(rows, r) ? FILLED_ROW : EMPTY_ROW;
        } else if (p->opts->repair & FGT_TABLE_REPAIR_REPEATS) {
            p->at[r] = -1 - p->at[r];
            p->out->info.repeats++;
        } else {
            first = r;
        }
    }
    return first < 0 ? FGT_OK : table_long_refuse_repeat(p, first);
}

static bool is_apart(const fgt_csv_opts *o, const char *name)
{
    bool part = false, whole = false;
    for (int64_t i = 0; i < o->apart_count; i++) {
        part |= o->apart[i] && fgti_table_is_part(o->apart[i], name);
        whole |= o->apart[i] && !strcmp(o->apart[i], name);
    }
    return part && !whole;
}

/* Finds the covariates that all series share. In a shared covariate no two series have different values at
 * the same time, and the option `apart` does not name it. */
static fgt_status table_long_find_shared(pivot *p)
{
    const fgt_table *rows = p->l->rows;
    double          *value;
    FGTI_TRY(FGTI_NEW(p->ctx, rows->columns, "covariates", &p->shared));
    FGTI_TRY(FGTI_NEW(p->ctx, p->axis.rows, "covariates", &value));
    for (int64_t c = p->l->has_value; c < rows->columns; c++) {
        p->shared[c] = !is_apart(p->opts, fgt_table_get_name(rows, FGT_TABLE_NAME_COLUMN, c));
        for (int64_t r = 0; r < p->axis.rows; r++) value[r] = NAN;
        for (int64_t r = 0; r < rows->rows && p->shared[c]; r++) {
            if (p->at[r] < 0) continue;
            const double v = rows->values[r * rows->columns + c];
            double      *u = &value[p->at[r]];
            if (!isnan(v) && !isnan(*u) && v != *u) p->shared[c] = false;
            if (!isnan(v)) *u = v;
        }
    }
    fgti_free(p->ctx, value);
    return FGT_OK;
}

/* A name such as "price[shop 1]". */
static fgt_status table_long_add_name(fgti_strings *names, fgt_context *ctx, const char *name,
                                      const char *series)
{
    char         *text;
    const int64_t size = (int64_t)(strlen(name) + strlen(series) + 3);
    FGTI_TRY(FGTI_NEW(ctx, size, "name of a column", &text));
    const int        n = snprintf(text, (size_t)size, "%s[%s]", name, series);
    const fgt_status s = fgti_strings_add(ctx, names, text, n);
    fgti_free(ctx, text);
    return s;
}

static fgt_status table_long_add_columns(pivot *p)
{
    const fgt_table    *rows   = p->l->rows;
    const fgti_strings *series = &p->l->series.texts;
    fgti_strings       *names  = &p->out->names;
    FGTI_TRY(FGTI_NEW(p->ctx, rows->columns, "covariates", &p->first));
    FGTI_TRY(fgti_strings_add(p->ctx, names, fgti_strings_get(&rows->names, 0),
                              fgti_strings_size(&rows->names, 0)));
    for (int64_t c = 0; c < rows->columns; c++) {
        const char *name = fgt_table_get_name(rows, FGT_TABLE_NAME_COLUMN, c);
        p->first[c]      = names->count - 1;
        if (p->shared[c]) FGTI_TRY(fgti_strings_add(p->ctx, names, name, (int64_t)strlen(name)));
        for (int64_t i = 0; !p->shared[c] && i < series->count; i++) {
            const char *own = fgti_strings_get(series, i);
            if (c || !p->l->has_value)
                FGTI_TRY(table_long_add_name(names, p->ctx, name, own));
            else
                FGTI_TRY(fgti_strings_add(p->ctx, names, own, fgti_strings_size(series, i)));
        }
    }
    p->out->columns = names->count - 1;
    return FGT_OK;
}

static fgt_status refuse_double(const pivot *p)
{
    int64_t twice;
    char    show[FGTI_SHOW];
    FGTI_TRY(fgti_strings_find_double(p->ctx, &p->out->names, 1, &twice));
    if (twice < 0) return FGT_OK;
    return fgti_fail(&p->ctx->error, FGT_E_FORMAT,
                     "%.300s: two columns would be named \"%s\": a series and a covariate", p->l->path[0],
                     fgti_show(fgti_strings_get(&p->out->names, twice), show));
}

/* ---- values in the result ---- */

static void place_row(pivot *p, int64_t row)
{
    const fgt_table *rows = p->l->rows;
    double          *out  = p->out->values + p->at[row] * p->out->columns;
    for (int64_t c = 0; c < rows->columns; c++) {
        const double v = rows->values[row * rows->columns + c];
        if (!p->shared[c])
            out[p->first[c] + p->l->of[row]] = v;
        else if (!isnan(v))
            out[p->first[c]] = v;
    }
}

/* Compares the values of each dropped row with the row that replaced it. */
static fgt_status judge_dropped(pivot *p)
{
    const fgt_table *rows = p->l->rows;
    fgt_table_info  *info = &p->out->info;
    char             row[FGTI_ROW_TEXT];
    for (int64_t r = rows->rows - 1; p->l->has_value && r >= 0; r--) {
        const int64_t at = -1 - p->at[r], before = info->conflicts, column = p->shared[0] ? 0 : p->l->of[r];
        if (at < 0) continue;
        fgti_conflict_add(info, r, p->axis.time[at], p->out->values + at * p->out->columns + column,
                          rows->values + r * rows->columns, 1);
        if (info->conflicts > before) info->conflict_column = column;
    }
    if (!info->conflicts) return FGT_OK;
    const int64_t first = info->conflict_row, file = fgti_long_find_file(p->l, first);
    info->conflict_row  = first - p->l->file_begin[file];
    info->conflict_line = fgti_lines_get(&rows->lines, first);
    if (!fgti_repeats_many(info->repeats, rows->rows)) return FGT_OK;
    return fgti_fail(&p->ctx->error, FGT_E_DATA,
                     "%.300s: %lld of %lld rows %s the series and the time of another one with other "
                     "values, the first in %s: something else than these tells them apart",
                     p->l->path[file], (long long)info->repeats, (long long)rows->rows,
                     info->repeats == 1 ? "has" : "have",
                     fgti_row_text(&rows->lines, first, fgti_strings_get(&rows->dates, first), row));
}

static fgt_status table_long_place_rows(pivot *p)
{
    const int64_t cells = p->axis.rows * p->out->columns;
    FGTI_TRY(FGTI_NEW(p->ctx, cells, "table", &p->out->values));
    p->out->capacity = cells;
    for (int64_t i = 0; i < cells; i++) p->out->values[i] = NAN;
    for (int64_t r = 0; r < p->l->rows->rows; r++)
        if (p->at[r] >= 0) place_row(p, r);
    return judge_dropped(p);
}

/* ---- gaps ---- */

static fgt_status table_long_refuse_gap(const pivot *p, int64_t series, int64_t row)
{
    const int64_t from    = p->axis.from[row];
    const bool    has_row = p->seen[row * p->l->series.texts.count + series];
    const int32_t *offset = p->out->clock.offset;
    char           show[FGTI_SHOW], time[FGTI_FORM_TEXT];
    fgti_table_write_label(p->out, p->axis.time[row], offset ? offset[row] : 0, time);
    if (from >= 0) fgti_show(fgti_strings_get(&p->l->rows->dates, from), time);
    return fgti_fail(&p->ctx->error, FGT_E_DATA,
                     "%.300s%s: \"%s\" has no %s at %s, although it has values before and after it; the "
                     "option %s can %s",
                     p->l->path[0], p->l->files > 1 ? " and the other files" : "",
                     fgti_show(fgti_strings_get(&p->l->series.texts, series), show),
                     has_row ? "value" : "row", time, has_row ? "`missing`" : "`repair` gaps",
                     has_row ? "mask or fill it" : "add such rows");
}

/* Checks the rows that a series lacks between its first and its last row with a value or covariate. Such rows
 * are gaps that `repair` fills, or missing values, which `missing` may refuse. */
static fgt_status table_long_settle_rows(pivot *p)
{
    const int64_t series = p->l->series.texts.count, rows = p->axis.rows;
    const bool    repair = p->opts->repair & FGT_TABLE_REPAIR_GAPS;
    for (int64_t i = 0; i < series; i++) {
        const uint8_t *seen  = p->seen + i;
        int64_t        begin = 0, end = rows;
        while (begin < rows && seen[begin * series] != FILLED_ROW) begin++;
        while (end > begin && seen[(end - 1) * series] != FILLED_ROW) end--;
        for (int64_t r = begin; r < end; r++) {
            if (seen[r * series]) continue;
            if (!repair && p->opts->missing == FGT_TABLE_MISSING_REFUSE)
                return table_long_refuse_gap(p, i, r);
            p->out->info.gaps += repair;
        }
    }
    return FGT_OK;
}

/* The row after the last row of a series, or of a shared covariate. */
static int64_t table_long_find_end(const pivot *p, int64_t column, int64_t i)
{
    const int64_t series = p->l->series.texts.count;
    int64_t       end    = p->axis.rows;
    while (end && !p->shared[column] && !p->seen[(end - 1) * series + i]) end--;
    return end;
}

/* Fills missing values of a column. A series is filled between its first and its last value. A covariate is
 * filled up to the last row of the series, because its future values are known. */
static fgt_status settle_cells(pivot *p, int64_t column, int64_t i)
{
    fgt_table    *t = p->out;
    const int64_t c = p->first[column] + i, series = p->l->series.texts.count;
    const bool    covariate = column >= p->l->has_value;
    int64_t       begin, end;
    fgti_table_span(t, c, &begin, &end);
    if (begin < end && covariate) end = table_long_find_end(p, column, i);
    for (int64_t r = begin; r < end; r++) {
        if (!isnan(t->values[r * t->columns + c])) continue;
        if (p->opts->missing == FGT_TABLE_MISSING_REFUSE && !covariate && p->seen[r * series + i])
            return table_long_refuse_gap(p, i, r);
        FGTI_TRY(fgti_table_fill_cell(t, p->opts->missing, r, c));
    }
    return FGT_OK;
}

static fgt_status table_long_settle_gaps(pivot *p)
{
    FGTI_TRY(table_long_settle_rows(p));
    for (int64_t k = 0; k < p->l->rows->columns; k++)
        for (int64_t i = 0; i < (p->shared[k] ? 1 : p->l->series.texts.count); i++)
            FGTI_TRY(settle_cells(p, k, i));
    return FGT_OK;
}

/* ---- the whole pivot ---- */

static fgt_status pivot_make(pivot *p)
{
    fgt_table       *t    = p->out;
    const fgt_table *rows = p->l->rows;
    FGTI_TRY(table_long_make_axis(p));
    FGTI_TRY(drop_repeats(p));
    FGTI_TRY(table_long_find_shared(p));
    FGTI_TRY(table_long_add_columns(p));
    FGTI_TRY(refuse_double(p));
    FGTI_TRY(fgti_table_check_size(&p->ctx->error, p->l->path[0], p->axis.rows, t->columns,
                                   rows->rows * rows->columns));
    FGTI_TRY(table_long_place_rows(p));
    t->rows    = p->axis.rows;
    t->labels  = 1;
    t->ragged  = true;
    t->written = rows->written;
    FGTI_TRY(table_long_settle_gaps(p));
    FGTI_TRY(fgti_table_place_labels(rows, &p->axis, &t->dates));
    t->times       = p->axis.time;
    p->axis.time   = NULL;
    t->info.step   = p->axis.step;
    t->info.series = p->l->has_value ? p->l->series.texts.count : 0;
    t->unseen      = rows->unseen;
    /* the table takes over the descriptions of the files */
    t->form             = rows->form;
    t->ignored          = rows->ignored;
    p->l->rows->form    = (fgti_strings){0};
    p->l->rows->ignored = (fgti_strings){0};
    if (p->l->files > 1) return FGT_OK;
    t->empty          = rows->empty;
    p->l->rows->empty = (fgti_strings){0};
    return FGT_OK;
}

fgt_status fgti_long_pivot(const fgti_long *l, const fgt_csv_opts *opts, fgt_table **out)
{
    pivot p = {.l = l, .opts = opts, .ctx = l->rows->ctx};
    FGTI_TRY(FGTI_NEW(p.ctx, 1, "table", &p.out));
    p.out->ctx         = p.ctx;
    const fgt_status s = pivot_make(&p);
    fgti_free(p.ctx, p.seen);
    fgti_free(p.ctx, p.first);
    fgti_free(p.ctx, p.shared);
    fgti_free(p.ctx, p.at);
    fgti_axis_done(&p.axis);
    if (s == FGT_OK)
        *out = p.out;
    else
        fgt_table_destroy(&p.out);
    return s;
}
