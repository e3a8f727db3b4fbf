/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENT_SELECT_H
#define FGTI_ATTENT_SELECT_H

#include "attent/attent_impl.h"

/* Whether the strategy uses scores. */
bool fgti_attent_needs_scores(const fgt_attent_opts *o);
/* Number of the first sample without a score; -1: all samples have one. */
int64_t fgti_attent_find_unknown(const fgt_attent *a);
/* Fills `choice` for the epoch in c. FGT_E_STATE: scores are missing; nothing has changed. */
fgt_status fgti_attent_choose(fgt_attent *a, const fgti_attent_clock *c);
/* Counts and hashes the chosen samples, and averages their scores. */
void fgti_attent_sum_up(fgt_attent *a);
/* Lists the subset in ascending order. The next function puts the list into the order of the epoch. */
void fgti_attent_list(fgt_attent *a);
void fgti_attent_shuffle(fgt_attent *a);
/* The residual |f - f*| (fgt_attent_residual), computed from the scores; NaN while any score is unknown. */
double fgti_attent_residual(const fgt_attent *a);

#endif
