/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_TRAIN_H
#define PROGRAMS_FORECAST_TRAIN_H

/* Trains a forecaster. */

#include "run.h"

/* Trains f on the split; `name` is shown. */
bool train_fit(run *r, fgt_forecaster *f, fgt_forecaster_fit_opts opts, const char *name,
               fgt_fit_report *report);
void curve_done(curve *c);
/* Makes r->forecaster and the data for its training on r->split, and trains it. */
bool train_prepare(run *r);
bool train_run(run *r);
/* Trains the adapter of the loaded model on r->split, and writes it to --adapt. */
bool train_adapter(run *r);
/* Makes r->whole, and prints a message. It stays NULL after an interruption, and if the model has seen all
 * rows. */
bool train_whole(run *r, FILE *out);
/* Trains further with the rows of the table that are newer than the training rows, and prints their
 * number. */
bool train_update(run *r, FILE *out);

#endif
