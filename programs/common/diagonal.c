/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagonal.h"

char diagonal_help[3][BLOCK_HELP];

void diagonal_write_help(void)
{
    blocks_help_option(diagonal_help[0], FGT_BLOCK_HAS_DIAG, "no token reads itself");
    blocks_help_option(diagonal_help[1], FGT_BLOCK_HAS_DIAG,
                       "added to what a token's score for itself is; below 0, such as -0.1, it reads less of "
                       "itself");
    blocks_help_option(diagonal_help[2], FGT_BLOCK_HAS_DIAG,
                       "in training a token does not read itself with this probability, such as 0.2");
}

bool diagonal_check(const diagonal *d, int64_t block)
{
    const char *given = d->mask           ? "diag-mask"
                        : d->penalty != 0 ? "diag-penalty"
                        : d->dropout > 0  ? "diag-dropout"
                                          : NULL;
    return !given || blocks_check_option(given, block, FGT_BLOCK_HAS_DIAG);
}
