/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/context.h"
#include "core/opts.h"
#include "text/corpus.h"

static fgt_status add_all(fgti_text_rows *r, int64_t rows, const char *const *classes,
                          const char *const *texts)
{
    for (int64_t i = 0; i < rows; i++) {
        fgti_text_rows_begin(r);
        r->at.number = i;
        if (!texts[i] || (classes && !classes[i]))
            return fgti_fail(&r->ctx->error, FGT_E_ARG, "corpus: row %lld is NULL", (long long)i);
        FGTI_TRY(fgti_text_rows_text(r, texts[i], (int64_t)strlen(texts[i])));
        const fgt_status s = fgti_text_rows_end(r, classes ? classes[i] : NULL,
                                           classes ? (int64_t)strlen(classes[i]) : 0);
        if (s == FGT_E_DATA) fgti_error_prefix(&r->ctx->error, "corpus: row %lld", (long long)i);
        if (s != FGT_OK) return s;
    }
    return FGT_OK;
}

fgt_status fgt_corpus_create(fgt_context *ctx, const char *const *texts, const char *const *classes,
                             int64_t count, const fgt_corpus_opts *opts, fgt_corpus **corpus)
{
    fgt_corpus_opts o;
    fgti_text_rows       r;
    if (corpus) *corpus = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!corpus || !texts || count < 1)
        return fgti_fail(&ctx->error, FGT_E_ARG, "corpus: count is below 1, or a pointer is NULL");
    FGTI_TRY(fgti_corpus_opts_read(&ctx->error, opts, &o));
    if (!classes != !!o.no_classes)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "corpus: classes must be NULL with no_classes, and only then");
    fgt_status s = fgti_text_rows_init(ctx, &o, &r);
    if (s == FGT_OK) s = add_all(&r, count, classes, texts);
    if (s == FGT_OK) s = fgti_text_rows_finish(&r, corpus);
    fgti_text_rows_done(&r);
    return s;
}

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

static fgt_status copy_rows(fgti_corpus_reader *from, int64_t count, const int64_t *rows, fgt_corpus *to)
{
    FGTI_TRY(FGTI_NEW(to->ctx, count, "classes of the rows", &to->label));
    to->label_capacity = count;
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = rows[i];
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
    if (s == FGT_OK) s = copy_rows(&from, count, rows, *subset);
    fgti_corpus_reader_close(&from);
    if (s != FGT_OK) fgt_corpus_destroy(subset);
    return s;
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

static bool has_class(const fgt_corpus *c, int64_t i)
{
    return c && i >= 0 && i < c->classes.texts.count;
}

static bool has_row(const fgt_corpus *c, int64_t row)
{
    return c && row >= 0 && row < c->rows;
}

fgt_status fgt_corpus_get_info(const fgt_corpus *corpus, fgt_corpus_info *info)
{
    if (!corpus) return FGT_E_ARG;
    fgti_error *err = &corpus->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "corpus: info is NULL");
    const fgt_corpus_info all = {.size     = sizeof all,
                                 .rows     = corpus->rows,
                                 .classes  = corpus->classes.texts.count,
                                 .replaced = corpus->replaced,
                                 .stored   = corpus->store != NULL};
    return fgti_result_write(err, "fgt_corpus_info", &all, sizeof all, info);
}

int64_t fgt_corpus_count_class_rows(const fgt_corpus *corpus, int64_t class_id)
{
    return has_class(corpus, class_id) ? corpus->classes.count[class_id] : 0;
}

const char *fgt_corpus_get_class_name(const fgt_corpus *corpus, int64_t class_id)
{
    return has_class(corpus, class_id) ? fgti_strings_get(&corpus->classes.texts, class_id) : NULL;
}

fgt_status fgt_corpus_get_class(const fgt_corpus *corpus, int64_t row, int64_t *class_id)
{
    if (!corpus) return FGT_E_ARG;
    fgti_error *err = &corpus->ctx->error;
    if (!class_id || !has_row(corpus, row))
        return fgti_fail(err, FGT_E_ARG, "corpus: row %lld does not exist, or the result is NULL",
                         (long long)row);
    if (!corpus->label)
        return fgti_fail(err, FGT_E_UNSUPPORTED,
                         "corpus: the texts stay on disk; fgt_corpus_create_subset() reads some of them");
    *class_id = corpus->label[row];
    return FGT_OK;
}

const char *fgt_corpus_get_text(const fgt_corpus *corpus, int64_t row)
{
    return has_row(corpus, row) && corpus->label ? fgti_strings_get(&corpus->texts, row) : NULL;
}
