/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_PERIOD_H
#define FGTI_TIME_PERIOD_H

#include "data/time/scan/scanner.h"

/* Takes a quarter or a week: Q1, 1Q, T1, 1. Quartal, 1er trimestre, KW 2 and similar texts. Returns false if
 * it has taken nothing. */
bool fgti_scan_period(fgti_scanner *s);

#endif
