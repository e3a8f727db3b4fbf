/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sort.h"

#include <string.h>

typedef struct sorter {
    unsigned char *base;
    size_t         size;
    int (*compare)(const void *a, const void *b, const void *arg);
    const void *arg;
} sorter;

static void *sort_element(const sorter *s, int64_t i)
{
    return s->base + (size_t)i * s->size;
}

static int order(const sorter *s, int64_t i, int64_t j)
{
    return s->compare(sort_element(s, i), sort_element(s, j), s->arg);
}

static void sort_swap(const sorter *s, int64_t i, int64_t j)
{
    unsigned char *a = sort_element(s, i), *b = sort_element(s, j);
    for (size_t k = 0; k < s->size; k++) {
        const unsigned char c = a[k];
        a[k]                  = b[k];
        b[k]                  = c;
    }
}

/* Moves element `root` down the heap until none of its children is greater. In a heap the greatest element is
 * the first. */
static void sift(const sorter *s, int64_t root, int64_t n)
{
    for (int64_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && order(s, child, child + 1) < 0) child++;
        if (order(s, root, child) >= 0) return;
        sort_swap(s, root, child);
    }
}

static void make_heap(const sorter *s, int64_t n)
{
    for (int64_t i = n / 2; i-- > 0;) sift(s, i, n);
}

/* Heapsort: it needs no memory and is never quadratic. */
void fgti_sort(void *base, int64_t n, size_t size,
               int (*compare)(const void *a, const void *b, const void *arg), const void *arg)
{
    const sorter s = {base, size, compare, arg};
    make_heap(&s, n);
    for (int64_t i = n; i-- > 1;) {
        sort_swap(&s, 0, i);
        sift(&s, 0, i);
    }
}

/* A stable counting sort by 8 bits. */
static void sort_digit(const int32_t *from, int64_t n, int32_t shift, int32_t *to)
{
    int64_t at[257] = {0};
    for (int64_t i = 0; i < n; i++) at[(from[i] >> shift & 255) + 1]++;
    for (int32_t k = 0; k < 256; k++) at[k + 1] += at[k];
    for (int64_t i = 0; i < n; i++) to[at[from[i] >> shift & 255]++] = from[i];
}

/* Radix sort from the lowest digit to the highest digit of the greatest number. Two digits are sorted at a
 * time, so that the result ends in `number` and not in `spare`. */
void fgti_sort_numbers(int32_t *number, int64_t n, int32_t *spare)
{
    int32_t most = 0;
    for (int64_t i = 0; i < n; i++)
        if (number[i] > most) most = number[i];
    for (int32_t shift = 0; shift < 32 && most >> shift; shift += 16) {
        sort_digit(number, n, shift, spare);
        sort_digit(spare, n, shift + 8, number);
    }
}

/* The elements become a heap as soon as there are n. An element that comes later replaces the first element
 * of the heap if it is before that element in the order. */
void fgti_sort_offer(void *base, int64_t n, size_t size, int64_t came, const void *offered,
                     int (*compare)(const void *a, const void *b, const void *arg), const void *arg)
{
    const sorter s = {base, size, compare, arg};
    if (came < n) {
        memcpy(sort_element(&s, came), offered, size);
        if (came == n - 1) make_heap(&s, n);
    } else if (compare(offered, base, arg) < 0) {
        memcpy(base, offered, size);
        sift(&s, 0, n);
    }
}

static int compare_whole(const void *a, const void *b, const void *arg)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    (void)arg;
    return (x > y) - (x < y);
}

void fgti_sort_whole(int64_t *number, int64_t n)
{
    fgti_sort(number, n, sizeof *number, compare_whole, NULL);
}

/* sift() for doubles, without calls of compare(), because forecasts sort many short lists. */
static void sift_double(double *number, int64_t root, int64_t n)
{
    const double top = number[root];
    for (int64_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && number[child] < number[child + 1]) child++;
        if (top >= number[child]) break;
        number[root]  = number[child];
        number[child] = top;
    }
}

void fgti_sort_doubles(double *number, int64_t n)
{
    for (int64_t i = n / 2; i-- > 0;) sift_double(number, i, n);
    for (int64_t i = n; i-- > 1;) {
        const double most = number[0];
        number[0]         = number[i];
        number[i]         = most;
        sift_double(number, 0, i);
    }
}

/* Sorts a few numbers: each number moves down to its place. */
static void insert_doubles(double *number, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const double v = number[i];
        int64_t      k = i;
        for (; k > 0 && number[k - 1] > v; k--) number[k] = number[k - 1];
        number[k] = v;
    }
}

/* Partitions the numbers around a number of middle size. No number up to *left is larger than this number,
 * and no number from *right on is smaller. */
static void part(double *number, int64_t n, int64_t *left, int64_t *right)
{
    const double a = number[0], b = number[n / 2], c = number[n - 1];
    const double middle = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    int64_t      i = 0, j = n - 1;
    while (i <= j) {
        while (number[i] < middle) i++;
        while (number[j] > middle) j--;
        if (i > j) break;
        const double v = number[i];
        number[i++]    = number[j];
        number[j--]    = v;
    }
    *left  = j;
    *right = i;
}

/* Each step usually halves the part that holds number[k]. After HALVINGS steps this part is sorted. */
double fgti_sort_select(double *number, int64_t n, int64_t k)
{
    enum { FEW = 16, HALVINGS = 80 };
    double *first = number;
    for (int parts = 0; n > FEW && parts < HALVINGS; parts++) {
        int64_t left, right;
        part(first, n, &left, &right);
        if (k > left && k < right) return first[k];
        if (k <= left) {
            n = left + 1;
        } else {
            first += right;
            n -= right;
            k -= right;
        }
    }
    if (n <= FEW)
        insert_doubles(first, n);
    else
        fgti_sort_doubles(first, n);
    return first[k];
}

/* After fgti_sort_select(), no number before the middle is larger than the number in the middle. */
double fgti_sort_median(double *number, int64_t n)
{
    const double upper = fgti_sort_select(number, n, n / 2);
    double       lower = n % 2 ? upper : number[0];
    for (int64_t i = 1; i < n / 2 && n % 2 == 0; i++)
        if (number[i] > lower) lower = number[i];
    return (lower + upper) / 2;
}
