/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoders: from a window and the encoder's tokens ("memory") to the rows that they give. */
#include <fighter/blocks.h>

#include "blocks/blocks.h"
#include "golden.h"

static fgt_model *decoder(golden *g, golden_shape in, golden_shape memory)
{
    const fgt_value_opts value = {.size = sizeof value, .time = memory.time, .features = memory.width};
    const int64_t        label = (int64_t)golden_number(g, "label", 1);
    const fgti_decoder   d     = {.series  = "",
                                  .memory  = "memory",
                                  .rows    = in.time,
                                  .label   = label,
                                  .ahead   = golden_need(g, "output")->shape[1] - label,
                                  .columns = in.width,
                                  .width   = memory.width};
    fgt_block_opts       o     = {.size  = sizeof o,
                                  .block = {.layers = (int64_t)golden_number(g, "layers", 1),
                                            .heads  = (int64_t)golden_number(g, "heads", 1),
                                            .ff     = (int64_t)golden_number(g, "dim_feedforward", 0)}};
    fgt_model           *m     = golden_model(g, in);
    golden_ok(g, fgt_block_find(golden_meta(g, "block"), &o.block.kind));
    golden_ok(g, fgt_model_add(m, fgt_named("memory", fgt_value(&value))));
    golden_ok(g, fgti_block_decode(m, &o, &d));
    return m;
}

void golden_block_decoder(golden *g)
{
    const golden_shape in      = golden_fold(golden_need(g, "input"));
    const golden_shape memory  = golden_fold(golden_need(g, "memory"));
    const int64_t      n       = golden_elements(memory);
    float             *dmemory = golden_memory(g, n, sizeof *dmemory);
    const fgt_view     x = golden_view(memory, golden_floats(g, "memory")), dx = golden_view(memory, dmemory);
    fgt_model         *m = decoder(g, in, memory);
    golden_ok(g, fgt_workspace_set_value(fgt_model_get_workspace(m), "memory", &x, &dx));
    golden_pass(g, m, in);
    golden_gradient_is(g, "grad.memory", n, dmemory);
}
