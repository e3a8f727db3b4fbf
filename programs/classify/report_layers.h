/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_REPORT_LAYERS_H
#define PROGRAMS_CLASSIFY_REPORT_LAYERS_H

/* Shares of hops and importance of tokens, for --json. */

#include "run.h"

/* Adds "fighter_texts": shares of hops and importance of tokens in the texts that a page shows. On error
 * prints a message and returns false. */
bool report_set_layers(const run *r, json_t *all);

#endif
