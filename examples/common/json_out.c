/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "program.h"

json_t *json_out_real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *json_out_text(const char *text)
{
    const size_t n    = strlen(text);
    char        *copy = malloc(n + 1);
    if (!copy) return NULL;
    program_name_text(text, n, copy, n + 1);
    json_t *j = json_string(copy);
    free(copy);
    return j;
}

static json_t *pack_option(const opt *t, const char *base)
{
    const void *at = base + t->at;
    switch (t->kind) {
    case FLAG: return json_boolean(*(const bool *)at);
    case TEXT: return *(const char *const *)at ? json_out_text(*(const char *const *)at) : json_null();
    case WORD: return json_string(t->words[*(const int64_t *)at]);
    case REAL: return json_real(*(const double *)at);
    default: return json_integer(*(const int64_t *)at);
    }
}

static bool is_given(const opt *t, const char *base)
{
    if (t->given) return *(const bool *)(base + t->given);
    if (t->kind == COUNT) return *(const int64_t *)(base + t->at) != 0;
    return t->kind != REAL || *(const double *)(base + t->at) != 0;
}

json_t *json_out_options(const command *c, const void *base)
{
    json_t *all = json_object();
    for (size_t g = 0; all && g < c->count; g++)
        for (size_t i = 0; i < c->groups[g].count; i++) {
            const opt  *t    = &c->groups[g].rows[i];
            const char *from = (const char *)base + c->groups[g].at;
            if (t->kind >= OWN) continue;
            if (!json_object_set_new(all, t->name, is_given(t, from) ? pack_option(t, from) : json_null()))
                continue;
            json_decref(all);
            return NULL;
        }
    return all;
}

bool json_out_print(json_t *all, FILE *out)
{
    const bool good = all && !json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) &&
                      fputc('\n', out) != EOF && !fflush(out);
    json_decref(all);
    return good || complain("the JSON object could not be written");
}
