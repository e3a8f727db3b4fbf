/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOCAL_MEMBERS_H
#define FGTI_LOCAL_MEMBERS_H

/* The local forecasters, by number. */

#include "forecast/local/history.h"
#include "forecast/local/long_map.h"
#include "forecast/local/shared.h"

/* All series have the members below FGTI_MEMBERS_OF_ALL; the first FGTI_MEMBERS_IN_BLENDS of these are in
 * blends. Only long series have the members after them. */
enum {
    FGTI_MEMBERS_IN_BLENDS = 21,
    FGTI_MEMBERS_OF_ALL    = 24,
    FGTI_MODEL             = FGTI_MEMBERS_OF_ALL + FGTI_LONG_FORMS, /* of the host */
    FGTI_MEMBERS,
    FGTI_LAST_VALUE        = 0,
    FGTI_SEASONAL_VALUE    = 2,
    FGTI_LONG_PHASE_MEANS  = 4,
    FGTI_DRIFT             = 21,
    FGTI_MEAN              = 22,
    FGTI_RATE              = 23
};

/* Kernels, and the maps of one origin; a map is NULL if there are too few rows for it. */
typedef struct fgti_maps {
    const fgti_vec    *vec;
    const fgti_shared *values; /* of the series' values */
    const fgti_shared *flat;   /* of p->values.rest */
    const fgti_long_maps   *own;    /* of this series */
    int64_t            end;    /* rows of the series before the origin, including rows that p has left out */
    const double      *model;  /* [h]: the host's forecast; NULL: no forecast */
} fgti_maps;

/* "theta", "lags of logarithms" .. */
const char *fgti_member_name(int member);
/* Three members are not in blends, because they are too far from the others in most series: the last value
 * with drift and the mean, which lean.h uses, and the rate, the forecast of rare.h. */
static inline bool fgti_member_blends(int member)
{
    return member < FGTI_MEMBERS_IN_BLENDS || (member >= FGTI_MEMBERS_OF_ALL && member != FGTI_MODEL);
}
/* Whether series of n rows have the member. */
static inline bool fgti_member_takes(int member, int64_t n)
{
    return member < FGTI_MEMBERS_OF_ALL || n >= FGTI_LONG_LEAST;
}

/* All forecasts f [FGTI_MEMBERS,h] of one series. They stay within twice the range of the series around it.
 * Upwards they may also reach as far as growth leads from the largest value: growth is measured from each
 * third of the rows to the next, and the smaller one counts. They are not below 0 if the series never is. A
 * member with too few rows forecasts like theta. At closed phases (season.h) all forecast the phase's value.
 * If all rows are equal, or 5 rows or more lie on a straight line, all members continue it, without a
 * limit. */
void fgti_members_forecast(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f);

#endif
