/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRADIENTS_H
#define FGTI_GRADIENTS_H

#include <fighter/model.h>

/* Makes the gradients, all zero, if they do not exist. */
fgt_status fgti_gradients_need(fgt_model *model);
/* Zeroes all gradients. In a sparse gradient it zeroes only the rows touched since the last call. */
void fgti_gradients_clear(fgt_model *model);
/* Finds the rows that are not zero in a sparse gradient that was set as a whole. */
void fgti_gradients_touch(fgt_model *model);

/* Bytes of all gradients, allocated or not. */
int64_t fgti_gradients_bytes(const fgt_model *model);

#endif
