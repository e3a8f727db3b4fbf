/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRADIENTS_H
#define FGTI_GRADIENTS_H

#include <fighter/model.h>

/* Allocates the gradients, all zero, unless they exist. */
fgt_status fgti_gradients_need(fgt_model *model);
/* Sets all gradients to zero. In a sparse gradient only the rows touched since the last call are set. */
void fgti_gradients_clear(fgt_model *model);
/* Finds the rows of a sparse gradient that are not zero. Call it after the whole gradient was set. */
void fgti_gradients_touch(fgt_model *model);

/* Bytes of all gradients, allocated or not. */
int64_t fgti_gradients_bytes(const fgt_model *model);

#endif
