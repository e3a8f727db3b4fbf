/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_NAMES_H
#define FGTI_NAMES_H

#include <fighter/model.h>

#include "core/text.h"
#include "nn/layer.h"

/* The layer with this name; NULL: there is no such layer. */
fgti_layer *fgti_model_find(const fgt_model *model, const char *name);
fgt_status  fgti_model_need(const fgt_model *model, fgti_error *err, const char *name,
                            const fgti_layer **layer);
/* Adds names of layers to the error text: of the layers for which fits() is true; fits NULL: of all layers.
 * Returns s. */
fgt_status fgti_model_list(const fgt_model *model, fgti_error *err, fgt_status s,
                           bool (*fits)(const fgti_layer *l));
/* Whether a pattern matches a name. A star matches any bytes. A pattern that ends in a dot matches every name
 * that begins with the pattern. */
bool fgti_name_matches(const char *pattern, const char *name);
/* A list of names is a JSON array. This function adds a name of fewer than FGTI_NAME_MAX bytes. The next
 * function ends the list, unless it is empty. */
fgt_status fgti_names_put(fgti_text *list, const char *name);
fgt_status fgti_names_end(fgti_text *list);
/* Calls `take` for each name of a list. Returns false if the text is not a list, or if `take` returned
 * false. */
bool fgti_names_read(const char *list, bool (*take)(void *user, const char *name), void *user);

#endif
