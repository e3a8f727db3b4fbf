/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PANEL_SEASON_H
#define FGTI_PANEL_SEASON_H

/* The season that the long series of a panel have in common. It serves series that are too short to show
 * their own. */

#include "forecast/local/history.h"
#include "forecast/local/shared.h"

typedef struct fgti_panel_season {
    double *factor;    /* [m]: log s_p; NULL without long series */
    double  rest, all; /* R and A */
} fgti_panel_season;

/* Finds the common season from the long series, which have 2 m + 2 rows, all above 0. r_ip is the season of
 * series i (season.h) at phase p, with phases counted from the end of the series. Then
 *
 *     log s_p = mean over i of log r_ip,
 *     A = sum |c_t|, c_t = log y_t - log y_(t-1),   R = sum |c_t - log s_p(t) + log s_p(t-1)|
 *
 * The sums are over all rows of all long series. A are their changes, and R the changes that remain without
 * the season. Call fgti_panel_season_done() even after an error. FGT_E_NOMEM. */
fgt_status fgti_panel_season_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                                 fgti_panel_season *season);
void       fgti_panel_season_done(fgt_context *ctx, fgti_panel_season *season);

/* Returns how closely a short series y [n] follows the common season: max(0, 1 - q^2). q is the ratio R / A
 * of its own rows, shrunk towards the R / A of the long series as if six more changes had that value. The
 * result is 0 for fewer than 3 rows, for values that are all equal, for values of 0 or less, and if the long
 * series do not follow the season: they have no season, or each has it at another time. */
double fgti_panel_season_share(const fgti_panel_season *season, const double *y, int64_t n, int64_t period);

/* Sets the season of the history to s_p^share. */
void fgti_panel_season_apply(const fgti_panel_season *season, fgti_history *history);

#endif
