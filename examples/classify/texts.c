/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "classify.h"

/* Columns of --text, cut at the commas. */
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

static bool load(const run *r, const char *path, const fgt_corpus *like, bool unlabeled, fgt_corpus **corpus)
{
    const options *o = r->o;
    columns        c;
    bool           good = columns_cut(o->text, &c);
    if (good) {
        const fgt_corpus_opts opts = {.size         = sizeof opts,
                                      .like         = like,
                                      .text_columns = c.count ? c.name : NULL,
                                      .text_count   = c.count,
                                      .class_column = o->label,
                                      .form         = (int32_t)o->format,
                                      .class_kind   = (int32_t)o->label_kind,
                                      .header       = (int32_t)o->header,
                                      .delimiter    = program_delimiter(o->delimiter),
                                      .no_classes   = unlabeled,
                                      .no_quotes    = o->no_quotes};
        good = fgt_corpus_load(r->ctx, path, &opts, corpus) == FGT_OK || failed(r, NULL);
    }
    columns_done(&c);
    return good;
}

/* Nearly as many classes as texts: they are in another column. */
static bool check_classes(const char *path, const fgt_corpus *corpus)
{
    const int64_t rows = fgt_corpus_count_rows(corpus), classes = fgt_corpus_count_classes(corpus);
    return rows < 20 || classes <= rows / 2 ||
           complain("%s: %lld texts have %lld classes, such as \"%.40s\"; --label says which column the "
                    "class is in",
                    path, (long long)rows, (long long)classes, fgt_corpus_get_class_name(corpus, 0));
}

bool texts_load(const run *r, const char *path, const fgt_corpus *like, fgt_corpus **corpus)
{
    return load(r, path, like, false, corpus) && (like || check_classes(path, *corpus));
}

bool texts_load_unlabeled(const run *r, const char *path, fgt_corpus **corpus)
{
    return load(r, path, NULL, true, corpus);
}
