/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICT_H
#define FGTI_PREDICT_H

/* Forecasts from windows of rows, in batches, and beyond the trained horizon. */

#include "forecast/forecaster_impl.h"

/* A power of two of times, above the rows of most windows. Consecutive windows have most of their times in
 * common, and a calendar takes longer to compute than a linear map. */
#define FGTI_TIMES 1024

/* Memory that a forecast writes to, so that threads can share a forecaster. */
struct fgt_forecaster_workspace {
    const fgt_forecaster *f;
    fgt_workspace        *passes; /* NULL: passes use the model's own workspace, so that A can be read */
    fgt_workspace        *made;   /* passes, if they must be destroyed together with this */
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

/* Windows that forecasts start from. Each counts its own rows: -L .. -1 are the input, 0 is the first row of
 * the forecast. The functions get the workspace for its error text and its columns. */
typedef struct fgti_origins {
    int64_t     count;
    const void *from; /* argument of the functions */
    /* The inputs of window i, x [L,D]; NaN is a missing value. */
    fgt_status (*get_series)(const fgt_forecaster_workspace *w, const void *from, int64_t i, float *x);
    /* The known columns of one of its rows. */
    fgt_status (*get_known)(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row,
                            float *known);
    /* The time of one of its rows; called only if the model knows the calendar. */
    int64_t (*get_time)(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row);
    /* [C], NULL: all targets are forecast. Otherwise only targets with begin[c] == *row. */
    const int64_t *begin, *row;
    bool           clocked; /* times come from a clock that may be changed, and get_time may be called */
} fgti_origins;

/* ---- predict.c ---- */

/* The handle of the forecaster's own workspace, without memory; the next call gives it memory. */
fgt_status fgti_forecaster_workspace_lend(fgt_forecaster *f);
void       fgti_forecaster_workspace_end(fgt_forecaster *f);
/* Makes the memory of the forecaster's own workspace, if it does not exist yet. */
fgt_status fgti_forecaster_need_workspace(fgt_forecaster *f);
/* Before a forecast: the forecaster's own workspace gets memory and its passes. */
fgt_status fgti_forecaster_workspace_begin(fgt_forecaster_workspace *w);

/* Checks a forecast [h,C], or [count,h,C] if `many`, of any h that the model can give. *steps: h. */
fgt_status fgti_predict_check(const fgt_forecaster_workspace *w, const fgt_view *forecast, bool many,
                              int64_t count, int64_t *steps);
/* Rows of the known columns that a forecast of `steps` steps needs: at least H if layers read all of them. */
int64_t fgti_predict_known(const fgt_forecaster_workspace *w, int64_t steps);

/* Whether forecasts of targets depend on the inputs marked in `absent` [D], which are no targets here: two
 * forecasts from windows that differ only in these inputs are compared. */
fgt_status fgti_predict_probe(fgt_forecaster_workspace *w, const bool *absent, bool *depend);

/* Refuses what fgti_predict() would refuse. */
fgt_status fgti_predict_check_windows(const fgt_forecaster_workspace *w, const fgti_origins *o,
                                      int64_t steps);

/* Forecasts all windows, [count,steps,C]. On error the forecast is untouched. */
fgt_status fgti_predict(fgt_forecaster_workspace *w, const fgti_origins *o, int64_t steps,
                        const fgt_view *forecast);

#endif
