/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_PREDICT_ALL_H
#define PROGRAMS_CLASSIFY_PREDICT_ALL_H

/* Predicts the classes of many texts, for --predict-all. */

#include "run.h"

/* Writes the classes of all texts in the files of --data into the file of --predict-all. */
bool predict_all(run *r);

#endif
