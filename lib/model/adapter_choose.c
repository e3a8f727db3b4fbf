/* SPDX-License-Identifier: BSD-3-Clause */
/* Which parameters an adapter changes, and what their matrices are. */
#include <stdio.h>
#include <string.h>

#include "model/adapter.h"
#include "model/model_impl.h"

bool fgti_adapter_is_table(const fgti_layer *l)
{
    return !strcmp(l->cls->name, "embedding");
}

/* By the name alone: hosts' layers take part. */
bool fgti_adapter_fits(const fgti_layer *l, const fgti_param *p)
{
    const char *dot = strrchr(p->full_name, '.');
    if (fgti_adapter_is_table(l)) return true;
    if (fgti_input_is_ids(l->cls, 0) || p->rank < 2 || p->rank > 3) return false;
    /* "weight" alone or as a part of the last part: "in_proj_weight", "weight_ih_l0" */
    return strstr(dot ? dot + 1 : p->full_name, "weight") != NULL;
}

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list)) return true;
    return false;
}

void fgti_adapter_set_sizes(fgti_graft *g)
{
    static const char *const in_out[] = {"gcn", "fighter", "embedding", NULL};
    const fgti_param        *p        = g->base;
    const bool               conv     = !strcmp(g->layer->cls->name, "conv");
    const int64_t           *last     = p->shape + p->rank - 2;
    g->flipped                        = is_one_of(g->layer->cls->name, in_out) &&
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
    if (!strcmp(module, end + 1)) module[0] = 0; /* a layer alone */
}

/* One of the patterns of a list; *list moves behind it. false: there are no more. */
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

static bool is_named(const char *list, const char *name)
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
    if (a->whole && is_named(a->whole, p->full_name)) {
        if (fgti_input_is_ids(l->cls, 0))
            return fgti_fail(
                &a->ctx->error, FGT_E_UNSUPPORTED,
                "adapter \"%.60s\": %.100s is a table of ids, which cannot be trained as a whole", a->name,
                p->full_name);
        *kind = FGTI_GRAFT_WHOLE;
    } else if (fgti_adapter_fits(l, p) &&
               (a->pattern ? is_named(a->pattern, p->full_name) : !fgti_adapter_is_table(l))) {
        *kind = FGTI_GRAFT_ADAPTED;
    }
    return FGT_OK;
}

/* Each pattern of a list matches something. */
static fgt_status check_list(const fgti_adapter *a, const char *list, bool whole)
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
    FGTI_TRY(check_list(a, a->pattern, false));
    FGTI_TRY(check_list(a, a->whole, true));
    if (a->grafts) return FGT_OK;
    return fgti_fail(&a->ctx->error, FGT_E_NAME, "adapter \"%.60s\": it trains nothing", a->name);
}

static fgt_status put_names(const fgti_adapter *a, bool whole, fgti_text *t)
{
    FGTI_TRY(fgti_text_put(t, ""));
    for (int64_t i = 0; i < a->grafts; i++) {
        if (a->graft[i].whole != whole) continue;
        if (t->length) FGTI_TRY(fgti_text_put(t, ","));
        FGTI_TRY(fgti_text_put(t, a->graft[i].base->full_name));
    }
    return FGT_OK;
}

fgt_status fgti_adapter_write_patterns(fgti_adapter *a)
{
    for (int whole = 0; whole < 2; whole++) {
        char     **to = whole ? &a->whole : &a->pattern;
        fgti_text  t  = {.ctx = a->ctx};
        fgt_status s  = put_names(a, whole != 0, &t);
        if (s == FGT_OK && (!whole || t.length)) {
            fgti_free(a->ctx, *to);
            *to = NULL;
            s   = fgti_strdup(a->ctx, t.s, to);
        }
        fgti_text_done(&t);
        FGTI_TRY(s);
    }
    a->opts.pattern = a->pattern;
    a->opts.whole   = a->whole;
    return FGT_OK;
}
