/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the parameters that an adapter changes, and sets the sizes of their factors. */
#include "model/adapter/adapter_choose.h"

#include <stdio.h>
#include <string.h>

#include "model/adapter_types.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "model/params.h"

bool fgti_adapter_is_table(const fgti_layer *l)
{
    return !strcmp(l->cls->name, "embedding");
}

/* Decides by the name only, so that layers of the host can be adapted, too. The rows of a class token are not
 * a map. */
bool fgti_adapter_fits(const fgti_layer *l, const fgti_param *p)
{
    const char *dot = strrchr(p->full_name, '.');
    if (fgti_adapter_is_table(l)) return true;
    if (!strcmp(l->cls->name, "class_token")) return false;
    if (fgti_input_is_ids(l->cls, 0) || p->rank < 2 || p->rank > 3) return false;
    /* "weight" may also be inside the last part of the name: "in_proj_weight", "weight_ih_l0" */
    return strstr(dot ? dot + 1 : p->full_name, "weight") != NULL;
}

static bool adapter_is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list)) return true;
    return false;
}

void fgti_adapter_set_sizes(fgti_graft *g)
{
    /* in an S4 block only the output map has three axes: it is a convolution of length 1 */
    static const char *const in_out[] = {"gcn", "fighter", "embedding", NULL};
    static const char *const convs[]  = {"conv", "s4", NULL};
    const fgti_param        *p        = g->base;
    const bool               conv     = p->rank == 3 && adapter_is_one_of(g->layer->cls->name, convs);
    const int64_t           *last     = p->shape + p->rank - 2;
    g->flipped                        = adapter_is_one_of(g->layer->cls->name, in_out) &&
                 !(p->rank == 2 && !strcmp(g->layer->cls->name, "fighter")); /* wq and wk are (out,in) */
    g->maps = p->rank == 3 && !conv ? p->shape[0] : 1;
    g->out  = conv ? p->shape[0] : g->flipped ? last[1] : last[0];
    g->in   = conv ? p->count / p->shape[0] : g->flipped ? last[0] : last[1];
}

void fgti_adapter_module(const fgti_param *p, char module[FGTI_NAME_MAX])
{
    static const char end[] = ".weight";
    const size_t      n     = strlen(p->full_name), m = sizeof end - 1;
    snprintf(module, FGTI_NAME_MAX, "%s", p->full_name);
    if (n > m && !strcmp(module + n - m, end)) module[n - m] = 0;
    if (!strcmp(module, end + 1))
        module[0] = 0; /* the name has only one part: the model is a single layer without a name */
}

/* Copies the next pattern of a list, and moves *list to the pattern after it. Returns false at the end of the
 * list. */
static bool next_pattern(const char **list, char pattern[FGTI_NAME_MAX])
{
    if (!*list || !**list) return false;
    const size_t n    = strcspn(*list, ",");
    const size_t kept = n < FGTI_NAME_MAX ? n : FGTI_NAME_MAX - 1;
    memcpy(pattern, *list, kept);
    pattern[kept] = 0;
    *list += n + ((*list)[n] == ',');
    return true;
}

static bool adapter_is_named(const char *list, const char *name)
{
    char pattern[FGTI_NAME_MAX];
    while (next_pattern(&list, pattern))
        if (fgti_name_matches(pattern, name)) return true;
    return false;
}

fgt_status fgti_adapter_choose(void *user, const fgti_layer *l, const fgti_param *p, fgti_graft_kind *kind)
{
    const fgti_adapter *a = user;
    *kind                 = FGTI_GRAFT_NONE;
    if (a->opts.whole && adapter_is_named(a->opts.whole, p->full_name)) {
        if (fgti_input_is_ids(l->cls, 0))
            return fgti_fail(
                &a->ctx->error, FGT_E_UNSUPPORTED,
                "adapter \"%.60s\": %.100s is a table of ids, which cannot be trained as a whole", a->name,
                p->full_name);
        *kind = FGTI_GRAFT_WHOLE;
    } else if (fgti_adapter_fits(l, p) && (a->opts.pattern ? adapter_is_named(a->opts.pattern, p->full_name)
                                                           : !fgti_adapter_is_table(l))) {
        *kind = FGTI_GRAFT_ADAPTED;
    }
    return FGT_OK;
}

/* Checks that each pattern of a list matches at least one parameter. */
static fgt_status adapter_check_list(const fgti_adapter *a, const char *list, bool whole)
{
    char pattern[FGTI_NAME_MAX];
    while (next_pattern(&list, pattern)) {
        int64_t i = 0;
        while (i < a->grafts && !(a->graft[i].whole == whole &&
                                  fgti_name_matches(pattern, a->graft[i].base->full_name)))
            i++;
        if (i == a->grafts)
            return fgti_fail(&a->ctx->error, FGT_E_NAME, "adapter \"%.60s\": %s matches \"%.100s\"", a->name,
                             whole ? "no parameter" : "no matrix that can be adapted", pattern);
    }
    return FGT_OK;
}

fgt_status fgti_adapter_check_patterns(const fgti_adapter *a)
{
    FGTI_TRY(adapter_check_list(a, a->opts.pattern, false));
    FGTI_TRY(adapter_check_list(a, a->opts.whole, true));
    if (a->grafts) return FGT_OK;
    return fgti_fail(&a->ctx->error, FGT_E_NAME, "adapter \"%.60s\": pattern and whole select no parameter",
                     a->name);
}

/* ---- in model files ---- */

fgt_status fgti_adapter_write_names(const fgti_adapter *a, bool whole, fgti_text *to)
{
    for (int64_t i = 0; i < a->grafts; i++)
        if (a->graft[i].whole == whole) FGTI_TRY(fgti_names_put(to, a->graft[i].base->full_name));
    return fgti_names_end(to);
}

/* A search for names that are in the order of the parameters. next: the parameter after the one found
 * last. */
typedef struct search {
    const fgt_model *model;
    fgti_graft_kind *kind, as; /* kind [parameters]: the kind of each; as: the kind of those that are found */
    int64_t          next;
} search;

static bool adapter_take_name(void *user, const char *name)
{
    search           *s = user;
    const fgti_layer *l;
    const fgti_param *p;
    while ((p = fgti_param_at(s->model, s->next, &l)) && strcmp(p->full_name, name) != 0) s->next++;
    if (!p || s->kind[s->next] != FGTI_GRAFT_NONE) return false;
    s->kind[s->next++] = s->as;
    return s->as == FGTI_GRAFT_WHOLE ? !fgti_input_is_ids(l->cls, 0) : fgti_adapter_fits(l, p);
}

static bool adapter_take_list(const fgt_model *m, const char *list, fgti_graft_kind as, fgti_graft_kind *kind)
{
    search s = {.model = m, .kind = kind, .as = as};
    return !list || (fgti_names_read(list, adapter_take_name, &s) && s.next);
}

fgt_status fgti_adapter_read_names(const fgt_model *model, const char *adapted, const char *whole,
                                   fgti_graft_kind **kind)
{
    FGTI_TRY(FGTI_NEW(model->ctx, fgti_params_count(model), "parameters of an adapter", kind));
    const bool good = adapter_take_list(model, adapted, FGTI_GRAFT_ADAPTED, *kind) &&
                      adapter_take_list(model, whole, FGTI_GRAFT_WHOLE, *kind);
    if (good && (adapted || whole)) return FGT_OK;
    fgti_free(model->ctx, *kind);
    *kind = NULL;
    return fgti_fail(&model->ctx->error, FGT_E_FORMAT,
                     "the adapter's entry is not a list of parameters of the model in their order");
}

fgt_status fgti_adapter_choose_named(void *user, const fgti_layer *l, const fgti_param *p,
                                     fgti_graft_kind *kind)
{
    const fgti_graft_kind *named = user;
    *kind                        = named[l->first_param + (p - l->param)];
    return FGT_OK;
}
