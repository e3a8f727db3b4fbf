/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLOSED_FORMS_H
#define FGTI_CLOSED_FORMS_H

/* Closed forms that several forecasters share. These forecasters have the same columns, rows and H, and may
 * differ in look-back and calendar. */

#include "forecast/build/closed_form.h"

enum { FGTI_CLOSED_FORMS = 6 };

typedef struct fgti_closed_forms {
    int64_t count; /* number of forms fitted so far; the latest ones are kept */
    struct {
        int64_t          input_len;
        int32_t          calendar;
        fgti_closed_form form;
    } kept[FGTI_CLOSED_FORMS];
} fgti_closed_forms;

/* Gets the closed form of a forecaster that is being made. A form that is not kept yet is fitted and replaces
 * the oldest one. The next call may free the form. table: has only the columns of the forecaster. */
fgt_status fgti_closed_forms_get(fgti_closed_forms *forms, fgt_forecaster *f, const fgt_table *table,
                                 const fgt_split *split, const fgti_closed_form **form);
void       fgti_closed_forms_done(fgt_context *ctx, fgti_closed_forms *forms);

#endif
