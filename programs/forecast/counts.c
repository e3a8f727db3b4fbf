/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts: targets whose values are all whole numbers and not negative. */
#include "counts.h"

#include "../common/program.h"

bool counts_find(const run *r, fgt_forecaster *f)
{
    return fgt_forecaster_set_counts(f, r->o->negative ? NULL : run_recent(r)) == FGT_OK ||
           run_failed(r, r->o->data);
}

void counts_report(const fgt_forecaster_info *i, FILE *out)
{
    if (!i->counts) return;
    fprintf(out,
            "%lld of %lld target%s %s of whole numbers from 0 on: forecasts and ends of intervals below 0 "
            "are written as 0; --allow-negative keeps them\n",
            (long long)i->counts, (long long)i->columns, plural(i->columns), i->counts == 1 ? "is" : "are");
}
