/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/rare.h"

#include <math.h>

#include "core/sort.h"

enum { LEAST = 8, RECENT = 60, SEASONS = 3, STEADY = 3, SEEN = 500 /* most rows that count */ };
#define KEEP   .96
#define SURE   6. /* least difference in log likelihood */
#define CHANCE 2. /* factor on the variance that shares of phases have by chance */

static int64_t first_seen(int64_t n)
{
    return n > SEEN ? n - SEEN : 0;
}

double fgti_rare_rate(const double *y, int64_t n)
{
    double sum = 0, all = 0;
    for (int64_t t = first_seen(n); t < n; t++) {
        sum = KEEP * sum + y[t];
        all = KEEP * all + 1;
    }
    return sum / all;
}

typedef struct weighted {
    double value, weight;
} weighted;

static int by_value(const void *a, const void *b, const void *arg)
{
    const double x = ((const weighted *)a)->value, y = ((const weighted *)b)->value;
    (void)arg;
    return (x > y) - (x < y);
}

void fgti_rare_quantiles(const double *y, int64_t n, const double *level, int64_t levels, double *q)
{
    weighted      row[SEEN];
    const int64_t from = first_seen(n), count = n - from;
    double        weight = 1, all = 0, sum = 0;
    for (int64_t i = 0; i < count; i++) {
        row[i] = (weighted){y[n - 1 - i], weight};
        all += weight;
        weight *= KEEP;
    }
    fgti_sort(row, count, sizeof *row, by_value, NULL);
    for (int64_t i = 0, k = 0; i < levels; i++) {
        for (; k < count - 1 && sum + row[k].weight < level[i] * all; k++) sum += row[k].weight;
        q[i] = row[k].value;
    }
}

/* Whether the shares of zeros differ between the phases of the last seasons by more than chance. */
static bool is_seasonal(const double *y, int64_t n, int64_t period, double share)
{
    const int64_t seasons = n / period;
    double        square = 0;
    if (period < 2 || seasons < SEASONS) return false;
    for (int64_t phase = 0; phase < period; phase++) {
        double zeros = 0;
        for (int64_t s = 1; s <= seasons; s++) zeros += y[n - s * period + phase] == 0;
        square += (zeros / (double)seasons - share) * (zeros / (double)seasons - share);
    }
    return square / (double)(period - 1) > CHANCE * share * (1 - share) / (double)seasons;
}

static bool rare_are_many(const double *y, int64_t n, int64_t period)
{
    int64_t zeros = 0;
    for (int64_t t = 0; t < n; t++) zeros += y[t] == 0;
    return 5 * zeros > 2 * n && !is_seasonal(y, n, period, (double)zeros / (double)n);
}

/* The log likelihood of `zeros` zeros in n rows, with the share of zeros that maximises it. */
static double log_likelihood(double zeros, double n)
{
    return zeros > 0 && zeros < n ? zeros * log(zeros / n) + (n - zeros) * log((n - zeros) / n) : 0;
}

/* How much the log likelihood grows if rows before and after `begin` have different shares of zeros. */
static double log_ratio(double before, double after, int64_t begin, int64_t n)
{
    return log_likelihood(before, (double)begin) + log_likelihood(after, (double)(n - begin)) -
           log_likelihood(before + after, (double)n);
}

/* Finds the begin of a lasting state (rare.h); 0: there is no such state. */
static int64_t find_begin(const double *y, int64_t n, int64_t period)
{
    int64_t begin = 0, later = 0, run = 0;
    double  all = 0, after = 0, most = SURE;
    for (int64_t t = 0; t < n; t++) all += y[t] == 0;
    for (int64_t t = n - 1; t >= 0; t--) {
        if (y[t] == 0) run++;
        if (!run || (t > 0 && y[t - 1] == 0)) continue;
        const int64_t end   = t + run; /* end of the run of zeros that starts at row t */
        const double  ratio = log_ratio(all - after, after, end, n);
        if (n - end >= STEADY && run > 2 * later && ratio > most &&
            !rare_are_many(y + end, n - end, period)) {
            begin = end;
            most  = ratio;
        }
        later = run > later ? run : later;
        after += (double)run;
        run = 0;
    }
    return begin;
}

int64_t fgti_rare_count_leading(const double *y, int64_t n, int64_t period)
{
    const int64_t begin = find_begin(y, n, period);
    int64_t       zeros = 0;
    for (int64_t t = 0; t < begin; t++) zeros += y[t] == 0;
    return 10 * zeros >= 9 * begin ? begin : 0;
}

bool fgti_rare_is(const double *y, int64_t n, int64_t period)
{
    const int64_t wanted = SEASONS * period > RECENT ? SEASONS * period : RECENT;
    const int64_t recent = wanted < n ? wanted : n;
    const double *last   = y + n - recent;
    if (n < LEAST) return false;
    for (int64_t t = 0; t < n; t++)
        if (y[t] < 0) return false;
    return rare_are_many(last, recent, period) && !find_begin(last, recent, period);
}
