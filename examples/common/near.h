/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NEAR_H
#define NEAR_H

/* The name that a mistyped one was meant to be. */

#include <stdbool.h>
#include <stddef.h>

typedef struct near {
    const char *name; /* as it was given */
    const char *best; /* the nearest so far; NULL: none is near */
    size_t      distance;
} near;

/* Compares one more name, which must last as long as n. Near is what a few letters turn into the other name:
 * one of three, if letters are left out, added, replaced or exchanged with their neighbours. */
void near_try(near *n, const char *name);
/* "; did you mean --horizon?" with the text `before` the name, or nothing. */
#define NEAR_TEXT 128
const char *near_text(const near *n, const char *before, char text[NEAR_TEXT]);

#endif
