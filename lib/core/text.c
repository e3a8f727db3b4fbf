/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fgt_status fgti_text_put(fgti_text *t, const char *s)
{
    const int64_t n = (int64_t)strlen(s);
    if (!t->s || t->length + n >= t->capacity) {
        const int64_t capacity = 2 * (t->length + n) + 64;
        char         *bigger;
        FGTI_TRY(fgti_alloc(t->ctx, capacity, 1, "text", (void **)&bigger));
        if (t->s) memcpy(bigger, t->s, (size_t)t->length);
        fgti_free(t->ctx, t->s);
        t->s        = bigger;
        t->capacity = capacity;
    }
    memcpy(t->s + t->length, s, (size_t)n + 1);
    t->length += n;
    return FGT_OK;
}

void fgti_text_done(fgti_text *t)
{
    fgti_free(t->ctx, t->s);
    *t = (fgti_text){.ctx = t->ctx};
}

/* Copies a number that snprintf() has written. snprintf() writes the decimal point of the locale, which may
 * have several bytes. So a run of characters that do not belong to a number becomes one point. */
static const char *with_point(const char *raw, char buf[FGTI_NUMBER_TEXT_MAX])
{
    char *out = buf;
    for (const char *p = raw; *p; p++) {
        const bool plain = strchr("0123456789+-abcdefxp", *p) != NULL;
        if (plain)
            *out++ = *p;
        else if (out == buf || out[-1] != '.')
            *out++ = '.';
    }
    *out = 0;
    return buf;
}

/* Whether the text `raw` gives the float v again, both to readers that round once (strtof) and to
 * fgti_number_read(), which reads a double that is rounded again to a float. */
static bool is_same_float(const char *raw, float v, char buf[FGTI_NUMBER_TEXT_MAX])
{
    const char *p = with_point(raw, buf);
    double      back;
    return strtof(raw, NULL) == v && fgti_number_read(&p, &back) && (float)back == v;
}

/* A float needs 6 to 9 digits, a double 15 to 17. Fewer digits are not tried, because %g leaves out zeros at
 * the end. `raw` is read in the locale in which it was written. */
const char *fgti_number_text(double v, char buf[FGTI_NUMBER_TEXT_MAX])
{
    char       raw[FGTI_NUMBER_TEXT_MAX];
    const bool whole = v == rint(v) && fabs(v) < 0x1p53, single = fabs(v) <= FLT_MAX && (float)v == v;
    if (!isfinite(v)) return isnan(v) ? "nan" : v < 0 ? "-inf" : "inf";
    if (whole) snprintf(raw, sizeof raw, "%.0f", v);
    for (int digits = single ? 6 : 15; !whole && digits <= (single ? 9 : 17); digits++) {
        snprintf(raw, sizeof raw, "%.*g", digits, v);
        if (single ? is_same_float(raw, (float)v, buf) : strtod(raw, NULL) == v) break;
    }
    return with_point(raw, buf);
}

const char *fgti_number_rounded(double v, int digits, char buf[FGTI_NUMBER_TEXT_MAX])
{
    char raw[FGTI_NUMBER_TEXT_MAX];
    snprintf(raw, sizeof raw, "%.*g", digits, v);
    return with_point(raw, buf);
}

const char *fgti_number_exact(double v, char buf[FGTI_NUMBER_TEXT_MAX])
{
    char        raw[FGTI_NUMBER_TEXT_MAX];
    const char *p = fgti_number_text(v, buf);
    double      back;
    if (fgti_number_read(&p, &back) && back == v) return buf;
    snprintf(raw, sizeof raw, "%a", v);
    return with_point(raw, buf);
}

static double power_of_ten(int e)
{
    double p = 1;
    for (int i = 0; i < e; i++) p *= 10;
    return p;
}

/* Reads the output of "%a" after the sign, such as 0x1.8p-3, without rounding. */
static bool read_hexadecimal(const char **s, double *v)
{
    static const char digits[] = "0123456789abcdef";
    const char       *p = *s + 2, *digit;
    double            m = 0;
    int               e = 0, x = 0, count = 0;
    for (bool point = false; (*p == '.' && !point) || (*p && (digit = strchr(digits, *p))); p++) {
        point |= *p == '.';
        if (*p == '.') continue;
        if (++count > 14) return false;
        m = 16 * m + (double)(digit - digits);
        e -= 4 * point;
    }
    if (!count || *p != 'p') return false;
    const int sign = p[1] == '-' ? -1 : 1;
    for (p += 1 + (p[1] == '-' || p[1] == '+'); *p >= '0' && *p <= '9' && x < 10000; p++)
        x = 10 * x + (*p - '0');
    *v = ldexp(m, e + sign * x);
    *s = p;
    return isfinite(*v);
}

/* Up to 17 digits after leading zeros are accepted, and powers of ten up to 22 are exact. So the 9 digits of
 * fgti_number_text() give the same float again. */
bool fgti_number_read(const char **s, double *v)
{
    const char *p     = *s;
    const bool  minus = *p == '-';
    double      m     = 0;
    int         e = 0, digits = 0;
    bool        point = false, any = false;
    p += minus;
    if (p[0] == '0' && p[1] == 'x') {
        if (!read_hexadecimal(&p, &m)) return false;
        *v = minus ? -m : m;
        *s = p;
        return true;
    }
    for (; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        digits += digits || *p != '0';
        if (digits > 17) return false;
        m = 10 * m + (*p - '0');
        e -= point;
    }
    if (!any) return false;
    if (*p == 'e' || *p == 'E') {
        const int sign = p[1] == '-' ? -1 : 1;
        int       x    = 0;
        for (p += 1 + (p[1] == '-' || p[1] == '+'); *p >= '0' && *p <= '9' && x < 1000; p++)
            x = 10 * x + (*p - '0');
        e += sign * x;
    }
    if (e < -60 || e > 60) return false;
    m  = e < 0 ? m / power_of_ten(-e) : m * power_of_ten(e);
    *v = minus ? -m : m;
    *s = p;
    return true;
}

/* RFC 3629, section 4: overlong forms, surrogates and values above U+10FFFF are malformed. */
size_t fgti_utf8_size(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    if (p[0] < 0x80) return 1;
    const size_t size = p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (size == 0 || left < size) return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F)) return 0;
    if ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F)) return 0;
    for (size_t i = 1; i < size; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    return size;
}

bool fgti_is_utf8(const char *s)
{
    for (size_t left = strlen(s), n; left > 0; s += n, left -= n)
        if ((n = fgti_utf8_size(s, left)) == 0) return false;
    return true;
}
