/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_INFO_H
#define MODEL_INFO_H

#include <fighter/model.h>

/* The library's info about a model, returned as a value; all fields are 0 if m is NULL. */
static inline fgt_model_info model_info(const fgt_model *m)
{
    fgt_model_info   info = {.size = sizeof info};
    const fgt_status s    = fgt_model_get_info(m, &info);
    (void)s; /* the call fails only without a model */
    return info;
}

#endif
