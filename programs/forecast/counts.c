/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts: targets whose values are all whole numbers and not negative. */
#include "counts.h"

#include "../common/program.h"

/* Whether less than half of the targets are counts. Then they are not treated as counts, because a column of
 * whole numbers among many measurements is a measurement, too, such as seconds of rain in ten minutes. */
static bool are_few(const fgt_forecaster *f)
{
    fgt_forecaster_info i = {.size = sizeof i};
    return fgt_forecaster_get_info(f, &i) == FGT_OK && i.counts && 2 * i.counts < i.columns;
}

bool counts_find(const run *r, fgt_forecaster *f)
{
    fgt_status s = fgt_forecaster_set_counts(f, r->o->negative ? NULL : run_recent(r));
    if (s == FGT_OK && are_few(f)) s = fgt_forecaster_set_counts(f, NULL);
    return s == FGT_OK || run_failed(r, r->o->data);
}

void counts_report(const fgt_forecaster_info *i, FILE *out)
{
    if (!i->counts) return;
    fprintf(out,
            "%lld of %lld target%s %s of whole numbers from 0 on: forecasts and ends of intervals below 0 "
            "are written as 0; --allow-negative keeps them\n",
            (long long)i->counts, (long long)i->columns, plural(i->columns), i->counts == 1 ? "is" : "are");
}
