/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/store/block_cache.h"

#include "core/context.h"
#include "core/size.h"

fgt_status fgti_block_cache_init(fgt_context *ctx, int64_t slots, int64_t blocks, int64_t size,
                                 fgti_block_load load, void *user, fgti_block_cache *c)
{
    int64_t words;
    *c = (fgti_block_cache){.ctx = ctx, .load = load, .user = user, .size = size};
    if (!fgti_size_mul(slots, size, &words))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "cache: %lld blocks are too many", (long long)slots);
    FGTI_TRY(fgti_slots_init(ctx, slots, blocks, &c->slots));
    return fgti_alloc_dirty(ctx, words, sizeof *c->memory, "cache", (void **)&c->memory);
}

void fgti_block_cache_done(fgti_block_cache *c)
{
    if (!c->ctx) return;
    fgti_slots_done(c->ctx, &c->slots);
    fgti_free(c->ctx, c->memory);
    *c = (fgti_block_cache){0};
}

fgt_status fgti_block_cache_find(fgti_block_cache *c, int64_t block, int64_t *slot, void **at)
{
    bool there;
    *slot = fgti_slots_take(&c->slots, block, &there);
    *at   = c->memory + *slot * c->size;
    if (there) return FGT_OK;
    FGTI_TRY(c->load(c->user, block, *at));
    fgti_slots_fill(&c->slots, *slot, block);
    return FGT_OK;
}
