/* SPDX-License-Identifier: BSD-3-Clause */
/* State spaces: every file in all ways to evaluate them, its kernel, and one step at a time. */
#include <fighter/experimental/convert.h>
#include <string.h>

#include "../model_info.h"
#include "golden.h"

static bool says(golden *g, const char *key, const char *word)
{
    const char *text = golden_meta(g, key);
    return text && strstr(text, word);
}

/* The layer that the file describes. First values do not matter, all are set. */
static fgt_s4_opts read_layer(golden *g)
{
    const bool   dplr = says(g, "kind", "DPLR"), block = says(g, "layer", "s4_block");
    fgt_s4_opts  o        = {.size          = sizeof o,
                             .kind          = dplr ? FGT_S4_DPLR : FGT_S4_DIAGONAL,
                             .block         = block                     ? FGT_S4_BLOCK_FULL
                                              : says(g, "layer", "s4d") ? FGT_S4_BLOCK_MINIMAL
                                                                        : FGT_S4_BLOCK_NONE,
                             .disc          = says(g, "disc", "zoh") ? FGT_S4_DISC_ZOH : FGT_S4_DISC_BILINEAR,
                             .state         = (int64_t)golden_number(g, "d_state", 64),
                             .bidirectional = golden_flag(g, "bidirectional")};
    const double channels = golden_number(g, "channels", 1), rank = dplr ? golden_number(g, "rank", 1) : 1;
    if (channels != (o.bidirectional ? 2 : 1)) golden_skip(g, "%g channels", channels);
    if (rank != 1) golden_skip(g, "a correction of rank %g", rank);
    return o;
}

static const char *prefix(const fgt_s4_opts *o)
{
    return o->block == FGT_S4_BLOCK_FULL ? "layer." : "";
}

/* A file with param_time.* holds C~ and C: the one becomes the other, which then counts. */
static void set_parameters(golden *g, fgt_model *m, const fgt_s4_opts *o)
{
    const char *c = golden_name(g, "%skernel.C", prefix(o)), *plain = golden_name(g, "param_time.%s", c);
    golden_parameters(g, m);
    if (!golden_has(g, plain)) return;
    const int64_t n      = golden_count(golden_need(g, plain));
    const int64_t length = (int64_t)golden_number(g, "l_kernel", 0);
    fgt_view      v      = {0};
    golden_ok(g, fgt_s4_convert_length(m, "", length));
    golden_ok(g, parameter_shape(m, c, &v));
    v.data = golden_memory(g, n, sizeof(float));
    golden_ok(g, fgt_model_copy_parameter(m, c, &v));
    golden_forward_is(g, plain, n, v.data);
    golden_set(g, m, c, golden_floats(g, plain));
}

/* Ours are those by the plain C: grad_time.*, where the file has both. Those by C~ belong to another
 * parameter, and so do then those by A, B, P and dt. */
static void check_gradients(golden *g, fgt_model *m)
{
    for (int64_t i = 0; i < model_info(m).tensors; i++) {
        const char *name  = parameter_name(m, i);
        const char *time  = golden_name(g, "grad_time.param.%s", name);
        const char *other = golden_name(g, "grad.param.%s", name);
        const bool  both  = golden_has(g, time);
        fgt_view    v     = {0};
        if (!golden_has(g, other)) continue;
        golden_ok(g, parameter_shape(m, name, &v));
        golden_gradient_is(g, both ? time : other, fgt_view_count(&v), golden_gradient(g, m, name));
        if (both) golden_doubles(g, other);
    }
}

/* ---- the kernel: answers to impulses, from the layer without its block ---- */

/* Its parameter from those of the minimal block, where B is 1 and Im A has the other sign. */
static const float *from_minimal(golden *g, const char *name, int64_t count)
{
    float      *v      = golden_memory(g, count, sizeof *v);
    const char *tensor = !strcmp(name, "kernel.inv_dt")   ? "param.kernel.log_dt"
                         : !strcmp(name, "kernel.A_real") ? "param.kernel.log_A_real"
                                                          : golden_name(g, "param.%s", name);
    for (int64_t i = 0; i < count; i += 2) v[i] = 1;
    if (!strcmp(name, "kernel.B")) return v;
    memcpy(v, golden_floats(g, tensor), (size_t)count * sizeof *v);
    for (int64_t i = 0; i < count && !strcmp(name, "kernel.A_imag"); i++) v[i] = -v[i];
    return v;
}

static fgt_model *make_bare(golden *g, golden_shape in, fgt_s4_opts o)
{
    const char *from    = prefix(&o);
    const bool  minimal = o.block == FGT_S4_BLOCK_MINIMAL;
    o.block             = FGT_S4_BLOCK_NONE;
    fgt_model *m        = golden_layer(g, in, fgt_s4(&o));
    for (int64_t i = 0; i < model_info(m).tensors; i++) {
        const char *name  = parameter_name(m, i);
        const char *plain = golden_name(g, "param_time.%s%s", from, name);
        const char *own   = golden_name(g, "param.%s%s", from, name);
        fgt_view    v     = {0};
        golden_ok(g, parameter_shape(m, name, &v));
        golden_set(g, m, name,
                   minimal ? from_minimal(g, name, fgt_view_count(&v))
                           : golden_floats(g, golden_has(g, plain) ? plain : own));
    }
    return m;
}

/* K [directions,D,T], of which the second has no last step: it would be beyond every sequence. */
static void check_kernel(golden *g, golden_shape in, const fgt_s4_opts *o)
{
    const int64_t      time = in.time, width = in.width, directions = o->bidirectional ? 2 : 1;
    const golden_shape one = {1, 1, time, width, 1};
    fgt_model         *m   = make_bare(g, one, *o);
    float *x = golden_memory(g, time * width, sizeof *x), *y = golden_memory(g, time * width, sizeof *y);
    float *k          = golden_memory(g, directions * time * width, sizeof *k);
    const fgt_view vx = golden_view(one, x), vy = golden_view(one, y);
    const float   *d   = golden_floats(g, golden_name(g, "param.%sD", prefix(o)));
    const double  *ref = golden_doubles(g, "kernel");
    for (int64_t direction = 0; direction < directions; direction++) {
        const int64_t at = direction ? time - 1 : 0;
        memset(x, 0, (size_t)(time * width) * sizeof *x);
        for (int64_t i = 0; i < width; i++) x[at * width + i] = 1;
        golden_ok(g, fgt_predict(m, &vx, &vy));
        for (int64_t i = 0; i < width; i++)
            for (int64_t t = 0; t < time; t++) {
                const int64_t to = (direction * width + i) * time + t, row = direction ? time - 2 - t : t;
                k[to] = row < 0 ? (float)ref[to] : y[row * width + i] - (row == at ? d[i] : 0);
            }
    }
    golden_forward_is(g, "kernel", directions * time * width, k);
}

/* ---- one step at a time ---- */

static void check_steps(golden *g, golden_shape in, const fgt_s4_opts *o, const char *tensor)
{
    fgt_model   *m    = golden_layer(g, in, fgt_s4(o));
    const float *x    = golden_floats(g, "input");
    float       *y    = golden_memory(g, golden_elements(in), sizeof *y);
    golden_shape one  = in;
    one.time          = 1;
    float *xt         = golden_memory(g, golden_elements(one), sizeof *xt),
          *yt         = golden_memory(g, golden_elements(one), sizeof *yt);
    const fgt_view vx = golden_view(one, xt), vy = golden_view(one, yt);
    set_parameters(g, m, o);
    golden_ok(g, fgt_workspace_set_stateful(fgt_model_get_workspace(m), 1));
    for (int64_t t = 0; t < in.time; t++) {
        const size_t row = (size_t)in.width * sizeof *x;
        for (int64_t s = 0; s < in.batch * in.nodes; s++)
            memcpy(xt + s * in.width, x + (s * in.time + t) * in.width, row);
        golden_ok(g, fgt_predict(m, &vx, &vy));
        for (int64_t s = 0; s < in.batch * in.nodes; s++)
            memcpy(y + (s * in.time + t) * in.width, yt + s * in.width, row);
    }
    golden_forward_is(g, tensor, golden_elements(in), y);
}

/* ---- the case ---- */

/* One way; false where the library has no FFT. */
static bool check_way(golden *g, golden_shape in, fgt_s4_opts o, int32_t way)
{
    fgt_model *m       = golden_model(g, in);
    o.way              = way;
    const fgt_status s = fgt_model_add(m, fgt_named("", fgt_s4(&o)));
    if (s == FGT_E_UNSUPPORTED && way == FGT_S4_WAY_FFT) return false;
    golden_ok(g, s);
    set_parameters(g, m, &o);
    golden_forward(g, m, in);
    if (!golden_backward(g, m, in)) return true;
    check_gradients(g, m);
    if (golden_has(g, "grad_time.input")) golden_doubles(g, "grad_time.input"); /* the same as grad.input */
    return true;
}

void golden_s4(golden *g)
{
    const golden_shape in = golden_fold(golden_need(g, "input"));
    const fgt_s4_opts  o  = read_layer(g);
    static const int32_t ways[] = {
        FGT_S4_WAY_AUTO, FGT_S4_WAY_FFT, FGT_S4_WAY_TOEPLITZ, FGT_S4_WAY_RECURRENCE,
    };
    for (size_t each = 0; each < sizeof ways / sizeof *ways; each++) check_way(g, in, o, ways[each]);
    if (golden_has(g, "kernel")) check_kernel(g, in, &o);
    if (!o.bidirectional) check_steps(g, in, &o, golden_has(g, "step_output") ? "step_output" : "output");
}
