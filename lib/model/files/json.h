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
 * the byte where it was found. After an error every call returns false. */
typedef struct fgti_json {
    const char *text;
    size_t      size, at;
    const char *reason;
} fgti_json;

/* A string that is checked but not decoded. `raw` points to the text between the quotes. `size`: bytes of
 * UTF-8 after decoding. */
typedef struct fgti_json_text {
    const char *raw;
    size_t      raw_size, size;
} fgti_json_text;

/* Sets the reason, if no reason is set yet. Returns false. */
bool fgti_json_fail(fgti_json *j, const char *reason);
/* Skips white space, then takes '{' or '['. */
bool fgti_json_open(fgti_json *j, char bracket);
/* Whether another member follows. Reads the comma before it, or the closing bracket:
 *     for (int64_t n = 0; fgti_json_next(&j, ']', &n);) ...read one...  */
bool fgti_json_next(fgti_json *j, char close, int64_t *n);
bool fgti_json_string(fgti_json *j, fgti_json_text *out);
/* Reads a string and the colon after it. */
bool fgti_json_key(fgti_json *j, fgti_json_text *out);
/* Reads a whole number from 0 to INT64_MAX. */
bool fgti_json_count(fgti_json *j, int64_t *out);
/* Skips a value of any kind, which begins at *begin and ends at j->at. Brackets may be nested 64 deep. */
bool fgti_json_skip(fgti_json *j, size_t *begin);
/* Checks that only white space is left. */
bool fgti_json_end(fgti_json *j);

/* Writes t.size + 1 bytes; the last byte is 0. Returns the position after it. */
char *fgti_json_decode(fgti_json_text t, char *out);
bool  fgti_json_equal(fgti_json_text t, const char *s);

/* Writes s, which must be valid UTF-8, as a JSON string with quotes and without a NUL at the end. Returns the
 * length. With out == NULL it only counts. */
size_t fgti_json_quote(const char *s, char *out);

#endif
