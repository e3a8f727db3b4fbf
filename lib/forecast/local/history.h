/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HISTORY_H
#define FGTI_HISTORY_H

/* The rows of one series before an origin, as its forecasters see them. */

#include <stdbool.h>
#include <stdint.h>

/* A series without its season, on one scale. Row t of n has the phase (t - n) mod m, so season[0] belongs to
 * the first row of the forecast. */
typedef struct fgti_flat {
    bool    ratio;  /* value = rest * season; else value = rest + season */
    bool    log;    /* of the logarithms of the values */
    double *rest;   /* [n] */
    double *season; /* [m] */
} fgti_flat;

/* n >= 1 values without gaps. Scales: the values, and their logarithms if all are above 0. */
typedef struct fgti_history {
    const double *y;
    int64_t       n;
    int64_t       period; /* m: rows of a season, 1 without one */
    int64_t       longer; /* rows of a second season, 0 without one */
    double        least, most;
    fgti_flat     values, logs; /* logs.rest is NULL if a value is not above 0 */
    double       *scratch;      /* the rest of the room */
} fgti_history;

/* Number of doubles for fgti_history_init(): for both scales, and as scratch of forecasters of h rows. Maps
 * need fgti_shared_scratch() more. */
int64_t fgti_history_room(int64_t n, int64_t period, int64_t h);
/* `room` stays with *p. */
void fgti_history_init(const double *y, int64_t n, int64_t period, int64_t longer, double *room,
                       fgti_history *p);
/* Forecasts [h] of the rest of a scale become forecasts of the series. */
void fgti_history_restore(const fgti_history *p, const fgti_flat *flat, int64_t h, double *f);

#endif
