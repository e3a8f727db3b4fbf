/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/page.h"

static void put(fgti_page *p, const char *s)
{
    if (p->status == FGT_OK) p->status = fgti_text_put(&p->text, s);
}

static void put_part(fgti_page *p, const char *s, size_t n)
{
    char part[256];
    for (size_t size; n; s += size, n -= size) {
        size = n < sizeof part ? n : sizeof part - 1;
        memcpy(part, s, size);
        part[size] = 0;
        put(p, part);
    }
}

/* Escapes a text for use between tags, and in attributes with either kind of quotes. */
static void put_escaped(fgti_page *p, const char *s)
{
    static const char *const code[]    = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    static const char        special[] = "&<>\"'";
    while (*s) {
        const size_t n = strcspn(s, special);
        put_part(p, s, n);
        s += n;
        if (*s) put(p, code[strchr(special, *s++) - special]);
    }
}

/* Writes a coordinate. It does not use printf(), whose decimal point depends on the locale. */
static void put_place(fgti_page *p, double v)
{
    char            buf[40];
    const long long tenths = llround(v * 10), whole = tenths < 0 ? -tenths : tenths;
    snprintf(buf, sizeof buf, whole % 10 ? "%s%lld.%lld" : "%s%lld", tenths < 0 ? "-" : "", whole / 10,
             whole % 10);
    put(p, buf);
}

/* Three significant digits, or all digits before the point up to a million. */
static void put_rounded(fgti_page *p, double v)
{
    char         buf[FGTI_NUMBER_TEXT_MAX];
    const double size = fabs(v);
    put(p, size >= 100 && size < 1e6 ? fgti_number_text(rint(v), buf) : fgti_number_rounded(v, 3, buf));
}

void fgti_put(fgti_page *p, const char *format, ...)
{
    va_list args;
    char    number[24];
    va_start(args, format);
    while (*format && p->status == FGT_OK) {
        const size_t n = strcspn(format, "%");
        put_part(p, format, n);
        format += n;
        if (!*format) break;
        switch (format[1]) {
        case 's': put_escaped(p, va_arg(args, const char *)); break;
        case 'r': put(p, va_arg(args, const char *)); break;
        case 'f': put_place(p, va_arg(args, double)); break;
        case 'g': put_rounded(p, va_arg(args, double)); break;
        case 'd':
            snprintf(number, sizeof number, "%lld", (long long)va_arg(args, int64_t));
            put(p, number);
            break;
        default: put(p, "%"); break; /* %% */
        }
        format += 2;
    }
    va_end(args);
}

void fgti_put_json(fgti_page *p, const char *s)
{
    char code[8];
    put(p, "\"");
    while (*s) {
        const size_t n = strcspn(s, "\"\\<>&'");
        put_part(p, s, n);
        s += n;
        if (!*s) break;
        snprintf(code, sizeof code, "\\u%04x", (unsigned)(unsigned char)*s++);
        put(p, code);
    }
    put(p, "\"");
}

void fgti_put_base64(fgti_page *p, const uint8_t *bytes, int64_t count)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char              four[5] = {0};
    for (int64_t i = 0; i < count; i += 3) {
        const int64_t  left = count - i;
        const uint32_t v    = ((uint32_t)bytes[i] << 16) | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        for (int k = 0; k < 4; k++) four[k] = k <= left ? digit[(v >> (18 - 6 * k)) & 63] : '=';
        put(p, four);
    }
}

const char *fgti_page_text(const fgti_page *p, int64_t i)
{
    return i < 0 ? "" : fgti_strings_get(&p->r->text.shown, i);
}

void fgti_put_start(fgti_page *p, const char *text, int64_t characters)
{
    char   start[256];
    size_t n = 0;
    while (text[n] && n < sizeof start - 8) {
        const bool first = ((unsigned char)text[n] & 0xc0) != 0x80; /* first byte of a character */
        if (first && characters-- == 0) break;
        start[n] = text[n];
        n++;
    }
    start[n] = 0;
    fgti_put(p, text[n] ? "%s\xe2\x80\xa6" : "%s", start);
}
