/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NEAR_H
#define NEAR_H

/* Finds the known name that is nearest to a mistyped one. */

#include <stdbool.h>
#include <stddef.h>

typedef struct near {
    const char *name; /* as given */
    const char *best; /* the nearest so far; NULL: no name is near */
    size_t      distance;
} near;

/* Compares one more name, which must live as long as n. A name is near if few letters are left out, added,
 * replaced or exchanged with their neighbours: at most one of three. */
void near_try(near *n, const char *name);
/* Writes "; did you mean --horizon?" with `before` in front of the name, or nothing. */
#define NEAR_TEXT 128
const char *near_text(const near *n, const char *before, char text[NEAR_TEXT]);

#endif
