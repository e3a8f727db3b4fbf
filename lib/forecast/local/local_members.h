/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOCAL_MEMBERS_H
#define FGTI_LOCAL_MEMBERS_H

/* The local forecasters, by number. */

#include "forecast/local/history.h"
#include "forecast/local/long_map.h"
#include "forecast/local/shared.h"

/* Numbers of members. All series have the members below FGTI_MEMBERS_OF_ALL. The first FGTI_MEMBERS_IN_BLENDS
 * of these are in blends. Only long series have the members after them. */
enum {
    FGTI_MEMBERS_IN_BLENDS = 21,
    FGTI_MEMBERS_OF_ALL    = 24,
    FGTI_MODEL             = FGTI_MEMBERS_OF_ALL + FGTI_LONG_FORMS, /* a model of the host */
    FGTI_MEMBERS,
    FGTI_LAST_VALUE       = 0,
    FGTI_SEASONAL_VALUE   = 2,
    FGTI_LONG_PHASE_MEANS = 4,
    FGTI_DRIFT            = 21,
    FGTI_MEAN             = 22,
    FGTI_RATE             = 23
};

/* Kernels, and the maps of one origin. A map is NULL if there are too few rows for it. */
typedef struct fgti_maps {
    const fgti_vec    *vec;
    const fgti_shared    *values; /* shared map of the series' values */
    const fgti_shared    *flat;   /* shared map of p->values.rest */
    const fgti_long_maps *own;    /* maps of this series only */
    int64_t               end;    /* rows of the series before the origin, also those without history */
    const double      *model;  /* [h]: the host's forecast; NULL: no forecast */
} fgti_maps;

/* "theta", "lags of logarithms" .. */
const char *fgti_member_name(int member);
/* Whether a member is in blends. Three members are not, because they are too far from the others in most
 * series: the last value with drift and the mean, which lean.h uses, and the rate, which is the forecast of
 * rare.h. */
static inline bool fgti_member_blends(int member)
{
    return member < FGTI_MEMBERS_IN_BLENDS || (member >= FGTI_MEMBERS_OF_ALL && member != FGTI_MODEL);
}
/* Whether series of n rows have the member. */
static inline bool fgti_member_takes(int member, int64_t n)
{
    return member < FGTI_MEMBERS_OF_ALL || n >= FGTI_LONG_LEAST;
}

/* Computes all forecasts f [FGTI_MEMBERS,h] of one series. The forecasts stay within twice the range of the
 * series around it. Upwards they may also reach as far as growth leads from the largest value. Growth is
 * measured from each third of the rows to the next third, and the smaller growth counts. The forecasts are
 * not below 0 if the series never is. A member with too few rows forecasts like theta. At closed phases
 * (season.h) all members forecast the value of the phase. If all rows are equal, or at least 5 rows lie on a
 * straight line, all members continue the line, without a limit. */
void fgti_members_forecast(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f);

#endif
