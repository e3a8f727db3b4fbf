/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_TRAIN_CREATE_H
#define PROGRAMS_FORECAST_TRAIN_CREATE_H

/* Makes a forecaster from the options. */

#include "run.h"

/* Makes a forecaster of the chosen series. linear: the baseline, always with revin (RLinear, Li et al. 2023),
 * which uses only the values of the rows. */
bool train_create(run *r, bool linear, fgt_forecaster **out);
bool train_get_info(run *r);
bool train_count_windows(run *r);
/* Loads the graph of --graph; *graph is NULL without the option. */
bool train_load_graph(run *r, fgt_graph **graph);

#endif
