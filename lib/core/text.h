/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TEXT_H
#define FGTI_TEXT_H

/* Text that is put together piece by piece, and numbers as text, independent of the locale. */

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

/* The shortest text that reads back as the same float if v is a float, otherwise as the same double. It is in
 * buf, or constant: nan, inf. */
#define FGTI_NUMBER_TEXT_MAX 40
const char *fgti_number_text(double v, char buf[FGTI_NUMBER_TEXT_MAX]);
/* A text that fgti_number_read() reads as the same double: in hexadecimal, 0x1.8p-3, if it needs that. */
const char *fgti_number_exact(double v, char buf[FGTI_NUMBER_TEXT_MAX]);
/* With so many digits: for people, and for formats that know no hexadecimal. */
const char *fgti_number_rounded(double v, int digits, char buf[FGTI_NUMBER_TEXT_MAX]);
/* Reads a number at *s and moves *s past it. Returns false if there is no number. It reads only forms that
 * the three functions above write; data/csv/number.c reads all others. */
bool fgti_number_read(const char **s, double *v);

/* Length of the UTF-8 character at p, 0 if it is malformed. `left` >= 1 bytes can be read there. */
size_t fgti_utf8_size(const char *p, size_t left);
/* Names that a file is to hold must be. */
bool fgti_is_utf8(const char *s);

#endif
