/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ADAPTER_CONFIG_H
#define FGTI_ADAPTER_CONFIG_H

/* adapter_config.json of PEFT. It says how the tensors in the file beside it are used. */

#include "core/text.h"
#include "model/adapter_types.h"

/* Room for the name of a tensor or of a module in PEFT's file, in bytes. */
#define FGTI_PEFT_NAME (FGTI_NAME_MAX + 64)

/* PEFT's name for the module of a parameter. The names of tensors contain this name. */
void fgti_peft_module(const fgti_graft *g, char module[FGTI_PEFT_NAME]);

fgt_status fgti_peft_config_write(const fgti_adapter *a, fgti_text *out);
/* Reads rank, alpha and dropout from a text of `size` bytes. `path` is for messages. FGT_E_FORMAT,
 * FGT_E_UNSUPPORTED. */
fgt_status fgti_peft_config_read(fgti_error *err, const char *path, const char *text, int64_t size,
                                 fgt_adapter_opts *opts);

#endif
