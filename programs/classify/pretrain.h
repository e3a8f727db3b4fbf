/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_PRETRAIN_H
#define PROGRAMS_CLASSIFY_PRETRAIN_H

/* Pre-trains the members of a classifier. */

#include "run.h"

/* Trains a member to predict hidden words of the texts, or hidden patches of the images. Does nothing if the
 * options do not ask for pre-training. */
bool pretrain_masked(run *r, uint64_t seed, bool first, fgt_classifier *classifier);

#endif
