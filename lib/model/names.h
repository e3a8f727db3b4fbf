/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_NAMES_H
#define FGTI_NAMES_H

#include <fighter/model.h>

#include "core/text.h"
#include "nn/layer.h"

/* The layer with this name, or NULL. */
fgti_layer *fgti_model_find(const fgt_model *model, const char *name);
fgt_status  fgti_model_need(const fgt_model *model, fgti_error *err, const char *name,
                            const fgti_layer **layer);
/* Adds to the error text the names of the layers that would fit; fits NULL: of all layers. Returns
 * s. */
fgt_status fgti_model_list(const fgt_model *model, fgti_error *err, fgt_status s,
                           bool (*fits)(const fgti_layer *l));
/* Whether a pattern matches this name: stars match any bytes, and a pattern that ends in a dot matches every
 * name that begins with it. */
bool fgti_name_matches(const char *pattern, const char *name);
/* A list of names, a JSON array: adds a name of fewer than FGTI_NAME_MAX bytes; ends the list, if not
 * empty. */
fgt_status fgti_names_put(fgti_text *list, const char *name);
fgt_status fgti_names_end(fgti_text *list);
/* Calls `take` for each name of a list. False: the text is not a list, or `take` returned false. */
bool fgti_names_read(const char *list, bool (*take)(void *user, const char *name), void *user);

#endif
