/* SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/stage.h"
#include "model/access.h"

/* The encoders of the Informer and of the Reformer: post-norm encoder layers around an attender,
 *     h = norm1(x + dropout(attention(x))),  y = norm2(h + dropout(down(gelu(up(h))))).
 * Between layers, the Informer halves the number of tokens: y' = max_pool(elu(norm3(conv(y)))). norm3 is a
 * LayerNorm; the Informer's source has a batch norm, with which a sample's output would depend on the rest of
 * its batch. */

#define BUCKET 4 /* as in github thuml/Time-Series-Library, models/Reformer.py */
#define ROUNDS 4

/* Adds norm(x + dropout(last)), where `last` is the last layer, as three layers named name[0] .. name[2]. */
static fgt_status encoder_join(const fgti_stage *s, const char *x, const char *const name[3])
{
    FGTI_TRY(fgti_stage_add_residual(s, x, name[0], name[1]));
    return fgti_stage_add(s, name[2], fgt_layer_norm(NULL));
}

static fgt_status encoder_add_layer(const fgti_stage *s, const fgt_attention_opts *a)
{
    static const char *const attended[] = {"dropout1", "sum1", "norm1"};
    static const char *const fed[]      = {"dropout3", "sum2", "norm2"};
    const char              *x          = fgti_model_last_name(s->m);
    FGTI_TRY(fgti_stage_add(s, "attention", fgt_attention(a)));
    FGTI_TRY(encoder_join(s, x, attended));
    x = fgti_model_last_name(s->m);
    FGTI_TRY(fgti_stage_add_feed(s, "dropout2", false));
    return encoder_join(s, x, fed);
}

static fgt_status distil(const fgti_stage *s)
{
    const fgt_conv_opts       conv = {.size = sizeof conv, .padding = FGT_CONV_PADDING_CIRCULAR};
    const fgt_activation_opts elu  = {.size = sizeof elu, .kind = FGT_ACT_ELU};
    FGTI_TRY(fgti_stage_add(s, "conv", fgt_conv(&conv)));
    FGTI_TRY(fgti_stage_add(s, "norm3", fgt_layer_norm(NULL)));
    FGTI_TRY(fgti_stage_add(s, "elu", fgt_activation(&elu)));
    return fgti_stage_add(s, "pool", fgt_max_pool(NULL));
}

fgt_status fgti_stack_informer(fgt_model *m, const fgt_block_opts *o)
{
    const fgt_attention_opts a = {
        .size = sizeof a, .heads = o->block.heads, .attention.attender = FGT_ATTENDER_PROB};
    for (int64_t i = 0; i < o->block.layers; i++) {
        const fgti_stage s = {m, o, "blocks", i};
        FGTI_TRY(encoder_add_layer(&s, &a));
        if (o->distil && i + 1 < o->block.layers) FGTI_TRY(distil(&s));
    }
    return fgt_model_add(m, fgt_named("blocks.norm", fgt_layer_norm(NULL)));
}

/* Number of tokens in a bucket. Few tokens are split into only two buckets, so that there is less zero
 * padding than tokens. */
static int32_t encoder_bucket_of(int64_t tokens)
{
    return tokens < 2 * BUCKET ? (int32_t)((tokens + 1) / 2) : BUCKET;
}

fgt_status fgti_stack_reformer(fgt_model *m, const fgt_block_opts *o)
{
    const fgt_attention_opts a = {.size                  = sizeof a,
                                  .heads                 = o->block.heads,
                                  .attention.attender    = FGT_ATTENDER_LSH,
                                  .attention.bucket_size = encoder_bucket_of(fgti_model_last_shape(m).time),
                                  .attention.n_hashes    = ROUNDS};
    for (int64_t i = 0; i < o->block.layers; i++)
        FGTI_TRY(encoder_add_layer(&(fgti_stage){m, o, "blocks", i}, &a));
    return fgt_model_add(m, fgt_named("blocks.norm", fgt_layer_norm(NULL)));
}
