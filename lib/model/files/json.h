/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_JSON_H
#define FGTI_JSON_H

/* Reads JSON (RFC 8259) piece by piece and allocates nothing.
 *
 * The library has its own reader because jansson 2.14 fails after a failed allocation: its lexer drops the
 * byte for which it has no memory. Then a name is misspelt, an assertion fails, or a buffer is overrun
 * (akheron/jansson issue 362).
 *
 * The reader is stricter than JSON in one point. Strings may not contain U+0000, because C strings end with
 * it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A position in a text. Start with {.text = t, .size = n}. The first error sets `reason`, and `at` stays at
 * the byte with the error. From then on every call returns false. */
typedef struct fgti_json {
    const char *text;
    size_t      size, at;
    const char *reason;
} fgti_json;

/* A string that has been checked but not decoded. raw: the text between the quotes. size: number of UTF-8
 * bytes after decoding. */
typedef struct fgti_json_text {
    const char *raw;
    size_t      raw_size, size;
} fgti_json_text;

/* Sets the reason of an error, unless one is set already. Returns false. */
bool fgti_json_fail(fgti_json *j, const char *reason);
/* Skips white space, then takes '{' or '['. */
bool fgti_json_open(fgti_json *j, char bracket);
/* Whether another member follows. Reads the comma before it, or the closing bracket:
 *     for (int64_t n = 0; fgti_json_next(&j, ']', &n);) ...read one...  */
bool fgti_json_next(fgti_json *j, char close, int64_t *n);
bool fgti_json_string(fgti_json *j, fgti_json_text *out);
/* Reads a string and the colon after it. */
bool fgti_json_key(fgti_json *j, fgti_json_text *out);
/* Reads a whole number, 0 .. INT64_MAX. */
bool fgti_json_count(fgti_json *j, int64_t *out);
/* Skips a value of any kind, which begins at *begin and ends at j->at. Brackets may be nested 64 deep. */
bool fgti_json_skip(fgti_json *j, size_t *begin);
/* Checks that the rest of the text is only white space. */
bool fgti_json_end(fgti_json *j);

/* Writes the decoded string, which has t.size + 1 bytes; the last byte is 0. Returns the position after that
 * byte. */
char *fgti_json_decode(fgti_json_text t, char *out);
bool  fgti_json_equal(fgti_json_text t, const char *s);

/* Writes s as a JSON string with quotes, without a NUL at the end. s must be valid UTF-8. Returns the length.
 * With out == NULL the length is only counted. */
size_t fgti_json_quote(const char *s, char *out);

#endif
