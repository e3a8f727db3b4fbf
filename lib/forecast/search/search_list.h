/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SEARCH_LIST_H
#define FGTI_SEARCH_LIST_H

#include "forecast/search/candidate.h"

/* Adds the linear part that a forecaster with the options `base` has. */
void fgti_search_list_first(fgti_search *s);
/* Adds linear parts whose look-back differs from the look-back of the first candidate, which is the
 * default. */
void fgti_search_list_linear(fgti_search *s);
/* Adds the best linear part without its calendar. Nothing is added if it has no calendar, or if the host has
 * fixed the calendar. */
void fgti_search_list_calendar(fgti_search *s);
/* Adds candidates with layers, for the look-back and the calendar of `like`. */
void fgti_search_list_layers(fgti_search *s, const fgti_candidate *like);

#endif
