/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENDER_TABLE_H
#define FGTI_ATTENDER_TABLE_H

#include "nn/attention/attender/attender.h"

/* Returns the attender with this number of fgt_attender, or FGTI_ATTENDER_EDGES; NULL: no attender has this
 * number. */
const fgti_attender *fgti_attender_get(int32_t number);
/* Returns FGT_E_ARG if the attender does not support an option or a mask. misfit: an option or mask that the
 * layer itself refuses, in words, or NULL. */
fgt_status fgti_attender_check_layer(fgti_error *err, const fgt_attention_rule *conf, const fgti_layer *l,
                                     const char *misfit);

#endif
