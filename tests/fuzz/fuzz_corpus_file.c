/* SPDX-License-Identifier: BSD-3-Clause */
/* Corpus files: hashes are made to fit, so that damaged numbers and texts are looked at. */
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/corpus_file.h>

#include "../samples_info.h"
#include "block_file.h"
#include "fuzz.h"

enum { MOST = 4096, ROWS = 64, T = 5 };

/* A corpus from a file is a corpus as any other. */
static void look_at_rows(const fgt_corpus *c)
{
    const int64_t rows = corpus_info(c).rows, classes = corpus_info(c).classes;
    const int64_t n    = rows < ROWS ? rows : ROWS;
    int64_t       index[ROWS];
    fgt_corpus   *copy;
    for (int64_t i = 0; i < n; i++) index[i] = rows - 1 - i;
    if (fgt_corpus_create_subset(c, index, n, &copy) != FGT_OK) return;
    for (int64_t i = 0; i < n; i++) {
        const int64_t label = corpus_class(copy, i);
        if (!fgt_corpus_get_text(copy, i) || label < (classes ? 0 : -1) || label >= classes) abort();
    }
    fgt_corpus_destroy(&copy);
}

static void look_at_parts(const fgt_corpus *c)
{
    const fgt_vocab_opts o = {.size = sizeof o, .min_count = 1};
    fgt_corpus          *train, *validation;
    fgt_vocab           *v = NULL;
    fgt_encoding        *e = NULL;
    int64_t              x[T], y, last;
    if (fgt_corpus_create_split(c, &FGT_OPTS(fgt_corpus_split_opts, .every = 2, .seed = 1), &train,
                                &validation) != FGT_OK)
        return;
    last = corpus_info(train).rows - 1;
    if (last + 1 + corpus_info(validation).rows != corpus_info(c).rows) abort();
    if (last < MOST && fgt_vocab_create(train, &o, &v) == FGT_OK && !fgt_encoding_create(v, train, T, &e) &&
        !fgt_encoding_copy_samples(e, &last, 1, FGT_VIEW_OF(FGT_DTYPE_I64, x, 1, T),
                                   FGT_VIEW_OF(FGT_DTYPE_I64, &y, 1)))
        for (int i = 0; i < T; i++)
            if (x[i] < 0 || x[i] >= vocab_info(v).ids) abort();
    fgt_encoding_destroy(&e);
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&train);
    fgt_corpus_destroy(&validation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t copy[MOST];
    fgt_corpus    *c = NULL;
    if (size > MOST) return 0;
    memcpy(copy, data, size);
    fuzz_sign_chunks(copy, size);
    fuzz_sign_index(copy, size);
    const char  *path = fuzz_file(copy, size);
    fgt_context *ctx  = fuzz_context();
    if (!path || !ctx) return 0;
    const fgt_status s = fgt_corpus_open(ctx, path, NULL, &c);
    fuzz_count(s == FGT_OK);
    if (s == FGT_OK) {
        if (!corpus_info(c).stored || corpus_info(c).rows < 1) abort();
        look_at_rows(c);
        look_at_parts(c);
    }
    fgt_corpus_destroy(&c);
    return 0;
}
