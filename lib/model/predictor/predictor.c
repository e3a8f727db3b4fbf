/* SPDX-License-Identifier: BSD-3-Clause */
/* A predictor is a model whose layers have no gradients and whose weights never change. Results that layers
 * keep are computed when the predictor is created. Parameters that no pass reads after that are left out. */
#include "model/predictor/predictor.h"

#include <string.h>

#include "model/adapter/adapter_pass.h"
#include "model/build/append.h"
#include "model/build/layer_fold.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/params.h"
#include "model/predictor/predictor_follow.h"
#include "model/predictor/predictor_impl.h"
#include "model/predictor/predictor_map.h"
#include "model/predictor/predictor_prepare.h"
#include "model/predictor/predictor_rest.h"

/* ---- layers without weights ---- */

static fgt_status admit_all(void *user, const fgti_param *p)
{
    (void)user;
    (void)p;
    return FGT_OK;
}

/* Copies the layers of `model`, without weights. Their parameters keep their offsets in the slab of
 * `model`. */
static fgt_status copy_layers(const fgt_model *model, const fgt_predictor_opts *opts, fgt_model **copy)
{
    const fgti_admit all = {.param = admit_all};
    fgt_model_opts   o   = model->opts;
    o.size               = sizeof o;
    FGTI_TRY(fgt_model_create(model->ctx, &o, copy));
    (*copy)->predicts  = true;
    (*copy)->half      = opts->storage == FGT_STORAGE_BF16;
    (*copy)->bf16      = opts->precision == FGT_PRECISION_BF16;
    (*copy)->folds     = !opts->exact && model->ctx->products == FGT_PRODUCTS_AUTO;
    (*copy)->loading   = &all;
    const fgt_status s = fgti_model_append(*copy, model, "");
    (*copy)->loading   = NULL;
    (*copy)->final     = true;
    fgti_model_find_rows(*copy);
    return s;
}

/* ---- results that are kept of the weights ---- */

static fgt_status predictor_read_weights(fgt_predictor *p, const fgti_real *weights)
{
    fgt_context     *ctx  = p->model->ctx;
    fgti_preparation room = {0};
    fgt_status       s    = fgti_preparation_init(p, &room);
    if (s == FGT_OK) {
        fgti_predictor_prepare(p, weights, &ctx->exec, &room);
        s = fgti_predictor_keep_rest(p, weights);
    }
    fgti_preparation_done(ctx, &room);
    return s;
}

static void free_weights(fgt_predictor *p)
{
    fgt_model   *m   = p->model;
    fgt_context *ctx = m->ctx;
    fgti_map_close(p);
    fgti_free(ctx, m->keep.all.memory);
    fgti_free(ctx, m->keep.packs.memory);
    fgti_free(ctx, m->weights);
    m->keep.all.memory = m->keep.packs.memory = m->weights = NULL;
}

/* Maps the weights from the file. If the file does not exist or belongs to another model, the file is written
 * first. */
static fgt_status map_weights(fgt_predictor *p, const fgt_model *model, const fgti_real *weights,
                              const char *path)
{
    const uint64_t key = fgti_map_key(p, weights, model->size);
    bool           found;
    FGTI_TRY(fgti_map_open(p, path, key, &found));
    if (found) return FGT_OK;
    FGTI_TRY(predictor_read_weights(p, weights));
    FGTI_TRY(fgti_map_write(p, path, key));
    free_weights(p);
    FGTI_TRY(fgti_map_open(p, path, key, &found));
    if (found) return FGT_OK;
    return fgti_fail(&model->ctx->error, FGT_E_IO, "%.300s: another process has replaced it", path);
}

/* ---- the calls ---- */

void fgt_predictor_destroy(fgt_predictor **predictor)
{
    if (!predictor || !*predictor) return;
    fgt_predictor *p   = *predictor;
    fgt_context   *ctx = p->model->ctx;
    fgti_follower_done(p);
    free_weights(p);
    fgt_model_destroy(&p->model);
    fgti_free(ctx, p->gone);
    fgti_free(ctx, p);
    *predictor = NULL;
}

static fgt_status predictor_read_opts(fgti_error *err, const fgt_predictor_opts *opts, fgt_predictor_opts *o)
{
    FGTI_TRY(fgti_opts_read(err, "predictor", opts, o, sizeof *o));
    if (o->storage < FGT_STORAGE_F32 || o->storage > FGT_STORAGE_BF16)
        return fgti_fail(err, FGT_E_ARG, "predictor: storage is wrong (got %d, need an fgt_storage)",
                         o->storage);
    if (o->precision < FGT_PRECISION_F32 || o->precision > FGT_PRECISION_BF16)
        return fgti_fail(err, FGT_E_ARG, "predictor: precision is wrong (got %d, need an fgt_precision)",
                         o->precision);
    FGTI_TRY(fgti_reserved_check(err, "predictor", o->reserved));
    if (o->exact != 0 && o->exact != 1)
        return fgti_fail(err, FGT_E_ARG, "predictor: exact is wrong (got %d, need 0 or 1)", o->exact);
    return FGT_OK;
}

/* Makes a predictor that has layers but no weights. `asking` of its model is set. */
static fgt_status predictor_start(const fgt_model *model, const fgt_predictor_opts *opts,
                                  fgt_predictor **predictor)
{
    fgt_context *ctx  = model->ctx;
    fgt_model   *copy = NULL;
    fgt_status   s    = copy_layers(model, opts, &copy);
    if (s == FGT_OK) s = FGTI_NEW(ctx, 1, "predictor", predictor);
    if (s != FGT_OK) {
        fgt_model_destroy(&copy);
        return s;
    }
    (*predictor)->model = copy;
    s = FGTI_NEW(ctx, fgti_params_count(copy) + 1, "list of parameters", &(*predictor)->gone);
    if (s != FGT_OK) fgt_predictor_destroy(predictor);
    return s;
}

fgt_status fgti_predictor_follow(fgt_model *model, fgt_predictor **predictor)
{
    *predictor = NULL;
    FGTI_TRY(fgti_model_check_asking(model));
    model->asking++;
    fgt_status s = predictor_start(model, &(fgt_predictor_opts){.storage = FGT_STORAGE_F32}, predictor);
    model->asking--;
    if (s == FGT_OK) s = fgti_follower_make(model, *predictor);
    if (s != FGT_OK) fgt_predictor_destroy(predictor);
    return fgti_model_make_final(model, s);
}

static fgt_status predictor_make(const fgt_model *model, const fgt_predictor_opts *o,
                                 fgt_predictor **predictor)
{
    fgti_real *adapted = NULL;
    FGTI_TRY(predictor_start(model, o, predictor));
    fgt_status       s       = fgti_adapter_slab((fgt_model *)model, &adapted);
    const fgti_real *weights = adapted ? adapted : model->weights;
    if (s == FGT_OK)
        s = o->map ? map_weights(*predictor, model, weights, o->map)
                   : predictor_read_weights(*predictor, weights);
    fgti_free(model->ctx, adapted);
    if (s != FGT_OK) fgt_predictor_destroy(predictor);
    return s;
}

fgt_status fgt_predictor_create(const fgt_model *model, const fgt_predictor_opts *opts,
                                fgt_predictor **predictor)
{
    fgt_predictor_opts o;
    if (predictor) *predictor = NULL;
    if (!model) return FGT_E_ARG;
    fgt_context *ctx = model->ctx;
    if (!predictor) return fgti_fail(&ctx->error, FGT_E_ARG, "predictor: result pointer is NULL");
    FGTI_TRY(predictor_read_opts(&ctx->error, opts, &o));
    if (model->last < 0) return fgti_fail(&ctx->error, FGT_E_STATE, "the model has no layers");
    FGTI_TRY(fgti_model_check_asking(model));
    ((fgt_model *)model)->asking++; /* so that plan() of the host's layers cannot use the model */
    const fgt_status s = predictor_make(model, &o, predictor);
    ((fgt_model *)model)->asking--;
    return s;
}

fgt_status fgt_predictor_create_workspace(const fgt_predictor *predictor, const fgt_workspace_opts *opts,
                                          fgt_workspace **ws)
{
    if (ws) *ws = NULL;
    return predictor ? fgt_model_create_workspace(predictor->model, opts, ws) : FGT_E_ARG;
}

int64_t fgt_predictor_get_bytes(const fgt_predictor *predictor)
{
    if (!predictor) return 0;
    const fgti_keep *k = &predictor->model->keep;
    return (predictor->size + k->all.size + k->packs.size) * (int64_t)sizeof(fgti_real);
}
