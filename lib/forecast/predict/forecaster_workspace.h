/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FORECASTER_WORKSPACE_H
#define FGTI_FORECASTER_WORKSPACE_H

/* The memory of forecasts. */

#include "forecast/forecaster_impl.h"

/* Number of times whose calendars are kept: a power of two above the rows of most windows. Consecutive
 * windows have most of their times in common, and a calendar takes longer to compute than a linear map. */
#define FGTI_TIMES 1024

/* Memory that a forecast writes to, so that threads can share a forecaster. */
struct fgt_forecaster_workspace {
    const fgt_forecaster *f;
    fgt_workspace        *passes; /* NULL: passes use the model's own workspace, so that A can be read */
    fgt_workspace        *made;   /* `passes`, if this workspace must destroy them */
    fgti_error           *error;
    int64_t               batch;
    bool                  by_row;         /* no step depends on known columns of later rows */
    float                *x, *y;          /* [batch,L,D] and [batch,H,C], standardised */
    float                *all;            /* [batch,H,C,Q]: all quantiles, or the only one; else y */
    float                *missing;        /* [batch,L,D], 1 if x was filled; NULL: the model has no mask */
    float                *before, *known; /* [batch,L,K] and [batch,H,K] */
    float                *statics;        /* [batch,C,S] */
    int64_t              *time;           /* [FGTI_TIMES]: times with a calendar below */
    float                *calendar;       /* [FGTI_TIMES,its width] */
    int64_t              *day, *week;     /* [batch]: ids of times; without info.cycles unused */
    int64_t              *column;         /* [names]: numbers of the forecaster's columns in a table */
    int64_t              *future;         /* [known]: numbers of the known columns in another table */
    int64_t              *begin;          /* [C]: see fgti_origins */
};

/* The handle of the forecaster's own workspace, without memory; the next call gives it memory. */
fgt_status fgti_forecaster_workspace_lend(fgt_forecaster *f);
void       fgti_forecaster_workspace_end(fgt_forecaster *f);
/* Makes the memory of the forecaster's own workspace, if it does not exist yet. */
fgt_status fgti_forecaster_need_workspace(fgt_forecaster *f);
/* Before a forecast: the forecaster's own workspace gets memory and its passes. */
fgt_status fgti_forecaster_workspace_begin(fgt_forecaster_workspace *w);

/* The workspace of the forecaster's own passes, made if needed; NULL: the model's own, because the forecaster
 * is exact, or masks or states are set there. */
fgt_status fgti_forecaster_get_passes(fgt_forecaster *f, fgt_workspace **passes);
/* Frees the workspace of the forecaster's own passes, because training needs a larger one. */
void fgti_forecaster_drop_passes(fgt_forecaster *f);

#endif
