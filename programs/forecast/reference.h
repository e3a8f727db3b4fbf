/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_REFERENCE_H
#define PROGRAMS_FORECAST_REFERENCE_H

/* Losses of a simple rule, for --excess. */

#include "run.h"

/* The loss of the linear map in closed form for each training window, which the caller frees. NULL after a
 * message. */
float *reference_of_windows(run *r);

#endif
