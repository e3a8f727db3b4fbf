/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads files of texts row by row, into a corpus file or a function of the host. */
#include <fighter/experimental/corpus_file.h>

#include <string.h>

#include "core/context.h"
#include "core/opts.h"
#include "text/load/corpus_load.h"
#include "text/load/corpus_loader.h"

enum { ROWS_TELL = 4096 };

typedef struct converter {
    fgti_corpus_loader      l; /* must be first: the loader's callback casts it */
    fgt_corpus_opts         corpus;
    fgt_corpus_convert_opts opts;
    int64_t                 count; /* number of files */
    fgti_block_writer       w;
} converter;

static fgt_status corpus_fail_told(fgti_corpus_loader *l)
{
    const converter *c = (const converter *)l;
    if (!c->opts.progress) return FGT_OK;
    const double share = ((double)l->files + fgti_reader_progress(l->csv.reader)) / (double)c->count;
    if (!c->opts.progress(c->opts.user, share, l->rows.corpus->rows)) return FGT_OK;
    return fgti_fail(&l->rows.ctx->error, FGT_E_CANCELLED, "convert: cancelled by the host");
}

static fgt_status corpus_write_index(converter *c)
{
    fgti_text_rows     *r      = &c->l.rows;
    fgt_corpus    *corpus = r->corpus;
    int32_t       *order;
    FGTI_TRY(FGTI_NEW(r->ctx, corpus->classes.texts.count + 1, "classes", &order));
    fgt_status s = fgti_text_rows_sort(r, order);
    if (s == FGT_OK) {
        const fgti_text_head head = {.replaced  = corpus->replaced,
                                     .numbers   = corpus->numbers,
                                     .unlabeled = corpus->unlabeled,
                                     .classes   = &corpus->classes,
                                     .columns   = &corpus->columns,
                                     .place     = order};
        s = fgti_text_writer_end(&c->w, &head);
    }
    fgti_free(r->ctx, order);
    return s;
}

static fgt_status corpus_convert_files(converter *c, const char *const *paths, const char *to)
{
    const fgt_corpus *corpus = c->l.rows.corpus;
    const int64_t     most   = c->corpus.max_rows;
    FGTI_TRY(fgti_text_writer_begin(corpus->ctx, to, &c->w));
    c->l.rows.writer = &c->w;
    c->l.tell        = corpus_fail_told;
    c->l.every       = ROWS_TELL;
    for (int64_t i = 0; i < c->count && (!most || corpus->rows < most); i++) {
        c->l.rows.opts = c->corpus; /* the form is found for each file */
        FGTI_TRY(fgti_corpus_loader_read(&c->l, paths[i]));
    }
    return corpus_write_index(c);
}

fgt_status fgt_corpus_convert(fgt_context *ctx, const char *const *paths, int64_t count,
                              const fgt_corpus_convert_opts *opts, const char *to, int64_t *rows)
{
    converter c = {.count = count, .w = {.ctx = ctx}};
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!paths || count < 1 || !to)
        return fgti_fail(err, FGT_E_ARG, "convert: a pointer is NULL, or count is below 1");
    for (int64_t i = 0; i < count; i++)
        if (!paths[i]) return fgti_fail(err, FGT_E_ARG, "convert: path %lld is NULL", (long long)i);
    FGTI_TRY(fgti_opts_read(err, "fgt_corpus_convert_opts", opts, &c.opts, sizeof c.opts));
    FGTI_TRY(fgti_corpus_opts_read(err, c.opts.corpus, &c.corpus));
    fgt_status s = fgti_text_rows_init(ctx, &c.corpus, &c.l.rows);
    if (s == FGT_OK) s = corpus_convert_files(&c, paths, to);
    if (s == FGT_OK && rows) *rows = c.w.index.rows;
    fgti_block_writer_abandon(&c.w);
    fgti_corpus_loader_done(&c.l);
    return s;
}

/* ---- to a function ---- */

typedef struct visitor {
    fgti_corpus_loader l; /* must be first: the loader's callback casts it */
    fgt_corpus_rows_fn take;
    void              *user;
} visitor;

/* Gives rows to the host's function. c->rows counts only the rows in memory; the loader counts all rows. */
static fgt_status give_away(fgti_corpus_loader *l)
{
    const visitor *v = (const visitor *)l;
    fgt_corpus    *c = l->rows.corpus;
    const int64_t  all = c->rows;
    c->rows          = c->texts.count;
    const bool  stop   = v->take(v->user, c, all - c->rows) != FGT_OK;
    fgti_words *k    = &c->classes;
    c->rows          = all;
    c->texts.count = c->texts.used = 0;
    if (k->texts.count) memset(k->count, 0, (size_t)k->texts.count * sizeof *k->count);
    return stop ? fgti_fail(&c->ctx->error, FGT_E_CANCELLED, "visit: cancelled by the host") : FGT_OK;
}

fgt_status fgt_corpus_visit(fgt_context *ctx, const char *path, const fgt_corpus_opts *opts, int64_t count,
                            fgt_corpus_rows_fn take, void *user)
{
    fgt_corpus_opts o;
    visitor         v = {.l = {.tell = give_away, .every = count}, .take = take, .user = user};
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!path || !take || count < 1)
        return fgti_fail(err, FGT_E_ARG, "visit: a pointer is NULL, or count is below 1");
    FGTI_TRY(fgti_corpus_opts_read(err, opts, &o));
    if (!o.like && !o.classes && !o.no_classes)
        return fgti_fail(err, FGT_E_ARG,
                         "visit: the classes must be known beforehand: like, classes or no_classes");
    fgt_status s = fgti_text_rows_init(ctx, &o, &v.l.rows);
    if (s == FGT_OK) s = fgti_corpus_loader_read(&v.l, path);
    if (s == FGT_OK && v.l.rows.corpus->texts.count) s = give_away(&v.l);
    fgti_corpus_loader_done(&v.l);
    return s;
}
