/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STATUS_H
#define FGTI_STATUS_H

/* Status codes, and the text that explains an error. */

#include <fighter/base.h>

/* The text of the last error. Each context has one, and each workspace has its own. So threads that share a
 * model do not share the text. */
typedef struct fgti_error {
    char    text[512];
    int64_t sample; /* 1 + number of the sample in the batch that the error text is about; 0: no sample */
} fgti_error;

/* Stores the error text and returns s, for `return fgti_fail(...)`. err may be NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
fgt_status fgti_fail(fgti_error *err, fgt_status s, const char *format, ...);

/* Notes that the stored error text is about this sample of a batch, and returns s. */
fgt_status fgti_error_at(fgti_error *err, int64_t sample, fgt_status s);

/* Puts "prefix: " before the stored error text. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void fgti_error_prefix(fgti_error *err, const char *format, ...);

/* Returns from the calling function when expr is an error. */
#define FGTI_TRY(expr)                                                                             \
    do {                                                                                           \
        const fgt_status fgti_s_ = (expr);                                                         \
        if (fgti_s_ != FGT_OK) return fgti_s_;                                                     \
    } while (0)

#endif
