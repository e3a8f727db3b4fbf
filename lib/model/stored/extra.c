/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/stored/extra.h"

#include "core/context.h"
#include "core/opts.h"
#include "model/files/file_input.h"
#include "model/files/json.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_read.h"

#include <string.h>

const char *fgti_extra_kind(const fgti_st *st)
{
    static const struct {
        const char *key, *name;
    } kinds[] = {{"forecast.format", "a forecaster"},
                 {"classify.format", "a classifier"},
                 {"train.format", "a checkpoint"},
                 {"fighter.format", "a fighter model"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (fgti_st_meta(st, kinds[i].key)) return kinds[i].name;
    for (int64_t i = 0; i < st->count; i++)
        if (strstr(st->tensors[i].name, ".lora_")) return "an adapter";
    return "a safetensors file of another program";
}

fgt_status fgti_extra_write_names(fgt_context *ctx, const fgti_strings *names, char **out)
{
    size_t size = 3; /* the brackets and the final 0 */
    for (int64_t i = 0; i < names->count; i++) size += 1 + fgti_json_quote(fgti_strings_get(names, i), NULL);
    FGTI_TRY(FGTI_NEW(ctx, (int64_t)size, "names", out));
    char *p = *out;
    *p++    = '[';
    for (int64_t i = 0; i < names->count; i++) {
        if (i) *p++ = ',';
        p += fgti_json_quote(fgti_strings_get(names, i), p);
    }
    *p = ']';
    return FGT_OK;
}

fgt_status fgti_extra_read_names(fgt_context *ctx, const char *key, const char *text, fgti_strings *names)
{
    fgti_json      j = {.text = text, .size = strlen(text)};
    fgti_json_text t;
    bool           good = fgti_json_open(&j, '[');
    for (int64_t n = 0; good && fgti_json_next(&j, ']', &n);) {
        char *name;
        if (!(good = fgti_json_string(&j, &t))) break;
        FGTI_TRY(FGTI_NEW(ctx, (int64_t)t.size + 1, "name", &name));
        fgti_json_decode(t, name);
        const fgt_status s = fgti_strings_add(ctx, names, name, (int64_t)t.size);
        fgti_free(ctx, name);
        FGTI_TRY(s);
    }
    if (good && fgti_json_end(&j) && names->count) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_FORMAT, "\"%s\" is not a list of names", key);
}

fgt_status fgti_load_open(fgt_context *ctx, const fgti_input *in, const fgt_load_opts *opts,
                          fgt_model_opts *model, fgti_st **st)
{
    static const fgti_opt table[] = {FGTI_FIELD(fgt_load_opts, batch, I64, 0, FGTI_OPT_SIZE_MAX, 0),
                                     FGTI_FIELD(fgt_load_opts, time, I64, 0, FGTI_OPT_SIZE_MAX, 0),
                                     FGTI_FIELD(fgt_load_opts, no_verify, BOOL, 0, 1, 0),
                                     FGTI_FIELD(fgt_load_opts, reserved, BOOL, 0, 0, 0),
                                     {0}};
    fgt_load_opts         o;
    fgti_input            file = *in;
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_load_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_opts_check(&ctx->error, "fgt_load_opts", table, &o));
    *model       = (fgt_model_opts){.size = sizeof *model, .batch = o.batch, .time = o.time};
    file.trusted = o.no_verify;
    return fgti_st_open_input(ctx, &file, st);
}

fgt_status fgti_extra_open(fgt_context *ctx, const fgti_input *in, const fgt_load_opts *opts,
                           fgt_model_opts *model, fgti_st **st)
{
    FGTI_TRY(fgti_load_open(ctx, in, opts, model, st));
    if (!model->time) return FGT_OK;
    fgti_st_close(ctx, st);
    return fgti_fail(&ctx->error, FGT_E_ARG, "fgt_load_opts: time is only for models (got %lld)",
                     (long long)model->time);
}

fgt_status fgti_extra_loaded(fgt_context *ctx, fgti_st **st, fgt_status s)
{
    if (s != FGT_OK && !fgti_st_names(&ctx->error, (*st)->path))
        fgti_error_prefix(&ctx->error, "%.120s", (*st)->path);
    fgti_st_close(ctx, st);
    return s == FGT_E_ARG || s == FGT_E_SHAPE || s == FGT_E_NAME || s == FGT_E_DATA ? FGT_E_FORMAT : s;
}
