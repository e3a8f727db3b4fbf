/* SPDX-License-Identifier: BSD-3-Clause */
/* Corpora with texts on disk. */
#include <fighter/experimental/corpus_file.h>

#include "core/context.h"
#include "core/opts.h"
#include "text/corpus.h"
#include "text/corpus_reader.h"

#define RESIDENT    (128 << 20)
#define LEAST_CACHE (1 << 20)
#define MOST_CACHE  0x1p50

/* ---- writing ---- */

static fgt_status write_rows(const fgt_corpus *c, fgti_block_writer *w)
{
    const fgti_text_head head = {.replaced  = c->replaced,
                                 .numbers   = c->numbers,
                                 .unlabeled = c->unlabeled,
                                 .classes   = &c->classes,
                                 .columns   = &c->columns};
    fgti_corpus_reader   r;
    fgti_stored_text   text;
    fgt_status           s = fgti_corpus_reader_open(c->ctx, c, 0, &r);
    for (int64_t i = 0; s == FGT_OK && i < c->rows; i++) {
        s = fgti_corpus_reader_get(&r, i, &text);
        if (s == FGT_OK) s = fgti_text_writer_add(w, text.s, text.size, text.label);
    }
    fgti_corpus_reader_close(&r);
    return s == FGT_OK ? fgti_text_writer_end(w, &head) : s;
}

fgt_status fgt_corpus_save(const fgt_corpus *corpus, const char *path)
{
    if (!corpus) return FGT_E_ARG;
    fgt_context     *ctx = corpus->ctx;
    fgti_block_writer w   = {.ctx = ctx};
    if (!path || !corpus->rows)
        return fgti_fail(&ctx->error, FGT_E_ARG, "corpus: path is NULL, or there are no texts");
    fgt_status s = fgti_text_writer_begin(ctx, path, &w);
    if (s == FGT_OK) s = write_rows(corpus, &w);
    fgti_block_writer_abandon(&w);
    return s;
}

/* ---- opening ---- */

fgt_status fgt_corpus_open(fgt_context *ctx, const char *path, const fgt_corpus_open_opts *opts,
                           fgt_corpus **corpus)
{
    static const fgti_opt field[] = {
        FGTI_FIELD(fgt_corpus_open_opts, resident, I64, LEAST_CACHE, MOST_CACHE, RESIDENT),
        {0},
    };
    fgt_corpus_open_opts o;
    if (corpus) *corpus = NULL;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!path || !corpus) return fgti_fail(err, FGT_E_ARG, "corpus: path or result pointer is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_corpus_open_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_opts_check(err, "fgt_corpus_open_opts", field, &o));
    FGTI_TRY(FGTI_NEW(ctx, 1, "corpus", corpus));
    fgt_corpus *c      = *corpus;
    c->ctx             = ctx;
    const fgt_status s = fgti_text_store_open(ctx, path, o.resident, &c->classes, &c->columns, &c->store);
    if (s != FGT_OK) {
        fgt_corpus_destroy(corpus);
        return s;
    }
    c->rows      = c->store->file.index.rows;
    c->replaced  = c->store->replaced;
    c->numbers   = c->store->numbers;
    c->unlabeled = c->store->unlabeled;
    return FGT_OK;
}

/* ---- splitting ---- */

/* Copies the rows of a part of a corpus in memory. */
static fgt_status copy_part(const fgt_corpus *c, const fgti_corpus_part *part, fgt_corpus **out)
{
    const int64_t n = fgti_corpus_part_count(part, c->rows);
    int64_t      *rows;
    FGTI_TRY(FGTI_NEW(c->ctx, n, "rows of a part", &rows));
    for (int64_t i = 0; i < n; i++) rows[i] = fgti_corpus_part_row(part, c->rows, i);
    const fgt_status s = fgt_corpus_create_subset(c, rows, n, out);
    fgti_free(c->ctx, rows);
    return s;
}

static fgt_status share_part(const fgt_corpus *c, const fgti_corpus_part *part, fgt_corpus **out)
{
    if (!c->store) return copy_part(c, part, out);
    FGTI_TRY(fgti_corpus_like(c->ctx, c, out));
    (*out)->store = c->store;
    (*out)->part  = *part;
    (*out)->rows  = fgti_corpus_part_count(part, c->rows);
    c->store->users++;
    return FGT_OK;
}

/* Counts the classes of the validation rows. The training rows have all other rows of each class. */
static fgt_status count_classes(const fgt_corpus *all, fgt_corpus *train, fgt_corpus *validation)
{
    fgti_corpus_reader r;
    fgti_stored_text text;
    fgt_status         s = fgti_corpus_reader_open(all->ctx, validation, 0, &r);
    for (int64_t i = 0; s == FGT_OK && i < validation->rows; i++) {
        s = fgti_corpus_reader_get(&r, i, &text);
        if (s == FGT_OK && text.label >= 0) validation->classes.count[text.label]++;
    }
    fgti_corpus_reader_close(&r);
    for (int64_t i = 0; s == FGT_OK && i < all->classes.texts.count; i++) {
        train->classes.count[i] = all->classes.count[i] - validation->classes.count[i];
        if (train->classes.count[i] < 0)
            s = fgti_block_file_damaged(&all->store->file, "the sizes of its classes");
    }
    return s;
}

fgt_status fgt_corpus_create_split(const fgt_corpus *corpus, const fgt_corpus_split_opts *opts,
                                   fgt_corpus **train, fgt_corpus **validation)
{
    static const fgti_opt field[] = {
        FGTI_FIELD(fgt_corpus_split_opts, every, I64, 2, FGTI_OPT_SIZE_MAX, 10),
        {0},
    };
    fgt_corpus_split_opts o;
    if (train) *train = NULL;
    if (validation) *validation = NULL;
    if (!corpus) return FGT_E_ARG;
    fgti_error *err = &corpus->ctx->error;
    if (!train || !validation) return fgti_fail(err, FGT_E_ARG, "split: a result pointer is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_corpus_split_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_opts_check(err, "fgt_corpus_split_opts", field, &o));
    if (o.every > corpus->rows)
        return fgti_fail(err, FGT_E_ARG, "split: one text of %lld is not possible with %lld texts",
                         (long long)o.every, (long long)corpus->rows);
    if (corpus->part.every) return fgti_fail(err, FGT_E_ARG, "split: the corpus is a part of another one");
    const fgti_corpus_part rest = {o.every, o.seed, false}, drawn = {o.every, o.seed, true};
    fgt_status      s = share_part(corpus, &rest, train);
    if (s == FGT_OK) s = share_part(corpus, &drawn, validation);
    if (s == FGT_OK && corpus->store) s = count_classes(corpus, *train, *validation);
    if (s != FGT_OK) {
        fgt_corpus_destroy(train);
        fgt_corpus_destroy(validation);
    }
    return s;
}
