/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a model: writing the file, and comparing a model with a file. */
#include "model/stored/model_file.h"

#include <stdio.h>
#include <string.h>

#include "core/config.h"
#include "core/half.h"
#include "core/hash.h"
#include "core/sparse.h"
#include "model/access.h"
#include "model/adapter/adapter.h"
#include "model/adapter/adapter_choose.h"
#include "model/adapter_types.h"
#include "model/build/model.h"
#include "model/build/nodes.h"
#include "model/files/file_output.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_write.h"
#include "model/model_impl.h"
#include "model/model_keys.h"
#include "model/params.h"
#include "model/stored/frozen.h"
#include "model/stored/model_load.h"

/* ---- saving ---- */

/* The tensors and the metadata to be written, and the texts to which they point. */
typedef struct content {
    fgt_context    *ctx;
    fgti_st_tensor *tensor;
    fgti_st_pair   *pair;
    fgti_text      *text; /* the texts of keys, values and names */
    int64_t         tensors, pairs, texts;
    fgti_rows_cut   cut;     /* rows that are left out by round_tensors() */
    uint16_t       *rounded; /* of round_tensors() */
} content;

static fgt_status model_file_put_text(content *c, const char **out, const char *a, int64_t number,
                                      const char *b)
{
    char       digits[24];
    fgti_text *t = &c->text[c->texts++];
    t->ctx       = c->ctx;
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    FGTI_TRY(fgti_text_put(t, a));
    if (number >= 0) FGTI_TRY(fgti_text_put(t, digits));
    FGTI_TRY(fgti_text_put(t, b));
    *out = t->s;
    return FGT_OK;
}

static fgt_status put_pair(content *c, const char *key, int64_t number, const char *rest, const char *value)
{
    fgti_st_pair *p = &c->pair[c->pairs++];
    FGTI_TRY(model_file_put_text(c, &p->key, key, number, rest));
    return model_file_put_text(c, &p->value, value, -1, "");
}

static fgt_status put_opts(content *c, const char *key, int64_t number, const char *rest,
                           const fgti_opt *table, const void *opts)
{
    fgti_text  t = {.ctx = c->ctx};
    fgt_status s = fgti_config_write(&t, table, opts);
    if (s == FGT_OK) s = put_pair(c, key, number, rest, t.s);
    fgti_text_done(&t);
    return s;
}

static fgt_status model_file_put_tensor(content *c, const char *layer, const char *name, fgti_st_dtype dtype,
                                        int32_t rank, const int64_t *shape, const void *data)
{
    fgti_st_tensor *t = &c->tensor[c->tensors++];
    *t                = (fgti_st_tensor){.dtype = dtype, .rank = rank, .data = data};
    memcpy(t->shape, shape, (size_t)rank * sizeof *shape);
    return model_file_put_text(c, &t->name, layer, -1, name);
}

static fgt_status put_graph(content *c, const fgti_layer *l)
{
    const fgt_graph *g   = l->graph;
    const char      *dot = *l->name ? "." : "";
    char             name[32];
    if (g->dense) {
        snprintf(name, sizeof name, "%sgraph.weights", dot);
        return model_file_put_tensor(c, l->name, name, FGTI_ST_REAL, 2, (int64_t[]){g->n, g->n}, g->dense);
    }
    snprintf(name, sizeof name, "%sgraph.indptr", dot);
    FGTI_TRY(model_file_put_tensor(c, l->name, name, FGTI_ST_I64, 1, (int64_t[]){g->n + 1}, g->rows.indptr));
    snprintf(name, sizeof name, "%sgraph.indices", dot);
    FGTI_TRY(model_file_put_tensor(c, l->name, name, FGTI_ST_I32, 1, &g->rows.edges, g->rows.indices));
    snprintf(name, sizeof name, "%sgraph.values", dot);
    return model_file_put_tensor(c, l->name, name, FGTI_ST_REAL, 1, &g->rows.edges, g->rows.values);
}

/* Writes the numbers of the layers from which a layer reads. */
static fgt_status put_edges(content *c, const fgti_layer *l)
{
    fgti_text  t = {.ctx = c->ctx};
    fgt_status s = fgti_text_put(&t, "");
    char       number[FGTI_NUMBER_TEXT_MAX];
    for (int32_t k = 0; s == FGT_OK && k < l->inputs + FGT_MASK_COUNT; k++) {
        const int64_t from = k < l->inputs ? l->input[k].from : l->mask[k - l->inputs];
        if (k >= l->inputs && from < 0) continue;
        if (t.length) s = fgti_text_put(&t, " ");
        if (s == FGT_OK) s = fgti_text_put(&t, fgti_number_text((double)from, number));
    }
    if (s == FGT_OK) s = put_pair(c, FGTI_FILE_LAYER, (int64_t)l->id, ".from", t.s);
    fgti_text_done(&t);
    return s;
}

static fgt_status put_shares(content *c, const fgti_layer *l)
{
    char number[FGTI_NUMBER_TEXT_MAX];
    return put_pair(c, FGTI_FILE_LAYER, (int64_t)l->id, ".shares",
                    fgti_number_text((double)l->shares->id, number));
}

/* The embedding gets as many rows as the file will have. */
static fgt_status put_layer_opts(content *c, const fgti_layer *l)
{
    fgt_embedding_opts fewer;
    const void        *opts = l->opts;
    if (c->cut.count && !strcmp(l->cls->name, "embedding")) {
        fewer = *(const fgt_embedding_opts *)opts;
        fewer.vocab -= c->cut.count;
        opts = &fewer;
    }
    return put_opts(c, FGTI_FILE_LAYER, (int64_t)l->id, ".opts", l->cls->opts, opts);
}

static fgt_status put_layer(content *c, const fgt_model *m, const fgti_layer *l)
{
    const int64_t i = (int64_t)l->id;
    FGTI_TRY(put_pair(c, FGTI_FILE_LAYER, i, ".type", l->cls->name));
    FGTI_TRY(put_pair(c, FGTI_FILE_LAYER, i, ".name", l->name));
    FGTI_TRY(put_layer_opts(c, l));
    if (!fgti_layer_is_chained(m, l)) FGTI_TRY(put_edges(c, l));
    if (l->axis == FGT_AXIS_NODES)
        FGTI_TRY(put_pair(c, FGTI_FILE_LAYER, i, FGTI_FILE_AXIS, FGTI_FILE_NODES));
    if (l->shares) return put_shares(c, l);
    for (int32_t k = 0; k < l->params; k++)
        FGTI_TRY(model_file_put_tensor(c, l->param[k].full_name, "", FGTI_ST_REAL, l->param[k].rank,
                                       l->param[k].shape, m->weights + l->param[k].offset));
    return l->graph ? put_graph(c, l) : FGT_OK;
}

static bool is_chain(const fgt_model *m)
{
    for (int64_t i = 0; i < m->layers; i++)
        if (m->layer[i]->shares || m->layer[i]->axis || m->layer[i]->cls->is_value ||
            !fgti_layer_is_chained(m, m->layer[i]))
            return false;
    return true;
}

static fgt_status model_file_put_names(content *c, const fgti_adapter *a, const char *key, bool whole)
{
    fgti_text  list = {.ctx = c->ctx};
    fgt_status s    = fgti_adapter_write_names(a, whole, &list);
    if (s == FGT_OK && list.s) s = put_pair(c, key, -1, "", list.s);
    fgti_text_done(&list);
    return s;
}

/* Writes the active adapter, because the function of the model depends on it. Other adapters have their own
 * files. */
static fgt_status put_adapter(content *c, const fgti_adapter *a)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)a->opts.seed);
    FGTI_TRY(put_opts(c, FGTI_FILE_ADAPTER, -1, "", fgti_adapter_opts, &a->opts));
    FGTI_TRY(put_pair(c, FGTI_FILE_ADAPTER ".name", -1, "", a->name));
    FGTI_TRY(model_file_put_names(c, a, FGTI_FILE_ADAPTED, false));
    FGTI_TRY(model_file_put_names(c, a, FGTI_FILE_WHOLE, true));
    FGTI_TRY(put_pair(c, FGTI_FILE_ADAPTER ".seed", -1, "", seed));
    for (int64_t i = 0; i < a->params; i++)
        FGTI_TRY(model_file_put_tensor(c, a->param[i].full_name, "", FGTI_ST_REAL, a->param[i].rank,
                                       a->param[i].shape, a->weights + a->param[i].offset));
    return FGT_OK;
}

static fgt_status put_model(content *c, const fgt_model *m)
{
    char number[24];
    FGTI_TRY(put_pair(c, "fighter.format", -1, "", is_chain(m) ? FGTI_FILE_CHAIN : FGTI_FILE_EDGES));
    FGTI_TRY(put_opts(c, "fighter.model", -1, "", fgti_model_opts, &m->opts));
    snprintf(number, sizeof number, "%llu", (unsigned long long)m->opts.seed);
    FGTI_TRY(put_pair(c, FGTI_FILE_SEED, -1, "", number));
    snprintf(number, sizeof number, "%lld", (long long)m->layers);
    FGTI_TRY(put_pair(c, "fighter.layers", -1, "", number));
    for (int64_t i = 0; i < m->layers; i++) FGTI_TRY(put_layer(c, m, m->layer[i]));
    return m->tuning.adapter ? put_adapter(c, m->tuning.adapter) : FGT_OK;
}

/* Allocates lists for the largest contents. Pairs: four, six for each layer, five for an adapter and the
 * frozen parameters. Tensors: three for each graph. Texts: two for each pair, one for each tensor. */
static fgt_status content_init(content *c, const fgt_model *m, const fgti_extra *extra)
{
    const int64_t adapted = m->tuning.adapter ? m->tuning.adapter->params : 0;
    const int64_t pairs = 9 + 6 * m->layers, tensors = fgti_params_count(m) + adapted + 3 * m->layers;
    FGTI_TRY(FGTI_NEW(c->ctx, pairs + 1 + (extra ? extra->pairs : 0), "model file", &c->pair));
    FGTI_TRY(FGTI_NEW(c->ctx, tensors + (extra ? extra->tensors : 0), "model file", &c->tensor));
    return FGTI_NEW(c->ctx, 2 * pairs + tensors, "model file", &c->text);
}

static void content_done(content *c)
{
    for (int64_t i = 0; i < c->texts; i++) fgti_text_done(&c->text[i]);
    fgti_free(c->ctx, c->rounded);
    fgti_free(c->ctx, c->text);
    fgti_free(c->ctx, c->tensor);
    fgti_free(c->ctx, c->pair);
}

static int64_t count_elements(const fgti_st_tensor *t)
{
    int64_t n = 1;
    for (int32_t i = 0; i < t->rank; i++) n *= t->shape[i];
    return n;
}

/* Rounds a tensor, without the rows that are left out, to `to`, and returns the end of the result. */
static uint16_t *round_tensor(const content *c, fgti_st_tensor *t, uint16_t *to)
{
    const bool       cut   = c->cut.count && !strcmp(t->name, "embedding.weight");
    const int64_t    n     = count_elements(t);
    const int64_t    begin = cut ? c->cut.first * t->shape[1] : n;
    const int64_t    end   = cut ? begin + c->cut.count * t->shape[1] : n;
    const fgti_real *from  = t->data;
    t->data                = to;
    t->dtype               = FGTI_ST_BF16;
    if (cut) t->shape[0] -= c->cut.count;
    for (int64_t i = 0; i < begin; i++) *to++ = fgti_half_of(from[i]);
    for (int64_t i = end; i < n; i++) *to++ = fgti_half_of(from[i]);
    return to;
}

static fgt_status round_tensors(content *c)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->tensors; i++)
        if (c->tensor[i].dtype == FGTI_ST_REAL) n += count_elements(&c->tensor[i]);
    FGTI_TRY(FGTI_NEW(c->ctx, n, "rounded weights", &c->rounded));
    uint16_t *to = c->rounded;
    for (int64_t i = 0; i < c->tensors; i++)
        if (c->tensor[i].dtype == FGTI_ST_REAL) to = round_tensor(c, &c->tensor[i], to);
    return FGT_OK;
}

static fgt_status model_file_save(const fgt_model *model, fgti_output *out, const fgti_extra *extra,
                                  const fgti_rows_cut *cut)
{
    content    c      = {.ctx = model->ctx};
    if (cut) c.cut = *cut;
    fgti_text  frozen = {.ctx = model->ctx};
    fgt_status s      = content_init(&c, model, extra);
    if (s == FGT_OK) s = put_model(&c, model);
    if (s == FGT_OK) s = fgti_frozen_write(model, &frozen);
    if (s == FGT_OK) {
        if (frozen.s) c.pair[c.pairs++] = (fgti_st_pair){FGTI_FILE_FROZEN, frozen.s};
        for (int64_t i = 0; extra && i < extra->pairs; i++) c.pair[c.pairs++] = extra->pair[i];
        for (int64_t i = 0; extra && i < extra->tensors; i++) c.tensor[c.tensors++] = extra->tensor[i];
        if (cut) s = round_tensors(&c);
    }
    if (s == FGT_OK) s = fgti_st_save_to(model->ctx, out, c.tensors, c.tensor, c.pairs, c.pair);
    fgti_text_done(&frozen);
    content_done(&c);
    return s;
}

fgt_status fgti_model_save_with(const fgt_model *model, fgti_output *out, const fgti_extra *extra)
{
    return model_file_save(model, out, extra, NULL);
}

fgt_status fgti_model_save_small(const fgt_model *model, fgti_output *out, const fgti_extra *extra,
                                 fgti_rows_cut cut)
{
    return model_file_save(model, out, extra, &cut);
}

/* ---- comparing ---- */

/* Compares a graph with the file. Graphs must be equal; only weights may differ. The file's byte order may
 * differ from the machine's. */
static fgt_status compare_graph(const content *c, const fgti_st *st, const fgti_st_tensor *t,
                                const fgti_st_tensor *own)
{
    const unsigned char *data = own->data;
    const int64_t        last = fgti_st_host_little() ? 0 : (int64_t)fgti_st_dtype_size(own->dtype) - 1;
    unsigned char        piece[4096];
    bool                 same = t->dtype == own->dtype;
    for (int64_t at = 0, n; same && at < t->bytes; at += n) {
        n = t->bytes - at < (int64_t)sizeof piece ? t->bytes - at : (int64_t)sizeof piece;
        FGTI_TRY(fgti_st_read_bytes(st, t, at, n, piece));
        for (int64_t i = 0; same && i < n; i++) same = piece[i] == data[(at + i) ^ last];
    }
    if (same) return FGT_OK;
    return fgti_fail(&c->ctx->error, FGT_E_FORMAT, "%.120s: \"%.100s\": the model has another graph",
                     st->path, own->name);
}

/* Compares a file with the file that saving the model would write. */
static fgt_status model_file_compare(const content *c, const fgt_model *m, const fgti_st *st)
{
    const fgti_st_tensor *t;
    for (int64_t i = 0; i < c->pairs; i++) {
        const char *found = fgti_st_meta(st, c->pair[i].key);
        if (found && !strcmp(found, c->pair[i].value)) continue;
        return fgti_fail(&c->ctx->error, FGT_E_FORMAT,
                         "%.120s: \"%s\": file has \"%.120s\", the model \"%.120s\"", st->path,
                         c->pair[i].key, found ? found : "", c->pair[i].value);
    }
    for (int64_t i = 0; i < c->tensors; i++) {
        const fgti_st_tensor *own = &c->tensor[i];
        FGTI_TRY(fgti_st_expect(c->ctx, st, own->name, own->rank, own->shape, &t));
        if (fgti_model_has_graph(m, own->name)) FGTI_TRY(compare_graph(c, st, t, own));
    }
    return FGT_OK;
}

static int64_t count_layer_pairs(const fgti_st_pair *pair, int64_t pairs)
{
    const size_t length = strlen(FGTI_FILE_LAYER);
    int64_t      n      = 0;
    for (int64_t i = 0; i < pairs; i++) n += !strncmp(pair[i].key, FGTI_FILE_LAYER, length);
    return n;
}

/* Compares the numbers of pairs. All pairs of the model are in the file, so a further pair of the file is not
 * in the model. */
static fgt_status compare_counts(const content *c, const fgt_model *m, const fgti_st *st)
{
    if (!m->tuning.adapter && fgti_st_meta(st, FGTI_FILE_ADAPTER))
        return fgti_fail(
            &c->ctx->error, FGT_E_FORMAT,
            "%.120s: trains the adapter \"%.60s\", but no adapter of the model is active", st->path,
            fgti_st_meta(st, FGTI_FILE_ADAPTER ".name") ? fgti_st_meta(st, FGTI_FILE_ADAPTER ".name") : "");
    const int64_t ours = count_layer_pairs(c->pair, c->pairs);
    if (count_layer_pairs(st->meta, st->meta_count) == ours) return FGT_OK;
    return fgti_fail(&c->ctx->error, FGT_E_FORMAT,
                     "%.120s: a layer reads or shares another layer than in the model", st->path);
}

fgt_status fgti_model_check_file(fgt_model *m, const fgti_st *st)
{
    content    c = {.ctx = m->ctx};
    fgt_status s = content_init(&c, m, NULL);
    if (s == FGT_OK) s = put_model(&c, m);
    if (s == FGT_OK) s = model_file_compare(&c, m, st);
    if (s == FGT_OK) s = compare_counts(&c, m, st);
    if (s == FGT_OK) s = fgti_model_check_weights(m, st, false);
    content_done(&c);
    return s;
}

/* Compares two pairs. If their keys differ, a layer of one model has an additional entry: the layers that it
 * reads, or the layer whose parameters it shares. */
static fgt_status compare_pair(fgti_error *err, const fgti_st_pair *a, const fgti_st_pair *b)
{
    if (strcmp(a->key, b->key))
        return fgti_fail(err, FGT_E_ARG, "models differ: one has \"%s\", the other \"%s\"", a->key, b->key);
    if (!strcmp(a->key, FGTI_FILE_SEED) || !strcmp(a->value, b->value)) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "models differ: \"%s\" is \"%.120s\" and \"%.120s\"", a->key, a->value,
                     b->value);
}

fgt_status fgti_model_check_same(const fgt_model *model, const fgt_model *other)
{
    content    a = {.ctx = model->ctx}, b = {.ctx = model->ctx};
    fgt_status s = content_init(&a, model, NULL);
    if (s == FGT_OK) s = content_init(&b, other, NULL);
    if (s == FGT_OK) s = put_model(&a, model);
    if (s == FGT_OK) s = put_model(&b, other);
    for (int64_t i = 0; s == FGT_OK && i < a.pairs && i < b.pairs; i++)
        s = compare_pair(&model->ctx->error, &a.pair[i], &b.pair[i]);
    if (s == FGT_OK && a.pairs != b.pairs) /* the additional pair belongs to the last layer */
        s = fgti_fail(&model->ctx->error, FGT_E_ARG, "models differ: only one has \"%s\"",
                      a.pairs > b.pairs ? a.pair[b.pairs].key : b.pair[a.pairs].key);
    content_done(&a);
    content_done(&b);
    return s;
}

/* A hash of the pairs. It need not cover the names and shapes of the tensors, because the pairs determine
 * them. */
static uint64_t hash_content(const content *c, const fgt_model *m, bool weights)
{
    uint64_t hash  = FGTI_HASH_START;
    int64_t  bytes = 0;
    for (int64_t i = 0; i < c->pairs; i++)
        hash = fgti_hash_text(fgti_hash_text(hash, c->pair[i].key), c->pair[i].value);
    for (int64_t i = 0; i < c->tensors; i++) {
        const fgti_st_tensor *t = &c->tensor[i];
        if (!weights && !fgti_model_has_graph(m, t->name)) continue;
        if (fgti_st_bytes(t->dtype, t->rank, t->shape, &bytes)) hash = fgti_hash(hash, t->data, bytes);
    }
    return hash;
}

fgt_status fgti_model_hash_all(const fgt_model *model, bool weights, uint64_t *hash)
{
    content    c = {.ctx = model->ctx};
    fgt_status s = content_init(&c, model, NULL);
    if (s == FGT_OK) s = put_model(&c, model);
    if (s == FGT_OK) *hash = hash_content(&c, model, weights);
    content_done(&c);
    return s;
}
