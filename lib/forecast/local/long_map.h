/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LONG_MAP_H
#define FGTI_LONG_MAP_H

/* Linear maps from a long window of one series to the rows after it, for series of some hundred rows or more:
 * ridge regression over all of its windows (linear/ridge.h). */

#include "forecast/linear/ridge.h"

/* Inputs of a map. Its windows have l rows: two long seasons (such as two of 168 hours) or 14 seasons, but at
 * most 672 rows and an eighth of the series. Short windows have 7 seasons (a week of hours), but at most l /
 * 2 rows. */
typedef enum fgti_long_form {
    FGTI_LONG_ABOVE_LAST,     /* values of l rows, relative to the last row */
    FGTI_LONG_AROUND_MEAN,    /* l rows, relative to the mean of the series, to which forecasts return */
    FGTI_LONG_SHORT,          /* values of a short window, relative to the mean */
    FGTI_LONG_WITHOUT_SEASON, /* l rows minus the mean of their phase in the long season, or in the season */
    FGTI_LONG_OF_LOGARITHMS,  /* logarithms of l rows, if all values are above 0 */
    FGTI_LONG_LOGARITHMS_WITHOUT_SEASON, /* logarithms of l rows, each minus the mean of its phase */
    FGTI_LONG_FORMS
} fgti_long_form;

/* The fewest rows of a series that has such maps. */
enum { FGTI_LONG_LEAST = 400 };

/* Values or logarithms. */
typedef struct fgti_long_scale {
    double  mean;
    double *profile; /* [phases]: mean of each phase minus the mean of all; row t has phase t mod phases */
} fgti_long_scale;

typedef struct fgti_long_maps {
    int64_t         period, longer; /* seasons of the panel; 1 and 0 without seasons */
    int64_t         lags, steps;    /* l, and the number of rows that a map forecasts at once */
    int64_t         phases;
    int64_t         window[FGTI_LONG_FORMS]; /* rows that each map reads; 0: the map has no solution */
    double         *weight;                  /* [FGTI_LONG_FORMS,l,steps]; a short map has only first rows */
    double         *bias;                    /* [FGTI_LONG_FORMS,steps] */
    fgti_long_scale scale[2];                /* scale of the values, and scale of the logarithms */
    double         *count, *rows;            /* scratch */
    fgti_moments    moments;
    fgti_ridge      ridge;
} fgti_long_maps;

/* Allocates the maps, for series of up to `most` rows. No maps exist if no series has FGTI_LONG_LEAST rows.
 * Call fgti_long_maps_done() even after an error. FGT_E_NOMEM. */
fgt_status fgti_long_maps_new(fgt_context *ctx, int64_t most, int64_t period, int64_t longer, int64_t h,
                              fgti_long_maps *maps);
void       fgti_long_maps_done(fgt_context *ctx, fgti_long_maps *maps);
/* Learns all maps from the last n rows of y, but at most from 100,000 rows. */
void fgti_long_maps_fit(fgti_long_maps *maps, const double *y, int64_t n);
/* Forecasts f [h] from the n rows before row `end` of the series. If h is above 96, forecasts are the input
 * of later forecasts. Returns false if there is no map. scratch [fgti_long_maps_scratch(h)] */
int64_t fgti_long_maps_scratch(int64_t h);
bool    fgti_long_maps_forecast(const fgti_long_maps *maps, fgti_long_form form, const double *y, int64_t n,
                                int64_t end, int64_t h, double *scratch, double *f);

#endif
