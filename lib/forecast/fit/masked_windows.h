/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MASKED_WINDOWS_H
#define FGTI_MASKED_WINDOWS_H

/* Windows with hidden patches, as an fgt_source. P patches of `length` steps, `stride` apart, cover the last
 * T rows of a window. M patches are hidden, the same ones in all D series. Overlapping patches show parts of
 * each other. So neighbouring patches are hidden together, and only steps that no visible patch covers count
 * in the loss. */

#include "forecast/rows/feed.h"
#include "forecast/rows/frame.h"

/* Names of two values of the model that the forecaster does not have. The values are numbers of patches. */
#define FGTI_VISIBLE "masked.visible" /* [B,P - M] */
#define FGTI_HIDDEN  "masked.hidden"  /* [B,M] */

typedef struct fgti_masked {
    fgti_feed  feed; /* the whole windows */
    fgt_source whole;
    int64_t    patches, hidden, length, stride, rows; /* patches: P; hidden: M; rows: T */
    uint64_t   seed;
    int64_t    epoch; /* of training; 0: validation */
    int64_t   *order; /* [P]: memory for a draw */
    uint8_t   *is_hidden, *is_shown; /* [P], [T]: results of the last draw */
} fgti_masked;

/* Sets the patches of a forecaster, and how many of them are hidden, from their share. FGT_E_STATE: the
 * forecaster has no patches, or its block joins the patches. */
fgt_status fgti_masked_plan(const fgt_forecaster *f, double share, fgti_masked *m);
/* Makes a source of windows from a planned *m. The windows are in rows begin .. end-1, as fgti_feed_init()
 * takes them. The targets [n,D,M,length] are 0, and NaN for steps that a visible patch covers or where the
 * table has no value. Call fgti_masked_done() even after an error. */
fgt_status fgti_masked_init(fgti_masked *m, const fgt_forecaster *f, const fgti_frame *frame,
                            const char *what, int64_t begin, int64_t end, int64_t stride, int32_t reach_back,
                            fgt_source *source);
void       fgti_masked_done(fgti_masked *m);

#endif
