/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_REPORT_LAYERS_H
#define PROGRAMS_FORECAST_REPORT_LAYERS_H

/* Shares of hops and importance of tokens, for --json. */

#include "run.h"

/* "fighter_layers": shares of hops and importance of tokens in the last test window. false: no memory. */
bool report_set_layers(json_t *object, const run *r);

#endif
