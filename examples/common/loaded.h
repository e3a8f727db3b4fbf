/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LOADED_H
#define LOADED_H

/* Options that a model which is there already cannot take. */

#include <fighter/base.h>
#include <stdbool.h>

/* Refuses options that would have no effect on the model of --load FILE. of_model: names of those that say
 * how a model is made, up to NULL; of_training: of those that say how it is trained. The latter, and those
 * that choose samples, are taken if it trains on. On error prints a message and returns false. */
bool loaded_check(const char *file, bool trains, const char *const *of_model, const char *const *of_training);
/* Says why the file of --load was refused, and what it takes; false. */
bool loaded_failed(fgt_status s, const char *sentence);
/* The first option for choosing samples that was on the command line; NULL: none. */
const char *loaded_given_selection(void);

#endif
