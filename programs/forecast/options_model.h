/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_OPTIONS_MODEL_H
#define PROGRAMS_FORECAST_OPTIONS_MODEL_H

/* Options about the model and its training. */

#include "options.h"

const char *tokens_name(int64_t tokens);
/* Whether --graph is "learn", not a file. */
bool        options_learn_graph(const options *o);
const char *loss_name(int64_t kind); /* the word of an fgt_loss_kind on the command line */
/* Whether the loss is for counts, so that the model has no linear map. */
bool      options_counts(const options *o);
opt_group options_model(void); /* follows the library's tables */
/* Sets options that depend on the graph. */
void options_set_space(options *o);
/* Checks that these options can be combined. */
bool options_check_model(const options *o);

#endif
