/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_AUTO_H
#define PROGRAMS_FORECAST_AUTO_H

/* Searches for a model: --auto. */

#include "run.h"

/* Searches for r->forecaster, and prints a table of the trials. */
bool auto_search(run *r);

#endif
