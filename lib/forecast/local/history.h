/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HISTORY_H
#define FGTI_HISTORY_H

/* The rows of one series before an origin. Its forecasters read nothing else. */

#include <stdbool.h>
#include <stdint.h>

/* A series in one scale, from which the season has been removed. Row t of n has the phase (t - n) mod m, so
 * season[0] belongs to the first row of the forecast. */
typedef struct fgti_flat {
    bool    ratio;  /* value = rest * season; false: value = rest + season */
    bool    log;    /* the scale is the logarithms of the values */
    double *rest;   /* [n] */
    double *season; /* [m] */
} fgti_flat;

/* n >= 1 values without gaps, in two scales: the values themselves and, if all are above 0, their
 * logarithms. */
typedef struct fgti_history {
    const double *y;
    int64_t       n;
    int64_t       period; /* m, the number of rows of a season; 1: no season */
    int64_t       longer; /* number of rows of a second season; 0: no second season */
    double        least, most;
    fgti_flat     values, logs; /* logs.rest is NULL if a value is not above 0 */
    double       *scratch;      /* the part of the room that the scales do not use */
} fgti_history;

/* Number of doubles for fgti_history_init(): for both scales, and for the scratch memory of forecasts of h
 * rows. Maps need fgti_shared_scratch() more. */
int64_t fgti_history_room(int64_t n, int64_t period, int64_t h);
/* Makes a history. *p uses `room` as long as it exists. */
void fgti_history_init(const double *y, int64_t n, int64_t period, int64_t longer, double *room,
                       fgti_history *p);
/* Turns forecasts [h] of the rest of a scale into forecasts of the series. */
void fgti_history_restore(const fgti_history *p, const fgti_flat *flat, int64_t h, double *f);

#endif
