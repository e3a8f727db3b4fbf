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

/* After this call the first SIGINT ends the training after the current step; a second one ends the
 * program. */
void progress_catch_interrupt(void);
bool progress_interrupted(void);
/* The exit status of the program: 130 after an interruption that was caught, as shells expect. If the
 * standard output could not be written, prints a message and returns the status of an error. */
int progress_status(bool good);
/* An fgt_progress_fn; user is a progress_label. */
int progress_show(void *user, const fgt_progress *p);
/* Shows a slow step before the training, such as "linear map of 207 series". On a terminal the text is
 * removed after the step; otherwise it is a line if `count` is large. */
void progress_stage(const char *what, int64_t count, const char *unit);
void progress_stage_done(void);

#endif
