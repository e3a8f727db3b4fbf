/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ADAPTER_H
#define FGTI_ADAPTER_H

#include <fighter/experimental/adapter.h>

#include "model/adapter/adapter_choose.h"
#include "model/adapter_types.h"
#include "nn/low_rank.h"

#define FGTI_ALPHA_MOST 1e9
extern const fgti_opt fgti_adapter_opts[]; /* the options alpha, dropout and rank */

void fgti_adapter_free_all(fgt_model *model);
/* Chooses the parameters that an adapter changes. For an adapter in a file, `of` tells for each parameter of
 * the base whether the adapter has it. */
typedef struct fgti_graft_choice {
    fgt_status (*of)(void *user, const fgti_layer *l, const fgti_param *p, fgti_graft_kind *kind);
    void *user;
} fgti_graft_choice;
/* Makes an adapter and draws A. It does not add the adapter to the model. *adapter is NULL on error. The
 * options are checked. choice NULL: the patterns of the options name the parameters. FGT_E_FORMAT: the
 * adapter has more than `most` parameters; this is found before memory is taken for them. */
fgt_status fgti_adapter_make(fgt_model *model, const fgt_adapter_opts *opts, const fgti_graft_choice *choice,
                             int64_t most, fgti_adapter **adapter);
void       fgti_adapter_free(fgti_adapter **adapter);
/* Reads and checks the options. Fills in alpha and rank if they are not given. */
fgt_status fgti_adapter_read_opts(fgt_model *model, const fgt_adapter_opts *in, fgt_adapter_opts *out);
void       fgti_adapter_append(fgt_model *model, fgti_adapter *adapter);
fgt_status fgti_adapter_find(const fgt_model *model, const char *name, fgti_adapter **adapter);

#endif
