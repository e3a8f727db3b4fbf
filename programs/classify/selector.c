/* SPDX-License-Identifier: BSD-3-Clause */
/* Selectors of training samples. */
#include <math.h>
#include <stdlib.h>

#include "selector.h"

#include "../common/program.h"

/* Fills `reference` with the loss of a simple rule for each sample: the cross entropy -log(n_k / n) of a
 * predictor that knows only the share n_k / n of each class k. `count` has room for one number for each
 * class. */
static void fill_reference(samples from, int64_t *count, float *reference)
{
    const int64_t n = samples_count(from);
    for (int64_t i = 0; i < n; i++) count[samples_get_class(from, i)]++;
    for (int64_t i = 0; i < n; i++)
        reference[i] = (float)log((double)n / (double)count[samples_get_class(from, i)]);
}

/* Makes a selector whose groups are the classes. */
bool selector_create(run *r, samples from, int64_t epochs, uint64_t seed, fgt_attent **selector)
{
    const selection *how = &r->o->selection;
    const int64_t    n = samples_count(from), classes = samples_count_classes(from);
    const bool       grouped   = selection_needs_groups(how);
    int64_t         *group     = grouped ? malloc((size_t)n * sizeof *group) : NULL;
    int64_t         *count     = how->excess ? calloc((size_t)classes, sizeof *count) : NULL;
    float           *reference = how->excess ? malloc((size_t)n * sizeof *reference) : NULL;
    const bool       room      = (!grouped || group) && (!how->excess || (count && reference));
    for (int64_t i = 0; room && grouped && i < n; i++) group[i] = samples_get_class(from, i);
    if (room && how->excess) {
        fill_reference(from, count, reference);
        r->reference_loss = selection_mean(reference, n);
    }
    const selection_data data = {n, epochs, seed, group, classes, reference};
    const bool good = (room || complain("no memory")) && selection_create(how, r->ctx, &data, selector);
    free(group);
    free(count);
    free(reference);
    return good;
}
