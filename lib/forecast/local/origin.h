/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ORIGIN_H
#define FGTI_ORIGIN_H

/* Forecasts of many series from one origin or several. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* Takes forecasts f [FGTI_MEMBERS,h] of a series from an origin; any worker may call it, once for each. */
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
    int64_t           least;  /* rows before an origin; a series that has fewer does without the origin */
    /* What the host's model forecasts, [h], NULL: nothing; the function may be NULL. */
    const double *(*find_model)(void *arg, int64_t series, int64_t origin);
    fgti_take_run     take;
    fgti_go_on        go_on;
    void             *arg;
} fgti_origin;

/* The maps are learned from the rows before the earliest origin: those that series share of at most 5,000
 * of the series. FGT_E_NOMEM;
 * FGT_E_CANCELLED go_on() said no. */
fgt_status fgti_origin_run(fgt_context *ctx, const fgti_origin *origin);

/* The sentence of a go_on() that said no. FGT_E_CANCELLED. */
fgt_status fgti_origin_cancelled(fgt_context *ctx);

#endif
