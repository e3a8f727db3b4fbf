/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SEARCH_MEASURE_H
#define FGTI_SEARCH_MEASURE_H

#include "forecast/search/candidate.h"

fgt_status fgti_search_measure(fgti_search *s, fgt_forecaster *f, fgti_score_of *score);
/* Makes the candidate that was measured last, a map in closed form, the one that others are compared with. */
void fgti_search_set_map(fgti_search *s, int64_t candidate, double loss);

#endif
