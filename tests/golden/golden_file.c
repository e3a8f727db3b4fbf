/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

/* ---- verdicts ---- */

static void settle(golden *g, golden_verdict verdict, const char *format, va_list args)
{
    if (g->mismatches == 0) {
        g->verdict = verdict;
        vsnprintf(g->text, sizeof g->text, format, args);
    }
    longjmp(g->leave, 1);
}

void golden_fail(golden *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    settle(g, GOLDEN_FAIL, format, args);
    va_end(args);
    abort();
}

void golden_skip(golden *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    settle(g, GOLDEN_SKIP, format, args);
    va_end(args);
    abort();
}

void golden_ok(golden *g, fgt_status s)
{
    if (s != FGT_OK) golden_fail(g, "%s: %s", fgt_status_get_name(s), fgt_context_get_error(g->ctx));
}

void *golden_memory(golden *g, int64_t count, size_t size)
{
    void *p = g->blocks < GOLDEN_BLOCKS ? calloc((size_t)count + 1, size) : NULL;
    if (!p) golden_fail(g, "no memory for the test");
    g->block[g->blocks++] = p;
    return p;
}

const char *golden_name(golden *g, const char *format, ...)
{
    char   *text = golden_memory(g, GOLDEN_NAME, 1);
    va_list args;
    va_start(args, format);
    vsnprintf(text, GOLDEN_NAME, format, args);
    va_end(args);
    return text;
}

/* ---- tensors ---- */

bool golden_has(const golden *g, const char *tensor)
{
    return fgti_st_find(g->st, tensor) != NULL;
}

const fgti_st_tensor *golden_need(golden *g, const char *tensor)
{
    const fgti_st_tensor *t = fgti_st_find(g->st, tensor);
    if (!t) golden_fail(g, "the file has no tensor %s", tensor);
    return t;
}

int64_t golden_count(const fgti_st_tensor *t)
{
    return t->bytes / (int64_t)fgti_st_dtype_size(t->dtype);
}

static bool is_floating(const fgti_st_tensor *t)
{
    return t->dtype == FGTI_ST_F64 || t->dtype == FGTI_ST_F32 || t->dtype == FGTI_ST_F16 ||
           t->dtype == FGTI_ST_BF16;
}

double *golden_doubles(golden *g, const char *tensor)
{
    const fgti_st_tensor *t = golden_need(g, tensor);
    const int64_t         n = golden_count(t);
    double               *v = golden_memory(g, n, sizeof *v);
    if (is_floating(t))
        golden_ok(g, fgti_st_read_f64(g->ctx, g->st, tensor, t->rank, t->shape, v));
    else {
        int64_t *whole = golden_memory(g, n, sizeof *whole);
        golden_ok(g, fgti_st_read_i64(g->ctx, g->st, tensor, t->rank, t->shape, whole));
        for (int64_t i = 0; i < n; i++) v[i] = (double)whole[i];
    }
    g->used[t - g->st->tensors] = true;
    return v;
}

float *golden_floats(golden *g, const char *tensor)
{
    const double *v = golden_doubles(g, tensor);
    const int64_t n = golden_count(golden_need(g, tensor));
    float        *f = golden_memory(g, n, sizeof *f);
    for (int64_t i = 0; i < n; i++) f[i] = (float)v[i];
    return f;
}

double *golden_rows(golden *g, const char *tensor, int64_t rows, int64_t unit)
{
    const double *v    = golden_doubles(g, tensor);
    const int64_t n    = golden_count(golden_need(g, tensor));
    const int64_t have = unit > 0 && n % unit == 0 ? n / unit : 0;
    if (have == 0 || rows % have != 0)
        golden_fail(g, "tensor %s has %lld elements, expected %lld rows of %lld", tensor, (long long)n,
                    (long long)rows, (long long)unit);
    double *out = golden_memory(g, rows * unit, sizeof *out);
    for (int64_t r = 0; r < rows; r++)
        memcpy(out + r * unit, v + r / (rows / have) * unit, (size_t)unit * sizeof *out);
    return out;
}

/* ---- settings ---- */

const char *golden_meta(const golden *g, const char *key)
{
    return fgti_st_meta(g->st, key);
}

double golden_item(golden *g, const char *key, int i, double otherwise)
{
    const char *text = golden_meta(g, key), *p = text;
    if (!text) return otherwise;
    const bool list = *p == '[' || *p == '(';
    p += list;
    for (; list && i > 0 && *p; p++) i -= *p == ',';
    char        *end;
    const double v = strtod(p, &end);
    if (end == p || (*end && (!list || !strchr(",)]", *end))))
        golden_skip(g, "%s is %s, not a number", key, text);
    return v;
}

double golden_number(golden *g, const char *key, double otherwise)
{
    return golden_item(g, key, 0, otherwise);
}

bool golden_flag(const golden *g, const char *key)
{
    const char *text = golden_meta(g, key);
    return text && (!strcmp(text, "True") || !strcmp(text, "true") || !strcmp(text, "1"));
}

double golden_after(const char *text, const char *mark, double otherwise)
{
    const char *p = text ? strstr(text, mark) : NULL;
    if (!p) return otherwise;
    p += strlen(mark);
    char        *end;
    const double v = strtod(p, &end);
    return end == p ? otherwise : v;
}

int32_t golden_act(golden *g, const char *text)
{
    static const struct {
        const char *name;
        int32_t     act;
    } acts[] = {
        {"none", FGT_ACT_NONE}, {"identity", FGT_ACT_NONE},       {"relu", FGT_ACT_RELU},
        {"gelu", FGT_ACT_GELU}, {"gelu_tanh", FGT_ACT_GELU_TANH}, {"tanh", FGT_ACT_TANH},
        {"silu", FGT_ACT_SILU}, {"sigmoid", FGT_ACT_SIGMOID},     {"elu", FGT_ACT_ELU},
        {"softplus", FGT_ACT_SOFTPLUS},
    };
    size_t n = 0;
    if (!text) golden_skip(g, "the metadata name no activation");
    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strlen(acts[i].name) == n && !strncmp(acts[i].name, text, n))
            return acts[i].act == FGT_ACT_GELU && strstr(text, "tanh") ? FGT_ACT_GELU_TANH : acts[i].act;
    golden_skip(g, "activation %s", text);
}

/* ---- comparison ---- */

/* Whether the metadata list this gradient among those that are mathematically zero. */
static bool is_zero_gradient(const golden *g, const char *tensor)
{
    const char  *list = golden_meta(g, "zero_gradients"), *name = tensor + strlen("grad.");
    if (!list || strncmp(tensor, "grad.", strlen("grad.")) != 0) return false;
    const size_t n = strlen(name);
    for (const char *p = list; (p = strstr(p, name)); p += n)
        if ((p == list || strchr(" ,", p[-1])) && (p[n] == 0 || strchr(" ,", p[n]))) return true;
    return false;
}

static void compare(golden *g, const char *tensor, int64_t count, const float *got, bool gradient)
{
    const double *ref = golden_doubles(g, tensor);
    const int64_t n   = golden_count(golden_need(g, tensor));
    if (n != count)
        golden_fail(g, "tensor %s has %lld elements, the library's has %lld", tensor, (long long)n,
                    (long long)count);
    const bool zero = gradient && is_zero_gradient(g, tensor);
    double     top = 0, worst = 0;
    for (int64_t i = 0; i < n; i++) {
        const double error = fabs(zero ? got[i] : got[i] - ref[i]);
        top                = fmax(top, fabs(ref[i]));
        worst              = error > worst || isnan(error) ? error : worst;
    }
    const double allowed = zero ? 1e-4 * g->largest : gradient ? 1e-4 * top : 1e-5 * fmax(1, top);
    if (worst <= allowed) return;
    if (g->mismatches++ == 0)
        snprintf(g->text, sizeof g->text, "%s, error %.3g, allowed %.3g", tensor, worst, allowed);
    g->verdict = GOLDEN_FAIL;
}

void golden_forward_is(golden *g, const char *tensor, int64_t count, const float *got)
{
    compare(g, tensor, count, got, false);
}

void golden_gradient_is(golden *g, const char *tensor, int64_t count, const float *got)
{
    compare(g, tensor, count, got, true);
}
