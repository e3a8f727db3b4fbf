/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_DIAGONAL_H
#define EXAMPLES_DIAGONAL_H

/* Options that limit how much tokens read themselves. */

#include "blocks.h"

typedef struct diagonal {
    bool   mask;
    double penalty, dropout;
} diagonal;

extern char diagonal_help[3][BLOCK_HELP];
void        diagonal_write_help(void);

/* Rows of a table of options; `field` is the member of the type diagonal, AT() its offset. */
#define DIAGONAL_ROWS(field)                                                                           \
    {"diag-mask", FLAG, AT(field.mask), 0, 0, 0, NULL, NULL, diagonal_help[0]},                        \
        {"diag-penalty", REAL, AT(field.penalty), 0, -1e30, 1e30, NULL, "F", diagonal_help[1]},        \
    {                                                                                                  \
        "diag-dropout", REAL, AT(field.dropout), 0, 0, 0.999, NULL, "P", diagonal_help[2]              \
    }

/* Prints a message and returns false if the options are not for this block. */
bool diagonal_check(const diagonal *d, int64_t block);

#endif
