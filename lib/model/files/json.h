/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_JSON_H
#define FGTI_JSON_H

/* Reads JSON (RFC 8259) piece by piece and allocates nothing.
 *
 * The library has its own reader because jansson 2.14 does not survive a failed allocation: its lexer drops
 * the byte that it has no memory for, so that a name comes back misspelt, an assertion fails, or a buffer is
 * overrun (akheron/jansson issue 362).
 *
 * The reader is stricter than JSON in one point. Strings may not contain U+0000, because C strings end with
 * it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A position in a text. Start with {.text = t, .size = n}. The first error sets `reason` and leaves `at` at
 * the byte where it was found. From then on every call returns false. */
typedef struct fgti_json {
    const char *text;
    size_t      size, at;
    const char *reason;
} fgti_json;

/* A string that has been checked but not decoded: `raw` points to what stands between the quotes. Decoded it
 * has `size` bytes of UTF-8. */
typedef struct fgti_json_text {
    const char *raw;
    size_t      raw_size, size;
} fgti_json_text;

/* Sets the reason unless there is one already. Returns false. */
bool fgti_json_fail(fgti_json *j, const char *reason);
/* Skips white space, then takes '{' or '['. */
bool fgti_json_open(fgti_json *j, char bracket);
/* Tells whether another member follows. Takes the comma before it, or the closing bracket:
 *     for (int64_t n = 0; fgti_json_next(&j, ']', &n);) ...read one...  */
bool fgti_json_next(fgti_json *j, char close, int64_t *n);
bool fgti_json_string(fgti_json *j, fgti_json_text *out);
/* A string and the colon after it. */
bool fgti_json_key(fgti_json *j, fgti_json_text *out);
/* A whole number from 0 to INT64_MAX. */
bool fgti_json_count(fgti_json *j, int64_t *out);
/* Goes over a value of any kind, which begins at *begin and ends at j->at. Brackets are not nested deeper
 * than 64. */
bool fgti_json_skip(fgti_json *j, size_t *begin);
/* Checks that nothing but white space is left. */
bool fgti_json_end(fgti_json *j);

/* Writes t.size + 1 bytes, of which the last is 0. Returns the position behind it. */
char *fgti_json_decode(fgti_json_text t, char *out);
bool  fgti_json_equal(fgti_json_text t, const char *s);

/* Writes s, which must be valid UTF-8, as a JSON string with quotes and without a closing 0. Returns the
 * length. With out == NULL it only counts. */
size_t fgti_json_quote(const char *s, char *out);

#endif
