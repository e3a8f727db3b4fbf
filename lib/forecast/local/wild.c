/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/wild.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/sort.h"

enum { AROUND = 6, SEASONS = 2, LEAST = 12 /* rows that show what is usual */ };
#define FAR     20. /* usual distances */
#define FARTHER 30. /* of the last row, where a level may begin */
#define SHARE   .2  /* of the usual distance from the rows around */
#define NEXT    3.  /* times as far as the rows beside it */

static double median(double *v, int64_t n)
{
    fgti_sort_doubles(v, n);
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* r_t */
static double from_rows(const double *y, int64_t n, int64_t t)
{
    double  v[AROUND];
    int64_t k = 0;
    for (int64_t d = 1; k < AROUND && d < n; d++) {
        if (t >= d) v[k++] = y[t - d];
        if (k < AROUND && t + d < n) v[k++] = y[t + d];
    }
    return fabs(y[t] - median(v, k));
}

/* q_t; 0 without such rows, INFINITY without a season. */
static double from_seasons(const double *y, int64_t n, int64_t period, int64_t t)
{
    double  v[2 * SEASONS];
    int64_t k = 0;
    if (period < 2) return INFINITY;
    for (int64_t d = period; d <= SEASONS * period; d += period) {
        if (t >= d) v[k++] = y[t - d];
        if (t + d < n) v[k++] = y[t + d];
    }
    return k ? fabs(y[t] - median(v, k)) : 0;
}

/* Whether a row about `away` rows before or after row t is like it. */
static bool recurs(const double *y, int64_t n, int64_t away, int64_t t, double near)
{
    if (away < 2) return false;
    for (int64_t d = away - 1; d <= away + 1; d++) {
        if (t >= d && fabs(y[t - d] - y[t]) < near) return true;
        if (t + d < n && fabs(y[t + d] - y[t]) < near) return true;
    }
    return false;
}

static bool is_alone(const double *y, int64_t n, int64_t t, double far)
{
    return (t == 0 || NEXT * from_rows(y, n, t - 1) < far) &&
           (t + 1 == n || NEXT * from_rows(y, n, t + 1) < far);
}

/* Whether earlier rows jumped half as far as the last one: it may be a new level. */
static bool has_jumped(const double *y, int64_t n, double far)
{
    for (int64_t t = 1; t + 1 < n; t++)
        if (fabs(y[t] - y[t - 1]) > far / 2) return true;
    return false;
}

/* Of rare counts a fifth of the rows is 0, or more. */
static bool is_rare(const double *y, int64_t n)
{
    int64_t zeros = 0;
    for (int64_t t = 0; t < n; t++) zeros += y[t] == 0;
    return 5 * zeros >= n;
}

/* Seasons that are alike to the digit, and small counts, do not make small differences wild. */
static double usual_of(const double *y, int64_t n, const double *far, double *sorted)
{
    double mean = 0;
    memcpy(sorted, far, (size_t)n * sizeof *far);
    for (int64_t t = 0; t < n; t++) mean += far[t] / (double)n;
    const double d = fmax(median(sorted, n), mean / 2);
    for (int64_t t = 0; t < n; t++) sorted[t] = from_rows(y, n, t);
    return fmax(d, SHARE * median(sorted, n));
}

int fgti_wild_find(const double *y, int64_t n, int64_t period, int64_t longer, double *scratch,
                   int64_t row[FGTI_WILD_MOST])
{
    double *far = scratch, *sorted = scratch + n;
    int     count = 0;
    if (n < LEAST || is_rare(y, n)) return 0;
    for (int64_t t = 0; t < n; t++) {
        const double d = from_seasons(y, n, period, t);
        far[t]         = d > 0 ? fmin(d, from_rows(y, n, t)) : 0;
    }
    const double usual = usual_of(y, n, far, sorted);
    for (int64_t t = 0; usual > 0 && t < n; t++) {
        if (far[t] <= FAR * usual || !is_alone(y, n, t, far[t]) || recurs(y, n, period, t, far[t] / 2) ||
            recurs(y, n, 2 * period, t, far[t] / 2) || recurs(y, n, longer, t, far[t] / 2) ||
            (t == n - 1 && (far[t] < FARTHER * usual || has_jumped(y, n, far[t]))))
            continue;
        if (count == FGTI_WILD_MOST) return 0;
        row[count++] = t;
    }
    return count;
}

/* The mean of the rows beside row t. */
static double between(const double *y, int64_t n, int64_t t)
{
    if (t == 0) return y[1];
    return t + 1 < n ? (y[t - 1] + y[t + 1]) / 2 : y[t - 1];
}

double fgti_wild_expect(const double *y, int64_t n, int64_t period, int64_t t)
{
    double sum = 0, count = 0;
    for (int side = 0; period > 1 && side < 2; side++) {
        const int64_t s = side ? t + period : t - period;
        if (s < 0 || s >= n) continue;
        sum += y[s] - between(y, n, s);
        count++;
    }
    double least = INFINITY, most = -INFINITY;
    for (int64_t s = 0; s < n; s++) {
        if (s == t) continue;
        least = fmin(least, y[s]);
        most  = fmax(most, y[s]);
    }
    return fmin(fmax(between(y, n, t) + (count > 0 ? sum / count : 0), least), most);
}
