/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_ADAPTER_H
#define FIGHTER_EXPERIMENTAL_ADAPTER_H

/** @file adapter.h
 *  Adapters (LoRA): a finished model learns another task while its weights W [out,in] do not change. Each
 *  chosen linear map reads
 *    W + s B A,   A [r,in], B [out,r], s = alpha / r
 *  and only A and B are trained. B starts as zero, so a new adapter changes nothing. A table of embeddings W
 *  [ids,width] reads W + s (B A)' in the same way, with A [r,ids] and B [width,r]; there A starts as zero, as
 *  in PEFT.
 *
 *    fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "sport", .pattern = "*.in_proj_weight",
 *                                       .rank = 8, .alpha = 16, .whole = "head."));
 *    fgt_model_set_adapter(m, "sport");      fgt_model_fit(m, ...);
 *    fgt_model_save_adapter(m, "sport", "sport.lora");
 *
 *  A model has any number of adapters; at most one is active. While an adapter is active, the adapter's
 *  parameters are the parameters of the model: optimisers, fgt_model_fit(), checkpoints,
 *  fgt_model_get_info(), and the names, weights and gradients of model.h use only them, and only they need
 *  memory for optimiser state and gradients. The base, which has the weights W, is frozen; its parameters can
 *  still be read and set by name. Passes, predictors and fgt_model_save() use the base with the active
 *  adapter.
 *
 *  Layers do not know of adapters: they read the sum W + s B A, which is computed again when A, B or W has
 *  changed; for a table it is computed only in the rows that are looked up. An active adapter takes memory
 *  for A and B, and for the sums (not of tables). If layers other than fgt_linear(), fgt_embedding(),
 *  fgt_layer_norm(), fgt_attention() and fgt_transformer() are adapted, it also takes memory for the
 *  gradients of the largest such layer. Other adapters take memory only for A and B.
 *
 *  A layer of the host must not change adapters in a pass. In a pass of the model itself such a change gives
 *  FGT_E_STATE. A prediction in an fgt_workspace does not notice such a change: then some layers read the old
 *  weights, and some the new ones.
 *  Source   Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, section 4.1
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A new adapter. */
typedef struct fgt_adapter_opts {
    size_t      size;
    const char *name; /**< not empty, and not the name of another adapter */
    /** The parameters W to adapt: patterns as in fgt_model_set_frozen(), separated by commas. Of the matching
     *  parameters only two kinds are adapted: tables of fgt_embedding(), and matrices of linear maps, which
     *  have rank 2 or 3 and "weight" in the last part of their names. NULL: the matrices of all linear maps,
     *  but not tables, because these take r numbers for each id; "*": both kinds; empty: nothing. A stack of
     *  matrices, such as hop weights [L,D,H] or the weights of fgt_token_linear(), gets an A and a B for each
     *  matrix. A convolution [H,D,k], such as the map at the end of a minimal S4 block, gets one A [r,D,k].
     *  Class tokens are not adapted. */
    const char *pattern;
    /** Parameters that the adapter copies and trains as a whole, without A and B, such as a new head:
     *  patterns as in `pattern`; NULL: no parameters. */
    const char *whole;
    double      alpha;   /**< 0: rank, so that s = 1 */
    /** Share of the columns of A that a training pass leaves out; the others count 1/(1-dropout) times.
     *  Tables have no dropout, as in PEFT. All samples of a pass have the same random columns. (PEFT's
     *  lora_dropout draws for each element of x, which no W can express.) Dropout changes the weights:
     *  fgt_forward() with dropout changes them for other threads, too. A prediction by another workspace of
     *  the model restores the weights, and then fgt_backward() needs a new fgt_forward(). A predictor is not
     *  affected, because it has its own weights. */
    double      dropout;
    int64_t     rank; /**< r; 0: 8 */
    uint64_t    seed; /**< seed of dropout and of the initial values: A is uniform in +-1/sqrt(in), and B of a
                           table is normal with deviation 1 */
} fgt_adapter_opts;

/** Adds an adapter, which is not active yet. The model takes no more layers.
 *  Shapes   parameters "M.lora_A.weight" [r,in] and "M.lora_B.weight" [out,r] for a parameter "M.weight"; for
 *           a parameter with another name, M is the whole name. For a stack of L matrices the shapes are
 *           [L,r,in] and [L,out,r]. For a table the names are "M.lora_embedding_A" and "M.lora_embedding_B".
 *           A parameter that is trained as a whole is called "M.modules_to_save.weight", as in PEFT
 *  Owner    the texts are copied
 *  Errors   FGT_E_ARG an option; FGT_E_NAME the name is taken, too long or not UTF-8, the name of a
 *           parameter would be taken or too long, or a pattern matches no parameter that can be adapted;
 *           FGT_E_UNSUPPORTED `whole` names a table of an embedding; FGT_E_STATE no layers, or a training or
 *           a pass called the function that calls this; FGT_E_SIZE; FGT_E_VERSION; FGT_E_NOMEM. On error
 *           the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_add_adapter(fgt_model *model, const fgt_adapter_opts *opts);

/** Makes an adapter the active one; name NULL: no adapter is active. An optimiser belongs to the parameters
 *  that were active when it was made; fgt_step() fails while other parameters are active. After this call
 *  fgt_backward() needs a new fgt_forward().
 *  Errors   FGT_E_NAME no such adapter; FGT_E_STATE a training or a pass called the function that calls this;
 *           FGT_E_NOMEM. On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_set_adapter(fgt_model *model, const char *name);

/** Properties of an adapter. */
typedef struct fgt_adapter_info {
    size_t      size;
    const char *name;
    double      alpha, dropout;
    int64_t     rank;
    int64_t     parameters; /**< number of scalars that the adapter trains */
    int64_t     maps;       /**< number of matrices that the adapter adapts */
    int64_t bytes; /**< memory in bytes while the adapter is active, including its parameters and gradients */
    int32_t active; /**< 1: the adapter is active */
    int32_t     reserved;
} fgt_adapter_info;

/** Number of adapters.
 *  Errors   0 for NULL */
FGT_API int64_t fgt_model_count_adapters(const fgt_model *model);

/** Describes adapter i, in the order in which they were added.
 *  Units    bytes: bytes
 *  Owner    info (its size set) is filled; its name is the model's, valid until the adapter is gone
 *  Errors   FGT_E_ARG NULL, or there is no such adapter; FGT_E_VERSION */
FGT_API FGT_MUST fgt_status fgt_model_get_adapter(const fgt_model *model, int64_t i, fgt_adapter_info *info);

/** Removes an adapter. If it was active, no adapter is active afterwards. Its optimisers can then only be
 *  destroyed.
 *  Errors   FGT_E_NAME no such adapter; FGT_E_STATE a training or a pass called the function that calls
 *           this */
FGT_API FGT_MUST fgt_status fgt_model_remove_adapter(fgt_model *model, const char *name);

/** Adds s B A to the weights of the base, copies the parameters trained as a whole, and removes the adapter.
 *  The model then gives the same bits as before with the active adapter.
 *  Errors   FGT_E_NAME no such adapter; FGT_E_STATE a training or a pass called the function that calls
 *           this; FGT_E_NONFINITE a weight of the adapter is not finite. On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_merge_adapter(fgt_model *model, const char *name);

/** Writes an adapter without the base, as PEFT does: a folder with adapter_model.safetensors and
 *  adapter_config.json. PeftModel.from_pretrained() of Python's peft reads it, for a module with the base's
 *  names: torch.nn.Linear for fgt_linear(), Conv1d for fgt_conv(), Embedding for fgt_embedding(),
 *  MultiheadAttention for the maps of attention. Other parameters have no counterpart in peft. Two notes on
 *  peft 0.21: it adds an adapter of MultiheadAttention's out_proj twice, so adapt only in_proj_weight. In
 *  evaluation torch's fast path of encoder layers ignores adapters; switch this path off by
 *  torch.backends.mha.set_fastpath_enabled(False). The folder is made if it does not exist. Each file
 *  replaces an old one as a whole, the tensors first.
 *  Errors   FGT_E_NAME no such adapter; FGT_E_ARG NULL; FGT_E_IO; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_model_save_adapter(const fgt_model *model, const char *name,
                                                   const char *folder);

/** Adds an adapter from a folder that fgt_model_save_adapter() or peft wrote. The caller names the adapter,
 *  which is not active yet. The files are not trusted.
 *  Shapes   every tensor must fit a parameter of the model
 *  Errors   as fgt_model_add_adapter(); FGT_E_IO; FGT_E_FORMAT no adapter, or a malformed one;
 *           FGT_E_UNSUPPORTED another variety of LoRA (DoRA, trained biases, different ranks, a start that
 *           changes W, such as PiSSA's); FGT_E_NAME a tensor that is not the model's; FGT_E_SHAPE;
 *           FGT_E_NONFINITE. On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_load_adapter(fgt_model *model, const char *name, const char *folder);

#ifdef __cplusplus
}
#endif
#endif
