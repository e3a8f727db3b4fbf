/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_CERTAINTY_H
#define PROGRAMS_FORECAST_CERTAINTY_H

/* Measures the errors of intervals and quantiles, and reports them. */

#include "run.h"

/* Measures intervals and quantiles on the test windows. */
bool certainty_measure(run *r);
/* Computes r->intervals and r->coverage from the sums of intervals in s. */
bool certainty_conclude(run *r, const scores *s);
/* The number of errors that an interval of this level needs. */
int64_t certainty_needs(double level);
void    certainty_done(run *r);
void    report_certainty(const run *r, FILE *out);
/* Adds "intervals", "quantiles" and "crps". Returns false if there is no memory. */
bool report_set_certainty(json_t *object, const run *r);

#endif
