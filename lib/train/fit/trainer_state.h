/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRAINER_STATE_H
#define FGTI_TRAINER_STATE_H

#include "train/fit/run.h"

/* FGT_E_ARG unless all ranks train the same model in the same way on the same data. */
fgt_status fgti_trainer_compare(fgti_trainer *t);
/* Tests whether opts.checkpoint can be created, before hours of training. */
fgt_status fgti_trainer_check_output(const fgti_trainer *t);
/* Writes opts.checkpoint, after an epoch or within it; `seconds` is the time of the whole run so far. */
fgt_status fgti_trainer_save(fgti_trainer *t, double seconds, bool within);
/* Opens and checks the file of opts.resume or opts.moments, if there is one. */
fgt_status fgti_trainer_open(fgti_trainer *t);
/* Takes from this file the place where the run continues, or the optimiser's state; on error nothing. With
 * ranks it fails on all of them or on none, because they have compared their files. */
fgt_status fgti_trainer_resume(fgti_trainer *t);

#endif
