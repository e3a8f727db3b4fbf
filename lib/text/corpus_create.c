/* SPDX-License-Identifier: BSD-3-Clause */
/* Corpora of texts in memory, and of some rows of another corpus. */
#include <string.h>

#include "core/context.h"
#include "text/corpus_reader.h"
#include "text/corpus_rows.h"

static fgt_status corpus_add_all(fgti_text_rows *r, int64_t rows, const char *const *classes,
                                 const char *const *texts)
{
    for (int64_t i = 0; i < rows; i++) {
        fgti_text_rows_begin(r);
        r->at.number = i;
        if (!texts[i] || (classes && !classes[i]))
            return fgti_fail(&r->ctx->error, FGT_E_ARG, "corpus: row %lld is NULL", (long long)i);
        FGTI_TRY(fgti_text_rows_text(r, texts[i], (int64_t)strlen(texts[i])));
        const fgt_status s =
            fgti_text_rows_end(r, classes ? classes[i] : NULL, classes ? (int64_t)strlen(classes[i]) : 0);
        if (s == FGT_E_DATA) fgti_error_prefix(&r->ctx->error, "corpus: row %lld", (long long)i);
        if (s != FGT_OK) return s;
    }
    return FGT_OK;
}

fgt_status fgt_corpus_create(fgt_context *ctx, const char *const *texts, const char *const *classes,
                             int64_t count, const fgt_corpus_opts *opts, fgt_corpus **corpus)
{
    fgt_corpus_opts o;
    fgti_text_rows  r;
    if (corpus) *corpus = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!corpus || !texts || count < 1)
        return fgti_fail(&ctx->error, FGT_E_ARG, "corpus: count is below 1, or a pointer is NULL");
    FGTI_TRY(fgti_corpus_opts_read(&ctx->error, opts, &o));
    if (!classes != !!o.no_classes)
        return fgti_fail(&ctx->error, FGT_E_ARG, "corpus: wrong classes and no_classes (need one of them)");
    fgt_status s = fgti_text_rows_init(ctx, &o, &r);
    if (s == FGT_OK) s = corpus_add_all(&r, count, classes, texts);
    if (s == FGT_OK) s = fgti_text_rows_finish(&r, corpus);
    fgti_text_rows_done(&r);
    return s;
}

static fgt_status corpus_copy_rows(fgti_corpus_reader *from, int64_t count, const int64_t *rows,
                                   fgt_corpus *to)
{
    FGTI_TRY(FGTI_NEW(to->ctx, count, "classes of the rows", &to->label));
    to->label_capacity = count;
    for (int64_t i = 0; i < count; i++) {
        const int64_t    row = rows[i];
        fgti_stored_text text;
        if (row < 0 || row >= from->corpus->rows)
            return fgti_fail(&to->ctx->error, FGT_E_ARG, "corpus: row %lld does not exist", (long long)row);
        FGTI_TRY(fgti_corpus_reader_get(from, row, &text));
        FGTI_TRY(fgti_strings_add(to->ctx, &to->texts, text.s, text.size));
        to->label[i] = (int32_t)text.label;
        if (text.label >= 0) to->classes.count[text.label]++;
    }
    to->rows = count;
    return FGT_OK;
}

fgt_status fgt_corpus_create_subset(const fgt_corpus *corpus, const int64_t *rows, int64_t count,
                                    fgt_corpus **subset)
{
    if (subset) *subset = NULL;
    if (!corpus) return FGT_E_ARG;
    fgt_context *ctx = corpus->ctx;
    if (!subset || !rows || count < 1)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "corpus: the number of rows is below 1, or a pointer is NULL");
    fgti_corpus_reader from;
    FGTI_TRY(fgti_corpus_like(ctx, corpus, subset));
    fgt_status s = fgti_corpus_reader_open(ctx, corpus, fgti_corpus_get_resident(corpus), &from);
    if (s == FGT_OK) s = corpus_copy_rows(&from, count, rows, *subset);
    fgti_corpus_reader_close(&from);
    if (s != FGT_OK) fgt_corpus_destroy(subset);
    return s;
}
