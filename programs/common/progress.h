/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRESS_H
#define PROGRESS_H

/* Progress of training: a bar on a terminal, otherwise a line for each epoch. */

#include <fighter/train.h>
#include <stdbool.h>

typedef struct progress_label {
    const char *name; /* name of the model */
    const char *unit; /* plural of "sample" in this program */
} progress_label;

/* Catches SIGINT from this call on. The first SIGINT ends the training after the current step. The second one
 * ends the program. */
void progress_catch_interrupt(void);
bool progress_interrupted(void);
/* The exit status of the program. It is 130, as shells expect, after a caught interruption. If the standard
 * output could not be written, prints a message and returns the status of an error. */
int progress_status(bool good);
/* Shows the progress of a training; it is an fgt_progress_fn, and `user` is a progress_label. */
int progress_show(void *user, const fgt_progress *p);
/* Shows that a slow step before the training runs, such as "linear map of 207 series". On a terminal the text
 * disappears after the step. Otherwise a line is printed, but only if `count` is large. */
void progress_stage(const char *what, int64_t count, const char *unit);
void progress_stage_done(void);

#endif
