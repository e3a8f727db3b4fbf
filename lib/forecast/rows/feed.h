/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FEED_H
#define FGTI_FEED_H

/* Windows of a frame as an fgt_source. With quantiles each target is repeated for each quantile. */

#include "data/windows.h"
#include "forecast/forecaster_impl.h"
#include "forecast/rows/frame.h"

typedef struct fgti_feed {
    const fgt_forecaster *f;
    const fgti_frame     *frame;
    fgt_windows          *windows;   /* the windows, which name the rows */
    int64_t               look_back; /* L: a target without a value in these rows has no loss */
} fgti_feed;

/* Makes a source of windows whose targets lie in rows begin .. end-1, `stride` apart. reach_back 0: the
 * inputs of the windows must lie there, too. `what` begins the text of errors. Call fgti_feed_done() even
 * after an error. */
fgt_status fgti_feed_init(fgti_feed *d, const fgt_forecaster *f, const fgti_frame *frame, const char *what,
                          int64_t begin, int64_t end, int64_t stride, int32_t reach_back, fgt_source *source);
void       fgti_feed_done(fgti_feed *d);

#endif
