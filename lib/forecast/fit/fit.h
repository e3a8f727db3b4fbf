/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FIT_H
#define FGTI_FIT_H

#include "forecast/forecaster_impl.h"

/* Fills in the defaults and checks the other options. windows: number of windows in the training rows. */
fgt_status fgti_fit_opts_check(const fgt_forecaster *f, int64_t windows, fgt_forecaster_fit_opts *o);
/* Makes a selector of windows if the options ask for thinning: each epoch then draws a share of the windows.
 * The caller destroys *selector, which may be NULL, after the training. */
fgt_status fgti_fit_thin(const fgt_forecaster *f, const fgt_forecaster_fit_opts *o, const fgt_source *train,
                         fgt_fit_opts *all, fgt_attent **selector);
/* The options of the loss for a training with these options. */
fgt_loss_opts fgti_forecaster_loss(const fgt_forecaster *f, const fgt_forecaster_fit_opts *o);
/* Remembers the rows of the training, which are also saved with the model, because they cannot test it. */
void fgti_forecaster_remember(fgt_forecaster *f, const fgt_table *table, const fgt_split *split);
/* Whether there is nothing to train, because the model is only a linear part. */
bool fgti_forecaster_is_closed(const fgt_forecaster *f);
/* Sets the first quantiles (first_quantiles.h) of a forecaster that is used without training. */
fgt_status fgti_forecaster_start(fgt_forecaster *f, const fgt_table *table, const fgt_split *split);
/* Trains on these windows, with checked options. stride: rows from one validation window to the next. */
fgt_status fgti_forecaster_train(fgt_forecaster *f, const fgt_forecaster_fit_opts *o, const fgt_source *train,
                                 const fgt_source *validation, int64_t stride, fgt_fit_report *report);

#endif
