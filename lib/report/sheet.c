/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes names and numbers as HTML and as JSON. */
#include "report/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/tensor.h"
#include "text/utf8.h"

#define DIGITS 12 /* significant digits of numbers in the data; smaller differences are not drawn */

/* ---- names ---- */

/* Writes the character at p in visible form. A control character becomes its picture. Invalid bytes,
 * noncharacters, and characters that change the direction of text become U+FFFD. Returns the number of bytes
 * written. */
static size_t sheet_show(const char *p, int64_t size, bool valid, char *out)
{
    const unsigned char *s = (const unsigned char *)p;
    if (valid && size == 1 && (s[0] < 0x20 || s[0] == 0x7f)) { /* U+2400 .. U+2421 */
        memcpy(out, "\xe2\x90\x80", 3);
        out[2] = (char)(0x80 + (s[0] < 0x20 ? s[0] : 0x21));
        return 3;
    }
    const bool c1 = size == 2 && s[0] == 0xc2 && s[1] < 0xa0;
    const bool turns =
        size == 3 && s[0] == 0xe2 &&
        ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) || (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
    const bool none = size >= 3 && s[size - 2] == 0xbf && s[size - 1] >= 0xbe &&
                      (size == 3 ? s[0] == 0xef : (s[1] & 0x0f) == 0x0f); /* U+FFFE, U+1FFFF ... */
    valid = valid && !c1 && !turns && !none;
    memcpy(out, valid ? p : "\xef\xbf\xbd", valid ? (size_t)size : 3);
    return valid ? (size_t)size : 3;
}

const char *fgti_shown(const char *name, int64_t most, char *out)
{
    const int64_t n  = name ? (int64_t)strlen(name) : 0;
    size_t        at = 0;
    for (int64_t i = 0, characters = 0, size; i < n; i += size, characters++) {
        bool valid;
        if (characters == most) {
            memcpy(out + at, "\xe2\x80\xa6", 3); /* an ellipsis */
            at += 3;
            break;
        }
        size = fgti_utf8_next(name + i, n - i, &valid);
        at += sheet_show(name + i, size, valid, out + at);
    }
    out[at] = 0;
    return out;
}

/* ---- texts and numbers ---- */

static void sheet_put(fgti_sheet *s, const char *text)
{
    if (s->status == FGT_OK) s->status = fgti_text_put(&s->text, text);
}

/* Writes a name, either for use between tags and in attributes with either kind of quotes, or (json) in a
 * string of JSON that may be inside a script element. */
static void sheet_put_name(fgti_sheet *s, const char *name, int64_t most, bool json)
{
    static const char        special[] = "&<>\"'\\";
    static const char *const html[]    = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "\\"};
    char                     shown[FGTI_SHOWN_BYTES(FGTI_SHOWN_ABOUT)], code[8] = {0};
    for (const char *p = fgti_shown(name, most, shown); *p; p++) {
        const char *at = strchr(special, *p);
        if (at && json)
            snprintf(code, sizeof code, "\\u%04x", (unsigned)*at);
        else
            memcpy(code, (char[]){*p, 0}, 2);
        sheet_put(s, at && !json ? html[at - special] : code);
    }
}

/* Writes a number with three significant digits, or with all digits before the point up to a million. */
static void sheet_put_rounded(fgti_sheet *s, double v)
{
    char         buf[FGTI_NUMBER_TEXT_MAX];
    const double size = fabs(v);
    sheet_put(s, size >= 100 && size < 1e6 ? fgti_number_text(rint(v), buf) : fgti_number_rounded(v, 3, buf));
}

void fgti_put(fgti_sheet *s, const char *format, ...)
{
    va_list args;
    char    text[24];
    va_start(args, format);
    for (; *format && s->status == FGT_OK; format++) {
        const char    letter = *format == '%' ? *++format : 0;
        const int64_t most   = letter == 'S' || letter == 'J' ? FGTI_SHOWN_ABOUT : FGTI_SHOWN_NAME;
        switch (letter) {
        case 's':
        case 'S': sheet_put_name(s, va_arg(args, const char *), most, false); break;
        case 'j':
        case 'J':
            sheet_put(s, "\"");
            sheet_put_name(s, va_arg(args, const char *), most, true);
            sheet_put(s, "\"");
            break;
        case 'r': sheet_put(s, va_arg(args, const char *)); break;
        case 'g': sheet_put_rounded(s, va_arg(args, double)); break;
        case 'd':
            snprintf(text, sizeof text, "%lld", (long long)va_arg(args, int64_t));
            sheet_put(s, text);
            break;
        default: sheet_put(s, (char[]){*format, 0}); break;
        }
    }
    va_end(args);
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
        sheet_put(s, four);
    }
}

/* ---- columns ---- */

static double sheet_value(const fgti_column *c, int64_t i)
{
    const double v = c->from ? fgti_view_get(c->from, i) : NAN;
    return fabs(v) <= FGTI_SHOWN_FAR ? v : NAN;
}

/* Writes an element of an array of JSON. */
static void sheet_put_element(fgti_sheet *s, const fgti_column *c, int64_t i)
{
    char buf[FGTI_NUMBER_TEXT_MAX];
    if (c->kind == FGTI_COLUMN_NAMES)
        fgti_put(s, "%j", fgti_strings_get(c->from, i));
    else if (isnan(sheet_value(c, i)))
        sheet_put(s, "null");
    else if (c->rounded)
        sheet_put_rounded(s, sheet_value(c, i));
    else
        sheet_put(s, fgti_number_rounded(sheet_value(c, i), DIGITS, buf));
}

static void sheet_put_span(fgti_sheet *h, const int64_t *span, int64_t i)
{
    const int64_t first = span[0] - i * span[1], last = first - span[1] + 1;
    fgti_put(h, "<th scope='row'>\xe2\x88\x92%d", first);
    if (span[1] > 1 && first > 1) fgti_put(h, "\xe2\x80\xa6\xe2\x88\x92%d", last > 1 ? last : (int64_t)1);
    sheet_put(h, "</th>");
}

static void sheet_put_cell(fgti_sheet *h, const fgti_column *c, int64_t i)
{
    switch (c->kind) {
    case FGTI_COLUMN_PLACES: fgti_put(h, "<th scope='row'>%d</th>", i + 1); break;
    case FGTI_COLUMN_SPANS: sheet_put_span(h, c->from, i); break;
    case FGTI_COLUMN_NAME: fgti_put(h, "<td class='name'>%s</td>", (const char *)c->from); break;
    case FGTI_COLUMN_NAMES:
        fgti_put(h, "<th scope='row' class='name'>%s</th>", fgti_strings_get(c->from, i));
        break;
    case FGTI_COLUMN_NUMBERS:
        fgti_put(h, isnan(sheet_value(c, i)) ? "<td></td>" : "<td>%g</td>", sheet_value(c, i));
        break;
    }
}

void fgti_put_rows(fgti_sheets *p, const fgti_column *columns, int count, int64_t rows, int64_t most)
{
    fgti_sheet *h = &p->tables;
    for (int k = 0; k < count; k++) {
        if (!columns[k].key) continue;
        fgti_put(&p->data, ",\"%r\":[", columns[k].key);
        for (int64_t i = 0; i < rows; i++) {
            if (i) sheet_put(&p->data, ",");
            sheet_put_element(&p->data, &columns[k], i);
        }
        sheet_put(&p->data, "]");
    }
    for (int64_t i = 0; i < rows && i < most; i++) {
        sheet_put(h, "<tr>");
        for (int k = 0; k < count; k++)
            if (columns[k].head) sheet_put_cell(h, &columns[k], i);
        sheet_put(h, "</tr>\n");
    }
    if (most && rows > most)
        fgti_put(h, "<tr><td class='name' colspan='%d'>The first %d of %d.</td></tr>\n", (int64_t)count, most,
                 rows);
}

void fgti_begin_table(fgti_sheet *s, const fgti_column *columns, int count)
{
    sheet_put(s, "<div class='scroll' tabindex='0'><table><thead><tr>");
    for (int k = 0; k < count; k++) fgti_put(s, "<th scope='col'>%s</th>", columns[k].head);
    sheet_put(s, "</tr></thead><tbody>");
}

void fgti_end_table(fgti_sheet *s)
{
    sheet_put(s, "</tbody></table></div>");
}

void fgti_put_table(fgti_sheets *p, const fgti_column *columns, int count, int64_t rows, int64_t most)
{
    fgti_begin_table(&p->tables, columns, count);
    fgti_put_rows(p, columns, count, rows, most);
    fgti_end_table(&p->tables);
}

void fgti_begin_details(fgti_sheet *s, const char *kind, int64_t number, const char *what, const char *of)
{
    fgti_put(s, "<details id='%r-%d'><summary>The %s in numbers<span class='still'>%r%S</span></summary>",
             kind, number, what, of && *of ? ": " : "", of);
}

/* ---- parts ---- */

void fgti_sheets_begin(fgt_context *ctx, fgti_sheets *p)
{
    *p = (fgti_sheets){.data.text.ctx = ctx, .tables.text.ctx = ctx};
}

fgt_status fgti_sheets_status(const fgti_sheets *p)
{
    return p->data.status != FGT_OK ? p->data.status : p->tables.status;
}

void fgti_sheets_done(fgti_sheets *p)
{
    fgti_text_done(&p->data.text);
    fgti_text_done(&p->tables.text);
}
