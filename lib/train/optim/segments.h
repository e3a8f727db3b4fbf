/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SEGMENTS_H
#define FGTI_SEGMENTS_H

/* Decides which rank sums the gradients of which weights; this rank also updates these weights. The dense
 * elements of the slabs are cut into grains, from their beginning on. The grains are combined into buckets,
 * from their end on. Of each bucket a rank has a segment of whole grains. A rank also has a range of the
 * sparse rows. The norm of all gradients is a sum over grains and rows in a fixed order. So it has the same
 * bits for any number of ranks. */

#include "model/access.h"
#include "ranks/ranks.h"

/* Elements of a grain. They are so few that even in a small model many ranks get some grains. FGTI_GRAIN is a
 * multiple of this number. */
#define FGTI_SEGMENT_GRAIN 1024

/* Elements begin .. end-1 of the slabs. */
typedef struct fgti_slab_range {
    int64_t begin, end;
} fgti_slab_range;

typedef struct fgti_segments {
    const fgti_ranks *ranks;
    int64_t           sparse, size; /* the dense elements of the slabs are sparse .. size-1 */
    int64_t           rows, width;  /* sparse rows, of `width` elements each: sparse = rows * width */
    int64_t           bucket;       /* number of grains in a bucket */
    int64_t           buckets;      /* number of buckets; 0: there is one rank, or no dense element */
    bool              whole; /* every rank updates all dense elements: there is one rank, or the host adds the
                              * gradients */
} fgti_segments;

/* Call it after the gradients of the model are allocated. */
void fgti_segments_init(const fgti_slabs *slabs, const fgti_ranks *ranks, fgti_segments *s);

/* Ranges of elements: of bucket k, counted from the end of the slabs; of rank q's segment in bucket k; of
 * rank q's sparse rows. */
fgti_slab_range fgti_segments_bucket(const fgti_segments *s, int64_t k);
fgti_slab_range fgti_segments_of(const fgti_segments *s, int64_t k, int64_t q);
fgti_slab_range fgti_segments_rows(const fgti_segments *s, int64_t q);

/* Number of grains in a range of dense elements. The range begins where a grain begins. */
static inline int64_t fgti_segments_grains(fgti_slab_range r)
{
    return (r.end - r.begin + FGTI_SEGMENT_GRAIN - 1) / FGTI_SEGMENT_GRAIN;
}

#endif
