/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRESS_H
#define PROGRESS_H

/* What the programs show while they train: a bar on a terminal, a line an epoch elsewhere. */

#include <fighter/train.h>
#include <stdbool.h>

typedef struct progress_label {
    const char *name; /* of what is trained */
    const char *unit; /* of samples, plural */
} progress_label;

/* From now on the first SIGINT ends the training after its step; the second ends the program. */
void progress_catch_interrupt(void);
bool progress_interrupted(void);
/* An fgt_progress_fn; user is a progress_label. */
int progress_show(void *user, const fgt_progress *p);

#endif
