/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ZONE_H
#define FGTI_ZONE_H

/* Time zones: when their clocks change. zone.c reads TZif (RFC 8536); table_zone.c finds the file. */

#include "core/alloc.h"
#include "data/time/time.h"

#define FGTI_MINUTE INT64_C(60000)

typedef struct fgti_zone {
    int64_t  count;  /* changes */
    int64_t *at;     /* [count]: rising, in milliseconds since 1970 */
    int32_t *offset; /* [count + 1]: minutes east of UTC before the first change, and from each one on */
    int64_t  ruled;  /* from this time on, the changes of 400 years earlier repeat; 0: no more changes */
} fgti_zone;

/* Reads the bytes of a file; `name` begins the text of errors. Call fgti_zone_done() even after an error. */
fgt_status fgti_zone_read(fgt_context *ctx, const char *name, const unsigned char *bytes, int64_t size,
                          fgti_zone *zone);
fgt_status fgti_zone_copy(fgt_context *ctx, const fgti_zone *from, fgti_zone *to);
void       fgti_zone_done(fgt_context *ctx, fgti_zone *zone);

/* Offset of the clock in minutes east of UTC. */
int32_t fgti_zone_offset(const fgti_zone *zone, int64_t time);
/* Finds the times at which the clock shows this, and returns their number: 0 in an hour that is skipped; 2,
 * rising, in an hour that comes twice; otherwise 1. */
int fgti_zone_find(const fgti_zone *zone, int64_t clock, int64_t time[2]);

#endif
