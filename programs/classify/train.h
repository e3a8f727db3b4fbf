/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_TRAIN_H
#define PROGRAMS_CLASSIFY_TRAIN_H

/* Trains a classifier. */

#include "run.h"

/* Makes r->classifier from r->train. Its members are trained one after another. */
bool train_members(run *r);
/* load_adapter() reads the adapter of --adapter for the loaded model. add_adapter() makes a new adapter.
 * train_adapter() trains the new adapter and writes it to --adapt. */
bool load_adapter(run *r);
bool add_adapter(run *r);
bool train_adapter(run *r);

#endif
