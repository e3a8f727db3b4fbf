/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_MEASURE_H
#define PROGRAMS_FORECAST_MEASURE_H

/* Errors on the validation and test windows. */

#include "run.h"

/* Measures errors on validation and test windows, for the model and the baselines. */
bool measure_all(run *r);
/* Chooses the season of the baseline: a day, a week or a year, with the least error on the validation rows,
 * or on the test rows if there are no validation rows. */
bool measure_season(run *r);

#endif
