/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_CHOICE_H
#define PROGRAMS_FORECAST_FAST_CHOICE_H

/* Whether forecasts are made without training. */

#include "run.h"

/* Checks that the options can be combined with --fast. On error prints a message and returns false. */
bool fast_check(const options *o);
/* Whether an option has an effect without training. */
bool fast_takes(const char *option);
/* Returns the first option on the command line that needs a model, without its dashes; NULL: no such
 * option. */
const char *fast_blocked_by(void);
/* Whether additional columns are the only options that need a model. The model is then blended with local
 * forecasters. */
bool fast_beside(void);
/* Whether the command line has no option that needs a model. */
bool fast_may(const options *o);
/* Whether nothing is trained. This is so with --fast. It is also so for a long file or a short table if no
 * option needs a model. */
bool fast_wanted(const run *r);
/* Prints for which output a model is trained. Without this output nothing would be trained, and the forecasts
 * would differ. */
void fast_say_why_not(const run *r, FILE *out);

#endif
