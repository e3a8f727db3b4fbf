/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_CHOICE_H
#define PROGRAMS_FORECAST_FAST_CHOICE_H

/* Whether forecasts are made without training. */

#include "run.h"

/* Checks that the options can be combined with --fast. On error prints a message and returns false. */
bool fast_check(const options *o);
/* Whether an option has an effect without training. */
bool fast_takes(const char *option);
/* The first option that needs a model, without --; NULL: not given. */
const char *fast_blocked_by(void);
/* Whether the only options that need a model are additional columns; then the model is blended with local
 * forecasters. */
bool fast_beside(void);
/* Whether no option needs a model. */
bool fast_may(const options *o);
/* Whether nothing is trained: with --fast, or for a long file or a short table without options that need a
 * model. */
bool fast_wanted(const run *r);
/* Names the output for which a model is trained instead: without it the forecasts would differ. */
void fast_say_why_not(const run *r, FILE *out);

#endif
