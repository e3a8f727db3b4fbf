/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/workspace/placement.h"

/* Chooses the smallest free buffer that is large enough. If no free buffer is, chooses the largest free one,
 * because it has to grow least. -1: no buffer is free. busy[b] is the last step in which buffer b is
 * needed. */
static int64_t placement_choose(int64_t buffers, const int64_t *size, const int64_t *busy,
                                const fgti_life *life)
{
    int64_t best = -1;
    for (int64_t b = 0; b < buffers; b++) {
        if (busy[b] >= life->first) continue;
        const bool fits = size[b] >= life->size, better = best < 0 || size[b] > size[best];
        const bool best_fits = best >= 0 && size[best] >= life->size;
        if (best < 0 || (fits ? !best_fits || size[b] < size[best] : !best_fits && better)) best = b;
    }
    return best;
}

int64_t fgti_place(int64_t n, fgti_life *life, int64_t *size, int64_t *busy)
{
    int64_t buffers = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t b = placement_choose(buffers, size, busy, &life[i]);
        if (b < 0) {
            b       = buffers++;
            size[b] = 0;
        }
        if (size[b] < life[i].size) size[b] = life[i].size;
        busy[b]        = life[i].last;
        life[i].buffer = b;
    }
    return buffers;
}
