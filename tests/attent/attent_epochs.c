/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the epochs of a selector, for a reference in another language: usage
 *     attent_epochs SAMPLES EPOCHS CYCLES FIRST LAST COSINE SOFT EXCESS
 * A line has the epoch, 1 if scores were due before it, the residual, and the numbers of its samples. Before
 * epoch t sample i has the score (7919 i + 104729 t) mod 1009, a mean over 3 elements, and with EXCESS the
 * reference 613 i mod 499. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <fighter/attent.h>

enum { MOST = 1000, ARGUMENTS = 8, ELEMENTS = 3 };

static bool print(fgt_attent *a, int64_t n)
{
    fgt_attent_subset s = {.size = sizeof s};
    float             score;
    for (int64_t t = 1;; t++) {
        const int32_t due = fgt_attent_get_due(a);
        for (int64_t i = 0; due && i < n; i++) {
            score = (float)((7919 * i + 104729 * t) % 1009);
            if (fgt_attent_add(a, &i, 1, &score) != FGT_OK) return false;
        }
        if (fgt_attent_begin_epoch(a, &s) != FGT_OK) return false;
        if (s.stop) return true;
        printf("%lld %d %.9g", (long long)s.epoch, (int)due, s.residual);
        for (int64_t i = 0; i < s.count; i++) printf(" %lld", (long long)s.index[i]);
        puts("");
    }
}

int main(int argc, char **argv)
{
    int64_t      v[ARGUMENTS];
    float        reference[MOST];
    fgt_context *ctx = NULL;
    fgt_attent  *a   = NULL;
    if (argc != ARGUMENTS + 1 || fgt_context_create(NULL, &ctx) != FGT_OK) return 2;
    for (int k = 0; k < ARGUMENTS; k++) v[k] = atoll(argv[1 + k]);
    for (int64_t i = 0; i < MOST; i++) reference[i] = (float)(613 * i % 499);
    const int32_t         cosine = v[5] ? FGT_ATTENT_RATIO_COSINE : FGT_ATTENT_RATIO_INCREMENTAL;
    const fgt_attent_opts o      = {.size              = sizeof o,
                                    .samples           = v[0],
                                    .epochs            = v[1],
                                    .cycles            = v[2],
                                    .interval          = v[3],
                                    .interval_end      = v[4],
                                    .ratio_schedule    = cosine,
                                    .interval_schedule = FGT_ATTENT_INTERVAL_CYCLES,
                                    .strategy  = v[6] ? FGT_ATTENT_STRATEGY_SOFT : FGT_ATTENT_STRATEGY_HARD,
                                    .redraw    = v[6] != 0,
                                    .rescore   = v[6] != 0,
                                    .elements  = ELEMENTS,
                                    .reference = v[7] ? reference : NULL,
                                    .ordered   = 1};
    const bool good = v[0] <= MOST && fgt_attent_create(ctx, &o, &a) == FGT_OK && print(a, v[0]);
    if (!good) fprintf(stderr, "%s\n", fgt_context_get_error(ctx));
    fgt_attent_destroy(&a);
    fgt_context_destroy(&ctx);
    return !good;
}
