/* SPDX-License-Identifier: BSD-3-Clause */
/* An adapter in files: a folder in the format of PEFT, with adapter_model.safetensors and
 * adapter_config.json. The tensors have the names
 *     base_model.model.M.lora_A.weight, base_model.model.M.lora_B.weight M: fgti_peft_module()
 *     base_model.model.M.lora_embedding_A, base_model.model.M.lora_embedding_B for a table
 *     base_model.model.NAME for a parameter that is trained whole
 * If fighter wrote the folder, fighter.adapter in the metadata of the tensors repeats the options. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/config.h"
#include "model/adapter/adapter.h"
#include "model/adapter/adapter_choose.h"
#include "model/adapter/adapter_config.h"
#include "model/adapter_types.h"
#include "model/files/file_input.h"
#include "model/files/file_output.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_read.h"
#include "model/files/safetensors_write.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/model_keys.h"

#define PREFIX     "base_model.model."
#define TENSORS    "adapter_model.safetensors"
#define CONFIG     "adapter_config.json"
#define CONFIG_MAX (1 << 20) /* bytes */

typedef char tensor_name[FGTI_PEFT_NAME + 64];

static void adapter_file_name_of(const fgti_graft *g, char part, tensor_name name)
{
    char module[FGTI_PEFT_NAME];
    if (g->whole) {
        snprintf(name, sizeof(tensor_name), PREFIX "%s", g->base->full_name);
        return;
    }
    fgti_peft_module(g, module);
    const bool table = fgti_adapter_is_table(g->layer);
    snprintf(name, sizeof(tensor_name), PREFIX "%s%slora_%s%c%s", module, *module ? "." : "",
             table ? "embedding_" : "", part, table ? "" : ".weight");
}

static fgt_status adapter_file_join(fgt_context *ctx, const char *folder, const char *file, fgti_text *path)
{
    *path = (fgti_text){.ctx = ctx};
    FGTI_TRY(fgti_text_put(path, folder));
    FGTI_TRY(fgti_text_put(path, "/"));
    return fgti_text_put(path, file);
}

/* ---- writing ---- */

static void adapter_file_put(const fgti_adapter *a, const fgti_graft *g, int64_t param, char part,
                             fgti_st_tensor *t, tensor_name name)
{
    const fgti_param *p = &a->param[param];
    adapter_file_name_of(g, part, name);
    *t = (fgti_st_tensor){
        .name = name, .dtype = FGTI_ST_REAL, .rank = p->rank, .data = a->weights + p->offset};
    memcpy(t->shape, p->shape, (size_t)p->rank * sizeof *p->shape);
}

static fgt_status save_tensors(const fgti_adapter *a, const char *path)
{
    fgti_text       opts = {.ctx = a->ctx};
    fgti_st_tensor *tensor;
    tensor_name    *name = NULL;
    int64_t         n    = 0;
    FGTI_TRY(FGTI_NEW(a->ctx, a->params, "adapter file", &tensor));
    fgt_status s = FGTI_NEW(a->ctx, a->params, "adapter file", &name);
    if (s == FGT_OK) s = fgti_config_write(&opts, fgti_adapter_opts, &a->opts);
    for (int64_t i = 0; s == FGT_OK && i < a->grafts; i++) {
        const fgti_graft *g = &a->graft[i];
        adapter_file_put(a, g, n, 'A', &tensor[n], name[n]);
        n++;
        if (g->whole) continue;
        adapter_file_put(a, g, n, 'B', &tensor[n], name[n]);
        n++;
    }
    const fgti_st_pair pair[] = {{"format", "pt"}, /* as safetensors.torch writes it */
                                 {FGTI_FILE_ADAPTER, opts.s}};
    if (s == FGT_OK) s = fgti_st_save(a->ctx, path, n, tensor, 2, pair);
    fgti_text_done(&opts);
    fgti_free(a->ctx, name);
    fgti_free(a->ctx, tensor);
    return s;
}

static fgt_status save_config(const fgti_adapter *a, const char *path)
{
    fgti_text   text = {.ctx = a->ctx};
    fgti_output out;
    fgti_output_path(path, &out);
    fgt_status s = fgti_peft_config_write(a, &text);
    if (s == FGT_OK) s = fgti_output_whole(a->ctx, &out, text.s, text.length);
    fgti_text_done(&text);
    return s;
}

fgt_status fgt_model_save_adapter(const fgt_model *model, const char *name, const char *folder)
{
    fgti_adapter *a;
    fgti_text     tensors = {0}, config = {0};
    if (!model) return FGT_E_ARG;
    fgt_context *ctx = model->ctx;
    FGTI_TRY(fgti_adapter_find(model, name, &a));
    if (!folder) return fgti_fail(&ctx->error, FGT_E_ARG, "adapter: the folder is NULL");
    fgt_status s = adapter_file_join(ctx, folder, TENSORS, &tensors);
    if (s == FGT_OK) s = adapter_file_join(ctx, folder, CONFIG, &config);
    if (s == FGT_OK && mkdir(folder, 0777) != 0 && errno != EEXIST)
        s = fgti_fail_errno(&ctx->error, folder, "cannot make the folder", errno);
    if (s == FGT_OK) s = save_tensors(a, tensors.s);
    if (s == FGT_OK) s = save_config(a, config.s);
    fgti_text_done(&config);
    fgti_text_done(&tensors);
    return s;
}

/* ---- reading ---- */

static fgt_status read_config(fgt_context *ctx, const char *path, fgt_adapter_opts *o)
{
    fgti_input in;
    char      *text = NULL;
    fgti_input_path(path, &in);
    FGTI_TRY(fgti_input_open(ctx, &in));
    fgt_status s = FGT_OK;
    if (in.size > CONFIG_MAX)
        s = fgti_fail(&ctx->error, FGT_E_FORMAT,
                      "%.120s: too large for the configuration of an adapter (got %lld bytes)", path,
                      (long long)in.size);
    if (s == FGT_OK) s = FGTI_NEW(ctx, in.size, "description of an adapter", &text);
    if (s == FGT_OK) s = fgti_input_read(&in, 0, in.size, text);
    if (s == FGT_OK) s = fgti_peft_config_read(&ctx->error, path, text, in.size, o);
    fgti_free(ctx, text);
    fgti_input_close(&in);
    return s;
}

/* Remembers which tensors of the file belong to a parameter. */
typedef struct claims {
    fgt_context            *ctx;
    const fgti_st          *st;
    const fgt_adapter_opts *opts;
    bool                   *taken;
} claims;

static bool adapter_file_claim(const claims *c, const fgti_graft *g, char part, const fgti_st_tensor **t)
{
    tensor_name name;
    adapter_file_name_of(g, part, name);
    *t = fgti_st_find(c->st, name);
    if (*t) c->taken[*t - c->st->tensors] = true;
    return *t != NULL;
}

static fgt_status adapter_file_choose(void *user, const fgti_layer *l, const fgti_param *p,
                                      fgti_graft_kind *kind)
{
    const claims         *c = user;
    fgti_graft            g = {.base = (fgti_param *)p, .layer = l};
    const fgti_st_tensor *t;
    *kind                   = FGTI_GRAFT_NONE;
    if (fgti_adapter_fits(l, p) && adapter_file_claim(c, &g, 'A', &t)) {
        const int64_t r = c->opts->rank, rank = t->rank == p->rank ? t->rank : 0;
        if (!rank || (t->shape[0] != r && t->shape[rank - 2] != r))
            return fgti_fail(&c->ctx->error, FGT_E_SHAPE, "tensor \"%.100s\" is not of rank r = %lld",
                             t->name, (long long)r);
        (void)adapter_file_claim(c, &g, 'B', &t);
        *kind = FGTI_GRAFT_ADAPTED;
        return FGT_OK;
    }
    g.whole = true;
    if (!adapter_file_claim(c, &g, 0, &t)) return FGT_OK;
    if (fgti_input_is_ids(l->cls, 0))
        return fgti_fail(&c->ctx->error, FGT_E_UNSUPPORTED,
                         "tensor \"%.100s\": a table of ids cannot be trained as a whole", t->name);
    *kind = FGTI_GRAFT_WHOLE;
    return FGT_OK;
}

static fgt_status check_taken(const claims *c)
{
    if (!c->st->count) return fgti_fail(&c->ctx->error, FGT_E_FORMAT, "the file has no tensors");
    for (int64_t i = 0; i < c->st->count; i++)
        if (!c->taken[i])
            return fgti_fail(&c->ctx->error, FGT_E_NAME,
                             "tensor \"%.100s\" belongs to no parameter of the model that can be adapted",
                             c->st->tensors[i].name);
    return FGT_OK;
}

static fgt_status read_tensors(fgti_adapter *a, const fgti_st *st)
{
    for (int64_t i = 0; i < a->grafts; i++) {
        const fgti_graft *g = &a->graft[i];
        for (int k = 0; k < (g->whole ? 1 : 2); k++) {
            const fgti_param *p = &a->param[g->param + k];
            tensor_name       name;
            adapter_file_name_of(g, k ? 'B' : 'A', name);
            FGTI_TRY(fgti_st_load_real(a->ctx, st, name, p->rank, p->shape, a->weights + p->offset));
        }
    }
    return FGT_OK;
}

/* Compares the configuration with the options in the metadata of the tensors, because anybody can edit the
 * configuration. */
static fgt_status check_config(const fgti_st *st, const char *config, fgti_text *opts,
                               const fgt_adapter_opts *o)
{
    const char *saved = fgti_st_meta(st, FGTI_FILE_ADAPTER);
    if (!saved) return FGT_OK;
    FGTI_TRY(fgti_config_write(opts, fgti_adapter_opts, o));
    if (!strcmp(saved, opts->s)) return FGT_OK;
    return fgti_fail(&opts->ctx->error, FGT_E_FORMAT,
                     "%.120s: rank %lld, alpha %g and dropout %g differ from the options saved with the "
                     "tensors: one of the two files is damaged or was changed",
                     config, (long long)o->rank, o->alpha, o->dropout);
}

static fgt_status adapter_file_read(fgt_model *m, const fgt_adapter_opts *o, const fgti_st *st,
                                    fgti_adapter **a)
{
    claims                  c      = {.ctx = m->ctx, .st = st, .opts = o};
    const fgti_graft_choice choice = {adapter_file_choose, &c};
    FGTI_TRY(FGTI_NEW(m->ctx, st->count, "tensors of an adapter", &c.taken));
    fgt_status s = fgti_adapter_make(m, o, &choice, st->size / 2, a);
    if (s == FGT_OK) s = check_taken(&c);
    if (s == FGT_OK) s = read_tensors(*a, st);
    if (s != FGT_OK) fgti_adapter_free(a);
    fgti_free(m->ctx, c.taken);
    return s;
}

static fgt_status adapter_file_load(fgt_model *m, const char *name, const char *config, const char *tensors)
{
    fgt_context     *ctx   = m->ctx;
    fgt_adapter_opts given = {.size = sizeof given, .name = name}, o;
    fgti_adapter    *a     = NULL;
    fgti_st         *st;
    FGTI_TRY(read_config(ctx, config, &given));
    FGTI_TRY(fgti_adapter_read_opts(m, &given, &o));
    FGTI_TRY(fgti_st_open(ctx, tensors, &st));
    fgti_text  text = {.ctx = ctx};
    fgt_status s    = check_config(st, config, &text, &o);
    fgti_text_done(&text);
    if (s == FGT_OK) s = adapter_file_read(m, &o, st, &a);
    if (s != FGT_OK && !fgti_st_names(&ctx->error, st->path) && !fgti_st_names(&ctx->error, config))
        fgti_error_prefix(&ctx->error, "%.120s", st->path);
    fgti_st_close(ctx, &st);
    if (s == FGT_OK) fgti_adapter_append(m, a);
    return s;
}

fgt_status fgt_model_load_adapter(fgt_model *model, const char *name, const char *folder)
{
    fgti_text tensors = {0}, config = {0};
    if (!model) return FGT_E_ARG;
    fgt_context *ctx = model->ctx;
    FGTI_TRY(fgti_model_check_idle(model, "fgt_model_load_adapter"));
    if (!folder) return fgti_fail(&ctx->error, FGT_E_ARG, "adapter: the folder is NULL");
    fgt_status s = adapter_file_join(ctx, folder, TENSORS, &tensors);
    if (s == FGT_OK) s = adapter_file_join(ctx, folder, CONFIG, &config);
    if (s == FGT_OK) s = adapter_file_load(model, name, config.s, tensors.s);
    fgti_text_done(&config);
    fgti_text_done(&tensors);
    return s;
}
