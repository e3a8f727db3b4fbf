/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SEARCH_MEASURE_H
#define FGTI_SEARCH_MEASURE_H

#include "forecast/search/candidate.h"

fgt_status fgti_search_measure(fgti_search *s, fgt_forecaster *f, fgti_score_of *score);
/* Takes the map in closed form that was measured last as the best map, with which candidates are compared. */
void fgti_search_set_map(fgti_search *s, int64_t candidate, double loss);

#endif
