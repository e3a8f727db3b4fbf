/* SPDX-License-Identifier: BSD-3-Clause */
/* Warns of isolated values in forecasts without training. Some of them are treated as missing; the forecast
 * follows the others. */
#include <math.h>
#include <stdlib.h>

#include "fast_outliers.h"
#include "fast_series.h"
#include "markers.h"
#include "value_list.h"

#include "../common/program.h"

/* A row is compared with its AROUND nearest neighbours. A series of n rows has at most MOST outliers, or n /
 * ROWS_OF_ONE if that is more. At least LEAST distances are needed to know which distance is usual. */
enum { AROUND = 6, MOST = 3, ROWS_OF_ONE = 50, LEAST = 12 };
#define FAR  20.   /* an outlier is more than this many usual distances away */
#define MUCH 2000. /* so many usual distances do not occur by chance */
#define WIDE 3.    /* and this many ranges of its neighbours: the last row of a growing series is closer */

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

/* Distance of row t from the median of up to AROUND rows around it; NaN: there are no values. *width is the
 * range of these rows. */
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

/* Whether row t may be a peak that recurs with a season. This is so if a row about a season before or after
 * is more than a third as far from its neighbours, as in peaks that grow. seasons [FGT_SEASONS]. */
static bool recurs(const double *far, int64_t n, const int64_t *seasons, int64_t t)
{
    for (int k = 0; k < FGT_SEASONS; k++) {
        const int64_t season = seasons[k], about = season < 100 ? 1 : season / 50;
        for (int64_t d = season - about; season > 1 && d <= season + about; d++)
            if ((t >= d && far[t - d] > far[t] / 3) || (t + d < n && far[t + d] > far[t] / 3)) return true;
    }
    return false;
}

/* Finds the outliers of a series, and stores the first ones in row [VALUE_LIST_MOST]. Returns their number,
 * or 0 if there are too many of similar size, which are no outliers. far [n] and spare [n] are scratch
 * memory. */
static int64_t find(const double *y, int64_t n, const int64_t *seasons, double *far, double *spare,
                    int64_t row[VALUE_LIST_MOST])
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
        if (count < VALUE_LIST_MOST) row[count] = t;
        count++;
        much += far[t] > MUCH * usual;
    }
    return count <= most || much ? count : 0;
}

void fast_leave_out(const fast *f)
{
    char       place[PLACE_MAX];
    value_list l = {0};
    for (int64_t k = 0; k < f->count * FGT_LEFT_OUT; k++) {
        const int64_t i = k / FGT_LEFT_OUT, row = f->left_out[k];
        if (row < 0) continue;
        value_list_add(&l, f->name[i], f->values[i][row], fast_place(f, i, row, place));
        f->values[i][row] = NAN;
    }
    value_list_warn_left_out(f->r->o->data, &l);
}

void fast_warn_of_zeros(const fast *f)
{
    char       place[PLACE_MAX], rest[40];
    value_list l = {0};
    for (int64_t i = 0; i < f->count; i++)
        if (f->begin[i]) value_list_add_series(&l, f->name[i], "", fast_place(f, i, f->begin[i], place));
    if (l.count)
        warn("%s: %lld series begin%s after zeros, which do not count: %s%s", f->r->o->data,
             (long long)l.count, l.count == 1 ? "s" : "", l.text, value_list_rest(&l, rest));
}

/* Describes the position of a row. In a blend (axis NULL) the series are columns of the table. */
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

/* The number of intervals that also contain the old level if the new level has had `rows` rows; see
 * fgt_local_opts. */
static int64_t count_both(const options *o, int64_t rows)
{
    const double rounding = 1e-9;
    int64_t      count    = 0;
    for (int64_t i = 0; i < o->interval_count; i++)
        count += (1 - o->interval[i]) / 2 < 1 / (double)(rows + 1) - rounding;
    return count;
}

/* Warns of series with a new level. `both` counts the intervals of all these series that contain both
 * levels. */
static void warn_of_levels(const fast *f, const value_list *l, int64_t both)
{
    const int64_t all = l->count * f->r->o->interval_count;
    char          rest[40];
    if (l->count)
        warn("%s: a level far from the one before begins: %s%s; the forecast follows it%s", f->r->o->data,
             l->text, value_list_rest(l, rest),
             !all          ? ""
             : both == all ? ", and intervals hold both levels"
             : both        ? ", and some intervals hold both levels"
                           : ", and intervals do not hold the level before");
}

void fast_warn_of_last_rows(const fast *f)
{
    char       place[PLACE_MAX], rest[40];
    value_list single = {0}, shifted = {0}, stuck = {0};
    int64_t    both = 0;
    for (int64_t i = 0; i < f->count; i++) {
        const char   *name = run_name(f->r, i);
        const int64_t row = f->shifted[i], same = f->stuck[i];
        if (same >= 0) value_list_add(&stuck, name, value_of(f, i, same), place_of(f, i, same, place));
        if (row < 0 || (same >= 0 && same <= row)) continue; /* a constant level is named only once */
        if (f->left_out && f->left_out[i * FGT_LEFT_OUT] >= 0 && isnan(value_of(f, i, row))) continue;
        const int64_t rows = fast_count_rows(f, i, row);
        if (rows > 1) both += count_both(f->r->o, rows);
        value_list_add_series(rows > 1 ? &shifted : &single, name, "", place_of(f, i, row, place));
    }
    if (single.count)
        warn("%s: the last row is far from the level before: %s%s; it may be a single wild value, so the "
             "forecast does not move to it%s",
             f->r->o->data, single.text, value_list_rest(&single, rest),
             f->r->o->interval_count ? ", but intervals reach as far" : "");
    warn_of_levels(f, &shifted, both);
    if (stuck.count)
        warn("%s: a value stays as it is for longer than any before: %s%s, and in all later rows with a "
             "value; where that is a fault, empty cells are better",
             f->r->o->data, stuck.text, value_list_rest(&stuck, rest));
}

/* Columns from which values were removed are skipped, because a warning has named them already. */
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
    char       place[PLACE_MAX];
    int64_t    most = 0, row[VALUE_LIST_MOST];
    value_list l    = {0};
    for (int64_t i = 0; i < f->count; i++) most = f->rows[i] > most ? f->rows[i] : most;
    double *room = malloc((size_t)(2 * most) * sizeof *room);
    if (!room) return complain("no memory");
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t *seasons = f->group[f->of[i]].seasons;
        const int64_t  count   = find(f->values[i], f->rows[i], seasons, room, room + most, row);
        for (int64_t k = 0; k < count; k++)
            value_list_add(&l, f->name[i], f->values[i][row[k < VALUE_LIST_MOST ? k : 0]],
                           fast_place(f, i, row[k < VALUE_LIST_MOST ? k : 0], place));
    }
    free(room);
    value_list_warn(f->r->o->data, &l, "",
                    "the forecast follows it; where it is wrong, an empty cell is better",
                    "the forecast follows them; where they are wrong, empty cells are better");
    return true;
}

json_t *fast_describe_rows(const fast *f, const int64_t *from)
{
    json_t *list = json_array();
    for (int64_t i = 0; list && i < f->count; i++)
        if (from[i] >= 0)
            json_array_append_new(list, json_pack("{s:s, s:I}", "series", run_name(f->r, i), "rows",
                                                  (json_int_t)fast_count_rows(f, i, from[i])));
    return list;
}
