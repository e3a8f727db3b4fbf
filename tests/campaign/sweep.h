/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_CAMPAIGN_SWEEP_H
#define TESTS_CAMPAIGN_SWEEP_H

#include "entries.h"

/* Where allocations fail. */
typedef struct sweep_kind {
    const fgt_allocator *allocator; /* of the context; NULL: none */
    bool                 strict;    /* every failure must be reported; else some may be harmless */
} sweep_kind;

extern const sweep_kind sweep_here;

#endif
