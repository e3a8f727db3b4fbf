/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts, and the ids of what was read. The first byte chooses options, and the length of the file others; the
 * rest is the file. */
#include <stdlib.h>
#include <string.h>

#include <fighter/base.h>
#include <fighter/text.h>

#include "../samples_info.h"
#include "fuzz.h"

/* The corpus is well-formed, and readable as its own test file. */
static void check(const fgt_corpus *c, const fgt_corpus_opts *opts)
{
    const int64_t classes = corpus_info(c).classes, rows = corpus_info(c).rows;
    int64_t       sum = 0;
    for (int64_t i = 0; i < classes; i++) sum += corpus_info(c).class_rows[i];
    if (rows < 1 || sum != (opts->no_classes ? 0 : rows)) abort();
    for (int64_t i = 0; i < rows; i++) {
        const int64_t label = corpus_class(c, i);
        const size_t  size  = strlen(fgt_corpus_get_text(c, i));
        if (opts->no_classes ? label != -1 : label < 0 || label >= classes || !size) abort();
    }
}

static void encode(const fgt_corpus *c, int bits)
{
    enum { TOKENS = 5 };
    const fgt_vocab_opts opts = {.size = sizeof opts, .min_count = 1, .ngrams = 1 + (bits & 1),
                                 .buckets = (bits & 3) == 1 ? 7 : 0, .punctuation = bits >> 1 & 1,
                                 .prefix = bits >> 2 & 1, .symbols = bits >> 5 & 1};
    fgt_vocab           *v;
    fgt_encoding        *e = NULL;
    int64_t              x[TOKENS], y, last = corpus_info(c).rows - 1;
    if (fgt_vocab_create(c, &opts, &v) == FGT_OK && fgt_encoding_create(v, c, TOKENS, &e) == FGT_OK) {
        if (fgt_encoding_copy_samples(e, &last, 1, FGT_VIEW_OF(FGT_DTYPE_I64, x, 1, TOKENS),
                                      FGT_VIEW_OF(FGT_DTYPE_I64, &y, 1)))
            abort();
        for (int i = 0; i < TOKENS; i++)
            if (x[i] < 0 || x[i] >= vocab_info(v).ids) abort();
    }
    fgt_encoding_destroy(&e);
    fgt_vocab_destroy(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const char  *path = fuzz_file(data + 1, size - 1);
    fgt_context *ctx  = fuzz_context();
    if (!path || !ctx) return 0;

    static const char *const columns[] = {"text", "0", "a"};
    const int                bits      = data[0];
    fgt_corpus_opts          opts      = {.size = sizeof opts};
    fgt_corpus              *c, *again = NULL;
    opts.form         = (int32_t)(size % 4);
    opts.header       = (int32_t)(size / 4 % 3);
    opts.class_kind   = bits >> 1 & 3; /* 3 is no such kind: must be refused */
    opts.no_quotes    = bits >> 3 & 1;
    opts.class_column = bits & 16 ? columns[size % 2 + 1] : NULL;
    opts.keep_escapes = bits >> 5 & 1;
    opts.delimiter    = bits & 64 ? ';' : 0;
    opts.classes      = bits & 128 ? 4 : 0;
    opts.skip         = size % 7 == 3;
    opts.comment      = size % 5 > 2 ? "#" : NULL;
    opts.no_classes   = bits & 1 && !opts.classes;
    if (bits & 32 && size % 2) {
        opts.text_columns = columns;
        opts.text_column_count = 1 + (int64_t)(size / 2 % 2);
    }
    if (fgt_corpus_load(ctx, path, &opts, &c) == FGT_OK) {
        check(c, &opts);
        encode(c, bits);
        opts.like    = opts.no_classes ? NULL : c;
        opts.classes = 0;
        if (fgt_corpus_load(ctx, path, &opts, &again) != FGT_OK) abort();
        if (corpus_info(again).rows != corpus_info(c).rows) abort();
    }
    fgt_corpus_destroy(&again);
    fgt_corpus_destroy(&c);
    return 0;
}
