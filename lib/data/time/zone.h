/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ZONE_H
#define FGTI_ZONE_H

/* Time zones: when their clocks change. zone.c reads files of zones, TZif (RFC 8536). zone_file.c finds the
 * file of a zone. */

#include "core/alloc.h"
#include "data/time/time.h"

#define FGTI_MINUTE INT64_C(60000)

typedef struct fgti_zone {
    int64_t  count;  /* number of changes */
    int64_t *at;     /* [count]: times of the changes, increasing, in milliseconds since 1970 */
    int32_t *offset; /* [count + 1]: minutes east of UTC; [0]: before the first change, [i + 1]: from change i
                      * on */
    int64_t  ruled;  /* from this time on, the changes repeat those before, 400 years later; 0: there are no
                      * more changes */
} fgti_zone;

/* Reads a zone from the bytes of a file. Error texts begin with `name`. Call fgti_zone_done() even after an
 * error. */
fgt_status fgti_zone_read(fgt_context *ctx, const char *name, const unsigned char *bytes, int64_t size,
                          fgti_zone *zone);
fgt_status fgti_zone_copy(fgt_context *ctx, const fgti_zone *from, fgti_zone *to);
void       fgti_zone_done(fgt_context *ctx, fgti_zone *zone);

/* The offset of the clock at a time, in minutes east of UTC. */
int32_t fgti_zone_offset(const fgti_zone *zone, int64_t time);
/* Finds the times at which the clock shows `clock`, and returns their number. The number is 0 in an hour that
 * is skipped, 2 in an hour that comes twice (the earlier time first), and otherwise 1. */
int fgti_zone_find(const fgti_zone *zone, int64_t clock, int64_t time[2]);

#endif
