/* SPDX-License-Identifier: BSD-3-Clause */
/* Warns of isolated values: values that are treated as missing, and values that the forecast follows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/table_file.h>

#include "fast.h"

/* AROUND neighbours are compared with a row. A series has at most MOST outliers, and one in ROWS_OF_ONE rows.
 * Usual distances need LEAST rows. At most NAMED values are named in a message. */
enum { AROUND = 6, MOST = 3, ROWS_OF_ONE = 50, LEAST = 12, NAMED = 8 };
#define FAR  20. /* usual distances */
#define MUCH 2000. /* a multiple of the usual distances that no row reaches by chance */
#define WIDE 3.  /* ranges of the neighbours: the last row of a growing series is not an outlier */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int64_t n)
{
    qsort(v, (size_t)n, sizeof *v, compare);
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* Distance from the median of up to 6 rows around row t; NaN: there are no values. *width: the range of these
 * rows. */
static double distance_of(const double *y, int64_t n, int64_t t, double *width)
{
    double  v[AROUND];
    int64_t k = 0;
    for (int64_t d = 1; k < AROUND && d < n; d++) {
        if (t >= d && !isnan(y[t - d])) v[k++] = y[t - d];
        if (k < AROUND && t + d < n && !isnan(y[t + d])) v[k++] = y[t + d];
    }
    if (!k) return NAN;
    const double middle = median(v, k); /* also sorts v */
    *width              = v[k - 1] - v[0];
    return fabs(y[t] - middle);
}

/* Whether a row about a season before or after is at least a third as far from the rows around it, as in
 * peaks that grow; seasons [SEASONS]. */
static bool recurs(const double *far, int64_t n, const int64_t *seasons, int64_t t)
{
    for (int k = 0; k < SEASONS; k++) {
        const int64_t season = seasons[k], about = season < 100 ? 1 : season / 50;
        for (int64_t d = season - about; season > 1 && d <= season + about; d++)
            if ((t >= d && far[t - d] > far[t] / 3) || (t + d < n && far[t + d] > far[t] / 3)) return true;
    }
    return false;
}

/* Finds the outliers of a series, and the first of them in row [NAMED]; far [n], spare [n]. If there are many
 * of similar size, they are not outliers. */
static int64_t find(const double *y, int64_t n, const int64_t *seasons, double *far, double *spare,
                    int64_t row[NAMED])
{
    const int64_t most  = n / ROWS_OF_ONE > MOST ? n / ROWS_OF_ONE : MOST;
    int64_t       known = 0, count = 0, much = 0;
    double        width;
    for (int64_t t = 0; t < n; t++) {
        far[t] = distance_of(y, n, t, &width);
        if (!isnan(far[t])) spare[known++] = far[t];
    }
    if (known < LEAST) return 0;
    const double usual = median(spare, known);
    for (int64_t t = 0; usual > 0 && t < n; t++) {
        if (!(far[t] > FAR * usual) || !(distance_of(y, n, t, &width) > WIDE * width)) continue;
        if (recurs(far, n, seasons, t)) continue;
        if (count < NAMED) row[count] = t;
        count++;
        much += far[t] > MUCH * usual;
    }
    return count <= most || much ? count : 0;
}

/* ---- messages ---- */

/* Values or series of one kind; the text has the first ones, as `"a" is 99999 in line 7`. */
typedef struct list {
    int64_t count;
    char    text[NAMED * (PLACE_MAX + PLAIN_TEXT)];
} list;

static void add_series(list *l, const char *name, const char *what, const char *place)
{
    char         plain[PLAIN_TEXT];
    const size_t n = strlen(l->text);
    if (l->count++ < NAMED)
        snprintf(l->text + n, sizeof l->text - n, "%s\"%s\" %s%s", n ? ", " : "",
                 plain_text(name, plain, sizeof plain), what, place);
}

static void add(list *l, const char *name, double value, const char *place)
{
    char number[NUMBER_TEXT], what[NUMBER_TEXT + 8];
    snprintf(what, sizeof what, "is %s ", number_text(value, number));
    add_series(l, name, what, place);
}

/* " and 3 more": the number of values or series that are not named. */
static const char *rest_of(const list *l, char text[40])
{
    *text = 0;
    if (l->count > NAMED) snprintf(text, 40, " and %lld more", (long long)l->count - NAMED);
    return text;
}

/* one, several: the end of the sentence for a single value, and for several. */
static void warn_of(const char *path, const list *l, const char *where, const char *one, const char *several)
{
    char rest[40];
    if (l->count == 1)
        warn("%s: %s, far from all rows around it%s; %s", path, l->text, where, one);
    else if (l->count)
        warn("%s: %lld values are far from all rows around them%s: %s%s; %s", path, (long long)l->count,
             where, l->text, rest_of(l, rest), several);
}

static void warn_of_left_out(const char *path, const list *l)
{
    warn_of(path, l, " and from other seasons",
            "it counts as missing, also where errors are measured; --keep-outliers keeps it",
            "they count as missing, also where errors are measured; --keep-outliers keeps them");
}

/* ---- with training ---- */

typedef struct search {
    const run  *r;
    fgt_table  *table;
    const bool *marked; /* [columns]: whether the column has a number such as -9999 */
    int64_t     seasons[SEASONS];
} search;

/* Finds and removes values. from: the table, or a copy of its column. */
static bool find_wild(const search *s, fgt_table *from, const char *name, list *l)
{
    int64_t column, count, row[FGT_LEFT_OUT];
    double  value[FGT_LEFT_OUT];
    char    place[PLACE_MAX];
    if (fgt_table_get_column(from, name, &column) != FGT_OK) return true; /* reported elsewhere */
    if (fgt_table_leave_out(from, column, s->seasons[0], s->seasons[1], row, value, &count) != FGT_OK)
        return run_failed(s->r, s->r->o->data);
    for (int64_t i = 0; i < count; i++) add(l, name, value[i], row_place(s->table, row[i], place));
    return true;
}

/* Removes values of a column. A number such as -9999 that another column has too often is kept here as well,
 * because it is a case for --missing-value. */
static bool leave_out(const search *s, const char *name, list *l)
{
    int64_t column;
    if (fgt_table_get_column(s->table, name, &column) == FGT_OK && s->marked[column]) return true;
    return find_wild(s, s->table, name, l);
}

/* Known columns keep such values, because they may be real. */
static bool find_in_known(const search *s, const char *name, list *l)
{
    fgt_table *copy;
    int64_t    column;
    if (fgt_table_get_column(s->table, name, &column) != FGT_OK) return true; /* reported elsewhere */
    if (fgt_table_create_subset(s->table, &column, 1, &copy) != FGT_OK)
        return run_failed(s->r, s->r->o->data);
    const bool good = find_wild(s, copy, name, l);
    fgt_table_destroy(&copy);
    return good;
}

/* Checks the targets and past columns of a model, or of the options if there is no model. */
static bool leave_out_all(const search *s, list *l, list *kept)
{
    const run    *r      = s->r;
    const int64_t inputs = r->info.columns + r->info.past;
    column_roles  c      = {0};
    bool          good   = true;
    for (int64_t i = 0; good && r->forecaster && i < inputs; i++)
        good = leave_out(s, fgt_forecaster_get_name(r->forecaster, i), l);
    for (int64_t i = 0; good && r->forecaster && i < r->info.known; i++)
        good = find_in_known(s, fgt_forecaster_get_name(r->forecaster, inputs + i), kept);
    if (r->forecaster) return good;
    good = columns_find(r, &c);
    for (int64_t i = 0; good && i < c.target.count; i++) good = leave_out(s, c.target.name[i], l);
    for (int64_t i = 0; good && i < c.past.count; i++) good = leave_out(s, c.past.name[i], l);
    for (int64_t i = 0; good && i < c.known.count; i++) good = find_in_known(s, c.known.name[i], kept);
    columns_done(&c);
    return good;
}

static search new_search(const run *r, fgt_table *table, const bool *marked)
{
    search s = {.r = r, .table = table, .marked = marked};
    if (time_seasons(table, s.seasons) && !r->o->season) return s;
    s.seasons[0] = r->o->season;
    s.seasons[1] = 0;
    return s;
}

bool outliers_leave_out(const run *r, const char *path, fgt_table *table)
{
    list l = {0}, kept = {0};
    if (r->o->keep_outliers || table_is_stored(table)) return true;
    bool *marked = calloc((size_t)fgt_table_count_columns(table), sizeof *marked);
    bool  good   = marked || complain("no memory");
    if (good && (good = markers_find(r, path, table, marked))) {
        const search s = new_search(r, table, marked);
        good           = leave_out_all(&s, &l, &kept);
    }
    free(marked);
    if (!good) return false;
    warn_of_left_out(path, &l);
    warn_of(path, &kept, "",
            "the model reads it, as a known value may have a reason; where it is wrong, an empty cell and "
            "--missing mask are better",
            "the model reads them, as known values may have a reason; where they are wrong, empty cells and "
            "--missing mask are better");
    return true;
}

/* ---- without training ---- */

void fast_leave_out(const fast *f)
{
    char place[PLACE_MAX];
    list l = {0};
    for (int64_t k = 0; k < f->count * FGT_LEFT_OUT; k++) {
        const int64_t i = k / FGT_LEFT_OUT, row = f->left_out[k];
        if (row < 0) continue;
        add(&l, f->name[i], f->own[i][row], fast_place(f, i, row, place));
        f->own[i][row] = NAN;
    }
    warn_of_left_out(f->r->o->data, &l);
}

void fast_warn_of_zeros(const fast *f)
{
    char place[PLACE_MAX], rest[40];
    list l = {0};
    for (int64_t i = 0; i < f->count; i++)
        if (f->begin[i]) add_series(&l, f->name[i], "", fast_place(f, i, f->begin[i], place));
    if (l.count)
        warn("%s: %lld series begin%s after zeros, which do not count: %s%s", f->r->o->data,
             (long long)l.count, l.count == 1 ? "s" : "", l.text, rest_of(&l, rest));
}

/* Describes the position of a row; in a blend series are columns of the table. */
static const char *place_of(const fast *f, int64_t series, int64_t row, char place[PLACE_MAX])
{
    return f->axis ? fast_place(f, series, row, place) : row_place(f->r->table, row, place);
}

static double value_of(const fast *f, int64_t series, int64_t row)
{
    const fgt_view v = fgt_table_get_values(f->r->table);
    int64_t        column;
    if (f->values) return f->values[series][row];
    if (fgt_table_get_column(f->r->table, run_name(f->r, series), &column) != FGT_OK) return NAN;
    return ((const double *)v.data)[row * v.shape[1] + column];
}

int64_t fast_count_rows(const fast *f, int64_t series, int64_t row)
{
    return (f->axis ? f->rows[series] : fgt_forecaster_find_row(f->r->forecaster, f->r->table)) - row;
}

/* The number of intervals that also contain the old level, after this many rows of the new one: see
 * fgt_local_opts. */
static int64_t count_both(const options *o, int64_t rows)
{
    const double rounding = 1e-9;
    int64_t      count = 0;
    for (int64_t i = 0; i < o->interval_count; i++)
        count += (1 - o->interval[i]) / 2 < 1 / (double)(rows + 1) - rounding;
    return count;
}

/* both: the number of all their intervals that contain both levels. */
static void warn_of_levels(const fast *f, const list *l, int64_t both)
{
    const int64_t all = l->count * f->r->o->interval_count;
    char          rest[40];
    if (l->count)
        warn("%s: a level far from the one before begins: %s%s; the forecast follows it%s", f->r->o->data,
             l->text, rest_of(l, rest),
             !all          ? ""
             : both == all ? ", and intervals hold both levels"
             : both        ? ", and some intervals hold both levels"
                           : ", and intervals do not hold the level before");
}

void fast_warn_of_last_rows(const fast *f)
{
    char    place[PLACE_MAX], rest[40];
    list    single = {0}, shifted = {0}, stuck = {0};
    int64_t both = 0;
    for (int64_t i = 0; i < f->count; i++) {
        const char   *name = run_name(f->r, i);
        const int64_t row = f->shifted[i], same = f->stuck[i];
        if (same >= 0) add(&stuck, name, value_of(f, i, same), place_of(f, i, same, place));
        if (row < 0 || (same >= 0 && same <= row)) continue; /* a constant level is named only once */
        if (f->left_out && f->left_out[i * FGT_LEFT_OUT] >= 0 && isnan(value_of(f, i, row))) continue;
        const int64_t rows = fast_count_rows(f, i, row);
        if (rows > 1) both += count_both(f->r->o, rows);
        add_series(rows > 1 ? &shifted : &single, name, "", place_of(f, i, row, place));
    }
    if (single.count)
        warn("%s: the last row is far from the level before: %s%s; it may be a single wild value, so the "
             "forecast does not move to it%s",
             f->r->o->data, single.text, rest_of(&single, rest),
             f->r->o->interval_count ? ", but intervals reach as far" : "");
    warn_of_levels(f, &shifted, both);
    if (stuck.count)
        warn("%s: a value stays as it is for longer than any before: %s%s, and in all later rows with a "
             "value; where that is a fault, empty cells are better",
             f->r->o->data, stuck.text, rest_of(&stuck, rest));
}

/* Skips columns from which values were removed, because they have been named. */
bool fast_warn_of_markers(const fast *f)
{
    const run *r    = f->r;
    bool      *said = calloc((size_t)fgt_table_count_columns(r->table), sizeof *said);
    int64_t    column;
    if (!said) return complain("no memory");
    for (int64_t i = 0; i < f->count; i++)
        if (fgt_table_get_column(r->table, f->name[i], &column) == FGT_OK)
            said[column] = f->left_out[i * FGT_LEFT_OUT] >= 0;
    const bool good = markers_warn(r, r->o->data, r->table, 0, said);
    free(said);
    return good;
}

bool fast_warn_of_outliers(const fast *f)
{
    char    place[PLACE_MAX];
    int64_t most = 0, row[NAMED];
    list    l    = {0};
    for (int64_t i = 0; i < f->count; i++) most = f->rows[i] > most ? f->rows[i] : most;
    double *room = malloc((size_t)(2 * most) * sizeof *room);
    if (!room) return complain("no memory");
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t *seasons = f->group[f->of[i]].seasons;
        const int64_t  count   = find(f->values[i], f->rows[i], seasons, room, room + most, row);
        for (int64_t k = 0; k < count; k++)
            add(&l, f->name[i], f->values[i][row[k < NAMED ? k : 0]],
                fast_place(f, i, row[k < NAMED ? k : 0], place));
    }
    free(room);
    warn_of(f->r->o->data, &l, "", "the forecast follows it; where it is wrong, an empty cell is better",
            "the forecast follows them; where they are wrong, empty cells are better");
    return true;
}
