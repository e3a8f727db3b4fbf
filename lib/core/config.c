/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/config.h"

#include <math.h>
#include <string.h>

fgt_status fgti_config_write(fgti_text *t, const fgti_opt *table, const void *opts)
{
    char number[FGTI_NUMBER_TEXT_MAX];
    FGTI_TRY(fgti_text_put(t, ""));
    for (const fgti_opt *o = table; o->name; o++) {
        const double v = fgti_opt_get(o, opts);
        if (v == 0) continue;
        if (t->length) FGTI_TRY(fgti_text_put(t, " "));
        FGTI_TRY(fgti_text_put(t, o->name));
        FGTI_TRY(fgti_text_put(t, "="));
        FGTI_TRY(fgti_text_put(
            t, o->kind == FGTI_OPT_F64 ? fgti_number_exact(v, number) : fgti_number_text(v, number)));
    }
    return FGT_OK;
}

static const fgti_opt *config_find(const fgti_opt *table, const char *name, size_t n)
{
    for (const fgti_opt *o = table; o->name; o++)
        if (strlen(o->name) == n && !memcmp(o->name, name, n)) return o;
    return NULL;
}

/* Whether `text` has "name=" before p. A linear search is enough: a table has few names. */
static bool given_before(const char *text, const char *p, size_t n)
{
    for (const char *q = text; q < p; q += strcspn(q, " ") + 1)
        if (!memcmp(q, p, n + 1)) return true;
    return false;
}

/* Half a step above the largest float: smaller numbers round to a finite float. */
#define BEYOND_FLOAT 0x1.ffffffp127

static bool config_is_whole(const fgti_opt *o)
{
    return o->kind == FGTI_OPT_I64 || o->kind == FGTI_OPT_ENUM || o->kind == FGTI_OPT_BOOL;
}

fgt_status fgti_config_read(fgti_error *err, const fgti_opt *table, const char *text, void *opts)
{
    const char *p = text;
    while (*p) {
        const size_t    n = strcspn(p, "= ");
        const fgti_opt *o = config_find(table, p, n);
        double          v;
        if (p[n] != '=') return fgti_fail(err, FGT_E_FORMAT, "malformed options \"%.60s\"", text);
        if (!o)
            return fgti_fail(err, FGT_E_VERSION, "option \"%.*s\" is from a later version",
                             (int)(n < 40 ? n : 40), p);
        if (given_before(text, p, n))
            return fgti_fail(err, FGT_E_FORMAT, "option %s is given twice", o->name);
        p += n + 1;
        if (!fgti_number_read(&p, &v) || (*p && *p != ' '))
            return fgti_fail(err, FGT_E_FORMAT, "malformed options \"%.60s\"", text);
        if (config_is_whole(o) && v != rint(v))
            return fgti_fail(err, FGT_E_FORMAT, "option %s is wrong (got %g, need a whole number)", o->name,
                             v);
        /* fgti_opt_set() converts v to the type of the field. For a v outside the range of the type, this
         * conversion is undefined. */
        if (fabs(v) > FGTI_OPT_SIZE_MAX && !(v >= o->min && v <= o->max) && o->kind == FGTI_OPT_I64)
            return fgti_fail(err, FGT_E_FORMAT, "option %s is out of range (got %g)", o->name, v);
        if (fabs(v) > INT32_MAX && (o->kind == FGTI_OPT_ENUM || o->kind == FGTI_OPT_BOOL))
            return fgti_fail(err, FGT_E_FORMAT, "option %s is out of range (got %g)", o->name, v);
        if (fabs(v) >= BEYOND_FLOAT && o->kind == FGTI_OPT_F32)
            return fgti_fail(err, FGT_E_FORMAT, "option %s is out of range (got %g)", o->name, v);
        fgti_opt_set(o, opts, v);
        if (*p == ' ') p++;
    }
    return FGT_OK;
}
