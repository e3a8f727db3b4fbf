/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LOADED_H
#define LOADED_H

/* Refuses options that cannot be applied to a loaded model. */

#include <fighter/base.h>
#include <stdbool.h>

/* Refuses options that would have no effect on the loaded model. of_model lists the options for making a
 * model, of_training the options for training; NULL ends each list. `trains` means that the model is trained
 * further: then options for training and for choosing samples are accepted. On error prints a message and
 * returns false. */
bool loaded_check(const char *file, bool trains, const char *const *of_model, const char *const *of_training);
/* Prints why the file of --load was refused, and which files can be loaded; returns false. */
bool loaded_failed(fgt_status s, const char *sentence);
/* The first option on the command line that is about choosing samples; NULL: no such option was given. */
const char *loaded_given_selection(void);

#endif
