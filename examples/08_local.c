/* SPDX-License-Identifier: BSD-3-Clause */
/* Many series without training: a year of sales of 100 articles, some of which are new, with an interval for
 * each month, and the simple forecasters with the largest weights.
 *     cc 08_local.c $(pkg-config --cflags --libs fighter-tasks) -lm */
#include <fighter/experimental/local.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARTICLES = 100, LONGEST = 96, YEAR = 12, LEVELS = 2, MEMBERS = FGT_LOCAL_MEMBERS, SHOWN = 3 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "local: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

/* Whole, non-negative numbers, with growth, a season and noise of random size. */
static void make_sales(double *sales, int64_t months)
{
    const double level = 20 + 200. * rand() / RAND_MAX, growth = .02 * rand() / RAND_MAX - .005;
    const double height = .5 * rand() / RAND_MAX, phase = 6.28 * rand() / RAND_MAX;
    for (int64_t t = 0; t < months; t++) {
        const double month = 1 + height * sin(6.283185307179586 * (double)t / YEAR + phase);
        sales[t]           = round(level * exp(growth * (double)t) * month * (.8 + .4 * rand() / RAND_MAX));
    }
}

/* forecast [YEAR], range [YEAR,LEVELS] */
static void print_months(const double *forecast, const double *range)
{
    for (int t = 0; t < YEAR; t++)
        printf("  month %2d: %6.1f  (%.1f to %.1f)\n", t + 1, forecast[t], range[t * LEVELS],
               range[t * LEVELS + 1]);
}

/* Prints the members of one series with the largest weights, and sets these weights to 0. */
static void print_members(double *weight)
{
    for (int n = 0; n < SHOWN; n++) {
        int best = 0;
        for (int k = 1; k < MEMBERS; k++) best = weight[k] > weight[best] ? k : best;
        printf("  %4.1f %% %s\n", 100 * weight[best], fgt_local_get_member_name(best));
        weight[best] = 0;
    }
}

int main(void)
{
    static const double level[LEVELS] = {.1, .9}; /* 80 % of the values lie between these levels */
    static double       sales[ARTICLES][LONGEST], forecast[ARTICLES][YEAR];
    static double       range[ARTICLES][YEAR][LEVELS], weight[ARTICLES][MEMBERS];
    static double       hindcast[ARTICLES][YEAR];
    const double       *values[ARTICLES];
    int64_t             months[ARTICLES];
    double              own = 0, last_year = 0;

    for (int i = 0; i < ARTICLES; i++) {
        months[i] = i == 0 ? LONGEST : 6 + rand() % (LONGEST - 6);
        values[i] = sales[i];
        make_sales(sales[i], months[i]);
    }
    check(fgt_context_create(NULL, &ctx));
    check(fgt_forecast_local(ctx, values, months, ARTICLES,
                             &FGT_OPTS(fgt_local_opts, .horizon = YEAR, .season = YEAR, .levels = level,
                                       .level_count = LEVELS, .forecast = forecast[0],
                                       .quantiles = range[0][0], .weights = weight[0],
                                       .member_count = MEMBERS, .hindcast = hindcast[0])));
    for (int i = 0; i < SHOWN; i++) {
        printf("article %d, after %d months\n", i + 1, (int)months[i]);
        print_months(forecast[i], range[i][0]);
        print_members(weight[i]);
    }
    for (int i = 0; i < ARTICLES; i++) {
        const double *end = sales[i] + months[i] - YEAR;
        if (months[i] < 2 * YEAR || isnan(hindcast[i][0])) continue; /* too new to measure the last year */
        for (int t = 0; t < YEAR; t++) {
            own += fabs(hindcast[i][t] - end[t]);
            last_year += fabs(end[t - YEAR] - end[t]);
        }
    }
    printf("mean error in the last year: %.2f times the error of the values a year before\n",
           own / last_year);
    fgt_context_destroy(&ctx);
    return own < last_year ? 0 : 1;
}
