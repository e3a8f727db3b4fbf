/* SPDX-License-Identifier: BSD-3-Clause */
/* Layers are called by name. Who calls one that is not there is told which there are. */
#include <stdio.h>
#include <string.h>

#include "model/model_impl.h"

/* So many names are listed at most; with the longest labels that is half of what a sentence has room for. */
#define LISTED 4

fgti_layer *fgti_model_find(const fgt_model *model, const char *name)
{
    for (int64_t i = 0; name && i < model->layers; i++)
        if (!strcmp(model->layer[i]->name, name)) return model->layer[i];
    return NULL;
}

fgt_status fgti_model_list(const fgt_model *model, fgti_error *err, fgt_status s,
                           bool (*fits)(const fgti_layer *l))
{
    int64_t count = 0, listed = 0;
    size_t  at = strlen(err->text);
    char    label[FGTI_ST_LABEL];
    for (int64_t i = 0; i < model->layers; i++) count += !fits || fits(model->layer[i]);
    const char *between = count == 0 ? "; there is none" : count == 1 ? "; there is " : "; there are ";
    if (!count) at += (size_t)snprintf(err->text + at, sizeof err->text - at, "%s", between);
    for (int64_t i = 0; i < model->layers && listed < LISTED && at < sizeof err->text; i++) {
        if (fits && !fits(model->layer[i])) continue;
        at += (size_t)snprintf(err->text + at, sizeof err->text - at, "%s\"%s\"", between,
                               fgti_st_label(model->layer[i]->name, label));
        between = ", ";
        listed++;
    }
    if (listed < count && at < sizeof err->text)
        snprintf(err->text + at, sizeof err->text - at, " and %lld more", (long long)(count - listed));
    return s;
}

fgt_status fgti_model_need(const fgt_model *model, fgti_error *err, const char *name,
                           const fgti_layer **layer)
{
    *layer = fgti_model_find(model, name);
    if (*layer) return FGT_OK;
    fgti_fail(err, FGT_E_NAME, "no layer \"%.60s\"", name ? name : "NULL");
    return fgti_model_list(model, err, FGT_E_NAME, NULL);
}

/* ---- patterns ---- */

/* '*' stands for any bytes, also none. After a mismatch the last star takes one byte more. */
static bool matches(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name    = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

bool fgti_name_matches(const char *pattern, const char *name)
{
    const size_t n = strlen(pattern);
    return n && pattern[n - 1] == '.' ? !strncmp(pattern, name, n) : matches(pattern, name);
}
