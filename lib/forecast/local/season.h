/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SEASON_H
#define FGTI_SEASON_H

/* The season of a series by moving averages, shrunk towards no season if the phases do not show it. */

#include <stdbool.h>
#include <stdint.h>

/* Returns the phase of row t of n. Row n, the first one after the series, has phase 0. */
static inline int64_t fgti_phase(int64_t t, int64_t n, int64_t period)
{
    return (period - (n - t) % period) % period;
}

/* Finds the season [m] by classical decomposition, with the shrinkage of James and Stein: Miller and Williams
 * 2003, "Shrinkage estimators of time series seasonal factors and their effect on forecasting accuracy". M_t
 * is the mean of a period around row t, and r_t = y_t - M_t (or y_t / M_t with `ratio`). Then
 *
 *     s_p = mean of r_t over the rows of phase p,   V = variance of r_t within phases / rows of a phase,
 *     A = variance of s_p over the phases,   W = min(1, (m - 3) / (m - 1) V / A)
 *
 * and the season is (1 - W) (s_p - mean s), with `ratio` W + (1 - W) s_p / mean s. Fewer than 2 m + 2 rows
 * give no season. scratch [FGTI_SEASON_SCRATCH(m)]. */
#define FGTI_SEASON_SCRATCH(period) (3 * (period))
void fgti_season_find(const double *y, int64_t n, int64_t period, bool ratio, double *scratch,
                      double *season);

/* Whether a phase is closed, such as Sundays in a shop. A closed phase had one value in the last 8 seasons,
 * and at most one in twenty of the other rows in these seasons has this value. */
bool fgti_season_closed(const double *y, int64_t n, int64_t period, int64_t phase);

#endif
