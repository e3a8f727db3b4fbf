/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RUNS_H
#define FGTI_RUNS_H

/* Errors of the members at earlier origins. A run is a series at an origin: forecasts of h known rows from
 * the rows before them. */

#include "forecast/local/origin.h"

enum { FGTI_ORIGINS = 24, FGTI_ORIGINS_BESIDE = 96 /* beside a model of the host */ };

/* Runs are ordered by origin, from the last origin backwards; runs of origin j are begin[j] .. begin[j + 1] -
 * 1. All errors are in units of the series at the origin. */
typedef struct fgti_runs {
    const fgti_panel *panel;
    int64_t           origins, step; /* step: rows from an origin to the next one */
    int64_t           least;         /* rows of a series before its first origin */
    bool              many;          /* many origins, because series are long; maps are learned once */
    int64_t           begin[FGTI_ORIGINS_BESIDE + 1];
    int64_t          *series; /* [runs] */
    double           *unit;   /* [runs]: of the series at the origin */
    float            *size;   /* [runs,FGTI_MEMBERS]: the mean of |error| over the rows */
    double           *model;  /* [runs,h]: forecasts of the host's model; NULL: there is no model */
    int64_t           kept_begin[FGTI_ORIGINS_BESIDE + 1];
    int64_t          *kept;  /* runs whose errors are kept, of evenly spaced series, by origin */
    float            *error; /* [kept,FGTI_MEMBERS,h]: forecast minus value */
} fgti_runs;

/* All origins of all series. They are evenly spaced over a third of the median series, but h / 3 to 2 h rows
 * apart. There are at most 6, or 12 if the panel has up to 3 series, or 24 if the median series has 500 rows:
 * then all maps are learned once, before the first origin. With a model of the host, such series have up to
 * 96, at any distance, because these also judge the model. Before the origins of a series there must be a
 * season and 2 rows, or 30 rows; only 4 rows, if fewer than a fifth of the series are long enough; in panels
 * of fewer than 20 series two seasons and 2 rows (or two longer seasons), if a series has an origin with
 * these. Kept errors take up to 128 MiB. Call fgti_runs_done() even after an error. */
fgt_status fgti_runs_new(fgt_context *ctx, const fgti_panel *panel, fgti_go_on go_on, void *arg,
                         fgti_runs *runs);
void       fgti_runs_done(fgt_context *ctx, fgti_runs *runs);

static inline int64_t fgti_runs_count(const fgti_runs *r)
{
    return r->begin[r->origins];
}

/* The first origin whose rows do not overlap the rows of origin 0; there may be no such origin. */
static inline int64_t fgti_runs_earlier(const fgti_runs *r)
{
    return (r->panel->h + r->step - 1) / r->step;
}

#endif
