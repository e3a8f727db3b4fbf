/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_ADAPTER_H
#define PROGRAMS_ADAPTER_H

/* Options of the programs for adapters (LoRA) of a loaded model. */

#include <fighter/fighter.h>
#include <fighter/tasks.h>

#include "command_line.h"

typedef struct adapter {
    const char *adapt, *use; /* folders of the adapter to train (--adapt) and of an existing one
                              * (--adapter) */
    const char *maps, *whole;
    int64_t     rank;
    double      alpha;
} adapter;

#define ADAPTER_OPTIONS 6
extern const opt adapter_options[ADAPTER_OPTIONS];

/* Checks options that depend on each other. `load` is the file of --load, `data` the file of the training
 * data; each may be NULL. `from` is the option for `data`, without its dashes, such as "train FILE". On error
 * prints a message and returns false. */
bool adapter_check(const adapter *a, const char *load, const char *data, const char *from);
/* adapter_add() makes the adapter that --adapt will hold. adapter_load() reads the adapter of --adapter. Both
 * functions make their adapter the active one. */
fgt_status adapter_add(const adapter *a, fgt_model *model, uint64_t seed);
fgt_status adapter_load(const adapter *a, fgt_model *model);
/* Writes the active adapter into the folder of --adapt. */
fgt_status adapter_save(const adapter *a, fgt_model *model);

#endif
