/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_TRAIN_H
#define PROGRAMS_CLASSIFY_TRAIN_H

/* Trains a classifier. */

#include "run.h"

/* Makes r->classifier from r->train, one member after another. */
bool train_members(run *r);
/* load_adapter: reads the adapter of --adapter for the loaded model. add_adapter: makes a new one.
 * train_adapter: trains it and writes it to --adapt. */
bool load_adapter(run *r);
bool add_adapter(run *r);
bool train_adapter(run *r);

#endif
