/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_ATTENT_STATE_H
#define TESTS_ATTENT_STATE_H

/* The state of a selector, and its size in bytes, as values. */

#include <fighter/attent.h>

static inline int64_t attent_state_bytes(const fgt_attent *a)
{
    int64_t          bytes = 0;
    const fgt_status s     = fgt_attent_get_state(a, NULL, 0, &bytes);
    (void)s;
    return bytes;
}

static inline FGT_MUST fgt_status attent_state(const fgt_attent *a, void *buffer, int64_t capacity)
{
    int64_t bytes;
    return fgt_attent_get_state(a, buffer, capacity, &bytes);
}

#endif
