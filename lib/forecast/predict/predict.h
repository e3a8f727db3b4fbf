/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICT_H
#define FGTI_PREDICT_H

/* Forecasts from windows of rows, in batches, and beyond the trained horizon. */

#include "forecast/predict/forecaster_workspace.h"

/* The windows that forecasts start from. Each window numbers its rows: rows -L .. -1 are the input, and row 0
 * is the first row of the forecast. The functions below get the workspace for its error text and its
 * columns. */
typedef struct fgti_origins {
    int64_t     count;
    const void *from; /* argument of the functions */
    /* Gets the input of window i, x [L,D]; NaN is a missing value. */
    fgt_status (*get_series)(const fgt_forecaster_workspace *w, const void *from, int64_t i, float *x);
    /* Gets the known columns of a row of window i. */
    fgt_status (*get_known)(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row,
                            float *known);
    /* Returns the time of a row of window i. It is called only if the model knows the calendar. */
    int64_t (*get_time)(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row);
    /* begin [C]: only targets with begin[c] == *row are forecast; NULL: all targets are forecast. */
    const int64_t *begin, *row;
    bool           clocked; /* times come from a clock that people may change, and get_time may be called */
} fgti_origins;

/* Checks that a forecast has the shape [h,C], or [count,h,C] if `many` is true, with an h that the model can
 * give. *steps gets h. */
fgt_status fgti_predict_check(const fgt_forecaster_workspace *w, const fgt_view *forecast, bool many,
                              int64_t count, int64_t *steps);
/* Returns the number of rows of the known columns that a forecast of `steps` steps needs. If layers read all
 * rows of them, it is at least H. */
int64_t fgti_predict_known(const fgt_forecaster_workspace *w, int64_t steps);

/* Finds out whether forecasts of targets depend on the inputs marked in `absent` [D]; targets that are marked
 * are not forecast. The function compares two forecasts from windows that differ only in these inputs. */
fgt_status fgti_predict_probe(fgt_forecaster_workspace *w, const bool *absent, bool *depend);

/* Makes the checks of fgti_predict() without a forecast. */
fgt_status fgti_predict_check_windows(const fgt_forecaster_workspace *w, const fgti_origins *o,
                                      int64_t steps);

/* Forecasts all windows, [count,steps,C]. On error the forecast has no new values. */
fgt_status fgti_predict(fgt_forecaster_workspace *w, const fgti_origins *o, int64_t steps,
                        const fgt_view *forecast);

#endif
