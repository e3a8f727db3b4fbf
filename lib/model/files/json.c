/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/files/json.h"

#include <string.h>

#include "core/text.h"

bool fgti_json_fail(fgti_json *j, const char *reason)
{
    if (!j->reason) j->reason = reason;
    return false;
}

/* Skips white space and returns the next byte, without taking it; 0 at the end of the text or after an
 * error. */
static char peek(fgti_json *j)
{
    if (j->reason) return 0;
    while (j->at < j->size && j->text[j->at] && strchr(" \t\n\r", j->text[j->at])) j->at++;
    return j->at < j->size ? j->text[j->at] : 0;
}

static bool json_take(fgti_json *j, char c, const char *reason)
{
    if (peek(j) != c) return fgti_json_fail(j, reason);
    j->at++;
    return true;
}

bool fgti_json_open(fgti_json *j, char bracket)
{
    return json_take(j, bracket, bracket == '{' ? "expected '{'" : "expected '['");
}

bool fgti_json_next(fgti_json *j, char close, int64_t *n)
{
    const char c = peek(j);
    if (j->reason) return false;
    if (c == close) {
        j->at++;
        return false;
    }
    if ((*n)++ == 0) return true;
    return json_take(j, ',', close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
}

static bool read_hex(const char *p, size_t left, uint32_t *out)
{
    if (left < 4) return false;
    *out = 0;
    for (int i = 0; i < 4; i++) {
        const char c = p[i];
        const int  v = c >= '0' && c <= '9'   ? c - '0'
                       : c >= 'a' && c <= 'f' ? c - 'a' + 10
                       : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                              : -1;
        if (v < 0) return false;
        *out = *out << 4 | (uint32_t)v;
    }
    return true;
}

static size_t json_encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00u >> size & 0xFF) | c); /* the first byte begins with as many ones as the character
                                                   * has bytes */
    return size;
}

/* Decodes the escape after a backslash: one letter, or u and four hex digits. Two escapes that are a
 * surrogate pair give one character. Writes the character to out. Returns the number of bytes that were read;
 * 0: the escape is malformed. */
static size_t escape(const char *p, size_t left, char out[4], size_t *written)
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (left < 1 || p[0] == 0) return 0;
    const char *letter = strchr(letters, p[0]);
    if (letter) {
        out[0]   = values[letter - letters];
        *written = 1;
        return 1;
    }
    uint32_t c, low;
    if (p[0] != 'u' || !read_hex(p + 1, left - 1, &c) || c == 0) return 0;
    if (c < 0xD800 || c > 0xDFFF) {
        *written = json_encode(c, out);
        return 5;
    }
    if (c > 0xDBFF || left < 11 || p[5] != '\\' || p[6] != 'u' || !read_hex(p + 7, left - 7, &low)) return 0;
    if (low < 0xDC00 || low > 0xDFFF) return 0;
    *written = json_encode(0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00), out);
    return 11;
}

/* Decodes the character at p in a string. Results are as in escape(). */
static size_t character(const char *p, size_t left, char out[4], size_t *written)
{
    if (p[0] == '\\') {
        const size_t size = escape(p + 1, left - 1, out, written);
        return size ? size + 1 : 0;
    }
    const size_t size = (unsigned char)p[0] < 0x20 ? 0 : fgti_utf8_size(p, left);
    memcpy(out, p, size);
    *written = size;
    return size;
}

bool fgti_json_string(fgti_json *j, fgti_json_text *out)
{
    if (!json_take(j, '"', "expected a string")) return false;
    *out = (fgti_json_text){.raw = j->text + j->at};
    while (j->at < j->size && j->text[j->at] != '"') {
        char         c[4];
        size_t       written;
        const size_t n = character(j->text + j->at, j->size - j->at, c, &written);
        if (n == 0) return fgti_json_fail(j, "malformed character in a string");
        j->at += n;
        out->raw_size += n;
        out->size += written;
    }
    return json_take(j, '"', "the text ends inside a string");
}

bool fgti_json_key(fgti_json *j, fgti_json_text *out)
{
    return fgti_json_string(j, out) && json_take(j, ':', "expected ':'");
}

bool fgti_json_count(fgti_json *j, int64_t *out)
{
    int64_t v = 0;
    char    c = peek(j);
    if (c < '0' || c > '9') return fgti_json_fail(j, "expected a whole number that is not negative");
    const size_t begin = j->at;
    for (; j->at < j->size && (c = j->text[j->at]) >= '0' && c <= '9'; j->at++) {
        if (v > (INT64_MAX - (c - '0')) / 10) return fgti_json_fail(j, "number is too large");
        v = v * 10 + (c - '0');
    }
    if (j->text[begin] == '0' && j->at > begin + 1) return fgti_json_fail(j, "number starts with 0");
    *out = v;
    return true;
}

/* Skips a number, true, false or null. */
static bool skip_word(fgti_json *j)
{
    const size_t begin = j->at;
    while (j->at < j->size && j->text[j->at] && strchr("+-.0123456789aeEflnrstu", j->text[j->at])) j->at++;
    return j->at > begin || fgti_json_fail(j, "expected a value");
}

#define DEEPEST 64

/* Skips a value. This is a loop with an explicit stack of brackets. closing[depth - 1] is the closing bracket
 * of the innermost open bracket. members[depth - 1] is the number of its members that have begun. */
bool fgti_json_skip(fgti_json *j, size_t *begin)
{
    char           closing[DEEPEST];
    int64_t        members[DEEPEST];
    fgti_json_text text;
    int            depth = 0;
    (void)peek(j);
    *begin = j->at;
    do {
        const char c = peek(j);
        if (c == '{' || c == '[') {
            if (depth == DEEPEST) return fgti_json_fail(j, "brackets are nested too deep");
            j->at++;
            members[depth]   = 0;
            closing[depth++] = c == '{' ? '}' : ']';
        } else if (!(c == '"' ? fgti_json_string(j, &text) : skip_word(j))) {
            return false;
        }
        while (depth && !fgti_json_next(j, closing[depth - 1], &members[depth - 1])) {
            if (j->reason) return false;
            depth--;
        }
        if (depth && closing[depth - 1] == '}' && !fgti_json_key(j, &text)) return false;
    } while (depth);
    return !j->reason;
}

bool fgti_json_end(fgti_json *j)
{
    (void)peek(j);
    if (j->reason) return false;
    return j->at == j->size || fgti_json_fail(j, "text after the closing bracket");
}

char *fgti_json_decode(fgti_json_text t, char *out)
{
    size_t written = 0;
    for (size_t at = 0; at < t.raw_size; out += written) {
        char         c[4];
        const size_t n = character(t.raw + at, t.raw_size - at, c, &written);
        memcpy(out, c, written);
        at += n;
    }
    *out++ = 0;
    return out;
}

bool fgti_json_equal(fgti_json_text t, const char *s)
{
    char buf[32];
    if (t.size != strlen(s) || t.size >= sizeof buf) return false;
    fgti_json_decode(t, buf);
    return strcmp(buf, s) == 0;
}

size_t fgti_json_quote(const char *s, char *out)
{
    static const char hex[] = "0123456789abcdef";
    size_t            n     = 0;
    if (out) out[n] = '"';
    n++;
    for (; *s; s++) {
        char   c[6] = {'\\', *s};
        size_t size = 2;
        if ((unsigned char)*s < 0x20) {
            c[1] = 'u';
            c[2] = c[3] = '0';
            c[4]        = hex[*s >> 4];
            c[5]        = hex[*s & 15];
            size        = 6;
        } else if (*s != '"' && *s != '\\') {
            c[0] = *s;
            size = 1;
        }
        if (out) memcpy(out + n, c, size);
        n += size;
    }
    if (out) out[n] = '"';
    return n + 1;
}
