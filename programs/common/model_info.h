/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_INFO_H
#define MODEL_INFO_H

#include <fighter/model.h>

/* Sizes and shapes of a model, as a value; 0 without a model. */
static inline fgt_model_info model_info(const fgt_model *m)
{
    fgt_model_info   info = {.size = sizeof info};
    const fgt_status s    = fgt_model_get_info(m, &info);
    (void)s; /* it fails only without a model */
    return info;
}

#endif
