/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ZONE_FILE_H
#define FGTI_ZONE_FILE_H

/* Files of time zones, as tzdata installs them. */

#include "data/time/zone.h"

/* Reads the zone with this name. A name that begins with / or . is the path of a file. */
fgt_status fgti_zone_load(fgt_context *ctx, const char *name, fgti_zone *zone);

#endif
