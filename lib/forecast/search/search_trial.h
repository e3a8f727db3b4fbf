/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SEARCH_TRIAL_H
#define FGTI_SEARCH_TRIAL_H

#include "forecast/search/candidate.h"

/* Returns the share of the budget that is spent; 1 or more: all of it. */
double fgti_search_spent(const fgti_search *s);
/* Whether the search must end: the budget is spent, or a callback has ended it. */
bool fgti_search_is_over(fgti_search *s);
/* Makes the candidate or loads its file, and trains it for `epochs` epochs or as many as the budget allows.
 * Then measures it, stores it if it is better than its file, and reports it to the host. */
fgt_status fgti_search_try(fgti_search *s, int64_t candidate, int64_t epochs);
/* Measures the mean of candidates that have files, keeps it if it is better than each of them, and reports it
 * to the host. */
fgt_status fgti_search_try_mean(fgti_search *s, const int64_t *members, int64_t count);

#endif
