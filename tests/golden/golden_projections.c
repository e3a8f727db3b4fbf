/* SPDX-License-Identifier: BSD-3-Clause */
/* Attention whose file has a projection of its own for queries, keys and values: "<prefix>query_projection.."
 * where the library has in_proj. */
#include <string.h>

#include "golden.h"

static const char *const part[] = {"query", "key", "value"};

/* [3D,D] or [3D] from the three parts; unit: elements of one. */
static void set_joined(golden *g, fgt_model *m, const char *prefix, const char *what, const char *parameter,
                       int64_t unit)
{
    float *all = golden_memory(g, 3 * unit, sizeof *all);
    for (int p = 0; p < 3; p++) {
        const char *name = golden_name(g, "param.%s%s_projection.%s", prefix, part[p], what);
        if (golden_count(golden_need(g, name)) != unit) golden_fail(g, "tensor %s has another size", name);
        memcpy(all + p * unit, golden_floats(g, name), (size_t)unit * sizeof *all);
    }
    golden_set(g, m, golden_name(g, "%s%s", prefix, parameter), all);
}

static void check_joined(golden *g, fgt_model *m, const char *prefix, const char *what, const char *parameter,
                         int64_t unit)
{
    const float *all = golden_gradient(g, m, golden_name(g, "%s%s", prefix, parameter));
    for (int p = 0; p < 3; p++)
        golden_gradient_is(g, golden_name(g, "grad.param.%s%s_projection.%s", prefix, part[p], what), unit,
                           all + p * unit);
}

static bool has_bias(golden *g, const char *prefix)
{
    return golden_has(g, golden_name(g, "param.%squery_projection.bias", prefix));
}

static void set_out(golden *g, fgt_model *m, const char *prefix, const char *what)
{
    golden_set(g, m, golden_name(g, "%sout_proj.%s", prefix, what),
               golden_floats(g, golden_name(g, "param.%sout_projection.%s", prefix, what)));
}

static void check_out(golden *g, fgt_model *m, const char *prefix, const char *what, int64_t count)
{
    golden_gradient_is(g, golden_name(g, "grad.param.%sout_projection.%s", prefix, what), count,
                       golden_gradient(g, m, golden_name(g, "%sout_proj.%s", prefix, what)));
}

void golden_set_projections(golden *g, fgt_model *m, const char *prefix, int64_t d)
{
    set_joined(g, m, prefix, "weight", "in_proj_weight", d * d);
    set_out(g, m, prefix, "weight");
    if (!has_bias(g, prefix)) return;
    set_joined(g, m, prefix, "bias", "in_proj_bias", d);
    set_out(g, m, prefix, "bias");
}

void golden_check_projections(golden *g, fgt_model *m, const char *prefix, int64_t d)
{
    check_joined(g, m, prefix, "weight", "in_proj_weight", d * d);
    check_out(g, m, prefix, "weight", d * d);
    if (!has_bias(g, prefix)) return;
    check_joined(g, m, prefix, "bias", "in_proj_bias", d);
    check_out(g, m, prefix, "bias", d);
}
