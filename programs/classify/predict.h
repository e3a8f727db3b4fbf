/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_PREDICT_H
#define PROGRAMS_CLASSIFY_PREDICT_H

/* Predictions for texts. */

#include "run.h"

/* Finds a class and its probability for each text of --predict FILE, or for each line of the standard input.
 * Writes them, or keeps them for the JSON object. */
bool predict_texts(run *r);
/* Finds the most probable class of one sample with the probabilities p [classes]. Writes the class, or keeps
 * it for the JSON object. */
bool predict_say(run *r, const float *p);

#endif
