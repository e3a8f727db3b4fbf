/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SEGMENTS_H
#define FGTI_SEGMENTS_H

/* Decides which rank sums the gradients of which weights, and updates these weights. The dense elements of
 * the slabs are cut into grains, from their beginning on, and the grains into buckets, from their end on; a
 * rank has a segment of whole grains of each bucket, and a range of the sparse rows. The norm of all
 * gradients is a sum over grains and rows, in order, so that it has the same bits for any number of ranks. */

#include "model/access.h"
#include "ranks/ranks.h"

/* Elements of a grain, few enough that many ranks get some of a small model. FGTI_GRAIN is a multiple. */
#define FGTI_SEGMENT_GRAIN 1024

/* Elements begin .. end-1 of the slabs. */
typedef struct fgti_slab_range {
    int64_t begin, end;
} fgti_slab_range;

typedef struct fgti_segments {
    const fgti_ranks *ranks;
    int64_t           sparse, size; /* the dense elements are sparse .. size-1 */
    int64_t           rows, width;  /* sparse = rows width */
    int64_t           bucket;       /* grains of a bucket */
    int64_t           buckets;      /* 0: only one rank, or nothing dense */
    bool              whole; /* every rank updates all dense elements: there is one rank, or the host adds */
} fgti_segments;

/* Call it after the model has got its gradients. */
void fgti_segments_init(const fgti_slabs *slabs, const fgti_ranks *ranks, fgti_segments *s);

/* Bucket k, from the end of the slabs on; the segment of rank q in it; the elements of rank q's rows. */
fgti_slab_range fgti_segments_bucket(const fgti_segments *s, int64_t k);
fgti_slab_range fgti_segments_of(const fgti_segments *s, int64_t k, int64_t q);
fgti_slab_range fgti_segments_rows(const fgti_segments *s, int64_t q);

/* Number of grains of a range of dense elements, which begins with a whole grain. */
static inline int64_t fgti_segments_grains(fgti_slab_range r)
{
    return (r.end - r.begin + FGTI_SEGMENT_GRAIN - 1) / FGTI_SEGMENT_GRAIN;
}

#endif
