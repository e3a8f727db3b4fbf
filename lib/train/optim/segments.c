/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/optim/segments.h"

/* BUCKET: grains in a bucket, 1 MiB. The exchange of a bucket takes much longer than the latency of an
 * exchange, and much less than a pass. SEGMENT: fewest grains of a bucket that a rank gets; with many ranks,
 * buckets are larger. */
#define BUCKET  256
#define SEGMENT 4

void fgti_segments_init(const fgti_slabs *slabs, const fgti_ranks *ranks, fgti_segments *s)
{
    const int64_t sparse = fgti_slabs_sparse(slabs), many = ranks->with.ranks;
    *s                   = (fgti_segments){.ranks  = ranks,
                                           .sparse = sparse,
                                           .size   = slabs->size,
                                           .rows   = slabs->touched->rows,
                                           .width  = slabs->touched->width,
                                           .bucket = BUCKET,
                                           .whole  = many == 1 || ranks->with.sum};
    const int64_t grains = fgti_segments_grains((fgti_slab_range){sparse, slabs->size});
    while (s->bucket < many * SEGMENT || grains / s->bucket >= FGTI_TAGS / 2) s->bucket *= 2;
    if (many > 1) s->buckets = (grains + s->bucket - 1) / s->bucket;
}

/* The number of the first element in a grain. */
static int64_t segments_element(const fgti_segments *s, int64_t grain)
{
    const int64_t at = s->sparse + grain * FGTI_SEGMENT_GRAIN;
    return at < s->size ? at : s->size;
}

/* The first grain of bucket k. *count: number of grains in the bucket. */
static int64_t first_grain(const fgti_segments *s, int64_t k, int64_t *count)
{
    const int64_t all   = fgti_segments_grains((fgti_slab_range){s->sparse, s->size}),
                  end   = all - k * s->bucket;
    const int64_t begin = end > s->bucket ? end - s->bucket : 0;
    *count              = end - begin;
    return begin;
}

fgti_slab_range fgti_segments_bucket(const fgti_segments *s, int64_t k)
{
    int64_t       n;
    const int64_t first = first_grain(s, k, &n);
    return (fgti_slab_range){segments_element(s, first), segments_element(s, first + n)};
}

fgti_slab_range fgti_segments_of(const fgti_segments *s, int64_t k, int64_t q)
{
    int64_t       n;
    const int64_t first = first_grain(s, k, &n);
    return (fgti_slab_range){segments_element(s, first + fgti_ranks_share(s->ranks, n, q)),
                             segments_element(s, first + fgti_ranks_share(s->ranks, n, q + 1))};
}

fgti_slab_range fgti_segments_rows(const fgti_segments *s, int64_t q)
{
    return (fgti_slab_range){fgti_ranks_share(s->ranks, s->rows, q) * s->width,
                             fgti_ranks_share(s->ranks, s->rows, q + 1) * s->width};
}
