/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ORIGIN_H
#define FGTI_ORIGIN_H

/* Forecasts of many series from one origin or several. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* Gets forecasts f [FGTI_MEMBERS,h] of a series from an origin; any worker may call it, once for each. */
typedef void (*fgti_take_run)(void *arg, int64_t series, int64_t origin, const double *f);
/* Whether to go on, after `done` runs. */
typedef bool (*fgti_go_on)(void *arg, int64_t done);

typedef struct fgti_origin {
    const fgti_panel *panel;
    int64_t           count;  /* series */
    const int64_t    *series; /* [count]; NULL: all */
    int64_t           first, origins; /* numbers of origins: first, first + 1, .. */
    int64_t           step;   /* rows from an origin to the next one, which is earlier */
    int64_t           back;   /* rows of each series from origin 0 to its end */
    int64_t           least;  /* rows before an origin; a series with fewer rows skips the origin */
    /* Writes the forecast [h] of the host's model; NULL: no model. */
    const double *(*find_model)(void *arg, int64_t series, int64_t origin);
    fgti_take_run     take;
    fgti_go_on        go_on;
    void             *arg;
} fgti_origin;

/* The maps are learned from the rows before the earliest origin; maps that series share, from at most 5,000
 * series. FGT_E_NOMEM; FGT_E_CANCELLED go_on() returned false. */
fgt_status fgti_origin_run(fgt_context *ctx, const fgti_origin *origin);

/* Stores the error text for a go_on() that returned false. FGT_E_CANCELLED. */
fgt_status fgti_origin_cancelled(fgt_context *ctx);

#endif
