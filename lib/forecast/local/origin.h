/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ORIGIN_H
#define FGTI_ORIGIN_H

/* Forecasts of many series from one origin. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* Takes the forecasts f [FGTI_MEMBERS,h] of run i; any worker may call it, each run once. */
typedef void (*fgti_take_run)(void *arg, int64_t i, const double *f);
/* Whether to go on, after `done` runs. */
typedef bool (*fgti_go_on)(void *arg, int64_t done);

typedef struct fgti_origin {
    const fgti_panel *panel;
    int64_t           count;  /* runs */
    const int64_t    *series; /* [count] of the runs; NULL: all */
    int64_t           back;   /* rows of each series from its origin to its end */
    fgti_take_run     take;
    fgti_go_on        go_on;
    void             *arg;
} fgti_origin;

/* The maps are learned from the rows before the origin, of at most 5,000 of the series. FGT_E_NOMEM;
 * FGT_E_CANCELLED go_on() said no. */
fgt_status fgti_origin_run(fgt_context *ctx, const fgti_origin *origin);

#endif
