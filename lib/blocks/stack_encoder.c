/* SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/stack_encoder.h"

#include <stdio.h>

#include "model/access.h"

/* The encoders of the Informer and of the Reformer: post-norm encoder layers around an attender,
 *     h = norm1(x + dropout(attention(x))),  y = norm2(h + dropout(down(gelu(up(h))))).
 * The Informer distils between its layers: y' = max_pool(elu(norm3(conv(y)))), half as many tokens. Its
 * source has a batch norm where norm3, a LayerNorm, is: a batch norm would make what a sample gives depend on
 * the batch that it is in. */

#define BUCKET 4 /* as in github thuml/Time-Series-Library, models/Reformer.py */
#define ROUNDS 4

fgt_status fgti_add_part(fgt_model *m, int64_t i, const char *part, fgt_layer layer)
{
    char name[48];
    snprintf(name, sizeof name, "blocks.%lld.%s", (long long)i, part);
    return fgt_model_add(m, fgt_named(name, layer));
}

/* norm(x + dropout(last)), under these three names */
static fgt_status join(fgt_model *m, const fgt_block_opts *o, int64_t i, const char *x,
                       const char *const name[3])
{
    const fgt_dropout_opts drop = {.size = sizeof drop, .p = o->dropout};
    char                   sum[48];
    if (o->dropout > 0) FGTI_TRY(fgti_add_part(m, i, name[0], fgt_dropout(&drop)));
    snprintf(sum, sizeof sum, "blocks.%lld.%s", (long long)i, name[1]);
    FGTI_TRY(fgt_model_add_from(m, fgt_named(sum, fgt_sum(NULL)), 2,
                                (const char *[]){x, fgti_model_last_name(m)}));
    return fgti_add_part(m, i, name[2], fgt_layer_norm(NULL));
}

static fgt_status add_feed(fgt_model *m, const fgt_block_opts *o, int64_t i)
{
    static const char *const  names[] = {"dropout3", "sum2", "norm2"};
    const fgt_linear_opts     up      = {.size = sizeof up, .out = o->ff};
    const fgt_linear_opts     down    = {.size = sizeof down, .out = fgti_model_last_shape(m).width};
    const fgt_activation_opts gelu    = {.size = sizeof gelu, .kind = FGT_ACT_GELU};
    const fgt_dropout_opts    drop    = {.size = sizeof drop, .p = o->dropout};
    const char               *x       = fgti_model_last_name(m);
    FGTI_TRY(fgti_add_part(m, i, "up", fgt_linear(&up)));
    FGTI_TRY(fgti_add_part(m, i, "gelu", fgt_activation(&gelu)));
    if (o->dropout > 0) FGTI_TRY(fgti_add_part(m, i, "dropout2", fgt_dropout(&drop)));
    FGTI_TRY(fgti_add_part(m, i, "down", fgt_linear(&down)));
    return join(m, o, i, x, names);
}

static fgt_status add_layer(fgt_model *m, const fgt_block_opts *o, int64_t i, const fgt_attention_opts *a)
{
    static const char *const names[] = {"dropout1", "sum1", "norm1"};
    const char              *x       = fgti_model_last_name(m);
    FGTI_TRY(fgti_add_part(m, i, "attention", fgt_attention(a)));
    FGTI_TRY(join(m, o, i, x, names));
    return add_feed(m, o, i);
}

static fgt_status distil(fgt_model *m, int64_t i)
{
    const fgt_conv_opts       conv = {.size = sizeof conv, .padding = FGT_CONV_CIRCULAR};
    const fgt_activation_opts elu  = {.size = sizeof elu, .kind = FGT_ACT_ELU};
    FGTI_TRY(fgti_add_part(m, i, "conv", fgt_conv(&conv)));
    FGTI_TRY(fgti_add_part(m, i, "norm3", fgt_layer_norm(NULL)));
    FGTI_TRY(fgti_add_part(m, i, "elu", fgt_activation(&elu)));
    return fgti_add_part(m, i, "pool", fgt_max_pool(NULL));
}

fgt_status fgti_stack_informer(fgt_model *m, const fgt_block_opts *o)
{
    const fgt_attention_opts a = {.size = sizeof a, .heads = o->heads, .attender = FGT_ATTENDER_PROB};
    for (int64_t i = 0; i < o->layers; i++) {
        FGTI_TRY(add_layer(m, o, i, &a));
        if (o->distil && i + 1 < o->layers) FGTI_TRY(distil(m, i));
    }
    return fgt_model_add(m, fgt_named("blocks.norm", fgt_layer_norm(NULL)));
}

/* Few tokens have two buckets, so that fewer zeros than tokens come behind them. */
static int32_t bucket_of(int64_t tokens)
{
    return tokens < 2 * BUCKET ? (int32_t)((tokens + 1) / 2) : BUCKET;
}

fgt_status fgti_stack_reformer(fgt_model *m, const fgt_block_opts *o)
{
    const fgt_attention_opts a = {.size        = sizeof a,
                                  .heads       = o->heads,
                                  .attender    = FGT_ATTENDER_LSH,
                                  .bucket_size = bucket_of(fgti_model_last_shape(m).time),
                                  .n_hashes    = ROUNDS};
    for (int64_t i = 0; i < o->layers; i++) FGTI_TRY(add_layer(m, o, i, &a));
    return fgt_model_add(m, fgt_named("blocks.norm", fgt_layer_norm(NULL)));
}
