/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICT_H
#define FGTI_PREDICT_H

/* Forecasts from windows of rows, in batches, and beyond the trained horizon. */

#include "forecast/predict/forecaster_workspace.h"

/* Windows that forecasts start from. Each counts its own rows: -L .. -1 are the input, 0 is the first row of
 * the forecast. The functions get the workspace for its error text and its columns. */
typedef struct fgti_origins {
    int64_t     count;
    const void *from; /* argument of the functions */
    /* The inputs of window i, x [L,D]; NaN is a missing value. */
    fgt_status (*get_series)(const fgt_forecaster_workspace *w, const void *from, int64_t i, float *x);
    /* The known columns of a row of window i. */
    fgt_status (*get_known)(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row,
                            float *known);
    /* The time of a row of window i; called only if the model knows the calendar. */
    int64_t (*get_time)(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row);
    /* [C], NULL: all targets are forecast. Otherwise only targets with begin[c] == *row. */
    const int64_t *begin, *row;
    bool           clocked; /* times come from a clock that may be changed, and get_time may be called */
} fgti_origins;

/* Checks a forecast [h,C], or [count,h,C] if `many`, of any h that the model can give. *steps: h. */
fgt_status fgti_predict_check(const fgt_forecaster_workspace *w, const fgt_view *forecast, bool many,
                              int64_t count, int64_t *steps);
/* Rows of the known columns that a forecast of `steps` steps needs: at least H if layers read all of them. */
int64_t fgti_predict_known(const fgt_forecaster_workspace *w, int64_t steps);

/* Whether forecasts of targets depend on the inputs marked in `absent` [D], which are no targets here: two
 * forecasts from windows that differ only in these inputs are compared. */
fgt_status fgti_predict_probe(fgt_forecaster_workspace *w, const bool *absent, bool *depend);

/* Makes the checks of fgti_predict() without a forecast. */
fgt_status fgti_predict_check_windows(const fgt_forecaster_workspace *w, const fgti_origins *o,
                                      int64_t steps);

/* Forecasts all windows, [count,steps,C]. On error the forecast is untouched. */
fgt_status fgti_predict(fgt_forecaster_workspace *w, const fgti_origins *o, int64_t steps,
                        const fgt_view *forecast);

#endif
