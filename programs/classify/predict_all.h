/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_PREDICT_ALL_H
#define PROGRAMS_CLASSIFY_PREDICT_ALL_H

/* Predictions for many texts: --predict-all. */

#include "run.h"

/* Writes the classes of all texts of --data into the file of --predict-all. */
bool predict_all(run *r);

#endif
