/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_REPORT_LAYERS_H
#define PROGRAMS_CLASSIFY_REPORT_LAYERS_H

/* Describes the Fighter layers by shares of hops and importance of tokens, for --json. */

#include "run.h"

/* Adds "fighter_texts": the shares of hops and the importance of tokens in the texts that the page of
 * --report would show. On error prints a message and returns false. */
bool report_set_layers(const run *r, json_t *all);

#endif
