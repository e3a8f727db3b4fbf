/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_PREDICT_ALL_H
#define PROGRAMS_FORECAST_PREDICT_ALL_H

/* Forecasts from rows of many files: --predict-all. */

#include "run.h"

/* Forecasts from rows of all files of --data into the file of --predict-all. */
bool predict_all(run *r);

#endif
