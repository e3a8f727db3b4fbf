/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_MEMBERS_H
#define PROGRAMS_FORECAST_FAST_MEMBERS_H

/* The members of forecasts without training, and their weights. */

#include "fast.h"

/* Computes the mean weight of each member [FGT_LOCAL_MEMBERS], and their order by weight. Returns the number
 * of members that have a weight in any series. The other members are for longer series, or for values of
 * another kind. */
int fast_find_members(const fast *f, double *mean, int *order);
/* Writes the names and weights of the first `most` members, such as "theta 40 %, level 20 % and 3 more". */
#define MEMBERS_TEXT 600
const char *fast_members_text(const fast *f, int most, char text[MEMBERS_TEXT]);
/* Returns all members with their weights as a JSON object; NULL: no memory. */
json_t *fast_describe_members(const fast *f);

#endif
