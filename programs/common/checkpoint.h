/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

/* Options of the programs for checkpoints, from which an interrupted training can continue. */

#include "command_line.h"

typedef struct checkpoint {
    const char *write, *resume;
    int64_t     every;   /* epochs between two checkpoints; 0: 1 */
    double      minutes; /* minutes between two checkpoints; 0: only after epochs */
} checkpoint;

#define CHECKPOINT_OPTIONS 4
extern const opt checkpoint_options[CHECKPOINT_OPTIONS];

/* Checks options that depend on each other. `trains` is true if a model is trained, and false if one is only
 * loaded. On error prints a message and returns false. */
bool checkpoint_check(const checkpoint *c, bool trains);

#define PATH_ROOM 4096

/* The name of a member's checkpoint: FILE for the first member, then FILE.1, FILE.2 and so on. NULL: no FILE
 * was given. */
const char *checkpoint_of_member(const char *file, int64_t member, char name[PATH_ROOM]);

#endif
