/* SPDX-License-Identifier: BSD-3-Clause */
/* A safetensors file that has only a vocabulary: its options are text in the metadata, and its words are a
 * tensor, as in the files of classifiers. */
#include "text/vocab_file.h"

#include <string.h>

#include "core/config.h"
#include "core/context.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_hash.h"
#include "model/files/safetensors_read.h"
#include "model/files/safetensors_write.h"
#include "text/vocab/vocab.h"

#define FORMAT "fighter vocabulary 1"
#define WORDS  "words"

static fgt_status vocab_write_words(const fgt_vocab *v, const char *opts, fgti_output *out)
{
    const fgti_st_pair pair[] = {{"format", FORMAT}, {"vocab", opts}};
    fgti_st_tensor     words  = {.name = WORDS, .dtype = FGTI_ST_U8, .rank = 1};
    words.data                = fgti_vocab_bytes(v, &words.shape[0]);
    return fgti_st_save_to(v->ctx, out, 1, &words, 2, pair);
}

fgt_status fgt_vocab_save(const fgt_vocab *vocab, const fgt_output *to)
{
    fgti_output out;
    if (!vocab) return FGT_E_ARG;
    fgti_text opts = {.ctx = vocab->ctx};
    FGTI_TRY(fgti_output_to(&vocab->ctx->error, to, &out));
    fgt_status s = fgti_config_write(&opts, fgti_vocab_opts, &vocab->opts);
    if (s == FGT_OK) s = vocab_write_words(vocab, opts.s ? opts.s : "", &out);
    fgti_text_done(&opts);
    return s;
}

fgt_status fgti_vocab_read(fgt_context *ctx, const fgti_st *st, const char *name, const fgt_vocab_opts *opts,
                           fgt_vocab **vocab)
{
    const fgti_st_tensor *words;
    void                 *bytes;
    FGTI_TRY(fgti_st_expect(ctx, st, name, 1, (int64_t[]){-1}, &words));
    if (words->dtype != FGTI_ST_U8)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "\"%s\" is of type %s (need U8)", name,
                         fgti_st_dtype_name(words->dtype));
    FGTI_TRY(fgti_alloc_dirty(ctx, words->bytes, 1, "words", &bytes));
    fgt_status s = fgti_st_read_bytes(st, words, 0, words->bytes, bytes);
    if (s == FGT_OK) s = fgti_vocab_restore(ctx, opts, bytes, words->bytes, vocab);
    fgti_free(ctx, bytes);
    return s;
}

static fgt_status vocab_read_file(fgt_context *ctx, const fgti_st *st, fgt_vocab **vocab)
{
    fgt_vocab_opts o      = {.size = sizeof o};
    const char    *format = fgti_st_meta(st, "format"), *opts = fgti_st_meta(st, "vocab");
    if (!format || strcmp(format, FORMAT) || !opts)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "the file is not a vocabulary (need the format \"%s\")",
                         FORMAT);
    if (!fgti_st_meta(st, FGTI_ST_HASH))
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "the vocabulary has no \"" FGTI_ST_HASH "\"");
    FGTI_TRY(fgti_st_verify(ctx, st));
    FGTI_TRY(fgti_config_read(&ctx->error, fgti_vocab_opts, opts, &o));
    return fgti_vocab_read(ctx, st, WORDS, &o, vocab);
}

fgt_status fgt_vocab_load(fgt_context *ctx, const fgt_input *from, fgt_vocab **vocab)
{
    fgti_input in;
    fgti_st   *st;
    if (vocab) *vocab = NULL;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!vocab) return fgti_fail(err, FGT_E_ARG, "vocabulary: the result pointer is NULL");
    FGTI_TRY(fgti_input_from(err, from, &in));
    FGTI_TRY(fgti_st_open_input(ctx, &in, &st));
    const fgt_status s = vocab_read_file(ctx, st, vocab);
    if (s != FGT_OK && !fgti_st_names(err, st->path)) fgti_error_prefix(err, "%s", st->path);
    fgti_st_close(ctx, &st);
    return s;
}
