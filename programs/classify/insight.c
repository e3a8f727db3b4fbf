/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the page of --report. */
#include <math.h>

#include "insight.h"
#include "texts.h"

#include "../common/blocks.h"
#include "../common/insight.h"
#include "../common/model_info.h"

#define TEXTS 4 /* number of texts that the page shows */

#define TOKENS                                                                                               \
    "How to read a class of this model. It sees a text as tokens, which are words and, unless ngrams is 1, " \
    "runs of words"

static const char about[] = TOKENS "; attention says how much each token reads of each other one.";
static const char about_words[] = TOKENS ". Its layers have no attention.";

bool insight_start(run *r)
{
    if (!r->o->report || r->page) return true;
    return insight_open(r->ctx, r->dataset, (fgt_block)r->info.block, fgt_classifier_get_model(r->classifier),
                        block_has(r->info.block, FGT_BLOCK_TRAIT_HEADS) ? about : about_words, &r->page);
}

bool insight_texts(const run *r, fgt_corpus **texts)
{
    const fgt_corpus *from = r->test.texts         ? r->test.texts
                             : r->validation.texts ? r->validation.texts
                                                   : r->train.texts;
    return texts_copy(r, from, 0, TEXTS, texts) == FGT_OK;
}

static bool add_texts(run *r, int64_t epoch)
{
    fgt_corpus *c;
    if (!insight_texts(r, &c)) return false;
    bool good = true;
    for (int64_t i = 0; good && i < texts_info(c).rows; i++) {
        char                  name[32];
        const fgt_report_text o = {
            .size  = sizeof o,
            .name  = name,
            .truth = fgt_corpus_get_class_name(c, samples_get_class((samples){.texts = c}, i)),
            .epoch = epoch,
        };
        snprintf(name, sizeof name, "text %lld", (long long)i + 1);
        good = fgt_report_add_text(r->page, r->classifier, fgt_corpus_get_text(c, i), &o) == FGT_OK ||
               insight_failed(r->ctx);
    }
    fgt_corpus_destroy(&c);
    return good;
}

bool insight_record(run *r, const fgt_progress *p)
{
    if (!r->page || !p->epoch_done) return true;
    return insight_losses(r->page, p) && add_texts(r, p->epoch) &&
           insight_hops(r->page, r->ctx, fgt_classifier_get_model(r->classifier), p->epoch);
}

/* Adds two learning rates: the one that was used, and the largest one that theory allows for gradient
 * descent. */
static bool add_rate(const run *r)
{
    const ntk_track *t    = &r->ntk;
    const double     used =
        r->o->fit.training.lr > 0 ? r->o->fit.training.lr : 2e-3; /* the default of fgt_classifier_fit_opts */
    if (!t->count) return insight_fact(r->page, "first learning rate", "%g, of AdamW", used);
    return insight_fact(r->page, "first learning rate",
                        "%g, of AdamW; Proposition 4 of the AtteNT paper, for gradient descent, allows %.2g "
                        "before the training and %.2g after it",
                        used, t->rates[0], t->rates[t->count - 1]);
}

bool insight_write(run *r)
{
    if (!insight_start(r)) return false;
    fgt_vocab_info vocab = {.size = sizeof vocab};
    if (fgt_vocab_get_info(fgt_classifier_get_vocab(r->classifier), &vocab) != FGT_OK ||
        !insight_fact(r->page, "model", "%s, %lld parameters", block_names[r->info.block],
                      (long long)model_info(fgt_classifier_get_model(r->classifier)).parameters) ||
        !insight_fact(r->page, "vocabulary", "%lld words; %lld tokens of a text", (long long)vocab.words,
                      (long long)r->info.tokens))
        return false;
    if (!r->o->load && !(insight_training(r->page, &r->report) && add_rate(r))) return false;
    if (!isnan(r->test_accuracy) &&
        !insight_fact(r->page, "accuracy on the test texts", "%.1f %%", 100 * r->test_accuracy))
        return false;
    if (!add_texts(r, 0) ||
        !insight_hops(r->page, r->ctx, fgt_classifier_get_model(r->classifier), 0))
        return false;
    return fgt_report_save(r->page, FGT_TO_FILE(r->o->report)) == FGT_OK || insight_failed(r->ctx);
}
