/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_LOAD_H
#define PROGRAMS_FORECAST_LOAD_H

/* The model of --load. */

#include "run.h"

/* Loads the model of --load. Checks that options that are stored in the file are the same if they are
 * given. */
bool load_model(run *r);

#endif
