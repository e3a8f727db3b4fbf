/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_SELECTOR_H
#define PROGRAMS_FORECAST_SELECTOR_H

/* Selectors of training windows. */

#include "run.h"

/* Makes a selector of training windows; NULL without --attent. */
bool selector_create_for(run *r, int64_t epochs, fgt_attent **selector);
/* Makes r->selector for the training of r->forecaster. */
bool selector_create(run *r);

#endif
