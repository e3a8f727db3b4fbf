/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "fuzz.h"

/* Puts a piece of the input into it a second time. */
static size_t repeat(uint8_t *data, size_t size, size_t most, size_t at, uint64_t *state)
{
    size_t n = 1 + fuzz_draw(state, size - at);
    if (n > most - size) n = most - size;
    memmove(data + at + n, data + at, size - at);
    return size + n;
}

size_t fuzz_damage_bytes(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    if (size == 0) return 0;
    const size_t at = fuzz_draw(state, size);
    switch (fuzz_draw(state, 6)) {
    case 0: return at; /* the end is missing */
    case 1: data[at] = (uint8_t)fuzz_draw(state, 256); break;
    case 2: data[at] ^= (uint8_t)(1u << fuzz_draw(state, 8)); break;
    case 3: memmove(data, data + at, size - at); break;
    case 4: memmove(data + at, data + at + 1, size - at - 1); return size - 1;
    default: return repeat(data, size, most, at, state);
    }
    return size;
}
