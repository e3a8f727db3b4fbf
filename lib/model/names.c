/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds layers by name. If no layer has the name, the error lists names that exist. */
#include "model/names.h"

#include <stdio.h>
#include <string.h>

#include "model/files/json.h"
#include "model/files/safetensors.h"
#include "model/model_impl.h"

/* Most names that an error lists. Even the longest names then take only half of an error text. */
#define LISTED 4

fgti_layer *fgti_model_find(const fgt_model *model, const char *name)
{
    const int64_t i = name ? fgti_words_find(&model->names, name, (int64_t)strlen(name)) : -1;
    return i >= 0 ? model->layer[i] : NULL;
}

fgt_status fgti_model_list(const fgt_model *model, fgti_error *err, fgt_status s,
                           bool (*fits)(const fgti_layer *l))
{
    int64_t count = 0, listed = 0;
    size_t  at = strlen(err->text);
    char    label[FGTI_ST_LABEL];
    for (int64_t i = 0; i < model->layers; i++) count += !fits || fits(model->layer[i]);
    const char *between = count == 0 ? "; no such layer exists" : count == 1 ? "; there is " : "; there are ";
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

/* '*' in a pattern matches any bytes, also no bytes. After a mismatch the last star takes one more byte. */
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

/* ---- lists in files ---- */

fgt_status fgti_names_put(fgti_text *list, const char *name)
{
    char quoted[6 * FGTI_NAME_MAX + 3]; /* an escape, such as \u001f, has at most six bytes */
    FGTI_TRY(fgti_text_put(list, list->length ? "," : "["));
    quoted[fgti_json_quote(name, quoted)] = 0;
    return fgti_text_put(list, quoted);
}

fgt_status fgti_names_end(fgti_text *list)
{
    return list->length ? fgti_text_put(list, "]") : FGT_OK;
}

bool fgti_names_read(const char *list, bool (*take)(void *user, const char *name), void *user)
{
    fgti_json      j    = {.text = list, .size = strlen(list)};
    bool           good = fgti_json_open(&j, '[');
    fgti_json_text text;
    char           name[FGTI_NAME_MAX];
    for (int64_t n = 0; good && fgti_json_next(&j, ']', &n);) {
        good = fgti_json_string(&j, &text) && text.size < sizeof name;
        if (!good) break;
        fgti_json_decode(text, name);
        good = take(user, name);
    }
    return good && fgti_json_end(&j);
}
