/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_CLOCK_H
#define FGTI_TIME_CLOCK_H

#include "data/time/scan/scanner.h"

/* Takes h, h:mm, h:mm:ss, h:mm:ss.fff, hhmm, hhmmss, with am or pm; after - or _ also hh-mm-ss. */
bool fgti_scan_clock(fgti_scanner *s, char before);
/* Takes Z, +02:00, CET, [Europe/Berlin], (Central European Time), one after another, or nothing. */
bool fgti_scan_zone(fgti_scanner *s);

#endif
