/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_EXTRA_H
#define FGTI_EXTRA_H

/* Functions for files that hold more than a model (fgti_model_save_with()), such as files of forecasters and
 * classifiers. */

#include <fighter/model.h>

#include "core/strings/list.h"
#include "model/files/file_input.h"
#include "model/files/safetensors.h"

/* The kind of a safetensors file, such as "a classifier". Error texts that refuse the file name it. */
const char *fgti_extra_kind(const fgti_st *st);

/* Writes a list of names as the metadata has it: ["HUFL","HULL"]. The caller frees *out. */
fgt_status fgti_extra_write_names(fgt_context *ctx, const fgti_strings *names, char **out);
/* Adds the names in such a text to a list. */
fgt_status fgti_extra_read_names(fgt_context *ctx, const char *key, const char *text, fgti_strings *names);

/* Opens a file. *model gets the sizes that the options give. */
fgt_status fgti_load_open(fgt_context *ctx, const fgti_input *in, const fgt_load_opts *opts,
                          fgt_model_opts *model, fgti_st **st);
/* fgti_load_open() for files of forecasters and classifiers, in which the number of time steps does not
 * change. */
fgt_status fgti_extra_open(fgt_context *ctx, const fgti_input *in, const fgt_load_opts *opts,
                           fgt_model_opts *model, fgti_st **st);

/* Ends loading and closes the file. After an error, adds the name of the file to the error text. The
 * arguments, shapes, names and data came from the file, so errors in them become FGT_E_FORMAT. */
fgt_status fgti_extra_loaded(fgt_context *ctx, fgti_st **st, fgt_status s);

#endif
