/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "output.h"
#include "program.h"

json_t *json_out_real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

double json_out_round(float v)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", (double)v);
    return strtod(text, NULL);
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
    case FLAG32: return json_boolean(*(const int32_t *)at);
    case TEXT: return *(const char *const *)at ? json_out_text(*(const char *const *)at) : json_null();
    case WORD: return json_string(t->words[*(const int64_t *)at]);
    case WORD32: return json_string(t->words[*(const int32_t *)at]);
    case REAL: return json_real(*(const double *)at);
    case REAL32: return json_real(json_out_round(*(const float *)at));
    default: return json_integer(*(const int64_t *)at);
    }
}

/* Whether an option is written with its value; all others are written as null. Flags, and words with "auto",
 * are always written with their value, because their default also says how the program runs. */
static bool is_given(const opt *t, const char *base)
{
    if (opt_is_flag(t) || (opt_has_words(t) && !strcmp(t->words[0], "auto"))) return true;
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

/* ---- text ---- */

static bool put_value(const json_t *v, int depth, FILE *out);

/* Writes the text `before` and the line break between two values of an object or array. */
static void put_break(const char *before, int depth, FILE *out)
{
    fprintf(out, "%s\n%*s", before, 2 * depth, "");
}

static bool put_object(json_t *all, int depth, FILE *out)
{
    const char *name, *before = "{";
    json_t     *v;
    json_object_foreach(all, name, v)
    {
        json_t *text = json_string(name);
        put_break(before, depth + 1, out);
        const bool good = put_value(text, 0, out) && fputs(": ", out) != EOF && put_value(v, depth + 1, out);
        json_decref(text);
        if (!good) return false;
        before = ",";
    }
    if (!json_object_size(all)) return fputs("{}", out) != EOF;
    put_break("", depth, out);
    return fputc('}', out) != EOF;
}

static bool put_array(const json_t *all, int depth, FILE *out)
{
    for (size_t i = 0; i < json_array_size(all); i++) {
        put_break(i ? "," : "[", depth + 1, out);
        if (!put_value(json_array_get(all, i), depth + 1, out)) return false;
    }
    if (!json_array_size(all)) return fputs("[]", out) != EOF;
    put_break("", depth, out);
    return fputc(']', out) != EOF;
}

/* Writes a real number with the fewest digits that are read back as v; Jansson would write 0.1 as
 * 0.10000000000000001. A real number in JSON must have a point or an exponent, so ".0" is added if needed. */
static bool put_real(double v, FILE *out)
{
    char text[NUMBER_TEXT];
    number_text(v, text);
    return fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0") > 0;
}

static bool put_value(const json_t *v, int depth, FILE *out)
{
    if (json_is_object(v)) return put_object((json_t *)v, depth, out);
    if (json_is_array(v)) return put_array(v, depth, out);
    if (json_is_real(v)) return put_real(json_real_value(v), out);
    return !json_dumpf(v, out, JSON_ENCODE_ANY);
}

bool json_out_print(json_t *all, FILE *out)
{
    const bool good = all && put_value(all, 0, out) && fputc('\n', out) != EOF && !fflush(out);
    json_decref(all);
    return good || complain("the JSON object could not be written");
}
