/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RUNS_H
#define FGTI_RUNS_H

/* Errors of the members at earlier origins. A run is one series at one origin: its members forecast h known
 * rows from the rows before them. */

#include "forecast/local/origin.h"

enum { FGTI_ORIGINS = 24, FGTI_ORIGINS_BESIDE = 96 /* most origins; most beside a model of the host */ };

/* Runs are ordered by origin, backwards from the last origin; the runs of origin j are begin[j] .. begin[j +
 * 1] - 1. An error is in the unit that its series has at the origin. */
typedef struct fgti_runs {
    const fgti_panel *panel;
    int64_t           origins, step; /* step: rows from an origin to the next one */
    int64_t           least;         /* fewest rows of a series before its first origin */
    bool              many;          /* there are many origins, so the maps are learned only once */
    int64_t           begin[FGTI_ORIGINS_BESIDE + 1];
    int64_t          *series; /* [runs] */
    double           *unit;   /* [runs]: unit of the series at the origin */
    float            *size;   /* [runs,FGTI_MEMBERS]: the mean of |error| over the h rows */
    double           *model;  /* [runs,h]: forecasts of the host's model; NULL: there is no model */
    int64_t           kept_begin[FGTI_ORIGINS_BESIDE + 1];
    int64_t          *kept;  /* runs whose errors are kept, by origin; their series are evenly spaced */
    float            *error; /* [kept,FGTI_MEMBERS,h]: forecast minus value */
} fgti_runs;

/* Runs all members at all origins of all series. The origins are evenly spaced over a third of the median
 * series, but at least h / 3 and at most 2 h rows apart. There are at most 6 origins, or 12 if the panel has
 * up to 3 series. If the median series has 500 rows, there are at most 24, and all maps are learned once,
 * before the first origin. With a model of the host, such series have up to 96 origins at any distance,
 * because these also judge the model.
 *
 * Before the origins of a series there must be a season and 2 rows, or 30 rows. If fewer than a fifth of the
 * series are long enough, 4 rows suffice. In a panel of fewer than 20 series there must be two seasons and 2
 * rows (or two longer seasons and 2 rows), if the series has an origin with these.
 *
 * Kept errors take up to 128 MiB. Call fgti_runs_done() even after an error. FGT_E_NOMEM; FGT_E_CANCELLED
 * go_on() returned false. */
fgt_status fgti_runs_new(fgt_context *ctx, const fgti_panel *panel, fgti_go_on go_on, void *arg,
                         fgti_runs *runs);
void       fgti_runs_done(fgt_context *ctx, fgti_runs *runs);

static inline int64_t fgti_runs_count(const fgti_runs *r)
{
    return r->begin[r->origins];
}

/* Returns the first origin whose forecast rows do not overlap the rows of origin 0. The result may be the
 * number of origins: there is no such origin. */
static inline int64_t fgti_runs_earlier(const fgti_runs *r)
{
    return (r->panel->h + r->step - 1) / r->step;
}

#endif
