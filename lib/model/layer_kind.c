/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/layer_kind.h"

int fgti_mask_of(int32_t kind)
{
    switch (kind) {
    case FGT_VALUE_KEY_PADDING: return FGT_MASK_KEY_PADDING;
    case FGT_VALUE_ATTN_MASK: return FGT_MASK_ATTENTION;
    case FGT_VALUE_DIAG_DROP: return FGT_MASK_DIAG_DROP;
    case FGT_VALUE_DIAG_SCALE: return FGT_MASK_DIAG_SCALE;
    case FGT_VALUE_SAMPLED_KEYS: return FGT_MASK_SAMPLED_KEYS;
    case FGT_VALUE_ROTATIONS: return FGT_MASK_ROTATIONS;
    default: return -1;
    }
}

int32_t fgti_layer_adjacency(const fgti_layer *l)
{
    if (!l->cls->adjacency) return FGT_ADJACENCY_NONE;
    if (!l->cls->edges) return FGT_ADJACENCY_ATTENTION;
    return l->graph ? FGT_ADJACENCY_GIVEN : FGT_ADJACENCY_LEARNED;
}
