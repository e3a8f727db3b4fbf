/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/model.h"
#include "model/files/file_input.h"
#include "model/files/file_output.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_read.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/stored/model_file.h"
#include "model/stored/model_load.h"

/* The calls that save and load models: to a path, to memory and through functions of the host. model_file.c
 * describes the contents of a file. */

/* ---- saving ---- */

fgt_status fgt_model_save(const fgt_model *model, const char *path)
{
    fgti_output out;
    if (!model) return FGT_E_ARG;
    if (!path) return fgti_fail(&model->ctx->error, FGT_E_ARG, "path is NULL");
    fgti_output_path(path, &out);
    return fgti_model_save_with(model, &out, NULL);
}

fgt_status fgt_model_save_memory(const fgt_model *model, void *buffer, int64_t capacity, int64_t *bytes)
{
    fgti_output out;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_output_memory(&model->ctx->error, buffer, capacity, bytes, &out));
    return fgti_model_save_with(model, &out, NULL);
}

fgt_status fgt_model_save_to(const fgt_model *model, const fgt_writer *writer)
{
    fgti_output out;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_output_writer(&model->ctx->error, writer, &out));
    return fgti_model_save_with(model, &out, NULL);
}

/* ---- loading ---- */

static fgt_status load(fgt_context *ctx, const fgti_input *in, const fgt_model_opts *opts, fgt_model **model)
{
    fgti_st *st;
    FGTI_TRY(fgti_st_open_input(ctx, in, &st));
    const fgt_status s = fgti_model_load_from(ctx, st, opts, model);
    fgti_st_close(ctx, &st);
    return s;
}

fgt_status fgt_model_load(fgt_context *ctx, const char *path, const fgt_model_opts *opts, fgt_model **model)
{
    fgti_input in;
    FGTI_TRY(fgti_model_check_place(ctx, model));
    if (!path) return fgti_fail(&ctx->error, FGT_E_ARG, "path is NULL");
    fgti_input_path(path, &in);
    return load(ctx, &in, opts, model);
}

fgt_status fgt_model_load_memory(fgt_context *ctx, const void *data, int64_t bytes,
                                 const fgt_model_opts *opts, fgt_model **model)
{
    fgti_input in;
    FGTI_TRY(fgti_model_check_place(ctx, model));
    FGTI_TRY(fgti_input_memory(&ctx->error, data, bytes, &in));
    return load(ctx, &in, opts, model);
}

fgt_status fgt_model_load_from(fgt_context *ctx, const fgt_reader *reader, const fgt_model_opts *opts,
                               fgt_model **model)
{
    fgti_input in;
    FGTI_TRY(fgti_model_check_place(ctx, model));
    FGTI_TRY(fgti_input_reader(&ctx->error, reader, &in));
    return load(ctx, &in, opts, model);
}

/* ---- only weights ---- */

/* The file is kept in memory from the check to the copy, so the copied data are the checked data, and the
 * copy cannot fail half way. */
static fgt_status replace(fgt_model *model, fgti_st *st)
{
    FGTI_TRY(fgti_st_hold(st));
    FGTI_TRY(fgti_model_check_weights(model, st, true));
    return fgti_model_read_weights(model, st);
}

static fgt_status load_weights(fgt_model *model, const fgti_input *in)
{
    fgt_context *ctx = model->ctx;
    fgti_st     *st;
    FGTI_TRY(fgti_model_check_asking(model));
    FGTI_TRY(fgti_st_open_input(ctx, in, &st));
    const fgt_status s = replace(model, st);
    if (s != FGT_OK && !fgti_st_names(&ctx->error, st->path))
        fgti_error_prefix(&ctx->error, "%.120s", st->path);
    fgti_st_close(ctx, &st);
    return s;
}

fgt_status fgt_model_load_weights(fgt_model *model, const char *path)
{
    fgti_input in;
    if (!model) return FGT_E_ARG;
    if (!path) return fgti_fail(&model->ctx->error, FGT_E_ARG, "path is NULL");
    fgti_input_path(path, &in);
    return load_weights(model, &in);
}

fgt_status fgt_model_load_weights_memory(fgt_model *model, const void *data, int64_t bytes)
{
    fgti_input in;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_input_memory(&model->ctx->error, data, bytes, &in));
    return load_weights(model, &in);
}

fgt_status fgt_model_load_weights_from(fgt_model *model, const fgt_reader *reader)
{
    fgti_input in;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_input_reader(&model->ctx->error, reader, &in));
    return load_weights(model, &in);
}
