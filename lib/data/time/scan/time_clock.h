/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_CLOCK_H
#define FGTI_TIME_CLOCK_H

#include "data/time/scan/scanner.h"

/* Takes a time of day: h, h:mm, h:mm:ss, h:mm:ss.fff, hhmm or hhmmss, perhaps with am or pm. After a - or _
 * it may also be hh-mm-ss. */
bool fgti_scan_clock(fgti_scanner *s, char before);
/* Takes a zone: Z, +02:00, CET, [Europe/Berlin], (Central European Time), or several of these. The text may
 * also have no zone. */
bool fgti_scan_zone(fgti_scanner *s);

#endif
