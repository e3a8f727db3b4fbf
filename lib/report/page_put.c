/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes texts and numbers as HTML and as JSON. */
#include "report/page_put.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 12 /* of numbers in pictures: smaller differences are not drawn */

static void put(fgti_sheet *s, const char *text)
{
    if (s->status == FGT_OK) s->status = fgti_text_put(&s->text, text);
}

static void put_part(fgti_sheet *s, const char *text, size_t n)
{
    char part[256];
    for (size_t size; n; text += size, n -= size) {
        size = n < sizeof part ? n : sizeof part - 1;
        memcpy(part, text, size);
        part[size] = 0;
        put(s, part);
    }
}

/* Escapes a text for use between tags, and in attributes with either kind of quotes. */
static void put_escaped(fgti_sheet *s, const char *text)
{
    static const char *const code[]    = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    static const char        special[] = "&<>\"'";
    while (*text) {
        const size_t n = strcspn(text, special);
        put_part(s, text, n);
        text += n;
        if (*text) put(s, code[strchr(special, *text++) - special]);
    }
}

/* No character is left that could end the script element, and no quote. Texts that are shown have no control
 * characters (report_names.c). */
static void put_json(fgti_sheet *s, const char *text)
{
    char code[8];
    put(s, "\"");
    while (*text) {
        const size_t n = strcspn(text, "\"\\<>&'");
        put_part(s, text, n);
        text += n;
        if (!*text) break;
        snprintf(code, sizeof code, "\\u%04x", (unsigned)(unsigned char)*text++);
        put(s, code);
    }
    put(s, "\"");
}

/* Three significant digits, or all digits before the point up to a million. */
static void put_rounded(fgti_sheet *s, double v)
{
    char         buf[FGTI_NUMBER_TEXT_MAX];
    const double size = fabs(v);
    put(s, size >= 100 && size < 1e6 ? fgti_number_text(rint(v), buf) : fgti_number_rounded(v, 3, buf));
}

void fgti_put(fgti_sheet *s, const char *format, ...)
{
    va_list args;
    char    number[24];
    va_start(args, format);
    while (*format && s->status == FGT_OK) {
        const size_t n = strcspn(format, "%");
        put_part(s, format, n);
        format += n;
        if (!*format) break;
        switch (format[1]) {
        case 's': put_escaped(s, va_arg(args, const char *)); break;
        case 'r': put(s, va_arg(args, const char *)); break;
        case 'j': put_json(s, va_arg(args, const char *)); break;
        case 'g': put_rounded(s, va_arg(args, double)); break;
        default: /* d */
            snprintf(number, sizeof number, "%lld", (long long)va_arg(args, int64_t));
            put(s, number);
            break;
        }
        format += 2;
    }
    va_end(args);
}

void fgti_put_numbers(fgti_sheet *s, const double *value, int64_t count)
{
    char buf[FGTI_NUMBER_TEXT_MAX];
    put(s, "[");
    for (int64_t i = 0; i < count; i++) {
        if (i) put(s, ",");
        put(s, isfinite(value[i]) ? fgti_number_rounded(value[i], DIGITS, buf) : "null");
    }
    put(s, "]");
}

void fgti_put_strings(fgti_sheet *s, const fgti_strings *list, int64_t count)
{
    put(s, "[");
    for (int64_t i = 0; i < count; i++) fgti_put(s, i ? ",%j" : "%j", fgti_strings_get(list, i));
    put(s, "]");
}

void fgti_put_base64(fgti_sheet *s, const uint8_t *bytes, int64_t count)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char              four[5] = {0};
    for (int64_t i = 0; i < count; i += 3) {
        const int64_t  left = count - i;
        const uint32_t v    = ((uint32_t)bytes[i] << 16) | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        for (int k = 0; k < 4; k++) four[k] = k <= left ? digit[(v >> (18 - 6 * k)) & 63] : '=';
        put(s, four);
    }
}

void fgti_begin_details(fgti_sheet *s, const char *kind, int64_t number, const char *what, const char *of)
{
    fgti_put(s, "<details id='%r-%d'><summary>The %s in numbers<span class='still'>%r%s</span></summary>",
             kind, number, what, *of ? ": " : "", of);
}

void fgti_begin_table(fgti_sheet *s, const char *const *heads)
{
    put(s, "<div class='scroll' tabindex='0'><table><thead><tr>");
    while (*heads) fgti_put(s, "<th scope='col'>%s</th>", *heads++);
    put(s, "</tr></thead><tbody>");
}

void fgti_end_table(fgti_sheet *s)
{
    put(s, "</tbody></table></div>");
}

static void put_cell(fgti_sheet *h, const fgti_column *c, int64_t i)
{
    if (c->names)
        fgti_put(h, "<th scope='row' class='name'>%s</th>", fgti_strings_get(c->names, i));
    else if (!c->value)
        fgti_put(h, "<th scope='row'>%d</th>", i + 1);
    else
        fgti_put(h, isfinite(c->value[i]) ? "<td>%g</td>" : "<td></td>", c->value[i]);
}

void fgti_put_columns(fgti_page *p, const fgti_column *column, int64_t rows, int64_t most)
{
    const char *heads[FGTI_COLUMNS + 1] = {NULL};
    for (int k = 0; column[k].head; k++) {
        heads[k] = column[k].head;
        if (!column[k].key) continue;
        fgti_put(&p->json, ",%j:", column[k].key);
        if (column[k].names)
            fgti_put_strings(&p->json, column[k].names, rows);
        else
            fgti_put_numbers(&p->json, column[k].value, rows);
    }
    fgti_begin_table(&p->html, heads);
    for (int64_t i = 0; i < rows && i < most; i++) {
        fgti_put(&p->html, "<tr>");
        for (int k = 0; column[k].head; k++) put_cell(&p->html, &column[k], i);
        fgti_put(&p->html, "</tr>\n");
    }
    fgti_end_table(&p->html);
    if (rows > most) fgti_put(&p->html, "<p>The first %d of %d.</p>", most, rows);
}

const char *fgti_comma(int64_t i)
{
    return i ? ",\n" : "";
}

const char *fgti_page_text(const fgti_page *p, int64_t i)
{
    return i < 0 ? "" : fgti_strings_get(&p->r->text.shown, i);
}
