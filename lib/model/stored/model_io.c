/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/model.h"
#include "model/files/file_input.h"
#include "model/files/file_output.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_read.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/stored/extra.h"
#include "model/stored/model_file.h"
#include "model/stored/model_load.h"

/* The calls that save and load models. model_file.c describes the contents of a file. */

fgt_status fgt_model_save(const fgt_model *model, const fgt_output *output)
{
    fgti_output out;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_output_to(&model->ctx->error, output, &out));
    return fgti_model_save_with(model, &out, NULL);
}

fgt_status fgt_model_load(fgt_context *ctx, const fgt_input *input, const fgt_load_opts *opts,
                          fgt_model **model)
{
    fgt_model_opts sizes;
    fgti_input     in;
    fgti_st       *st;
    FGTI_TRY(fgti_model_check_place(ctx, model));
    FGTI_TRY(fgti_input_from(&ctx->error, input, &in));
    FGTI_TRY(fgti_load_open(ctx, &in, opts, &sizes, &st));
    const fgt_status s = fgti_model_load_from(ctx, st, &sizes, model);
    fgti_st_close(ctx, &st);
    return s;
}

/* ---- only weights ---- */

/* Replaces the weights. The file stays in memory from the check to the copy. So the copied data are the
 * checked data, and the copy cannot fail half way. */
static fgt_status model_io_replace(fgt_model *model, fgti_st *st)
{
    FGTI_TRY(fgti_st_hold(st));
    FGTI_TRY(fgti_model_check_weights(model, st, true));
    return fgti_model_read_weights(model, st);
}

fgt_status fgt_model_load_weights(fgt_model *model, const fgt_input *input)
{
    fgti_input in;
    fgti_st   *st;
    if (!model) return FGT_E_ARG;
    fgt_context *ctx = model->ctx;
    FGTI_TRY(fgti_input_from(&ctx->error, input, &in));
    FGTI_TRY(fgti_model_check_asking(model));
    FGTI_TRY(fgti_st_open_input(ctx, &in, &st));
    const fgt_status s = model_io_replace(model, st);
    if (s != FGT_OK && !fgti_st_names(&ctx->error, st->path))
        fgti_error_prefix(&ctx->error, "%.120s", st->path);
    fgti_st_close(ctx, &st);
    return s;
}
