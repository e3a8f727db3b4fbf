/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/fit/shards_ranks.h"

fgt_status fgti_shards_agree(fgti_trainer *t, fgt_status s)
{
    return t->shards.ranks.ctx ? fgti_ranks_agree(&t->shards.ranks, s) : s;
}

bool fgti_shards_writes(const fgti_trainer *t)
{
    return t->shards.ranks.with.rank == 0;
}
