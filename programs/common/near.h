/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NEAR_H
#define NEAR_H

/* Finds the known name that is nearest to a mistyped one. */

#include <stdbool.h>
#include <stddef.h>

typedef struct near {
    const char *name; /* the mistyped name */
    const char *best; /* the nearest known name so far; NULL: no name is near */
    size_t      distance;
} near;

/* Compares the mistyped name with a known one, which must live as long as n. A known name is near if few
 * letters were left out, added, replaced or exchanged with their neighbours: at most one in three, or one in
 * a name of fewer than six letters. */
void near_try(near *n, const char *name);
/* Writes "; did you mean --horizon?", or "" if no name is near. `before` is the text in front of the name,
 * here "--". */
#define NEAR_TEXT 128
const char *near_text(const near *n, const char *before, char text[NEAR_TEXT]);

#endif
