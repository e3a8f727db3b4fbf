/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TEXT_H
#define FGTI_TEXT_H

/* Builds a text piece by piece, and converts numbers to text and back, the same in every locale. */

#include <stdbool.h>

#include "core/alloc.h"

/* A growing text. */
typedef struct fgti_text {
    fgt_context *ctx;
    char        *s; /* NUL-terminated; NULL before the first put */
    int64_t      length, capacity;
} fgti_text;

fgt_status fgti_text_put(fgti_text *t, const char *s);
void       fgti_text_done(fgti_text *t);

/* Writes v as the shortest text that reads back as v: as the same float if v is a float, otherwise as the
 * same double. The result is in buf, or it is a constant: nan, inf. */
#define FGTI_NUMBER_TEXT_MAX 40
const char *fgti_number_text(double v, char buf[FGTI_NUMBER_TEXT_MAX]);
/* Writes v so that fgti_number_read() reads the same double. If decimal digits cannot do this, the number is
 * hexadecimal, such as 0x1.8p-3. */
const char *fgti_number_exact(double v, char buf[FGTI_NUMBER_TEXT_MAX]);
/* Writes v with `digits` digits, for people and for formats without hexadecimal numbers. */
const char *fgti_number_rounded(double v, int digits, char buf[FGTI_NUMBER_TEXT_MAX]);
/* Reads a number at *s and moves *s to its end. Returns false if there is no number. It reads only the forms
 * that the three functions above write; data/csv/number.c reads all other forms. */
bool fgti_number_read(const char **s, double *v);

/* Bytes of the UTF-8 character at p; 0: it is no valid character. `left` >= 1 bytes can be read there. */
size_t fgti_utf8_size(const char *p, size_t left);
/* Whether s is UTF-8, as all names in files must be. */
bool fgti_is_utf8(const char *s);

#endif
