/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ADAPTER_CHOOSE_H
#define FGTI_ADAPTER_CHOOSE_H

#include "core/text.h"
#include "model/adapter_types.h"

typedef enum fgti_graft_kind { FGTI_GRAFT_NONE, FGTI_GRAFT_ADAPTED, FGTI_GRAFT_WHOLE } fgti_graft_kind;

/* Whether a parameter can be adapted. The next function: whether it is a table of embeddings. */
bool fgti_adapter_fits(const fgti_layer *l, const fgti_param *p);
bool fgti_adapter_is_table(const fgti_layer *l);
/* An fgti_graft_choice that uses the adapter's patterns. `user` is the adapter. */
fgt_status fgti_adapter_choose(void *user, const fgti_layer *l, const fgti_param *p, fgti_graft_kind *kind);
/* FGT_E_NAME: some pattern has matched no parameter. */
fgt_status fgti_adapter_check_patterns(const fgti_adapter *a);
/* Writes names for a model file, as a list (fgti_names_put()): of the parameters that the adapter adapts or,
 * if `whole`, of the parameters that it trains as a whole. If there are no such parameters, to->s stays
 * NULL. */
fgt_status fgti_adapter_write_names(const fgti_adapter *a, bool whole, fgti_text *to);
/* Reads two such lists (NULL: no list). Returns an array with the kind of every parameter.
 * fgti_adapter_choose_named() takes this array as `user`. FGT_E_FORMAT. */
fgt_status fgti_adapter_read_names(const fgt_model *model, const char *adapted, const char *whole,
                                   fgti_graft_kind **kind);
fgt_status fgti_adapter_choose_named(void *user, const fgti_layer *l, const fgti_param *p,
                                     fgti_graft_kind *kind);
/* Sets the fields maps, out, in and flipped of a graft. */
void fgti_adapter_set_sizes(fgti_graft *g);
/* Gets the part of the parameter's name that stands before ".lora_A.weight" in a file. */
void fgti_adapter_module(const fgti_param *p, char module[FGTI_NAME_MAX]);

#endif
