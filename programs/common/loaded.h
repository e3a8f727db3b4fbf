/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LOADED_H
#define LOADED_H

/* Options that cannot be applied to a loaded model. */

#include <fighter/base.h>
#include <stdbool.h>

/* Refuses options that would have no effect on the model of --load FILE. of_model: names of the options for
 * making a model, up to NULL; of_training: options for training. Options for training and for choosing
 * samples are accepted if the model is trained further. On error prints a message and returns false. */
bool loaded_check(const char *file, bool trains, const char *const *of_model, const char *const *of_training);
/* Prints why the file of --load was refused, and which files can be loaded; returns false. */
bool loaded_failed(fgt_status s, const char *sentence);
/* The first option for choosing samples on the command line; NULL: not given. */
const char *loaded_given_selection(void);

#endif
