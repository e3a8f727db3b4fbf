/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TEXT_H
#define FGTI_TEXT_H

/* Text that is put together piece by piece, and numbers as text: the same in every locale. */

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

/* A number as text: whole ones exactly, others with 9 digits, which give a float back. */
#define FGTI_NUMBER_TEXT_MAX 40
const char *fgti_number_text(double v, char buf[FGTI_NUMBER_TEXT_MAX]);
/* Reads one at *s and moves *s behind it; false: there is none. */
bool fgti_number_read(const char **s, double *v);

#endif
