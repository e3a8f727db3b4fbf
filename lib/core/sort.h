/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SORT_H
#define FGTI_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n elements of `size` bytes, as qsort() does: compare() is below 0 if a is before b. It must be a
 * total order, so that results never change. qsort() is not used because glibc's qsort() allocates memory.
 * arg is given to compare(). */
void fgti_sort(void *base, int64_t n, size_t size,
               int (*compare)(const void *a, const void *b, const void *arg), const void *arg);

/* Sorts n numbers that are not negative, in ascending order. spare: [n]. */
void fgti_sort_numbers(int32_t *number, int64_t n, int32_t *spare);

/* Sorts n whole numbers, for example times, in ascending order. */
void fgti_sort_whole(int64_t *number, int64_t n);

/* Sorts n numbers in ascending order. NaN is not allowed. */
void fgti_sort_doubles(double *number, int64_t n);

/* The number that would be number[k] after that, 0 <= k < n. It is there, with no larger one before it and no
 * smaller one after it. */
double fgti_sort_select(double *number, int64_t n, int64_t k);

/* The median of n >= 1 numbers, whose order is lost: of an even number the mean of the two in the middle. */
double fgti_sort_median(double *number, int64_t n);

/* Keeps, of elements that are offered one after another, the n first ones in the order of compare(), n >= 1.
 * came: number of elements offered before. The first min(came, n) elements of base are set, in any order. */
void fgti_sort_offer(void *base, int64_t n, size_t size, int64_t came, const void *offered,
                     int (*compare)(const void *a, const void *b, const void *arg), const void *arg);

#endif
