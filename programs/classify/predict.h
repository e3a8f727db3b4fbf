/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_PREDICT_H
#define PROGRAMS_CLASSIFY_PREDICT_H

/* Predictions for texts. */

#include "run.h"

/* Writes a class and its probability for each text of --predict FILE, or each line of the standard input; or
 * keeps them for the JSON object. */
bool predict_texts(run *r);
/* Writes the class with the largest of the probabilities p [classes] of one sample, or keeps it for the JSON
 * object. */
bool predict_say(run *r, const float *p);

#endif
