/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: what attention does. */
#include "entries.h"

static fgt_status statistics(world *w)
{
    double out[B];
    for (int k = FGT_STATISTIC_DIRICHLET; k < FGT_STATISTIC_COUNT; k++) {
        TRY(fgt_statistic_compute(w->ctx, k, NULL, FGT_VIEW(sample_x, B, T, D), out));
        SEE(w, out);
        see_text(w, fgt_statistic_get_name(k));
    }
    return FGT_OK;
}

static const entry entries[] = {
    {"fgt_statistic_compute fgt_statistic_get_name", statistics, 0},
};

const entry_table analysis_entries = {entries, LENGTH(entries)};
