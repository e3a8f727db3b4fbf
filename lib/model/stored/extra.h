/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_EXTRA_H
#define FGTI_EXTRA_H

/* Functions for files that hold more than a model (fgti_model_save_with()): files of forecasters and of
 * classifiers. */

#include <fighter/model.h>

#include "core/strings/list.h"
#include "model/files/file_input.h"
#include "model/files/safetensors.h"

/* Kind of a safetensors file, for error texts that refuse it: "a classifier". */
const char *fgti_extra_kind(const fgti_st *st);

/* A list of names as it stands in the metadata: ["HUFL","HULL"]. The caller frees *out. */
fgt_status fgti_extra_write_names(fgt_context *ctx, const fgti_strings *names, char **out);
/* Adds the names in a text of this form to a list. */
fgt_status fgti_extra_read_names(fgt_context *ctx, const char *key, const char *text, fgti_strings *names);

/* Opens a file with these options. *model gets the sizes that the options give. */
fgt_status fgti_load_open(fgt_context *ctx, const fgti_input *in, const fgt_load_opts *opts,
                          fgt_model_opts *model, fgti_st **st);
/* fgti_load_open() for files of forecasters and classifiers, whose time steps do not change. */
fgt_status fgti_extra_open(fgt_context *ctx, const fgti_input *in, const fgt_load_opts *opts,
                           fgt_model_opts *model, fgti_st **st);

/* The end of loading, which closes the file. After an error it adds the name of the file to the error text.
 * Errors in arguments, shapes, names and data become FGT_E_FORMAT, because these come from the file. */
fgt_status fgti_extra_loaded(fgt_context *ctx, fgti_st **st, fgt_status s);

#endif
