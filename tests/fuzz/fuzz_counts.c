/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"

static fuzz_counts counts;

void fuzz_count(bool accepted)
{
    counts.accepted += accepted;
    counts.refused += !accepted;
}

fuzz_counts fuzz_get_counts(void)
{
    return counts;
}
