/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SORT_H
#define FGTI_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n elements of `size` bytes, as qsort() does: compare() is below 0 if a is before b, and arg is given
 * to compare(). The order must be total, so that results never change. qsort() is not used because glibc's
 * qsort() allocates memory. */
void fgti_sort(void *base, int64_t n, size_t size,
               int (*compare)(const void *a, const void *b, const void *arg), const void *arg);

/* Sorts n numbers that are not negative, in ascending order. spare: [n]. */
void fgti_sort_numbers(int32_t *number, int64_t n, int32_t *spare);

/* Sorts n whole numbers, for example times, in ascending order. */
void fgti_sort_whole(int64_t *number, int64_t n);

/* Sorts n numbers in ascending order. NaN is not allowed. */
void fgti_sort_doubles(double *number, int64_t n);

/* Returns the number that would be number[k] in ascending order, 0 <= k < n, and moves it to number[k]. After
 * that no number before number[k] is larger, and no number after it is smaller. */
double fgti_sort_select(double *number, int64_t n, int64_t k);

/* Returns the median of n >= 1 numbers; for an even n, the mean of the two numbers in the middle. The order
 * of the numbers changes. */
double fgti_sort_median(double *number, int64_t n);

/* Offers one element to the array `base`, which keeps the n elements, n >= 1, that come first in the order of
 * compare(). came: number of elements that were offered before. The first min(came, n) elements of base are
 * set, in any order. */
void fgti_sort_offer(void *base, int64_t n, size_t size, int64_t came, const void *offered,
                     int (*compare)(const void *a, const void *b, const void *arg), const void *arg);

#endif
