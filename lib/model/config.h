/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CONFIG_H
#define FGTI_CONFIG_H

/* Options as text, for model files: "out=64 dropout=0.1". The same in every locale. What is zero is
 * left out, because zero is the default for ever. */

#include <stdbool.h>

#include "core/alloc.h"
#include "core/opts.h"

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

fgt_status fgti_config_write(fgti_text *t, const fgti_opt *table, const void *opts);
/* Sets the named fields in *opts. FGT_E_FORMAT malformed; FGT_E_VERSION an option that we do not know. */
fgt_status fgti_config_read(fgti_error *err, const fgti_opt *table, const char *text, void *opts);

#endif
