/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VALUES_H
#define FGTI_VALUES_H

#include <fighter/model.h>

/* The name of the fgt_value() layer number i, counting only layers that have a value for each sample: real
 * numbers, ids or key padding. NULL: there is no such i. *v becomes a view without data, with the shape of
 * one sample. */
const char *fgti_model_sample_value(const fgt_model *model, int64_t i, fgt_view *v);

/* Copies of the values that the host has set. Later passes use them again. */
typedef struct fgti_values {
    fgt_view *of; /* one view for each layer */
    int64_t   layers;
} fgti_values;

/* Copies the values. Call fgti_model_prepare() first. Destroy the copies even after an error. */
fgt_status fgti_values_copy(fgt_model *model, fgti_values *values);
/* Exchanges the copies with the values that are set. A second call exchanges them back. Masks then count as
 * new, so until the next pass matrices that depend on masks are refused. */
void fgti_values_swap(fgt_model *model, fgti_values *values);
void fgti_values_done(fgt_context *ctx, fgti_values *values);

#endif
