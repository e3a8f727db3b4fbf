/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/store/block_slots.h"

fgt_status fgti_slots_init(fgt_context *ctx, int64_t count, int64_t blocks, fgti_slots *s)
{
    *s = (fgti_slots){.count = count};
    FGTI_TRY(FGTI_NEW(ctx, count, "cache", &s->slot));
    FGTI_TRY(FGTI_NEW(ctx, blocks, "cache", &s->place));
    for (int64_t i = 0; i < count; i++)
        s->slot[i] = (fgti_block_slot){-1, i ? i - 1 : count - 1, i < count - 1 ? i + 1 : 0};
    for (int64_t b = 0; b < blocks; b++) s->place[b] = -1;
    return FGT_OK;
}

void fgti_slots_done(fgt_context *ctx, fgti_slots *s)
{
    fgti_free(ctx, s->slot);
    fgti_free(ctx, s->place);
    *s = (fgti_slots){0};
}

/* Makes the slot the most recently used one. */
static void slot_use(fgti_slots *s, int64_t k)
{
    fgti_block_slot *v = &s->slot[k];
    if (k == s->oldest) {
        s->oldest = v->newer;
        return;
    }
    s->slot[v->older].newer = v->newer;
    s->slot[v->newer].older = v->older;
    v->newer                = s->oldest;
    v->older                = s->slot[s->oldest].older;
    s->slot[v->older].newer = s->slot[v->newer].older = k;
}

int64_t fgti_slots_take(fgti_slots *s, int64_t block, bool *there)
{
    int64_t k = s->place[block];
    *there    = k >= 0;
    if (k < 0) {
        k = s->oldest;
        if (s->slot[k].block >= 0) s->place[s->slot[k].block] = -1;
        s->slot[k].block = -1;
    }
    slot_use(s, k);
    return k;
}

void fgti_slots_fill(fgti_slots *s, int64_t slot, int64_t block)
{
    s->slot[slot].block = block;
    s->place[block]     = slot;
}
