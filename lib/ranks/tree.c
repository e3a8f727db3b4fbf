/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks/tree.h"

int32_t fgti_tree_pieces(int64_t first, int64_t end, int64_t piece[FGTI_PIECES_MAX])
{
    int32_t n = 0;
    for (int64_t at = first, size; at < end; at += size) {
        for (size = 1; at % (2 * size) == 0 && at + 2 * size <= end;) size *= 2;
        piece[n++] = at;
    }
    return n;
}

/* The recursion is as deep as the tree: one level for each bit of the number of shards. */
fgti_real *fgti_tree_sum(const fgti_vec *vec, const fgti_term *term, int64_t terms, int64_t first,
                         int64_t end, int64_t n)
{
    int64_t       left = 0;
    const int64_t half = first + (end - first) / 2;
    if (terms == 1) return term[0].value;
    while (left < terms && term[left].shard < half) left++;
    if (left == 0) return fgti_tree_sum(vec, term, terms, half, end, n);
    if (left == terms) return fgti_tree_sum(vec, term, terms, first, half, n);
    fgti_real       *sum   = fgti_tree_sum(vec, term, left, first, half, n);
    const fgti_real *right = fgti_tree_sum(vec, term + left, terms - left, half, end, n);
    vec->axpy(n, 1, right, sum);
    return sum;
}
