/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that stand alone are said: those that count as missing, and those that the forecast follows. */
#include <math.h>
#include <stdlib.h>

#include "fast.h"

/* Neighbours; outliers of a series; rows that show what is usual. */
enum { AROUND = 6, MOST = 2, LEAST = 12 };
#define FAR  20. /* usual distances */
#define WIDE 3.  /* ranges of the neighbours: the last row of a growing series is no outlier */

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

/* From the median of up to 6 rows around row t; NaN: there is no value. *width: from the least to the most of
 * these rows. */
static double distance_of(const double *y, int64_t n, int64_t t, double *width)
{
    double  v[AROUND];
    int64_t k = 0;
    for (int64_t d = 1; k < AROUND && d < n; d++) {
        if (t >= d && !isnan(y[t - d])) v[k++] = y[t - d];
        if (k < AROUND && t + d < n && !isnan(y[t + d])) v[k++] = y[t + d];
    }
    if (!k) return NAN;
    const double middle = median(v, k); /* sorts them */
    *width              = v[k - 1] - v[0];
    return fabs(y[t] - middle);
}

/* The row of the first outlier of a series, -1: none; far [rows], spare [rows]. */
static int64_t find_first(const double *y, int64_t n, double *far, double *spare)
{
    int64_t known = 0, count = 0, first = -1;
    double  width;
    for (int64_t t = 0; t < n; t++) {
        far[t] = distance_of(y, n, t, &width);
        if (!isnan(far[t])) spare[known++] = far[t];
    }
    if (known < LEAST) return -1;
    const double usual = median(spare, known);
    for (int64_t t = 0; usual > 0 && t < n; t++)
        if (far[t] > FAR * usual && distance_of(y, n, t, &width) > WIDE * width && !count++) first = t;
    return count <= MOST ? first : -1;
}

/* Warns of the values that the library left out. */
static void warn_of_left_out(const fast *f)
{
    char    place[PLACE_MAX], number[NUMBER_TEXT];
    int64_t count = 0, first = 0;
    for (int64_t i = 2 * f->count - 1; i >= 0; i--) {
        if (f->left_out[i] < 0) continue;
        first = i;
        count++;
    }
    const int64_t series = first / 2, row = f->left_out[first];
    if (!count) return;
    number_text(f->values[series][row], number);
    fast_place(f, series, row, place);
    if (count == 1)
        warn("%s: \"%s\" is %s %s, far from all rows around it and from other seasons; it counts as missing",
             f->r->o->data, f->name[series], number, place);
    else
        warn("%s: \"%s\" is %s %s, far from all rows around it and from other seasons; it counts as "
             "missing, as do%s %lld more value%s of that kind",
             f->r->o->data, f->name[series], number, place, count == 2 ? "es" : "", (long long)count - 1,
             count == 2 ? "" : "s");
}

bool fast_warn_of_outliers(const fast *f)
{
    char    place[PLACE_MAX], number[NUMBER_TEXT];
    int64_t most = 0, count = 0, series = 0, row = 0;
    for (int64_t i = 0; i < f->count; i++) most = f->rows[i] > most ? f->rows[i] : most;
    double *room = malloc((size_t)(2 * most) * sizeof *room);
    if (!room) return complain("no memory");
    for (int64_t i = 0; i < f->count; i++) {
        if (f->left_out[2 * i] >= 0) continue;
        const int64_t t = find_first(f->values[i], f->rows[i], room, room + most);
        if (t < 0 || count++) continue;
        series = i;
        row    = t;
    }
    free(room);
    warn_of_left_out(f);
    if (count)
        warn("%s: \"%s\" is %s %s, far from all rows around it%s; the forecast follows it; where it is "
             "wrong, an empty cell is better",
             f->r->o->data, f->name[series], number_text(f->values[series][row], number),
             fast_place(f, series, row, place),
             count > 1 ? ", and so are values of other series" : "");
    return true;
}
