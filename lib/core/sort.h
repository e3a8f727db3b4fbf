/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SORT_H
#define FGTI_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n elements of `size` bytes, as qsort() does: compare() is below 0 where a belongs before b, and must
 * be a total order for results that never change. qsort() itself is not used, because that of glibc allocates
 * memory. arg is handed to compare(). */
void fgti_sort(void *base, int64_t n, size_t size,
               int (*compare)(const void *a, const void *b, const void *arg), const void *arg);

/* Sorts n numbers that are not negative, in ascending order. spare: [n]. */
void fgti_sort_numbers(int32_t *number, int64_t n, int32_t *spare);

/* Sorts n whole numbers in ascending order, such as times. */
void fgti_sort_whole(int64_t *number, int64_t n);

/* Sorts n numbers, none of which is NaN, in ascending order. */
void fgti_sort_doubles(double *number, int64_t n);

/* The same, for n >= 1. Returns their median: of an even number the mean of the two in the middle. */
double fgti_sort_median(double *number, int64_t n);

/* Of elements that are offered one after another, keeps the n that stand first in that order, n >= 1. came:
 * how many were offered before; only the first min(came, n) of base are set, in any order. */
void fgti_sort_offer(void *base, int64_t n, size_t size, int64_t came, const void *offered,
                     int (*compare)(const void *a, const void *b, const void *arg), const void *arg);

#endif
