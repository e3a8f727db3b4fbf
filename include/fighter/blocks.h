/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_BLOCKS_H
#define FIGHTER_BLOCKS_H

/** @file blocks.h
 *  Blocks: named stacks of layers, which forecasters and classifiers put between their tokens and their
 *  result. The library has one table of all blocks, in which programs look up their `--model NAME`:
 *
 *      int32_t block;
 *      fgt_block_find("lstm", &block);
 *      fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 32)));
 *      fgt_block_add(model, &FGT_OPTS(fgt_block_opts, .block = {.kind = block, .layers = 2}));
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/model.h>
#include <fighter/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The blocks. Numbers are never reused; files store the names. */
typedef enum fgt_block {
    FGT_BLOCK_FIGHTER     = 0, /**< Fighter layers: attention finds a graph between the tokens */
    FGT_BLOCK_GCN         = 1, /**< graph convolutions on a fixed graph between the tokens */
    FGT_BLOCK_LINEAR      = 2, /**< no layers: the result is an affine map of the input */
    FGT_BLOCK_TRANSFORMER = 3, /**< Transformer encoder layers, pre-norm, gelu */
    FGT_BLOCK_RNN         = 4, /**< Elman layers */
    FGT_BLOCK_GRU         = 5, /**< gated recurrent units */
    FGT_BLOCK_LSTM        = 6, /**< long short-term memory */
    FGT_BLOCK_S4          = 7, /**< state-space layers, DPLR from HiPPO-LegS */
    FGT_BLOCK_S4D         = 8, /**< state-space layers, diagonal */
    FGT_BLOCK_MLP         = 9, /**< each token by itself: two affine maps with gelu between them */
    FGT_BLOCK_AUTOFORMER  = 10, /**< Autoformer encoder layers: auto-correlation, trend and season */
    FGT_BLOCK_INFORMER    = 11, /**< Informer encoder layers: ProbSparse attention, distilling */
    FGT_BLOCK_REFORMER    = 12, /**< encoder layers with the Reformer's LSH attention */
    FGT_BLOCK_ATTENTION   = 13  /**< multi-head attention without a feed-forward part */
} fgt_block;

/** Properties of a block, as bits. Where a bit names a field, the bit says that the block uses this field. */
typedef enum fgt_block_trait {
    FGT_BLOCK_TRAIT_TOKENS  = 1,   /**< the block works on tokens; a block without this bit has no layers */
    FGT_BLOCK_TRAIT_ORDER   = 2,   /**< the block reads tokens one after the other, so it knows their order,
                                        and tokens need no position embeddings */
    FGT_BLOCK_TRAIT_HEADS   = 4,   /**< the block has attention: fgt_block_layers.heads */
    FGT_BLOCK_TRAIT_HOPS    = 8,   /**< fgt_block_layers.hops */
    FGT_BLOCK_TRAIT_GRAPH   = 16,  /**< fgt_block_opts.graph */
    FGT_BLOCK_TRAIT_FF      = 32,  /**< fgt_block_layers.ff */
    FGT_BLOCK_TRAIT_DIAG    = 64,  /**< fgt_block_layers.diag_mask, diag_penalty, diag_dropout */
    FGT_BLOCK_TRAIT_DECODER = 128, /**< the block has a decoder of forecasts: fgt_forecaster_output.decoder */
    FGT_BLOCK_TRAIT_AXIS    = 256, /**< fgt_block_opts.axis */
    FGT_BLOCK_TRAIT_ACT     = 512, /**< fgt_block_layers.act */
    FGT_BLOCK_TRAIT_LEARNED = 1024 /**< fgt_block_opts.learned: the block's A is always a graph */
} fgt_block_trait;

/** Name of a block: "fighter", "gcn", "linear", "transformer", "rnn", "gru", "lstm", "s4", "s4d", "mlp",
 *  "autoformer", "informer", "reformer", "attention". Blocks are numbered from 0 without gaps, so a loop over
 *  all blocks can end at the first NULL.
 *  Owner    the library's
 *  Errors   none; NULL if there is no such block
 *  Threads  any */
FGT_API const char *fgt_block_get_name(int32_t block);

/** Finds a block by its name.
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME no block of this name; *block is untouched
 *  Threads  any */
FGT_API FGT_MUST fgt_status fgt_block_find(const char *name, int32_t *block);

/** The fgt_block_trait bits of a block.
 *  Errors   none; 0 if there is no such block
 *  Threads  any */
FGT_API uint32_t fgt_block_get_traits(int32_t block);

/** The layers of a block: a part of fgt_block_opts, and of the options of forecasters and classifiers. Where
 *  these have other defaults, they say so. A block uses the options that its traits name, and ignores the
 *  others. */
typedef struct fgt_block_layers {
    int64_t        hops;             /**< fighter, gcn: kappa of all layers; 0: 3 */
    const int64_t *layer_hops;       /**< fighter, gcn: kappa of each layer, instead of hops; NULL: hops */
    int64_t        layer_hops_count; /**< 0 with layer_hops NULL */
    int64_t        layers;           /**< at most 64; 0: layer_hops_count, at least 1 */
    int64_t        heads;            /**< must divide the width; 0: 4, or 1 if 4 does not divide the width */
    int64_t        ff;               /**< width of the feed-forward part; 0: 4 times the width */
    int32_t        kind;             /**< an fgt_block */
    int32_t        act;              /**< fighter, gcn: an fgt_act of all layers; 0: gelu in all but the last.
                                          In equation 10 of the Fighter paper the last layer has no
                                          activation, and the others have one, such as relu */
    float          dropout;          /**< probability, in training; 0, or negative: no dropout */
    int32_t        no_residual;      /**< attention, 1: without the path around the layer */
    int32_t        post_norm;    /**< attention, gcn, 1: a LayerNorm after each layer and its residual path;
                                      the attention block then has no LayerNorm before the layer */
    int32_t        diag_mask;    /**< fighter, attention, 1: no token sees itself */
    float          diag_penalty; /**< fighter, attention: added to the diagonal of the scaled scores */
    float          diag_dropout; /**< fighter, attention: probability, in training, that the diagonal of the
                                      scores is masked; one draw for each token */
    int64_t        reserved[4];  /**< 0 */
} fgt_block_layers;

/** Options of a block. */
typedef struct fgt_block_opts {
    size_t           size;
    fgt_block_layers block;
    const fgt_graph *graph;   /**< graph over the tokens; copied. gcn, NULL: each token is joined to itself
                                   and to its two neighbours, unless a graph is learned. fighter, transformer,
                                   attention: tokens attend only along edges, also negative ones, as in
                                   fgt_attention_rule; NULL: to all tokens */
    const char      *prefix;  /**< text before the names of the layers, so that a model can have a block
                                   several times; NULL: no prefix */
    int64_t          dim;     /**< recurrent blocks: width of a direction; 0: width of the input */
    int64_t          learned; /**< r: a gcn learns a graph from 2 r numbers for each token, instead of `graph`
                                   or beside it; 0: no learned graph */
    int32_t          bidirectional; /**< 1: recurrent and state-space layers read in both directions */
    int32_t          distil;        /**< 1: informer halves the tokens after each layer but the last */
    int32_t          axis;          /**< an fgt_axis (nn.h): the axis along which the layers work */
    int32_t          diffusion;     /**< gcn, 1: random walks in both directions, as in fgt_gcn_opts */
} fgt_block_opts;

/** Adds a block's layers to the end of a model.
 *    fighter      layers with LayerNorm and residual; gelu after each layer but the last, or `act` after all
 *    gcn          layers with residual; activations as in fighter. With a given and a learned graph:
 *                 x + dropout(gelu(given(x) + learned(x))), or `act` instead of gelu
 *    linear       nothing
 *    transformer  encoder layers, then a LayerNorm
 *    rnn gru lstm one stack; dropout acts between its layers
 *    s4 s4d       x + layer(norm(x)), where norm is a LayerNorm
 *    mlp          x + dropout(down(gelu(up(norm(x))))), where up and down are affine, up of width ff
 *    autoformer   layers h = seasonal(x + attention(x)), y = seasonal(h + down(gelu(up(h)))), where attention
 *                 is FGT_ATTENDER_CORRELATION and seasonal subtracts the mean of 25 tokens, the trend; then a
 *                 seasonal LayerNorm, plus all trends. In its source a decoder adds the trends, as with
 *                 fgt_forecaster_output.decoder
 *    attention    x + dropout(attention(norm(x))), where norm is a LayerNorm; no_residual: without x.
 *                 post_norm: norm(x + dropout(attention(x))); with post_norm a gcn's layers also are
 *                 norm(x + ...)
 *    informer     post-norm layers h = norm1(x + attention(x)), y = norm2(h + down(gelu(up(h)))), and a
 *    reformer     LayerNorm at the end; attention is FGT_ATTENDER_PROB or FGT_ATTENDER_LSH (4 rounds,
 *                 buckets of 4, or of half the tokens if these are fewer than 8). distil:
 *                 max_pool(elu(norm3(conv(y)))) between layers, conv circular; norm3 is a LayerNorm, in the
 *                 source a batch norm. The Reformer's reversible layers, which only save memory, are missing
 *  Source   see the layers' headers; Zhou et al. 2021; Kitaev et al. 2020; github
 *           thuml/Time-Series-Library, models/Informer.py and Reformer.py
 *  Shapes   x [B,T,D] or [B,N,T,D] -> the same; recurrent blocks -> dim, bidirectional ones 2 dim;
 *           informer with distil -> [B,N,T',D], T' = (T + 1)/2, rounded down, for each layer but the last
 *  Params   "blocks.0" ... are the layers; s4, s4d, mlp and attention have "norms.0" ... and "sums.0" ...
 *           too, a gcn with post_norm "norms.0" ...; a gcn with two graphs has "blocks.0.given" and
 *           "blocks.0.learned" ...; mlp has "blocks.0.up", "blocks.0.down" ...; autoformer
 *           "blocks.0.attention", "blocks.0.up", "blocks.0.down" ... and "blocks.norm"; informer and reformer
 *           have the same and "blocks.0.norm1" .., with distil "blocks.0.conv"; the stack of rnn, gru and
 *           lstm is "blocks"; transformer has the names of torch.nn.TransformerEncoder: "blocks.layers.0" ...
 *           and "blocks.norm"
 *  Owner    everything is copied
 *  Errors   FGT_E_ARG, also no such block, or `axis` for a block without it; FGT_E_SHAPE a graph of another
 *           size; FGT_E_NAME the model already has such a block with this prefix; FGT_E_VERSION; errors of
 *           fgt_model_add(). On error, layers that were added before the failure stay */
FGT_API FGT_MUST fgt_status fgt_block_add(fgt_model *model, const fgt_block_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
