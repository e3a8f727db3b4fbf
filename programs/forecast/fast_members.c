/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of forecasts without training, and their weights. */
#include "fast_members.h"

enum { K = FGT_LOCAL_MEMBERS };

int fast_find_members(const fast *f, double *mean, int *order)
{
    int count = 0;
    for (int k = 0; k < K; k++) {
        int at  = k;
        mean[k] = 0;
        for (int64_t i = 0; i < f->count; i++) mean[k] += f->weights[i * K + k] / (double)f->count;
        for (; at > 0 && mean[order[at - 1]] < mean[k]; at--) order[at] = order[at - 1];
        order[at] = k;
        count += mean[k] > 0;
    }
    return count;
}

const char *fast_members_text(const fast *f, int most, char text[MEMBERS_TEXT])
{
    double    mean[K];
    int       order[K];
    const int count = fast_find_members(f, mean, order);
    size_t    n     = 0;
    int       k     = 0;
    for (; k < count && k < most && mean[order[k]] >= .005; k++)
        n += (size_t)snprintf(text + n, MEMBERS_TEXT - n, "%s%s %.0f %%", k ? ", " : "",
                              fgt_local_get_member_name(order[k]), 100 * mean[order[k]]);
    if (count > k) snprintf(text + n, MEMBERS_TEXT - n, " and %d more", count - k);
    return text;
}

json_t *fast_describe_members(const fast *f)
{
    double    mean[K];
    int       order[K];
    json_t   *members = json_object();
    const int count   = fast_find_members(f, mean, order);
    for (int k = 0; members && k < count; k++)
        json_object_set_new(members, fgt_local_get_member_name(order[k]), json_real(mean[order[k]]));
    return members;
}
