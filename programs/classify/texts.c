/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "texts.h"

#include "../common/program.h"
#include "../common/progress.h"

/* The names of the columns of --text, which are separated by commas. */
typedef struct columns {
    char        *copy;
    const char **name;
    int64_t      count;
} columns;

static void columns_done(columns *c)
{
    free(c->copy);
    free(c->name);
}

static bool columns_cut(const char *list, columns *c)
{
    size_t most = 1;
    *c          = (columns){0};
    if (!list) return true;
    for (const char *p = list; *p; p++) most += *p == ',';
    c->copy = malloc(strlen(list) + 1);
    c->name = calloc(most, sizeof *c->name);
    if (!c->copy || !c->name) return complain("no memory");
    strcpy(c->copy, list);
    for (char *p = c->copy; p;) {
        c->name[c->count++] = p;
        p                   = strchr(p, ',');
        if (p) *p++ = 0;
    }
    return true;
}

/* The options for reading a file. With a loaded classifier the file must have the classifier's columns and
 * classes. */
static fgt_corpus_opts corpus_opts(const run *r, const columns *c, const fgt_corpus *like, bool unlabeled)
{
    const options *o = r->o;
    if (o->load) like = fgt_classifier_get_corpus(r->classifier);
    return (fgt_corpus_opts){.size              = sizeof(fgt_corpus_opts),
                             .like              = like,
                             .text_columns      = c->count ? c->name : NULL,
                             .text_column_count = c->count,
                             .class_column      = o->label,
                             .form              = (int32_t)o->format,
                             .class_kind        = (int32_t)o->label_kind,
                             .header            = (int32_t)o->header,
                             .delimiter         = program_delimiter(o->delimiter),
                             .no_classes        = unlabeled,
                             .no_quotes         = o->no_quotes,
                             .skip              = o->skip,
                             .comment           = o->comment};
}

/* Opens a file of texts. On error prints a message and returns the status. */
static fgt_status open_file(const run *r, const char *path, fgt_corpus **corpus)
{
    const fgt_corpus_open_opts open = {.size = sizeof open, .resident = r->o->resident << 20};
    const fgt_status           s    = fgt_corpus_open(r->ctx, path, &open, corpus);
    if (s != FGT_OK) failed(r, NULL);
    return s;
}

static bool load(const run *r, const char *path, const fgt_corpus *like, bool unlabeled, fgt_corpus **corpus)
{
    columns c;
    if (fgt_file_get_kind(path) == FGT_FILE_KIND_CORPUS) return open_file(r, path, corpus) == FGT_OK;
    bool good = columns_cut(r->o->text, &c);
    if (good) {
        const fgt_corpus_opts opts = corpus_opts(r, &c, like, unlabeled);
        good = fgt_corpus_load(r->ctx, path, &opts, corpus) == FGT_OK || failed(r, NULL);
    }
    columns_done(&c);
    return good;
}

bool texts_load(const run *r, const char *path, const fgt_corpus *like, fgt_corpus **corpus)
{
    return load(r, path, like, false, corpus);
}

bool texts_load_unlabeled(const run *r, const char *path, fgt_corpus **corpus)
{
    return load(r, path, r->train.texts, true, corpus);
}

fgt_status texts_copy(const run *r, const fgt_corpus *corpus, int64_t first, int64_t count, fgt_corpus **copy)
{
    const int64_t rows = texts_info(corpus).rows, n = first + count < rows ? count : rows - first;
    int64_t      *row  = malloc((size_t)n * sizeof *row);
    if (!row) {
        complain("no memory");
        return FGT_E_NOMEM;
    }
    for (int64_t i = 0; i < n; i++) row[i] = first + i;
    const fgt_status s = fgt_corpus_create_subset(corpus, row, n, copy);
    free(row);
    if (s != FGT_OK) failed(r, NULL);
    return s;
}

/* ---- corpus files ---- */

static fgt_status show_rows(void *user, double share, int64_t rows)
{
    static int shown = -1;
    const int  now   = (int)(share * 100);
    (void)user;
    if (now != shown && isatty(STDERR_FILENO)) fprintf(stderr, "\r%3d %%, %lld texts", now, (long long)rows);
    shown = now;
    return progress_interrupted() ? FGT_E_CANCELLED : FGT_OK;
}

static bool say_converted(const run *r)
{
    const char *path = r->o->convert;
    fgt_corpus *all;
    if (!load(r, path, NULL, false, &all)) return false;
    const fgt_corpus_info info = texts_info(all);
    const int64_t         rows = info.rows, classes = info.classes;
    const bool            good = samples_check_classes(path, (samples){.texts = all});
    fgt_corpus_destroy(&all);
    if (!good) return false;
    fprintf(r->o->json ? stderr : stdout, "%s: %lld text%s, %lld class%s\n", path, (long long)rows,
            rows == 1 ? "" : "s", (long long)classes, classes == 1 ? "" : "es");
    return !r->o->json ||
           json_out_print(json_pack("{s:o, s:I, s:I}", "file", json_out_text(path), "texts", (json_int_t)rows,
                                    "classes", (json_int_t)classes),
                          stdout);
}

bool texts_convert(const run *r)
{
    const options *o = r->o;
    columns        c;
    progress_catch_interrupt();
    bool       good = columns_cut(o->text, &c);
    fgt_status s    = FGT_OK;
    if (good) {
        const fgt_corpus_opts         opts = corpus_opts(r, &c, NULL, false);
        const fgt_corpus_convert_opts how  = {.size = sizeof how, .corpus = &opts, .progress = show_rows};
        s    = fgt_corpus_convert(r->ctx, o->files, o->file_count, &how, o->convert, NULL);
        good = s == FGT_OK || s == FGT_E_CANCELLED || failed(r, NULL);
        if (isatty(STDERR_FILENO)) fputc('\n', stderr);
    }
    columns_done(&c);
    if (s == FGT_E_CANCELLED)
        fprintf(stderr, "%s: interrupted: %s is not written\n", program_name, o->convert);
    return good && (s == FGT_E_CANCELLED || say_converted(r));
}

/* Visits the texts of a corpus file: copies n texts at a time into memory. */
static fgt_status visit_stored(const run *r, const char *path, int64_t n, fgt_corpus_rows_fn take, void *user)
{
    fgt_corpus *all;
    fgt_status  s = open_file(r, path, &all);
    for (int64_t i = 0; s == FGT_OK && i < texts_info(all).rows; i += n) {
        fgt_corpus *part = NULL;
        s                = texts_copy(r, all, i, n, &part);
        if (s == FGT_OK && take(user, part, i) != FGT_OK) s = FGT_E_CANCELLED;
        fgt_corpus_destroy(&part);
    }
    fgt_corpus_destroy(&all);
    return s;
}

fgt_status texts_visit(const run *r, const char *path, int64_t n, fgt_corpus_rows_fn take, void *user)
{
    columns c;
    if (fgt_file_get_kind(path) == FGT_FILE_KIND_CORPUS) return visit_stored(r, path, n, take, user);
    fgt_status s = columns_cut(r->o->text, &c) ? FGT_OK : FGT_E_NOMEM;
    if (s == FGT_OK) {
        const fgt_corpus_opts opts = corpus_opts(r, &c, r->train.texts, true);
        s                          = fgt_corpus_visit(r->ctx, path, &opts, n, take, user);
        if (s != FGT_OK && s != FGT_E_CANCELLED) failed(r, NULL);
    }
    columns_done(&c);
    return s;
}
