/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/adapter/adapter_config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/adapter/adapter.h"
#include "model/adapter/adapter_choose.h"
#include "model/adapter_types.h"
#include "model/files/json.h"

/* ---- names ---- */

/* Removes the suffix `end`, and the dot before it, from a name. Returns false if the name does not end with
 * it. */
static bool adapter_config_cut(char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    if (n < m || strcmp(name + n - m, end) != 0 || (n > m && name[n - m - 1] != '.')) return false;
    name[n > m ? n - m - 1 : 0] = 0;
    return true;
}

/* Whether a parameter is inside a torch.nn.MultiheadAttention, whose weights PEFT wraps together. There the
 * map of queries, keys and values has the module's name, and the output map has the inner module's name. */
static bool is_inside_attention(const fgti_graft *g, const char *module)
{
    char packed[FGTI_PEFT_NAME];
    snprintf(packed, sizeof packed, "%s%sin_proj_weight", module, *module ? "." : "");
    for (int32_t k = 0; k < g->layer->params; k++)
        if (!strcmp(g->layer->param[k].full_name, packed)) return true;
    return false;
}

/* Writes the name of a parameter's module as target_modules and modules_to_save have it. */
static void write_target(const fgti_graft *g, char target[FGTI_PEFT_NAME])
{
    char *dot;
    snprintf(target, FGTI_PEFT_NAME, "%s", g->base->full_name);
    if (g->whole) {
        dot                       = strrchr(target, '.');
        *(dot ? dot : target) = 0;
        return;
    }
    if (adapter_config_cut(target, "in_proj_weight")) return;
    if (adapter_config_cut(target, "out_proj.weight") && is_inside_attention(g, target)) return;
    fgti_adapter_module(g->base, target);
}

void fgti_peft_module(const fgti_graft *g, char module[FGTI_PEFT_NAME])
{
    write_target(g, module);
    char         own[FGTI_PEFT_NAME];
    const size_t n = strlen(module);
    snprintf(own, sizeof own, "%s", g->base->full_name);
    if (adapter_config_cut(own, "out_proj.weight") && !strcmp(own, module))
        snprintf(module + n, FGTI_PEFT_NAME - n, "%sbase_layer.out_proj", n ? "." : "");
}

/* ---- writing ---- */

/* Appends a quoted name to a JSON list, unless it equals the name before it. */
static fgt_status adapter_config_put_name(fgti_text *out, const char *name, char *last, bool *first)
{
    char quoted[6 * FGTI_PEFT_NAME + 3]; /* an escape has at most six bytes */
    if (!*first && !strcmp(name, last)) return FGT_OK;
    if (!*first) FGTI_TRY(fgti_text_put(out, ", "));
    *first = false;
    memcpy(last, name, strlen(name) + 1);
    quoted[fgti_json_quote(name, quoted)] = 0;
    return fgti_text_put(out, quoted);
}

static fgt_status adapter_config_put_names(const fgti_adapter *a, bool whole, fgti_text *out)
{
    char name[FGTI_PEFT_NAME], last[FGTI_PEFT_NAME];
    bool first = true;
    FGTI_TRY(fgti_text_put(out, "["));
    for (int64_t i = 0; i < a->grafts; i++) {
        if (a->graft[i].whole != whole) continue;
        write_target(&a->graft[i], name);
        FGTI_TRY(adapter_config_put_name(out, name, last, &first));
    }
    return fgti_text_put(out, "]");
}

/* Writes the fewest digits that give the same double again. 17 digits are enough for every reader that rounds
 * once. */
static fgt_status adapter_config_put_number(fgti_text *out, const char *key, double v)
{
    char   number[FGTI_NUMBER_TEXT_MAX];
    double back;
    for (int digits = 15; digits <= 17; digits++) {
        const char *p = fgti_number_rounded(v, digits, number);
        if (fgti_number_read(&p, &back) && back == v) break;
    }
    FGTI_TRY(fgti_text_put(out, key));
    return fgti_text_put(out, number);
}

static bool has_whole(const fgti_adapter *a)
{
    for (int64_t i = 0; i < a->grafts; i++)
        if (a->graft[i].whole) return true;
    return false;
}

fgt_status fgti_peft_config_write(const fgti_adapter *a, fgti_text *out)
{
    FGTI_TRY(fgti_text_put(out, "{\n  \"base_model_name_or_path\": null,\n  \"bias\": \"none\",\n"
                                "  \"fan_in_fan_out\": false,\n  \"inference_mode\": true,\n"
                                "  \"init_lora_weights\": true,\n"));
    FGTI_TRY(adapter_config_put_number(out, "  \"lora_alpha\": ", a->opts.alpha));
    FGTI_TRY(adapter_config_put_number(out, ",\n  \"lora_dropout\": ", a->opts.dropout));
    FGTI_TRY(fgti_text_put(out, ",\n  \"modules_to_save\": "));
    FGTI_TRY(has_whole(a) ? adapter_config_put_names(a, true, out) : fgti_text_put(out, "null"));
    FGTI_TRY(fgti_text_put(out, ",\n  \"peft_type\": \"LORA\""));
    FGTI_TRY(adapter_config_put_number(out, ",\n  \"r\": ", (double)a->opts.rank));
    FGTI_TRY(fgti_text_put(out, ",\n  \"target_modules\": "));
    FGTI_TRY(adapter_config_put_names(a, false, out));
    return fgti_text_put(out, ",\n  \"task_type\": null\n}\n");
}

/* ---- reading ---- */

/* Keys that change the meaning of the tensors, with the values that are supported. All other keys concern
 * training, or parts of a model that the names of the tensors show anyway. */
static const struct {
    const char *key, *allowed; /* allowed: the values as the file has them, each after a blank */
} fixed[] = {
    {"peft_type", " \"LORA\""},
    {"bias", " \"none\""},
    {"use_dora", " false null"},
    {"lora_bias", " false null"},
    {"fan_in_fan_out", " false null"},
    {"use_qalora", " false null"},
    {"use_bdlora", " false null"},
    {"init_lora_weights", " true false null \"gaussian\" \"eva\" \"orthogonal\""}, /* other values change W */
    {"rank_pattern", " {} null"},
    {"alpha_pattern", " {} null"},
    {"layer_replication", " [] null"},
    {"trainable_token_indices", " [] null"},
    {"target_parameters", " [] null"},
    {"alora_invocation_tokens", " [] null"},
};

/* The text of a value in the file. */
typedef struct piece {
    const char *s;
    size_t      size;
} piece;

static bool is_allowed(piece v, const char *allowed)
{
    char word[32];
    if (v.size >= sizeof word - 2) return false;
    snprintf(word, sizeof word, " %.*s", (int)v.size, v.s);
    const char *at = strstr(allowed, word);
    return at && (at[v.size + 1] == ' ' || !at[v.size + 1]);
}

/* Reads a value that is only a number. */
static bool adapter_config_number_of(piece v, double *out)
{
    char        word[FGTI_NUMBER_TEXT_MAX];
    const char *p = word;
    if (v.size >= sizeof word) return false;
    snprintf(word, sizeof word, "%.*s", (int)v.size, v.s);
    return fgti_number_read(&p, out) && !*p;
}

typedef struct config {
    fgti_error *err;
    const char *path;
    double      rank, alpha, dropout;
    bool        lora, root; /* lora: peft_type was found; root: the scale is s = alpha / sqrt(r) */
} config;

static fgt_status take_pair(config *c, fgti_json_text key, piece v)
{
    static const char *const numbers[] = {"r", "lora_alpha", "lora_dropout"};
    double *const            to[]      = {&c->rank, &c->alpha, &c->dropout};
    for (int i = 0; i < 3; i++)
        if (fgti_json_equal(key, numbers[i]) && !adapter_config_number_of(v, to[i]))
            return fgti_fail(c->err, FGT_E_FORMAT, "%.120s: \"%s\" is not a number", c->path, numbers[i]);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (!fgti_json_equal(key, fixed[i].key)) continue;
        c->lora |= i == 0;
        if (!is_allowed(v, fixed[i].allowed))
            return fgti_fail(c->err, FGT_E_UNSUPPORTED, "%.120s: \"%s\" is not supported (got %.*s, need%s)",
                             c->path, fixed[i].key, (int)(v.size < 40 ? v.size : 40), v.s, fixed[i].allowed);
    }
    if (fgti_json_equal(key, "use_rslora")) c->root = is_allowed(v, " true");
    return FGT_OK;
}

static fgt_status adapter_config_finish(const config *c, fgt_adapter_opts *o)
{
    if (!c->lora) return fgti_fail(c->err, FGT_E_FORMAT, "%.120s: \"peft_type\" is missing", c->path);
    if (!(c->rank >= 1 && c->rank <= 1 << 16 && c->rank == floor(c->rank)))
        return fgti_fail(c->err, FGT_E_FORMAT,
                         "%.120s: \"r\" is missing or wrong (need a whole number, 1 .. 65536)", c->path);
    const double alpha = c->root ? c->alpha * sqrt(c->rank) : c->alpha;
    if (!(alpha > 0 && alpha <= FGTI_ALPHA_MOST))
        return fgti_fail(c->err, FGT_E_FORMAT,
                         "%.120s: \"lora_alpha\" is missing or out of range (need 0 .. %g)", c->path,
                         FGTI_ALPHA_MOST);
    if (!(c->dropout >= 0 && c->dropout < 1))
        return fgti_fail(c->err, FGT_E_FORMAT,
                         "%.120s: \"lora_dropout\" is out of range (got %g, need 0 .. 1)", c->path,
                         c->dropout);
    o->rank    = (int64_t)c->rank;
    o->alpha   = alpha;
    o->dropout = c->dropout;
    return FGT_OK;
}

fgt_status fgti_peft_config_read(fgti_error *err, const char *path, const char *text, int64_t size,
                                 fgt_adapter_opts *opts)
{
    config         c = {.err = err, .path = path, .alpha = -1};
    fgti_json      j = {.text = text, .size = (size_t)size};
    fgti_json_text key;
    bool           good = fgti_json_open(&j, '{');
    for (int64_t n = 0; good && fgti_json_next(&j, '}', &n);) {
        size_t begin;
        good = fgti_json_key(&j, &key) && fgti_json_skip(&j, &begin);
        if (good) FGTI_TRY(take_pair(&c, key, (piece){text + begin, j.at - begin}));
    }
    if (!good || !fgti_json_end(&j))
        return fgti_fail(err, FGT_E_FORMAT, "%.120s: byte %zu: %s", path, j.at,
                         j.reason ? j.reason : "malformed");
    return adapter_config_finish(&c, opts);
}
