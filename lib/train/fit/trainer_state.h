/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRAINER_STATE_H
#define FGTI_TRAINER_STATE_H

#include "train/fit/run.h"

/* Compares the ranks. FGT_E_ARG: they do not train the same model in the same way on the same data. */
fgt_status fgti_trainer_compare(fgti_trainer *t);
/* Tests before hours of training whether opts.checkpoint can be created. */
fgt_status fgti_trainer_check_output(const fgti_trainer *t);
/* Writes opts.checkpoint after an epoch or, with `within`, within an epoch. seconds: time of the whole run so
 * far. */
fgt_status fgti_trainer_save(fgti_trainer *t, double seconds, bool within);
/* Opens the file of opts.resume or opts.moments, if one is given, and checks it. */
fgt_status fgti_trainer_open(fgti_trainer *t);
/* Takes from the opened file the place where the run continues, or only the optimiser's state. On error takes
 * nothing. The ranks have compared their files, so it fails on all of them or on none. */
fgt_status fgti_trainer_resume(fgti_trainer *t);

#endif
