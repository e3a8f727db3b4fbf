/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/own.h"

#include <math.h>

enum { K = FGTI_MEMBERS, USUAL = FGTI_MEMBERS_IN_BLENDS, SURE = 3 };
#define SHRINK 2. /* number of runs with the usual error that are added to each series */

fgt_status fgti_own_new(fgt_context *ctx, const fgti_runs *runs, int64_t first, fgti_own *own)
{
    const int64_t begin = runs->begin[first], end = fgti_runs_count(runs);
    *own = (fgti_own){0};
    FGTI_TRY(FGTI_NEW(ctx, runs->panel->count * K, "weights", &own->sum));
    FGTI_TRY(FGTI_NEW(ctx, runs->panel->count, "weights", &own->seen));
    for (int64_t r = begin; r < end; r++) {
        const int64_t i = runs->series[r];
        own->seen[i]++;
        for (int k = 0; k < K; k++) {
            const double e = (double)runs->size[r * K + k];
            own->sum[i * K + k] += e;
            if (fgti_panel_shows(runs->panel, i)) own->mean[k] += e / (double)(end - begin);
        }
    }
    return FGT_OK;
}

void fgti_own_done(fgt_context *ctx, fgti_own *own)
{
    fgti_free(ctx, own->sum);
    fgti_free(ctx, own->seen);
}

void fgti_own_ratio(const fgti_own *own, int64_t series, const float *less, double *log_q)
{
    const double *sum = own->sum + series * K, seen = own->seen[series] - (less != NULL);
    double        level = 0, usual = 0;
    bool          exact = false;
    for (int k = 0; k < K; k++) {
        log_q[k] = less ? fmax(sum[k] - (double)less[k], 0) : sum[k];
        exact |= log_q[k] == 0 && fgti_member_blends(k);
    }
    for (int k = 0; k < USUAL; k++) {
        level += log_q[k] / USUAL;
        usual += own->mean[k] / USUAL;
    }
    if (exact && level > 0 && seen >= SURE) { /* only members without error have a weight */
        for (int k = 0; k < K; k++) log_q[k] = log_q[k] == 0 ? 0 : 100;
        return;
    }
    level = seen > 0 && usual > 0 ? level / seen / usual : 1;
    for (int k = 0; k < K; k++) {
        const double e = own->mean[k] * level + 1e-12;
        log_q[k]       = log(fmax((log_q[k] + SHRINK * e) / (seen + SHRINK) / e, 1e-3));
    }
}
