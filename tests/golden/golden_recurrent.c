/* SPDX-License-Identifier: BSD-3-Clause */
/* RNN, GRU, LSTM: outputs, final states, and the gradients of initial ones. */
#include <string.h>

#include "golden.h"

/* Options of the layer in a file; the three options structs are filled from it. */
typedef struct recurrent {
    int64_t hidden, layers;
    int32_t both, no_bias, last, relu;
} recurrent;

static bool has_layer(golden *g, int64_t i, const char *suffix)
{
    return golden_has(g, golden_name(g, "param.weight_hh_l%lld%s", (long long)i, suffix));
}

static recurrent read_layer(golden *g)
{
    const fgti_st_tensor *u = golden_need(g, "param.weight_hh_l0");
    const char           *kind = golden_meta(g, "nonlinearity"), *dropout = golden_meta(g, "dropout");
    recurrent             r    = {.hidden  = u->rank == 2 ? u->shape[1] : 0,
                                  .both    = has_layer(g, 0, "_reverse"),
                                  .no_bias = !golden_has(g, "param.bias_ih_l0"),
                                  .last    = golden_need(g, "output")->rank < golden_need(g, "input")->rank,
                                  .relu    = kind && !strcmp(kind, "relu")};
    while (has_layer(g, r.layers, "")) r.layers++;
    if (golden_has(g, "param.weight_hr_l0")) golden_skip(g, "lstm with projections");
    if (golden_meta(g, "batch_first") && !golden_flag(g, "batch_first")) golden_skip(g, "time comes first");
    if (dropout && golden_number(g, "dropout", 0) > 0) golden_skip(g, "dropout %s", dropout);
    return r;
}

static fgt_model *make_model(golden *g, golden_shape in, recurrent r)
{
    const char          *layer = golden_meta(g, "layer");
    const fgt_rnn_opts   o     = {sizeof o, r.hidden, r.layers, r.both, r.no_bias, r.last, 0, r.relu, 0};
    const fgt_layer      l     = !strcmp(layer, "rnn")   ? fgt_rnn(&o)
                                 : !strcmp(layer, "gru") ? fgt_gru(&o)
                                                         : fgt_lstm(&o);
    return golden_layer(g, in, l);
}

/* A view like a state, with memory. */
static fgt_view state_view(golden *g, fgt_model *m, const char *state)
{
    fgt_view v = {0};
    golden_ok(g, fgt_workspace_get_state_shape(fgt_model_get_workspace(m), state, &v));
    v.data = golden_memory(g, fgt_view_count(&v), sizeof(float));
    return v;
}

/* The initial states of the file, [layers directions,batch,hidden]. */
static void set_states(golden *g, fgt_model *m)
{
    const golden_shape in    = golden_fold(golden_need(g, "input"));
    const recurrent    r     = read_layer(g);
    const int64_t      outer = r.layers * (r.both + 1);
    for (int i = 0; i < 2; i++) {
        const char *tensor = i ? "c0" : "h0";
        if (!golden_has(g, tensor)) continue;
        if (golden_count(golden_need(g, tensor)) != outer * in.batch * in.nodes * r.hidden)
            golden_fail(g, "tensor %s does not fit the layer", tensor);
        golden_ok(g, fgt_workspace_set_state(
                         fgt_model_get_workspace(m), i ? "c" : "h",
                         FGT_VIEW(golden_floats(g, tensor), outer, in.batch, in.nodes * r.hidden)));
    }
}

static void check_end(golden *g, fgt_model *m, const char *state, const char *tensor)
{
    if (!golden_has(g, tensor)) return;
    fgt_view v = state_view(g, m, state);
    golden_ok(g, fgt_workspace_copy_state(fgt_model_get_workspace(m), state, &v));
    golden_forward_is(g, tensor, fgt_view_count(&v), v.data);
}

static void check_start_gradient(golden *g, fgt_model *m, const char *state, const char *tensor)
{
    if (!golden_has(g, tensor)) return;
    fgt_view v = state_view(g, m, state);
    golden_ok(g, fgt_workspace_copy_state_gradient(fgt_model_get_workspace(m), state, &v));
    golden_gradient_is(g, tensor, fgt_view_count(&v), v.data);
}

/* The outputs of all time steps beside the last one, from a model that gives them. */
static void check_sequence(golden *g, golden_shape in, recurrent r)
{
    r.last             = 0;
    fgt_model     *m   = make_model(g, in, r);
    golden_shape   out = in;
    out.width          = r.hidden * (r.both + 1);
    const fgt_view x   = golden_view(in, golden_floats(g, "input"));
    const fgt_view y   = golden_view(out, golden_memory(g, golden_elements(out), sizeof(float)));
    golden_parameters(g, m);
    set_states(g, m);
    golden_ok(g, fgt_predict(m, &x, &y));
    golden_forward_is(g, "sequence", golden_elements(out), y.data);
}

void golden_recurrent(golden *g)
{
    const golden_shape in = golden_fold(golden_need(g, "input"));
    const recurrent    r  = read_layer(g);
    fgt_model         *m  = make_model(g, in, r);
    g->prepare            = set_states;
    golden_pass(g, m, in);
    check_end(g, m, "h", "hidden");
    check_end(g, m, "c", "cell");
    check_start_gradient(g, m, "h", "grad.h0");
    check_start_gradient(g, m, "c", "grad.c0");
    if (golden_has(g, "sequence")) check_sequence(g, in, r);
}
