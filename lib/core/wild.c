/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/wild.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/size.h"
#include "core/sort.h"

enum {
    AROUND          = 6,
    SEASONS         = 2,
    LEAST           = 12, /* rows that are needed to estimate the usual distance */
    LEAST_OF_ERRORS = 8,
    SHORT           = 500, /* up to this length, large distances do not occur by chance */
    FEW             = 2,
    ROWS_OF_ONE     = 50,
    ROWS_OF_ERROR   = 10,
    KEPT            = FGT_LEFT_OUT + 1 /* one row more than the number that may be left out, so that the
                                        * others can be compared with this row */
};
#define FAR     20. /* times the usual distance */
#define FARTHER 30. /* times the usual distance for the last row, which may be the first of a new level */
#define SHARE      .2  /* the usual distance is at least this share of the median from the rows around */
#define NEXT       3.  /* least ratio of a wild row's distance to the distances of the rows beside it */
#define GROWN   3.  /* most growth of a peak from one season to another */
#define GAP_OF_FEW 10.
#define GAP        100.
#define LEVELS     10. /* times the level: least distance of a wild row, or GAP if it recurs each season */

/* y_t minus the median of the rows around row t. */
static double above_rows(const double *y, int64_t n, int64_t t)
{
    double  v[AROUND];
    int64_t k = 0;
    for (int64_t d = 1; k < AROUND && d < n; d++) {
        if (t >= d) v[k++] = y[t - d];
        if (k < AROUND && t + d < n) v[k++] = y[t + d];
    }
    return y[t] - fgti_sort_median(v, k);
}

/* r_t in docs/wild.md. */
static double wild_from_rows(const double *y, int64_t n, int64_t t)
{
    return fabs(above_rows(y, n, t));
}

/* q_t in docs/wild.md; 0 if the series has no row of the same phase, INFINITY if it has no season. */
static double from_seasons(const double *y, int64_t n, int64_t period, int64_t t)
{
    double  v[2 * SEASONS];
    int64_t k = 0;
    if (period < 2) return INFINITY;
    for (int64_t d = period; d <= SEASONS * period; d += period) {
        if (t >= d) v[k++] = y[t - d];
        if (t + d < n) v[k++] = y[t + d];
    }
    return k ? fabs(y[t] - fgti_sort_median(v, k)) : 0;
}

/* Whether the values of rows s and t are close, or both rows are peaks on the same side of the rows around
 * them. Peaks may grow from year to year. */
static bool is_like(const double *y, int64_t n, int64_t s, int64_t t, double far, double usual)
{
    if (s < 0 || s >= n) return false;
    const double peak = above_rows(y, n, t), other = peak > 0 ? above_rows(y, n, s) : -above_rows(y, n, s);
    return fabs(y[s] - y[t]) < far / 2 || other > fmax(fabs(peak) / GROWN, FAR * usual);
}

/* Whether some row is like row t, among those that lie `away` - 1 to `away` + 1 rows before or after row
 * t. */
static bool recurs(const double *y, int64_t n, int64_t away, int64_t t, double far, double usual)
{
    for (int64_t d = away - 1; away > 1 && d <= away + 1; d++)
        if (is_like(y, n, t - d, t, far, usual) || is_like(y, n, t + d, t, far, usual)) return true;
    return false;
}

/* Whether the nearest known rows before and after row t are close to the rows around them. */
static bool is_alone(const double *raw, const double *y, int64_t n, int64_t t, double far)
{
    int64_t before = t - 1, after = t + 1;
    while (before >= 0 && isnan(raw[before])) before--;
    while (after < n && isnan(raw[after])) after++;
    return (before < 0 || NEXT * wild_from_rows(y, n, before) < far) &&
           (after == n || NEXT * wild_from_rows(y, n, after) < far);
}

/* Whether a step before the last one is more than half as large as the last step. If so, the last step may
 * begin a new level. */
static bool has_jumped(const double *y, int64_t n, double far)
{
    for (int64_t t = 1; t + 1 < n; t++)
        if (fabs(y[t] - y[t - 1]) > far / 2) return true;
    return false;
}

/* Whether at least a fifth of the rows is 0, as in rare counts. */
static bool is_rare(const double *y, int64_t n)
{
    int64_t zeros = 0;
    for (int64_t t = 0; t < n; t++) zeros += y[t] == 0;
    return 5 * zeros >= n;
}

/* Computes the usual distance, u in docs/wild.md. Its lower bounds keep small differences from being wild in
 * small counts, and where seasons repeat exactly. If most rows equal the rows around them, the level of the
 * series gives the scale. */
static double usual_of(const double *y, int64_t n, const double *far, double *sorted)
{
    double mean = 0;
    memcpy(sorted, far, (size_t)n * sizeof *far);
    for (int64_t t = 0; t < n; t++) mean += far[t] / (double)n;
    const double d = fmax(fgti_sort_median(sorted, n), mean / 2);
    for (int64_t t = 0; t < n; t++) sorted[t] = wild_from_rows(y, n, t);
    const double r = fgti_sort_median(sorted, n);
    if (r > 0) return fmax(d, SHARE * r);
    memcpy(sorted, y, (size_t)n * sizeof *y);
    return fmax(d, fabs(fgti_sort_median(sorted, n)));
}

static bool is_wild(const double *raw, const double *y, int64_t n, int64_t period, int64_t longer, int64_t t,
                    double far, double usual)
{
    return far > FAR * usual && is_alone(raw, y, n, t, far) && !recurs(y, n, period, t, far, usual) &&
           !recurs(y, n, 2 * period, t, far, usual) && !recurs(y, n, longer, t, far, usual);
}

static bool may_begin_level(const double *y, int64_t n, double far, double usual)
{
    return far <= FARTHER * usual || has_jumped(y, n, far);
}

/* Inserts row t into the list of the farthest rows, farthest first. Returns the length of the list. */
static int insert(const double *far, int64_t t, int64_t row[KEPT], int count)
{
    int k = count;
    if (k == KEPT && far[row[--k]] >= far[t]) return count;
    for (; k > 0 && far[row[k - 1]] < far[t]; k--) row[k] = row[k - 1];
    row[k] = t;
    return count < KEPT ? count + 1 : count;
}

/* ---- values of another magnitude than all others ---- */

/* Candidates: rows with a distance of at least `least` from the level. */
typedef struct errors {
    const double *raw, *far; /* [n] */
    int64_t       n;
    double        least;
} errors;

static bool wild_has(const errors *e, int64_t t)
{
    return t >= 0 && t < e->n && e->far[t] >= e->least;
}

/* Whether most seasons have a candidate at the phase of row t, or one row beside it. */
static bool is_regular(const errors *e, int64_t period, int64_t t)
{
    int64_t seasons = 0, with = 0;
    if (period < 2) return false;
    for (int64_t s = t % period; s < e->n; s += period) {
        seasons++;
        with += wild_has(e, s) || wild_has(e, s - 1) || wild_has(e, s + 1);
    }
    return 2 * with > seasons;
}

/* Returns the number of consecutive candidates at one end of the series; unknown rows do not count. Returns 0
 * if all candidates have the same value, because the values of a real level differ. */
static int64_t count_level(const errors *e, const double *y, bool last)
{
    int64_t count = 0, first = -1;
    bool    same = true;
    for (int64_t k = 0; k < e->n; k++) {
        const int64_t t = last ? e->n - 1 - k : k;
        if (isnan(e->raw[t])) continue;
        if (!wild_has(e, t)) break;
        if (first < 0) first = t;
        same &= y[t] == y[first];
        count++;
    }
    return same ? 0 : count;
}

static bool are_errors(const errors *e, const double *y, int64_t period, int64_t longer, double level)
{
    if (e->least > GAP * level) return !count_level(e, y, false) && !count_level(e, y, true);
    if (!(e->least > LEVELS * level)) return false;
    for (int64_t t = 0; t < e->n; t++)
        if (wild_has(e, t) && (t == 0 || t == e->n - 1 || wild_has(e, t - 1) || is_regular(e, period, t) ||
                               is_regular(e, longer, t)))
            return false;
    return true;
}

static int find_errors(const double *raw, const double *y, int64_t n, int64_t period, int64_t longer,
                       double *scratch, int room, int64_t row[KEPT])
{
    double       *far = scratch, *sorted = scratch + n;
    const int64_t share = n / ROWS_OF_ERROR > FEW ? n / ROWS_OF_ERROR : FEW;
    const double  gap   = n > SHORT ? GAP : GAP_OF_FEW;
    int           count = 0;
    memcpy(sorted, y, (size_t)n * sizeof *y);
    const double level = fgti_sort_median(sorted, n);
    for (int64_t t = 0; t < n; t++) {
        far[t] = sorted[t] = isnan(raw[t]) ? 0 : fabs(y[t] - level);
        if (far[t] > 0) count = insert(far, t, row, count);
    }
    const double usual = fgti_sort_select(sorted, n, n - 1 - share);
    if (is_rare(y, n) && !(usual > 0 && level != 0)) return 0;
    for (int k = (int)fmin(fmin(count, (double)share), room); k > 0; k--) {
        const errors e = {raw, far, n, far[row[k - 1]]};
        if (e.least > GAP * usual && (k == count || e.least > gap * far[row[k]]) &&
            are_errors(&e, y, period, longer, fabs(level)))
            return k;
    }
    return 0;
}

/* ---- single values ---- */

/* Returns the number of wild rows among the farthest ones, which are sorted, farthest first. rest: the
 * largest distance of all other rows; before: number of wild rows of this kind that were found earlier; room:
 * the most rows that may be found. */
static int wild_choose(const double *far, const int64_t *row, int count, int64_t n, double rest, int before,
                       int room)
{
    const int64_t share = (n / ROWS_OF_ONE > FEW ? n / ROWS_OF_ONE : FEW) - before;
    const int     most  = (int)(share < room ? share : room);
    if (!before && count <= FEW && count <= room && n <= SHORT) return count;
    for (int k = count < most ? count : most; k > 0; k--) {
        const double next = k < count ? fmax(far[row[k]], rest) : rest;
        if (far[row[k - 1]] > (before + k > FEW ? GAP : GAP_OF_FEW) * next) return k;
    }
    return 0;
}

/* Finds wild rows among the known rows; `raw` is NaN in the unknown rows. */
static int wild_find(const double *raw, const double *y, int64_t n, int64_t period, int64_t longer,
                     double *scratch, int before, int room, int64_t row[KEPT])
{
    double *far = scratch, *sorted = scratch + n, rest = 0;
    int     count = 0;
    for (int64_t t = 0; t < n; t++) {
        const double d = from_seasons(y, n, period, t);
        far[t]         = d > 0 ? fmin(d, wild_from_rows(y, n, t)) : 0;
    }
    const double usual = usual_of(y, n, far, sorted);
    for (int64_t t = 0; usual > 0 && t < n; t++) {
        if (isnan(raw[t])) continue;
        if (!is_wild(raw, y, n, period, longer, t, far[t], usual))
            rest = fmax(rest, far[t]);
        else if (t < n - 1 || !may_begin_level(y, n, far[t], usual))
            count = insert(far, t, row, count);
    }
    return wild_choose(far, row, count, n, rest, before, room);
}

/* The mean of the rows beside row t. */
static double between(const double *y, int64_t n, int64_t t)
{
    if (t == 0) return y[1];
    return t + 1 < n ? (y[t - 1] + y[t + 1]) / 2 : y[t - 1];
}

static double expect(const double *y, int64_t n, int64_t period, int64_t t)
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

static void wild_sort(int64_t *row, int count)
{
    for (int i = 1; i < count; i++) {
        const int64_t r = row[i];
        int           k = i;
        for (; k > 0 && row[k - 1] > r; k--) row[k] = row[k - 1];
        row[k] = r;
    }
}

static int64_t count_known(const double *raw, int64_t n)
{
    int64_t count = 0;
    for (int64_t t = 0; t < n; t++) count += !isnan(raw[t]);
    return count;
}

/* Fills the unknown rows around row t with a line between the nearest known rows. */
static void wild_fill(const double *known, double *y, int64_t n, int64_t t)
{
    int64_t before = t, after = t;
    while (before >= 0 && isnan(known[before])) before--;
    while (after < n && isnan(known[after])) after++;
    for (int64_t s = before + 1; s < after; s++)
        y[s] = before < 0 ? y[after]
               : after == n ? y[before]
               : y[before] + (y[after] - y[before]) * (double)(s - before) / (double)(after - before);
}

int fgti_wild_leave_out(const double *raw, double *y, int64_t n, int64_t period, int64_t longer,
                        double *scratch, int64_t row[FGT_LEFT_OUT])
{
    double *known = scratch + 2 * n;
    int64_t next[KEPT];
    int     count = 0, alone = 0, more;
    if (n < LEAST_OF_ERRORS) return 0;
    const bool few = n < LEAST || is_rare(y, n);
    const int  most = (int)fgti_least(FGT_LEFT_OUT, count_known(raw, n) / 2);
    memcpy(known, raw, (size_t)n * sizeof *raw);
    do {
        more = find_errors(known, y, n, period, longer, scratch, most - count, next);
        if (!more && !few) {
            more = wild_find(known, y, n, period, longer, scratch, alone, most - count, next);
            alone += more;
        }
        wild_sort(next, more);
        for (int i = 0; i < more; i++) known[next[i]] = NAN;
        for (int i = 0; i < more; i++) wild_fill(known, y, n, next[i]);
        for (int i = 0; i < more; i++) {
            y[next[i]]   = expect(y, n, period, next[i]);
            row[count++] = next[i];
        }
    } while (more && count < most);
    wild_sort(row, count);
    return count;
}
