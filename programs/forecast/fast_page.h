/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_PAGE_H
#define PROGRAMS_FORECAST_FAST_PAGE_H

/* The page of --report without training. */

#include "fast.h"

/* Writes the page of --report. */
bool fast_page(const fast *f);

#endif
