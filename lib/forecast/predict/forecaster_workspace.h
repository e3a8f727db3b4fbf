/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FORECASTER_WORKSPACE_H
#define FGTI_FORECASTER_WORKSPACE_H

/* The memory of forecasts. */

#include "forecast/forecaster_impl.h"

/* Number of times whose calendars are kept: a power of two that is more than the rows of most windows.
 * Consecutive windows have most of their times in common, and a calendar takes longer to compute than a
 * linear map. */
#define FGTI_TIMES 1024

/* The memory that a forecast writes to. Each thread has its own, so that threads can share a forecaster. */
struct fgt_forecaster_workspace {
    const fgt_forecaster *f;
    fgt_workspace        *passes; /* workspace of the passes; NULL: the model's own, so that A can be read */
    fgt_workspace        *made;   /* `passes` if this workspace must destroy it; otherwise NULL */
    fgti_error           *error;
    int64_t               batch;
    bool                  by_row;         /* no step depends on known columns of later rows */
    float                *x, *y;          /* [batch,L,D] and [batch,H,C], standardised */
    float                *all;            /* [batch,H,C,Q]: all quantiles; without quantiles it is y */
    float                *missing;        /* [batch,L,D]: 1 where x was filled; NULL: the model has no mask */
    float                *before, *known; /* [batch,L,K] and [batch,H,K] */
    float                *statics;        /* [batch,C,S] */
    int64_t              *time;           /* [FGTI_TIMES]: times whose calendars are kept in `calendar` */
    float                *calendar;       /* [FGTI_TIMES,its width] */
    int64_t              *day, *week;     /* [batch]: ids of times, which are not used without info.cycles */
    int64_t              *column;         /* [names]: numbers of the forecaster's columns in a table */
    int64_t              *future;         /* [known]: numbers of the known columns in the table `future` */
    int64_t              *begin;          /* [C]: see fgti_origins */
};

/* Makes the handle of the forecaster's own workspace, without memory. fgti_forecaster_need_workspace() makes
 * the memory. */
fgt_status fgti_forecaster_workspace_lend(fgt_forecaster *f);
void       fgti_forecaster_workspace_end(fgt_forecaster *f);
/* Makes the memory of the forecaster's own workspace, if it does not exist yet. */
fgt_status fgti_forecaster_need_workspace(fgt_forecaster *f);
/* Call it before a forecast. If w is the forecaster's own workspace, it gets memory and its passes. */
fgt_status fgti_forecaster_workspace_begin(fgt_forecaster_workspace *w);

/* Gets the workspace of the forecaster's own passes, which is made if needed. *passes becomes NULL if the
 * passes use the model's own workspace: the forecaster is exact, or masks or states are set there. */
fgt_status fgti_forecaster_get_passes(fgt_forecaster *f, fgt_workspace **passes);
/* Frees the workspace of the forecaster's own passes, because training needs a larger one. */
void fgti_forecaster_drop_passes(fgt_forecaster *f);

#endif
