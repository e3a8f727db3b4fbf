/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the tables of several files. Files with the same columns follow one another; other files are joined
 * side by side. */
#include "data/join/table_join.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/size.h"
#include "data/join/category_align.h"
#include "data/table_clock.h"
#include "data/table_time.h"

typedef struct joined {
    fgt_context       *ctx;
    fgt_table        **table;
    const char *const *path;
    int64_t            count;
    fgti_words         names;  /* column names of all files */
    int64_t          **column; /* [count][columns]: for each column of a file, its column in the result */
    int64_t           *stamp;  /* [columns of all files]: the last pair of files in whose comparison the
                                * column was seen */
    int64_t           *kind;   /* [count]: number of the first file that has the same columns */
    fgti_strings       texts;  /* labels of all rows; empty if the clocks are unknown */
    fgti_row_labels    labels;
    fgti_axis          axis;
} joined;

/* ---- what the files have in common ---- */

static fgt_status refuse_clock(const joined *j, int64_t i, int64_t k)
{
    const bool utc = fgti_table_is_utc(j->table[i]);
    char       row[FGTI_ROW_TEXT], other[FGTI_ROW_TEXT];
    return fgti_fail(
        &j->ctx->error, FGT_E_DATA,
        "%.200s: %s has %s UTC offset, but %s of %.200s has %s; the option `zone` names the zone of "
        "labels without an offset, such as Europe/Berlin",
        j->path[i], fgti_table_row(j->table[i], 0, row), utc ? "a" : "no",
        fgti_table_row(j->table[k], 0, other), j->path[k], utc ? "none" : "one");
}

static fgt_status table_join_check_times(const joined *j, int64_t i)
{
    const fgt_table *t   = j->table[i], *u;
    fgti_error      *err = &j->ctx->error;
    char             here[FGTI_STEP_TEXT], there[FGTI_STEP_TEXT];
    if (!t->times)
        return fgti_fail(err, FGT_E_DATA, "%.300s: without times, files cannot be put together", j->path[i]);
    for (int64_t k = 0; k < i; k++) {
        u = j->table[k];
        if (fgti_table_clocks_differ(t, u)) return refuse_clock(j, i, k);
        if (u->rows < 2 || t->rows < 2 || fgti_step_same(&u->info.step, &t->info.step)) continue;
        return fgti_fail(err, FGT_E_DATA, "%.200s: rows are %s apart, but the rows of %.200s %s", j->path[i],
                         fgti_step_text(&t->info.step, here), j->path[k],
                         fgti_step_text(&u->info.step, there));
    }
    return FGT_OK;
}

/* Refuses files that have the same columns and overlap in time. */
static fgt_status check_overlap(const joined *j, int64_t i, int64_t k)
{
    const fgt_table *t = j->table[i], *u = j->table[k];
    int64_t          r = 0;
    char             row[FGTI_ROW_TEXT];
    while (r < t->rows && (t->times[r] < u->times[0] || t->times[r] > u->times[u->rows - 1])) r++;
    if (r == t->rows) return FGT_OK;
    return fgti_fail(&j->ctx->error, FGT_E_DATA,
                     "%.200s: %s lies in the time of %.200s, which has the same columns", j->path[i],
                     fgti_table_row(t, r, row), j->path[k]);
}

/* The number of columns that both tables i and k have. */
static int64_t count_common(const joined *j, int64_t i, int64_t k)
{
    const int64_t stamp  = i * j->count + k + 1;
    int64_t       common = 0;
    for (int64_t c = 0; c < j->table[k]->columns; c++) j->stamp[j->column[k][c]] = stamp;
    for (int64_t c = 0; c < j->table[i]->columns; c++) common += j->stamp[j->column[i][c]] == stamp;
    return common;
}

static fgt_status place_columns(joined *j, int64_t i)
{
    const fgt_table *t = j->table[i];
    FGTI_TRY(FGTI_NEW(j->ctx, t->columns, "columns", &j->column[i]));
    for (int64_t c = 0; c < t->columns; c++)
        FGTI_TRY(fgti_words_add(j->ctx, &j->names, fgti_strings_get(&t->names, t->labels + c),
                                fgti_strings_size(&t->names, t->labels + c), &j->column[i][c]));
    return FGT_OK;
}

/* Decides whether table i is appended to other tables or joined beside them. */
static fgt_status join_compare(const joined *j, int64_t i, fgt_table_info *info)
{
    bool appended = false;
    j->kind[i]    = i;
    for (int64_t k = 0; k < i; k++) {
        const int64_t common = count_common(j, i, k);
        if (!common) continue;
        if (common != j->table[i]->columns || common != j->table[k]->columns)
            return fgti_fail(&j->ctx->error, FGT_E_NAME,
                             "%.200s: some columns are also in %.200s, and some are not (files need all "
                             "columns in common, or none)",
                             j->path[i], j->path[k]);
        FGTI_TRY(check_overlap(j, i, k));
        j->kind[i] = j->kind[k];
        appended   = true;
    }
    *(appended ? &info->appended : &info->joined) += i > 0;
    return FGT_OK;
}

/* ---- joining ---- */

/* Collects the labels of the files for error texts. They are needed if the clocks are known, because the
 * times are then in UTC. */
static fgt_status collect_labels(joined *j)
{
    bool zoned = false;
    for (int64_t i = 0; i < j->count; i++) {
        zoned |= j->table[i]->clock.offset != NULL;
        if (j->table[i]->dates.count < j->table[i]->rows) return FGT_OK;
    }
    for (int64_t i = 0; zoned && i < j->count; i++)
        FGTI_TRY(fgti_strings_append(j->ctx, &j->texts, &j->table[i]->dates));
    j->labels.texts = zoned ? &j->texts : NULL;
    j->labels.zoned = zoned;
    return FGT_OK;
}

static fgt_status table_join_make_axis(joined *j, const fgt_csv_opts *opts)
{
    int64_t *times, rows = 0, at = 0;
    j->labels.what = "the files together";
    FGTI_TRY(collect_labels(j));
    for (int64_t i = 0; i < j->count; i++) rows += j->table[i]->rows;
    FGTI_TRY(FGTI_NEW(j->ctx, rows, "times of rows", &times));
    for (int64_t i = 0; i < j->count; i++) {
        memcpy(times + at, j->table[i]->times, (size_t)j->table[i]->rows * sizeof *times);
        at += j->table[i]->rows;
    }
    return fgti_axis_merge(j->ctx, &j->labels, rows, times, opts->repair, opts->step, &j->axis);
}

/* Whether other files have rows that lie between the rows of file i. */
static bool has_between(const joined *j, int64_t i)
{
    const fgt_table *t    = j->table[i];
    int64_t          rows = 0;
    for (int64_t r = 0; r < j->axis.rows; r++)
        rows += j->axis.from[r] >= 0 && j->axis.time[r] >= t->times[0] &&
                j->axis.time[r] <= t->times[t->rows - 1];
    return rows > t->rows;
}

/* Refuses files with another step if their rows lie between the rows of other files. The common step would be
 * shorter, and all these files would have gaps. Files that follow one another may have different steps. */
static fgt_status check_step(const joined *j)
{
    char here[FGTI_STEP_TEXT], all[FGTI_STEP_TEXT];
    for (int64_t i = 0; i < j->count; i++) {
        const fgt_time_step *own = &j->table[i]->info.step, *step = &j->axis.step;
        const bool same = fgti_step_same(own, step);
        if (j->table[i]->rows < 2 || same || !has_between(j, i)) continue;
        return fgti_fail(&j->ctx->error, FGT_E_DATA,
                         "%.200s: rows are %s apart, but the rows of all files %s: some lie between others",
                         j->path[i], fgti_step_text(own, here), fgti_step_text(step, all));
    }
    return FGT_OK;
}

static void table_join_place_values(const joined *j, fgt_table *out)
{
    for (int64_t i = 0; i < out->rows * out->columns; i++) out->values[i] = NAN;
    for (int64_t i = 0; i < j->count; i++) {
        const fgt_table *t  = j->table[i];
        int64_t          at = 0;
        for (int64_t r = 0; r < t->rows; r++) {
            while (out->times[at] < t->times[r]) at++;
            for (int64_t c = 0; c < t->columns; c++)
                out->values[at * out->columns + j->column[i][c]] = t->values[r * t->columns + c];
        }
    }
}

/* Copies which cells were filled: the cells of long files are filled before the files are joined. */
static fgt_status place_fills(const joined *j, fgt_table *out)
{
    for (int64_t i = 0; i < j->count; i++) {
        const fgt_table *t = j->table[i];
        for (int64_t c = 0; t->fills && c < t->columns; c++) {
            fgti_fills fills = t->fills[c];
            fills.first      = fgti_time_find(out->times, out->rows, t->times[fills.first]);
            FGTI_TRY(fgti_table_add_fills(out, j->column[i][c], fills));
        }
    }
    return FGT_OK;
}

/* Takes the clock of the first file that has a clock, and the offsets of the rows of all such files. */
static fgt_status place_clocks(const joined *j, fgt_table *out)
{
    for (int64_t i = 0; i < j->count; i++) {
        const fgt_table *t  = j->table[i];
        int64_t          at = 0;
        if (!t->clock.offset) continue;
        if (!out->clock.offset) {
            FGTI_TRY(fgti_zone_copy(j->ctx, &t->clock.zone, &out->clock.zone));
            FGTI_TRY(FGTI_NEW(j->ctx, out->rows, "offsets of clocks", &out->clock.offset));
            out->clock.by_clock = t->clock.by_clock;
            for (int64_t r = 0; r < out->rows; r++)
                out->clock.offset[r] = fgti_clock_offset(&t->clock, out->times[r], t->clock.offset[0]);
        }
        for (int64_t r = 0; r < t->rows; r++) {
            while (out->times[at] < t->times[r]) at++;
            out->clock.offset[at] = t->clock.offset[r];
        }
    }
    return FGT_OK;
}

/* The label of a row comes from the first file if that file has the row. Otherwise the label gets the first
 * file's form. If this is impossible, the label of another file is used. */
static fgt_status place_labels(const joined *j, fgt_table *out)
{
    int64_t *at;
    char     text[FGTI_FORM_TEXT];
    FGTI_TRY(FGTI_NEW(j->ctx, j->count, "rows of files", &at));
    fgt_status s = FGT_OK;
    for (int64_t r = 0; s == FGT_OK && r < out->rows; r++) {
        const char *label = NULL;
        bool        first = false;
        for (int64_t i = 0; i < j->count; i++) {
            const fgt_table *t = j->table[i];
            if (at[i] == t->rows || t->times[at[i]] != out->times[r]) continue;
            if (!label && t->labels) label = fgti_strings_get(&t->dates, at[i]);
            first |= !i && t->labels;
            at[i]++;
        }
        if (!first && (fgti_time_form_show(&out->written, out->times[r], text) || !label)) label = text;
        s = fgti_strings_add(j->ctx, &out->dates, label, (int64_t)strlen(label));
    }
    fgti_free(j->ctx, at);
    return s;
}

static fgt_status place_names(const joined *j, fgt_table *out)
{
    const char *date = fgt_table_get_name(j->table[0], FGT_TABLE_NAME_LABELS, 0);
    out->labels      = 1;
    FGTI_TRY(fgti_strings_add(j->ctx, &out->names, date ? date : "date", date ? (int64_t)strlen(date) : 4));
    for (int64_t c = 0; c < out->columns; c++)
        FGTI_TRY(fgti_strings_add(j->ctx, &out->names, fgti_strings_get(&j->names.texts, c),
                                  fgti_strings_size(&j->names.texts, c)));
    return FGT_OK;
}

/* Adds the repeats of file i to the info. The info describes one conflict, the first one in the first file
 * with conflicts. */
static void add_repeats(const joined *j, int64_t i, fgt_table_info *info)
{
    const fgt_table_info *own = &j->table[i]->info;
    info->repeats += own->repeats;
    if (own->conflicts && !info->conflicts) {
        info->conflict_row     = own->conflict_row;
        info->conflict_line    = own->conflict_line;
        info->conflict_time    = own->conflict_time;
        info->conflict_column  = j->column[i][own->conflict_column];
        info->conflict_kept    = own->conflict_kept;
        info->conflict_dropped = own->conflict_dropped;
    }
    info->conflicts += own->conflicts;
}

/* Makes the info of the result: the info of the first table, with numbers summed over all tables. */
static fgt_status take_info(const joined *j, fgt_table_info info, fgt_table *out)
{
    info.series = j->table[0]->info.series;
    info.step   = j->axis.step;
    info.gaps += j->axis.gaps;
    for (int64_t i = 0; i < j->count; i++) {
        add_repeats(j, i, &info);
        info.gaps += j->table[i]->info.gaps;
        info.reordered |= j->table[i]->info.reordered;
        out->unseen += j->table[i]->unseen;
        FGTI_TRY(fgti_strings_add_new(j->ctx, &out->ignored, &j->table[i]->ignored));
    }
    out->info = info;
    return fgti_strings_append(j->ctx, &out->form, &j->table[0]->form);
}

/* ---- gaps ---- */

/* Number of the next file, in time, that has the same columns; -1: no later file has them. */
static int64_t find_next(const joined *j, int64_t i)
{
    const fgt_table *t    = j->table[i];
    int64_t          next = -1;
    for (int64_t k = 0; k < j->count; k++)
        if (j->kind[k] == j->kind[i] && j->table[k]->times[0] > t->times[t->rows - 1] &&
            (next < 0 || j->table[k]->times[0] < j->table[next]->times[0]))
            next = k;
    return next;
}

static fgt_status table_join_refuse_gap(const joined *j, const fgt_table *out, int64_t i, int64_t next,
                                        int64_t row)
{
    char text[FGTI_FORM_TEXT];
    fgti_table_write_label(out, out->times[row], out->clock.offset ? out->clock.offset[row] : 0, text);
    return fgti_fail(&j->ctx->error, FGT_E_DATA,
                     "%.200s: no file with its columns has a row at %s, although %.200s has later ones; the "
                     "option `repair` gaps can add such rows",
                     j->path[i], text, j->path[next]);
}

/* Settles rows between two files that have the same columns. If other files have these rows, they are gaps,
 * as in a series of a long file. Rows that no file has are checked by table_join_make_axis(). */
static fgt_status table_join_settle_gaps(const joined *j, const fgt_table *out, const fgt_csv_opts *opts,
                                         int64_t *gaps)
{
    const bool repair = opts->repair & FGT_TABLE_REPAIR_GAPS;
    for (int64_t i = 0; i < j->count; i++) {
        const int64_t next = find_next(j, i);
        if (next < 0) continue;
        const int64_t last = fgti_time_find(out->times, out->rows, j->table[i]->times[j->table[i]->rows - 1]);
        for (int64_t r = last + 1; out->times[r] < j->table[next]->times[0]; r++) {
            if (j->axis.from[r] < 0) continue;
            if (!repair && opts->missing == FGT_TABLE_MISSING_REFUSE)
                return table_join_refuse_gap(j, out, i, next, r);
            *gaps += repair;
        }
    }
    return FGT_OK;
}

static fgt_status refuse_first(const joined *j, const fgt_table *out, int64_t row, int64_t column)
{
    int64_t i = 0, c = 0;
    while (j->table[i]->times[0] != out->times[row] || j->column[i][c] != column)
        if (++c == j->table[i]->columns) i++, c = 0;
    return fgti_table_refuse_first(&j->ctx->error, j->path[i], 0,
                                   fgt_table_get_name(out, FGT_TABLE_NAME_COLUMN, column));
}

/* Finds, for each column, the rows begin .. end-1 in which gaps are filled. They are the rows of the column's
 * files; in long files they reach from the first value to the last. */
static void find_spans(const joined *j, const fgt_table *out, int64_t *begin, int64_t *end)
{
    for (int64_t c = 0; c < out->columns; c++) {
        fgti_table_span(out, c, &begin[c], &end[c]);
        if (begin[c] == end[c]) begin[c] = out->rows;
    }
    for (int64_t i = 0; i < j->count; i++) {
        const fgt_table *t     = j->table[i];
        const int64_t    first = fgti_time_find(out->times, out->rows, t->times[0]);
        const int64_t    last  = fgti_time_find(out->times, out->rows, t->times[t->rows - 1]);
        for (int64_t k = 0; !t->ragged && k < t->columns; k++) {
            const int64_t c = j->column[i][k];
            if (first < begin[c]) begin[c] = first;
            if (last >= end[c]) end[c] = last + 1;
        }
    }
}

static fgt_status join_fill(const joined *j, int32_t missing, fgt_table *out)
{
    const int64_t columns = out->columns;
    int64_t      *begin, *end;
    fgt_status    s = FGT_OK;
    FGTI_TRY(FGTI_NEW(j->ctx, 2 * columns, "columns", &begin));
    end = begin + columns;
    find_spans(j, out, begin, end);
    for (int64_t c = 0; c < columns && s == FGT_OK; c++)
        for (int64_t r = begin[c]; r < end[c] && s == FGT_OK; r++) {
            if (!isnan(out->values[r * columns + c])) continue;
            s = r == begin[c] && missing == FGT_TABLE_MISSING_FORWARD_FILL
                    ? refuse_first(j, out, r, c)
                    : fgti_table_fill_cell(out, missing, r, c);
        }
    fgti_free(j->ctx, begin);
    return s;
}

/* ---- all of it ---- */

static fgt_status table_join_combine(joined *j, const fgt_csv_opts *opts, fgt_table *out)
{
    fgt_table_info info   = {0};
    int64_t        values = 0, columns = 0;
    for (int64_t i = 0; i < j->count; i++) columns += j->table[i]->columns;
    FGTI_TRY(FGTI_NEW(j->ctx, columns, "columns", &j->stamp));
    FGTI_TRY(FGTI_NEW(j->ctx, j->count, "files", &j->kind));
    for (int64_t i = 0; i < j->count; i++) {
        FGTI_TRY(table_join_check_times(j, i));
        FGTI_TRY(place_columns(j, i));
        FGTI_TRY(join_compare(j, i, &info));
        values += j->table[i]->rows * j->table[i]->columns;
    }
    FGTI_TRY(table_join_make_axis(j, opts));
    FGTI_TRY(check_step(j));
    out->columns = j->names.texts.count;
    out->rows    = j->axis.rows;
    out->ragged  = info.joined || j->table[0]->ragged;
    FGTI_TRY(fgti_table_check_size(&j->ctx->error, j->path[0], out->rows, out->columns, values));
    out->capacity = out->rows * out->columns;
    FGTI_TRY(FGTI_NEW(j->ctx, out->capacity, "table", &out->values));
    out->written = j->table[0]->written;
    for (int64_t i = 1; i < j->count; i++) fgti_time_form_add_offsets(&out->written, &j->table[i]->written);
    out->times   = j->axis.time;
    j->axis.time = NULL;
    FGTI_TRY(place_clocks(j, out));
    FGTI_TRY(place_names(j, out));
    FGTI_TRY(place_labels(j, out));
    table_join_place_values(j, out);
    FGTI_TRY(place_fills(j, out));
    FGTI_TRY(table_join_settle_gaps(j, out, opts, &info.gaps));
    if (opts->missing >= FGT_TABLE_MISSING_FORWARD_FILL) FGTI_TRY(join_fill(j, opts->missing, out));
    return take_info(j, info, out);
}

fgt_status fgti_table_combine(fgt_context *ctx, fgt_table **tables, const char *const *paths, int64_t count,
                              const fgt_csv_opts *opts)
{
    joined     j   = {.ctx = ctx, .table = tables, .path = paths, .count = count};
    fgt_table *out = NULL;
    fgt_status s   = FGTI_NEW(ctx, 1, "table", &out);
    if (s == FGT_OK) {
        out->ctx = ctx;
        s        = FGTI_NEW(ctx, count, "columns", &j.column);
    }
    if (s == FGT_OK) s = fgti_categories_align(ctx, tables, count, opts->categories, opts->category_count);
    if (s == FGT_OK) s = table_join_combine(&j, opts, out);
    for (int64_t i = 0; j.column && i < count; i++) fgti_free(ctx, j.column[i]);
    fgti_free(ctx, j.column);
    fgti_free(ctx, j.stamp);
    fgti_free(ctx, j.kind);
    fgti_words_done(ctx, &j.names);
    fgti_strings_done(ctx, &j.texts);
    fgti_axis_done(&j.axis);
    if (s != FGT_OK) {
        fgt_table_destroy(&out);
        return s;
    }
    fgt_table_destroy(&tables[0]);
    tables[0] = out;
    return FGT_OK;
}
