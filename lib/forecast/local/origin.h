/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ORIGIN_H
#define FGTI_ORIGIN_H

/* Forecasts of many series, from one origin or from several. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* Gets forecasts f [FGTI_MEMBERS,h] of a series from an origin. Any worker may call this function, once for
 * each series and origin. */
typedef void (*fgti_take_run)(void *arg, int64_t series, int64_t origin, const double *f);
/* Returns whether to go on. `done` runs are finished. */
typedef bool (*fgti_go_on)(void *arg, int64_t done);

typedef struct fgti_origin {
    const fgti_panel *panel;
    int64_t           count;  /* series */
    const int64_t    *series; /* [count]; NULL: all */
    int64_t           first, origins; /* origins first, first + 1, .. first + origins - 1 */
    int64_t           step;           /* rows from an origin to the next one, which is earlier in time */
    int64_t           back;   /* rows of each series from origin 0 to its end */
    int64_t           least;  /* fewest rows before an origin; with fewer rows a series skips it */
    /* Writes the forecast [h] of the host's model; NULL: no model. */
    const double *(*find_model)(void *arg, int64_t series, int64_t origin);
    fgti_take_run     take;
    fgti_go_on        go_on;
    void             *arg;
} fgti_origin;

/* Forecasts all series from all origins. The maps are learned from the rows before the earliest origin. Maps
 * that the series share are learned from at most 5,000 series. FGT_E_NOMEM; FGT_E_CANCELLED go_on() returned
 * false. */
fgt_status fgti_origin_run(fgt_context *ctx, const fgti_origin *origin);

/* Stores the error text of a cancelled call, for a go_on() that returned false. Returns FGT_E_CANCELLED. */
fgt_status fgti_origin_cancelled(fgt_context *ctx);

#endif
