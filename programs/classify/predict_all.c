/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the class and the probability of each text of many files to one CSV file, in order. */
#include <stdlib.h>

#include <fighter/experimental/ensemble.h>

#include "predict_all.h"
#include "texts.h"

#include "../common/journal.h"
#include "../common/output.h"
#include "../common/program.h"
#include "../common/progress.h"

enum { TEXTS = 4096 }; /* number of texts in memory at a time */

typedef struct batch_run {
    run         *r;
    journal      j;    /* an item of the journal is a text of a file */
    const char **text; /* [TEXTS] */
    float       *p;    /* [TEXTS,C] */
    bool         good;
    bool         refused; /* the data of a file was refused, so the same command cannot continue */
} batch_run;

static fgt_status add_bytes(void *key, const void *bytes, int64_t size)
{
    *(uint64_t *)key = journal_hash(*(uint64_t *)key, bytes, (size_t)size);
    return FGT_OK;
}

/* Computes the key of the journal. It includes all that is in the model's file: predictions depend on the
 * classes and the vocabulary as well as on the weights. */
static bool find_key(const batch_run *b, uint64_t *key)
{
    const options   *o         = b->r->o;
    const fgt_writer hash      = {.size = sizeof hash, .write = add_bytes, .user = key};
    const int64_t    numbers[] = {o->products, o->format, o->label_kind, o->header, o->delimiter,
                                  o->no_quotes, o->skip,   o->escape_formulas, o->exact};
    const char *const texts[] = {o->text, o->label, o->comment};
    *key                       = journal_hash(JOURNAL_KEY, numbers, sizeof numbers);
    *key                       = journal_hash_texts(*key, texts, sizeof texts / sizeof *texts);
    if (fgt_classifier_save(b->r->classifier, &FGT_OPTS(fgt_output, .writer = &hash)) != FGT_OK)
        return failed(b->r, o->load);
    /* the weights are hashed again, because an adapter changes them and is not in the file */
    const uint64_t weights = fgt_model_get_hash(fgt_classifier_get_member(b->r->classifier, 0));
    *key                   = journal_hash(*key, &weights, sizeof weights);
    return journal_hash_files(key, o->files, o->file_count);
}

static void put_head(batch_run *b)
{
    if (b->r->o->file_count > 1) fputs("file,", b->j.file);
    fputs("text,class,probability\n", b->j.file);
}

/* Writes the line of one text. Texts and files are numbered from 1. */
static void put_line(batch_run *b, int64_t row, const float *p)
{
    const run *r    = b->r;
    int64_t    best = 0;
    for (int64_t c = 1; c < r->info.classes; c++)
        if (p[c] > p[best]) best = c;
    if (r->o->file_count > 1) fprintf(b->j.file, "%lld,", (long long)b->j.input + 1);
    fprintf(b->j.file, "%lld,", (long long)row + 1);
    output_cell(b->j.file, fgt_classifier_get_class_name(r->classifier, best));
    fputc(',', b->j.file);
    output_float(b->j.file, p[best]);
    fputc('\n', b->j.file);
}

/* Notes whether the same command can continue later. A file that cannot be read now may be readable then. A
 * file with wrong data has to be changed, which makes it another file with another key. */
static bool file_failed(batch_run *b, fgt_status s)
{
    b->refused = s != FGT_E_IO && s != FGT_E_NOMEM;
    return false;
}

static bool predict(batch_run *b, int64_t n)
{
    const run       *r = b->r;
    const fgt_view  *p = FGT_VIEW(b->p, n, r->info.classes);
    const fgt_status s = fgt_classifier_predict(
        r->classifier, &FGT_OPTS(fgt_classifier_rows, .texts = b->text, .text_count = n), p, NULL);
    if (s == FGT_OK) return true;
    failed(r, r->o->files[b->j.input]);
    return file_failed(b, s);
}

static fgt_status take_texts(void *user, const fgt_corpus *texts, int64_t first)
{
    batch_run    *b = user;
    const run    *r = b->r;
    const int64_t n = texts_info(texts).rows, c = r->info.classes;
    if (progress_interrupted()) return FGT_E_CANCELLED;
    if (first + n <= b->j.item) return FGT_OK; /* these texts were done by an earlier run */
    for (int64_t i = 0; i < n; i++) b->text[i] = fgt_corpus_get_text(texts, i);
    b->good = predict(b, n);
    for (int64_t i = 0; b->good && i < n; i++) put_line(b, first + i, b->p + i * c);
    b->j.item = first + n;
    b->j.done += n;
    b->good = b->good && journal_sync(&b->j, false);
    return b->good ? FGT_OK : FGT_E_CANCELLED;
}

static bool take_files(batch_run *b)
{
    const options *o = b->r->o;
    for (; b->j.input < o->file_count; b->j.input++, b->j.item = 0) {
        const fgt_status s = texts_visit(b->r, o->files[b->j.input], TEXTS, take_texts, b);
        if (s != FGT_OK && s != FGT_E_CANCELLED) return file_failed(b, s);
        if (!b->good) return false;
        if (progress_interrupted()) return true;
    }
    return true;
}

bool predict_all(run *r)
{
    const options *o = r->o;
    batch_run      b = {.r = r, .good = true};
    uint64_t       key;
    progress_catch_interrupt();
    b.text    = calloc(TEXTS, sizeof *b.text);
    b.p       = calloc((size_t)(TEXTS * r->info.classes), sizeof *b.p);
    bool good = (b.text && b.p) || complain("no memory");
    good      = good && find_key(&b, &key) && journal_open(&b.j, o->predict_all, "texts", key);
    if (good && !b.j.bytes) put_head(&b);
    good = good && take_files(&b) && journal_finish(&b.j, o->file_count, o->json);
    if (b.refused) journal_drop(&b.j);
    journal_close(&b.j);
    free(b.text);
    free(b.p);
    return good;
}
