/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_BLEND_H
#define PROGRAMS_FORECAST_BLEND_H

/* Makes the forecast of --predict as a blend of the trained model and local forecasters. */

#include "run.h"

/* Makes r->blend and prints a message. Does nothing if the options ask for a model that is not blended. */
bool blend_find(run *r, FILE *out);

#endif
