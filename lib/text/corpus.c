/* SPDX-License-Identifier: BSD-3-Clause */

/* Information about a corpus: sizes, names of classes, texts. */

#include "text/corpus.h"

#include <string.h>

#include "core/context.h"
#include "core/opts.h"

fgt_status fgti_corpus_of(fgt_context *ctx, const fgti_strings *classes, const fgti_strings *columns,
                          fgt_corpus **out)
{
    int64_t number;
    FGTI_TRY(FGTI_NEW(ctx, 1, "corpus", out));
    fgt_corpus *to = *out;
    to->ctx        = ctx;
    fgt_status s   = fgti_strings_append(ctx, &to->columns, columns);
    for (int64_t i = 0; i < classes->count && s == FGT_OK; i++)
        s = fgti_words_add(ctx, &to->classes, fgti_strings_get(classes, i), fgti_strings_size(classes, i),
                           &number);
    if (s != FGT_OK) fgt_corpus_destroy(out);
    return s;
}

fgt_status fgti_corpus_like(fgt_context *ctx, const fgt_corpus *from, fgt_corpus **out)
{
    FGTI_TRY(fgti_corpus_of(ctx, &from->classes.texts, &from->columns, out));
    (*out)->numbers   = from->numbers;
    (*out)->parsed    = from->parsed;
    (*out)->unlabeled = from->unlabeled;
    return FGT_OK;
}

void fgt_corpus_destroy(fgt_corpus **corpus)
{
    if (!corpus || !*corpus) return;
    fgt_corpus  *c   = *corpus;
    fgt_context *ctx = c->ctx;
    fgti_free(ctx, c->label);
    fgti_strings_done(ctx, &c->texts);
    fgti_words_done(ctx, &c->classes);
    fgti_strings_done(ctx, &c->columns);
    fgti_text_store_close(&c->store);
    fgti_free(ctx, c);
    *corpus = NULL;
}

/* ---- what it holds ---- */

static bool corpus_has_class(const fgt_corpus *c, int64_t i)
{
    return c && i >= 0 && i < c->classes.texts.count;
}

static bool corpus_has_row(const fgt_corpus *c, int64_t row)
{
    return c && row >= 0 && row < c->rows;
}

fgt_status fgt_corpus_get_info(const fgt_corpus *corpus, fgt_corpus_info *info)
{
    if (!corpus) return FGT_E_ARG;
    fgti_error *err = &corpus->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "corpus: info is NULL");
    const fgt_corpus_info all = {.size        = sizeof all,
                                 .rows        = corpus->rows,
                                 .classes     = corpus->classes.texts.count,
                                 .replaced    = corpus->replaced,
                                 .stored      = corpus->store != NULL,
                                 .class_rows  = corpus->classes.count,
                                 .row_classes = corpus->label};
    return fgti_result_write(err, "fgt_corpus_info", &all, sizeof all, info);
}

const char *fgt_corpus_get_class_name(const fgt_corpus *corpus, int64_t class_id)
{
    return corpus_has_class(corpus, class_id) ? fgti_strings_get(&corpus->classes.texts, class_id) : NULL;
}

const char *fgt_corpus_get_text(const fgt_corpus *corpus, int64_t row)
{
    return corpus_has_row(corpus, row) && corpus->label ? fgti_strings_get(&corpus->texts, row) : NULL;
}
