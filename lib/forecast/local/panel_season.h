/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PANEL_SEASON_H
#define FGTI_PANEL_SEASON_H

/* The season that the long series of a panel share, for series that are too short to show their own. */

#include "forecast/local/history.h"
#include "forecast/local/shared.h"

typedef struct fgti_panel_season {
    double *factor;    /* [m]: log s_p; NULL without long series */
    double  rest, all; /* R and A */
} fgti_panel_season;

/* Long series have 2 m + 2 rows, all above 0. With r_ip their seasons (season.h), by phases counted from
 * their ends,
 *     log s_p = mean over i of log r_ip,
 *     A = sum |c_t|, c_t = log y_t - log y_(t-1),   R = sum |c_t - log s_p(t) + log s_p(t-1)|
 * over all rows of all long series. Call fgti_panel_season_done() even after an error. FGT_E_NOMEM. */
fgt_status fgti_panel_season_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                                 fgti_panel_season *season);
void       fgti_panel_season_done(fgt_context *ctx, fgti_panel_season *season);

/* How closely a series y [n] that is not long follows the season: max(0, 1 - q^2), with q the R / A of its
 * own rows, shrunk towards the R / A of the long series as if six more changes had that value. 0 for series
 * of fewer than 3 rows, for values that are all equal or not above 0, and if the long series do not follow
 * the season: they have no season, or each at another time. */
double fgti_panel_season_share(const fgti_panel_season *season, const double *y, int64_t n, int64_t period);

/* Gives the history the season s_p^share. */
void fgti_panel_season_apply(const fgti_panel_season *season, fgti_history *history);

#endif
