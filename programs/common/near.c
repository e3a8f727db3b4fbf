/* SPDX-License-Identifier: BSD-3-Clause */
#include "near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The most bytes of a name. Longer names are not compared. */
enum { MOST = 64 };

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b) || (a == '_' && b == '-');
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The distance of two words by optimal string alignment. It is the Damerau-Levenshtein distance, except that
 * no position is changed more than once. */
static size_t measure(const char *a, size_t m, const char *b, size_t n)
{
    size_t row[3][MOST + 1]; /* distances for the first i, i - 1 and i - 2 letters of a */
    for (size_t k = 0; k <= n; k++) row[0][k] = k;
    for (size_t i = 1; i <= m; i++) {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];
        now[0] = i;
        for (size_t k = 1; k <= n; k++) {
            now[k] = least(before[k - 1] + !same(a[i - 1], b[k - 1]), least(before[k], now[k - 1]) + 1);
            if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
                now[k] = least(now[k], older[k - 2] + 1);
        }
    }
    return row[m % 3][n];
}

void near_try(near *n, const char *name)
{
    const size_t a = strlen(n->name), b = strlen(name);
    if (!a || !b || a > MOST || b > MOST) return;
    const size_t distance = measure(n->name, a, name, b);
    if (distance > (a < 6 ? 1 : a / 3) || distance >= b || (n->best && distance >= n->distance)) return;
    n->best     = name;
    n->distance = distance;
}

const char *near_text(const near *n, const char *before, char text[NEAR_TEXT])
{
    *text = 0;
    if (n->best) snprintf(text, NEAR_TEXT, "; did you mean %s%s?", before, n->best);
    return text;
}
