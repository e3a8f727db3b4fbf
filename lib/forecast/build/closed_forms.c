/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/build/closed_forms.h"

fgt_status fgti_closed_forms_get(fgti_closed_forms *forms, fgt_forecaster *f, const fgt_table *table,
                                 const fgt_split *split, const fgti_closed_form **form)
{
    for (int64_t i = 0; i < forms->count && i < FGTI_CLOSED_FORMS; i++)
        if (forms->kept[i].input_len == f->info.input_len && forms->kept[i].calendar == f->info.calendar) {
            *form = &forms->kept[i].form;
            return FGT_OK;
        }
    const int64_t     at   = forms->count % FGTI_CLOSED_FORMS;
    fgti_closed_form *next = &forms->kept[at].form;
    fgti_closed_form_done(f->ctx, next);
    forms->kept[at].input_len = 0; /* no forecaster has this length: if the fit fails, the entry is not found
                                    * again */
    forms->count++;
    FGTI_TRY(fgti_closed_form_fit(f, table, split, split->train_end, next));
    forms->kept[at].input_len = f->info.input_len;
    forms->kept[at].calendar  = f->info.calendar;
    *form                     = next;
    return FGT_OK;
}

void fgti_closed_forms_done(fgt_context *ctx, fgti_closed_forms *forms)
{
    for (int64_t i = 0; i < FGTI_CLOSED_FORMS; i++) fgti_closed_form_done(ctx, &forms->kept[i].form);
    *forms = (fgti_closed_forms){0};
}
