/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHARDS_RANKS_H
#define FGTI_SHARDS_RANKS_H

/* How the ranks of a training agree. */

#include "train/fit/run.h"

/* fgti_ranks_agree(); without ranks returns s. */
fgt_status fgti_shards_agree(fgti_trainer *t, fgt_status s);
/* Whether this rank writes files. */
bool fgti_shards_writes(const fgti_trainer *t);

#endif
