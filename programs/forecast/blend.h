/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_BLEND_H
#define PROGRAMS_FORECAST_BLEND_H

/* The forecast of --predict as a blend of the trained model and local forecasters. */

#include "run.h"

/* Makes r->blend, unless the options ask for only a model, and prints a message. */
bool blend_find(run *r, FILE *out);

#endif
