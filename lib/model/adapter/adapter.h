/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ADAPTER_H
#define FGTI_ADAPTER_H

#include <fighter/experimental/adapter.h>

#include "model/adapter/adapter_choose.h"
#include "model/adapter_types.h"
#include "nn/low_rank.h"

#define FGTI_ALPHA_MOST 1e9
extern const fgti_opt fgti_adapter_opts[]; /* alpha, dropout, rank */

void fgti_adapter_free_all(fgt_model *model);
/* For a file's adapter: `of` tells for each parameter of the base whether the adapter has it. */
typedef struct fgti_graft_choice {
    fgt_status (*of)(void *user, const fgti_layer *l, const fgti_param *p, fgti_graft_kind *kind);
    void *user;
} fgti_graft_choice;
/* Makes an adapter that is not yet added to the model; A is drawn. *adapter is NULL on error. opts are
 * checked. choice NULL: the parameters that the patterns name. FGT_E_FORMAT if it has more than `most`
 * parameters, before memory is taken for them. */
fgt_status fgti_adapter_make(fgt_model *model, const fgt_adapter_opts *opts, const fgti_graft_choice *choice,
                             int64_t most, fgti_adapter **adapter);
void       fgti_adapter_free(fgti_adapter **adapter);
/* Reads and checks options; alpha and rank are filled in. */
fgt_status fgti_adapter_read_opts(fgt_model *model, const fgt_adapter_opts *in, fgt_adapter_opts *out);
void       fgti_adapter_append(fgt_model *model, fgti_adapter *adapter);
fgt_status fgti_adapter_find(const fgt_model *model, const char *name, fgti_adapter **adapter);

#endif
