/* SPDX-License-Identifier: BSD-3-Clause */

/* Options of a classifier of texts, their defaults, and its layers. */

#include "classify/classify_recipe.h"

#include <fighter/experimental/defaults.h>

#include "blocks/blocks.h"
#include "core/size.h"
#include "text/corpus.h"

/* Models as lists of layers: ids [B,T] -> logits [B,C]; E is the width of a token. */

/* Standard deviation of the first embeddings. Rows that do not occur in training keep their first values,
 * which are noise in the mean over a text. On AG News (30,034 rows, a tenth for validation, 64 ids, width 32,
 * lr 0.001, two epochs) the validation accuracy is 0.890 with 0.1 and 0.901 with 0.02. */
#define INIT       0.03F
#define PRETRAINED 0.06F

/* With at most this number of classes, the tokens of a Fighter layer have half the default width. This halves
 * the time and the size of the file. On AG News (4 classes, rows as at MANY, one seed) the validation
 * accuracy is 0.908 with width 64 and 0.907 with 32. On generated short messages (2 classes, three seeds) it
 * is 0.968 with both. More classes need the larger width: on the sections of Debian packages (46 classes, two
 * splits, two seeds) the accuracy is 0.642 and 0.560, on the 8 largest sections (one split) 0.789 and 0.780.
 * Other blocks were not measured. */
#define FEW_CLASSES 4

static int64_t choose_dim(const fgt_classifier_opts *o, int64_t classes)
{
    return o->block.kind == FGT_BLOCK_FIGHTER && classes <= FEW_CLASSES ? 32 : 64;
}

/* Checks the ranges of the options and fills in the defaults. A negative number switches some options off. */
#define OPTION(name, field, kind, min, max, standard, ...) \
    {#name, offsetof(fgt_classifier_opts, field), FGTI_OPT_##kind, min, max, standard},
#define SWITCHED(name, field, kind, min, max, standard, ...) OPTION(name, field, kind, -1, max, standard)
#define PASSED(...)
static const fgti_opt option_list[] = {
#include "classify/classify_options.h"
    FGTI_FIELD(fgt_classifier_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

fgt_status fgti_classify_check(fgti_error *err, int64_t classes, fgt_classifier_opts *o)
{
    if (o->vit || o->encoder) return fgti_fail(err, FGT_E_ARG, "classifier: vit and encoder are for images");
    FGTI_TRY(fgti_block_check(err, "classifier", o->block.kind));
    if (!o->dim) o->dim = choose_dim(o, classes);
    if (o->init == 0) o->init = o->pretrain ? PRETRAINED : INIT;
    const bool each = o->block.layer_hops && !o->block.hops;
    FGTI_TRY(fgti_opts_check(err, "classifier", option_list, o));
    if (each) o->block.hops = 0;
    if (o->block.dropout < 0) o->block.dropout = 0;
    return FGT_OK;
}

static bool classify_recipe_has(const fgt_classifier_opts *o, fgt_block_trait trait)
{
    return fgt_block_get_traits(o->block.kind) & trait;
}

/* Letters are used if the share of words that occur once is larger than this. By Good 1953 this share
 * estimates the share of words in other texts that training has not seen. In 17 languages (8,160 texts of up
 * to 15 words) the share is 0.33, and letters raise the validation accuracy from 0.89 to 0.99. In 10,000
 * training rows of AG News it is 0.02, and letters lower the accuracy from 0.896 to 0.884. For shares of 0.05
 * to 0.38, letters lower the accuracy by 0.005 at most and raise it by up to 0.021. docs/results/programs.md
 * also has results for generated words with and without common stems. */
#define RARE 0.04
/* In a corpus of this number of words or more, pairs of words share BUCKETS ids. Such pairs need not be
 * counted, which would take memory for each pair, and their table stays small. In a smaller corpus each pair
 * that occurs twice has its own id, which is more accurate: with 24,028 training rows of AG News (three
 * splits, two seeds, width 32) the validation accuracy is 0.906, and 0.900 with 32768 shared ids. */
#define MANY    (1 << 21)
#define BUCKETS (1 << 17)

fgt_status fgti_classify_vocab(fgt_context *ctx, const fgt_corpus *texts, int32_t block, fgt_vocab_opts *o)
{
    int64_t words, once;
    *o = (fgt_vocab_opts){.size = sizeof *o, .ngrams = 1};
    if (fgt_block_get_traits(block) & FGT_BLOCK_TRAIT_ORDER) return FGT_OK;
    FGTI_TRY(fgti_vocab_survey(ctx, texts, &words, &once));
    o->ngrams = 2;
    if (words >= MANY) o->buckets = BUCKETS;
    if ((double)once > RARE * (double)words) o->letters = 3;
    return FGT_OK;
}

fgt_status fgt_classifier_choose_vocab(const fgt_corpus *texts, int32_t block, fgt_vocab_opts *opts)
{
    fgt_vocab_opts o;
    if (!texts) return FGT_E_ARG;
    fgti_error *err = &texts->ctx->error;
    if (!opts) return fgti_fail(err, FGT_E_ARG, "classifier: opts is NULL");
    FGTI_TRY(fgti_block_check(err, "classifier", block));
    FGTI_TRY(fgti_classify_vocab(texts->ctx, texts, block, &o));
    return fgti_result_write(err, "fgt_vocab_opts", &o, sizeof *opts, opts);
}

static fgt_status classify_recipe_add_dropout(fgt_model *m, const char *name, float p)
{
    return fgt_model_add(m, fgt_named(name, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = p))));
}

/* Adds learned positions if neither the ids nor the block know the order of the words. */
static fgt_status classify_recipe_add_position(fgt_model *m, const fgt_classifier_opts *o,
                                               const fgt_vocab *vocab)
{
    const fgt_position_opts position = {.size = sizeof position, .kind = FGT_POSITION_LEARNED};
    if (!classify_recipe_has(o, FGT_BLOCK_TRAIT_TOKENS) || classify_recipe_has(o, FGT_BLOCK_TRAIT_ORDER) ||
        vocab->opts.ngrams > 1)
        return FGT_OK;
    return fgt_model_add(m, fgt_named("position", fgt_position(&position)));
}

/* [B,T,E] -> [B,T,E]; recurrent blocks: [B,T,2E] */
static fgt_status classify_recipe_add_block(fgt_model *m, const fgt_classifier_opts *o)
{
    return fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block = o->block, .bidirectional = 1, .distil = 1));
}

/* ---- the whole model ---- */

static fgt_status classify_recipe_add_all(fgt_model *m, const fgt_classifier_opts *o, const fgt_vocab *vocab,
                                          int64_t classes)
{
    const fgt_embedding_opts embedding = {.size         = sizeof embedding,
                                          .vocab        = fgti_vocab_ids(vocab),
                                          .out          = o->dim,
                                          .padding_idx  = FGT_ID_PADDING,
                                          .has_padding  = 1,
                                          .mask_padding = 1,
                                          .init         = o->init,
                                          .bag          = vocab->opts.bag};
    FGTI_TRY(fgt_model_add(m, fgt_named("embedding", fgt_embedding(&embedding)))); /* [B,T,E] */
    FGTI_TRY(classify_recipe_add_dropout(m, "embedding_dropout", o->block.dropout));
    FGTI_TRY(classify_recipe_add_position(m, o, vocab));
    FGTI_TRY(classify_recipe_add_block(m, o));
    FGTI_TRY(fgt_model_add(m, fgt_named("pool", fgt_pool(NULL)))); /* [B,E] */
    FGTI_TRY(classify_recipe_add_dropout(m, "head_dropout", o->block.dropout));
    return fgt_model_add(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = classes))));
}

fgt_status fgti_classify_build(fgt_context *ctx, const fgt_classifier_opts *o, const fgt_vocab *vocab,
                               int64_t classes, fgt_model **model)
{
    int64_t ids;
    if (!fgti_size_mul(o->tokens, fgti_vocab_bag(vocab), &ids))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "classifier: %lld tokens are too many",
                         (long long)o->tokens);
    const fgt_model_opts opts = {.size = sizeof opts, .batch = o->batch, .time = ids,
                                 .seed = o->seed};
    FGTI_TRY(fgt_model_create(ctx, &opts, model));
    const fgt_status s = classify_recipe_add_all(*model, o, vocab, classes);
    if (s != FGT_OK) fgt_model_destroy(model);
    return s;
}
