/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes the Fighter layers for --json, by the shares of hops and the importance of tokens in a few
 * texts. */
#include <stdlib.h>

#include <fighter/experimental/exact.h>

#include "insight.h"
#include "report_layers.h"

#include "../common/layers.h"
#include "../common/model_info.h"
#include "../common/program.h"

/* A text as the model reads it, and its predicted class. A token has K ids; there are T tokens and C
 * classes. */
typedef struct reading {
    int64_t *ids;        /* [T,K] */
    int64_t  each, used; /* each: K; used: number of tokens before the padding */
    int64_t  found;      /* the predicted class */
    float   *p;          /* [C]: probabilities */
} reading;

static bool read_text(const run *r, const char *text, reading *t)
{
    const int64_t tokens = r->info.tokens;
    int64_t       place  = 0;
    if (fgt_vocab_encode(fgt_classifier_get_vocab(r->classifier), &text, 1,
                         FGT_VIEW_OF(FGT_DTYPE_I64, t->ids, 1, tokens * t->each), NULL, NULL) != FGT_OK ||
        fgt_classifier_predict(r->classifier, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                               FGT_VIEW(t->p, 1, r->info.classes), NULL) != FGT_OK)
        return failed(r, NULL);
    while (place < tokens && t->ids[place * t->each] != FGT_ID_PADDING) place++;
    t->used  = place;
    t->found = 0;
    for (int64_t i = 1; i < r->info.classes; i++)
        if (t->p[i] > t->p[t->found]) t->found = i;
    return true;
}

/* Lists the words of a text. An entry is null if the word is not in the vocabulary, or if it stands for
 * several words. */
static json_t *pack_words(const run *r, const reading *t)
{
    const fgt_vocab *v    = fgt_classifier_get_vocab(r->classifier);
    json_t          *list = json_array();
    for (int64_t i = 0; list && i < t->used; i++) {
        const char *word = fgt_vocab_get_word(v, t->ids[i * t->each]);
        json_array_append_new(list, word ? json_string(word) : json_null());
    }
    return list;
}

/* Describes the layers after the last pass. The importance of a token is measured by the logit of the
 * predicted class. If there are several members, the first one is described. */
static json_t *pack_text(const run *r, const reading *t)
{
    for (int64_t i = 0; i < r->info.classes; i++) t->p[i] = i == t->found;
    return json_pack("{s:s, s:o, s:o}", "class", fgt_classifier_get_class_name(r->classifier, t->found),
                     "words", pack_words(r, t), "layers",
                     layers_describe(fgt_classifier_get_model(r->classifier),
                                     FGT_VIEW(t->p, 1, r->info.classes), t->used));
}

static json_t *pack_texts(const run *r, const fgt_corpus *texts, reading *t)
{
    json_t *list = json_array();
    for (int64_t i = 0; list && i < texts_info(texts).rows; i++) {
        if (!read_text(r, fgt_corpus_get_text(texts, i), t)) {
            json_decref(list);
            return NULL;
        }
        if (t->used) json_array_append_new(list, pack_text(r, t));
    }
    return list;
}

bool report_set_layers(const run *r, json_t *all)
{
    const fgt_view input = model_info(fgt_classifier_get_model(r->classifier)).input;
    fgt_corpus *texts = NULL;
    json_t     *list  = NULL;
    reading     t     = {0};
    if (!samples_are_there(r->test) && !samples_are_there(r->validation) && !samples_are_there(r->train))
        return true;
    if (!r->info.tokens) return true;
    t.each = input.shape[1] / r->info.tokens;
    t.ids  = malloc((size_t)input.shape[1] * sizeof *t.ids);
    t.p    = malloc((size_t)r->info.classes * sizeof *t.p);
    if (!t.ids || !t.p)
        complain("no memory");
    else if (insight_texts(r, &texts) && fgt_classifier_set_exact(r->classifier, 1) == FGT_OK)
        list = pack_texts(r, texts, &t); /* passes of the model itself: its layers can be read afterwards */
    fgt_corpus_destroy(&texts);
    free(t.ids);
    free(t.p);
    const bool restored = fgt_classifier_set_exact(r->classifier, r->o->exact) == FGT_OK;
    return list && !json_object_set_new(all, "fighter_texts", list) && restored;
}
