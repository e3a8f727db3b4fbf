/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VALUES_H
#define FGTI_VALUES_H

#include <fighter/model.h>

/* The name of the i-th fgt_value() layer that has a value for each sample: real numbers, ids or key padding;
 * NULL: i is out of range. *v becomes a view for one sample, without data. */
const char *fgti_model_sample_value(const fgt_model *model, int64_t i, fgt_view *v);

/* Copies of the values that the host has set, for passes that repeat them later. */
typedef struct fgti_values {
    fgt_view *of; /* one view for each layer */
    int64_t   layers;
} fgti_values;

/* After fgti_model_prepare(). Destroy them even after an error. */
fgt_status fgti_values_copy(fgt_model *model, fgti_values *values);
/* Exchanges the copies with the values that are set; a second call exchanges them back. The masks then count
 * as new, so matrices that depend on masks are refused until the next pass. */
void fgti_values_swap(fgt_model *model, fgti_values *values);
void fgti_values_done(fgt_context *ctx, fgti_values *values);

#endif
