/* SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/blocks.h"
#include "core/opts.h"
#include "model/access.h"
#include "model/build/nodes.h"

#include <string.h>

#define MAX_LAYERS 64

/* Short names for the columns of the table. */
enum {
    TOKENS = FGT_BLOCK_TRAIT_TOKENS,
    ORDER  = FGT_BLOCK_TRAIT_ORDER,
    HEADS  = FGT_BLOCK_TRAIT_HEADS,
    HOPS   = FGT_BLOCK_TRAIT_HOPS,
    GRAPH  = FGT_BLOCK_TRAIT_GRAPH,
    FF     = FGT_BLOCK_TRAIT_FF,
    DIAG   = FGT_BLOCK_TRAIT_DIAG,
    DECODE = FGT_BLOCK_TRAIT_DECODER,
    AXIS   = FGT_BLOCK_TRAIT_AXIS,
    ACT    = FGT_BLOCK_TRAIT_ACT,
    LEARN  = FGT_BLOCK_TRAIT_LEARNED
};

const char *const fgti_act_words[] = {
    [FGT_ACT_DEFAULT]   = "auto",
    [FGT_ACT_NONE]      = "none",
    [FGT_ACT_RELU]      = "relu",
    [FGT_ACT_GELU]      = "gelu",
    [FGT_ACT_GELU_TANH] = "gelu-tanh",
    [FGT_ACT_TANH]      = "tanh",
    [FGT_ACT_SIGMOID]   = "sigmoid",
    [FGT_ACT_SILU]      = "silu",
    [FGT_ACT_ELU]       = "elu",
    [FGT_ACT_SOFTPLUS]  = "softplus",
    NULL,
};

/* Everything that depends on the block is in this table. A new block is a new row. */
static const fgti_block blocks[] = {
    [FGT_BLOCK_FIGHTER]     = {"fighter", TOKENS | HEADS | HOPS | GRAPH | DIAG | AXIS | ACT,
                               .add = fgti_stack_fighter},
    [FGT_BLOCK_GCN]         = {"gcn", TOKENS | HOPS | GRAPH | LEARN | AXIS | ACT, .add = fgti_stack_gcn},
    [FGT_BLOCK_LINEAR]      = {"linear", 0, .add = fgti_stack_linear},
    [FGT_BLOCK_TRANSFORMER] = {"transformer", TOKENS | HEADS | GRAPH | FF | DECODE | AXIS,
                               .add    = fgti_stack_transformer,
                               .decode = fgti_decode_transformer},
    [FGT_BLOCK_RNN]         = {"rnn", TOKENS | ORDER, .add = fgti_stack_rnn},
    [FGT_BLOCK_GRU]         = {"gru", TOKENS | ORDER, .add = fgti_stack_gru},
    [FGT_BLOCK_LSTM]        = {"lstm", TOKENS | ORDER, .add = fgti_stack_lstm},
    [FGT_BLOCK_S4]          = {"s4", TOKENS | ORDER, .add = fgti_stack_s4},
    [FGT_BLOCK_S4D]         = {"s4d", TOKENS | ORDER, .add = fgti_stack_s4d},
    [FGT_BLOCK_MLP]         = {"mlp", TOKENS | FF, .add = fgti_stack_mlp},
    [FGT_BLOCK_AUTOFORMER]  = {"autoformer", TOKENS | ORDER | FF | DECODE, .add = fgti_stack_autoformer,
                               .encode = fgti_encode_autoformer,
                               .decode = fgti_decode_autoformer},
    [FGT_BLOCK_INFORMER]    = {"informer", TOKENS | HEADS | FF | DECODE, .add = fgti_stack_informer,
                               .decode = fgti_decode_informer},
    [FGT_BLOCK_REFORMER]    = {"reformer", TOKENS | HEADS | FF, .add = fgti_stack_reformer},
    [FGT_BLOCK_ATTENTION]   = {"attention", TOKENS | HEADS | GRAPH | DIAG | AXIS,
                               .add = fgti_stack_attention},
};
#define COUNT (int32_t)(sizeof blocks / sizeof *blocks)

static const fgti_block *block_table_row_of(int32_t block)
{
    return block >= 0 && block < COUNT ? &blocks[block] : NULL;
}

const char *fgt_block_get_name(int32_t block)
{
    const fgti_block *row = block_table_row_of(block);
    return row ? row->name : NULL;
}

uint32_t fgt_block_get_traits(int32_t block)
{
    const fgti_block *row = block_table_row_of(block);
    return row ? row->traits : 0;
}

fgt_status fgt_block_find(const char *name, int32_t *block)
{
    if (!name || !block) return FGT_E_ARG;
    for (int32_t i = 0; i < COUNT; i++)
        if (!strcmp(blocks[i].name, name)) {
            *block = i;
            return FGT_OK;
        }
    return FGT_E_NAME;
}

fgt_status fgti_block_check(fgti_error *err, const char *what, int32_t block)
{
    if (block_table_row_of(block)) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "%s: unknown block (got %d, need 0 .. %d)", what, (int)block,
                     (int)COUNT - 1);
}

fgt_status fgti_block_read(fgti_error *err, const char *key, const char *text, int32_t *block)
{
    if (!text) return fgti_fail(err, FGT_E_FORMAT, "\"%s\" is missing", key);
    if (fgt_block_find(text, block) == FGT_OK) return FGT_OK;
    return fgti_fail(err, FGT_E_VERSION, "\"%s\" is \"%.40s\", a block that this library does not know", key,
                     text);
}

/* ---- adding a block ---- */

static fgt_status check_hops(fgti_error *err, const fgt_block_layers *b)
{
    if (!b->layer_hops != !b->layer_hops_count)
        return fgti_fail(err, FGT_E_ARG,
                         "block: layer_hops and layer_hops_count do not go together (got one of them, need "
                         "both or neither)");
    if (b->layer_hops && b->hops)
        return fgti_fail(err, FGT_E_ARG, "block: hops cannot be combined with layer_hops (got hops %lld)",
                         (long long)b->hops);
    for (int64_t i = 0; i < b->layer_hops_count; i++)
        if (b->layer_hops[i] < 1)
            return fgti_fail(err, FGT_E_ARG,
                             "block: hops of layer %lld are out of range (got %lld, need at least 1)",
                             (long long)i, (long long)b->layer_hops[i]);
    if (b->layer_hops_count > 1 && b->layer_hops_count != b->layers)
        return fgti_fail(err, FGT_E_ARG,
                         "block: layer_hops has the wrong count (got %lld, need 1 or %lld, the layers)",
                         (long long)b->layer_hops_count, (long long)b->layers);
    return FGT_OK;
}

void fgti_block_defaults(fgt_block_layers *b, int64_t width)
{
    if (!b->layers) b->layers = b->layer_hops_count > 1 ? b->layer_hops_count : 1;
    if (!b->heads) b->heads = width % 4 ? 1 : 4;
    if (!b->ff) b->ff = 4 * width;
    if (!b->hops && !b->layer_hops) b->hops = 3;
}

static fgt_status block_table_check(fgti_error *err, fgt_block_opts *o, int64_t width)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_block_opts, block.hops, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_block_opts, block.layer_hops_count, I64, 0, MAX_LAYERS, 0),
        FGTI_FIELD(fgt_block_opts, block.layers, I64, 0, MAX_LAYERS, 0),
        FGTI_FIELD(fgt_block_opts, block.heads, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_block_opts, block.ff, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_block_opts, dim, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_block_opts, block.dropout, F32, -1, 0.999, 0),
        FGTI_FIELD(fgt_block_opts, bidirectional, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_block_opts, distil, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_block_opts, block.diag_mask, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_block_opts, block.diag_penalty, F32, -1e30, 1e30, 0),
        FGTI_FIELD(fgt_block_opts, block.diag_dropout, F32, 0, 0.999, 0),
        FGTI_FIELD(fgt_block_opts, axis, ENUM, 0, FGT_AXIS_NODES, 0),
        FGTI_FIELD(fgt_block_opts, learned, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_block_opts, diffusion, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_block_opts, block.no_residual, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_block_opts, block.act, ENUM, 0, FGTI_ACT_COUNT - 1, 0),
        FGTI_FIELD(fgt_block_opts, block.post_norm, BOOL, 0, 1, 0),
        {0},
    };
    FGTI_TRY(fgti_block_check(err, "block", o->block.kind));
    for (int i = 0; i < 4; i++) FGTI_TRY(fgti_reserved_check(err, "block", o->block.reserved[i]));
    FGTI_TRY(fgti_opts_check(err, "block", table, o));
    if (o->block.dropout < 0) o->block.dropout = 0;
    if (o->axis != FGT_AXIS_TIME && !(fgt_block_get_traits(o->block.kind) & AXIS))
        return fgti_fail(err, FGT_E_ARG, "block: %s works only along time", blocks[o->block.kind].name);
    fgti_block_defaults(&o->block, width);
    return fgt_block_get_traits(o->block.kind) & HOPS ? check_hops(err, &o->block) : FGT_OK;
}

/* Reads the options into *o and sets defaults for tokens of this width. */
static fgt_status block_table_read_opts(fgt_model *model, const fgt_block_opts *opts, int64_t width,
                                        fgt_block_opts *o)
{
    fgti_error *err = &fgti_model_context(model)->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_block_opts", opts, o, sizeof *o));
    return block_table_check(err, o, width);
}

fgt_status fgt_block_add(fgt_model *model, const fgt_block_opts *opts)
{
    fgt_block_opts o;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(block_table_read_opts(model, opts, fgti_model_last_shape(model).width, &o));
    fgti_model_set_prefix(model, o.prefix);
    const fgt_status s = blocks[o.block.kind].add(model, &o);
    fgti_model_set_prefix(model, NULL);
    return s;
}

fgt_status fgti_block_encode(fgt_model *m, const fgt_block_opts *opts)
{
    fgt_block_opts o;
    FGTI_TRY(block_table_read_opts(m, opts, fgti_model_last_shape(m).width, &o));
    return (blocks[o.block.kind].encode ? blocks[o.block.kind].encode : blocks[o.block.kind].add)(m, &o);
}

fgt_status fgti_block_decode(fgt_model *m, const fgt_block_opts *opts, const fgti_decoder *d)
{
    fgt_block_opts o;
    FGTI_TRY(block_table_read_opts(m, opts, d->width, &o));
    return blocks[o.block.kind].decode(m, &o, d);
}
