/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_JSON_H
#define FGTI_JSON_H

/* Reads JSON (RFC 8259) piece by piece, without allocating. Ours, because jansson 2.14 does not
 * survive a failed allocation: its lexer drops the byte it has no room for, so a name comes back
 * misspelt, an assertion fails or a buffer is overrun (akheron/jansson issue 362). Stricter than
 * JSON in one point: no U+0000 in strings, since ours end with it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in a text. After the first error `reason` is set, `at` is where, and every call returns
 * false. Start with {.text = t, .size = n}. */
typedef struct fgti_json {
    const char *text;
    size_t      size, at;
    const char *reason;
} fgti_json;

/* A checked string, still as it stands between the quotes; `size` bytes of UTF-8 once decoded. */
typedef struct fgti_json_text {
    const char *raw;
    size_t      raw_size, size;
} fgti_json_text;

/* Sets the reason, unless there is one, and returns false. */
bool fgti_json_fail(fgti_json *j, const char *reason);
/* Skips white space, then takes '{' or '['. */
bool fgti_json_open(fgti_json *j, char bracket);
/* Whether another member follows; takes the comma before it, or the closing bracket:
 *     for (int64_t n = 0; fgti_json_next(&j, ']', &n);) ...read one...  */
bool fgti_json_next(fgti_json *j, char close, int64_t *n);
bool fgti_json_string(fgti_json *j, fgti_json_text *out);
/* A string and the colon after it. */
bool fgti_json_key(fgti_json *j, fgti_json_text *out);
/* A whole number from 0 to INT64_MAX. */
bool fgti_json_count(fgti_json *j, int64_t *out);
/* Nothing but white space is left. */
bool fgti_json_end(fgti_json *j);

/* t.size + 1 bytes, the last one 0; returns the byte after it. */
char *fgti_json_decode(fgti_json_text t, char *out);
bool  fgti_json_equal(fgti_json_text t, const char *s);

/* Writes s, which is valid UTF-8, as a JSON string with its quotes, without a closing 0; returns
 * its length. out == NULL only counts. */
size_t fgti_json_quote(const char *s, char *out);

/* Bytes of the UTF-8 character at p, of which `left` >= 1 bytes can be read; 0: malformed. */
size_t fgti_utf8_size(const char *p, size_t left);

#endif
