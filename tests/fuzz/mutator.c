/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that libFuzzer makes to an input: half of the time its own changes, which follow the coverage
 * and know the dictionary, otherwise one with understanding of the file. */
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t state = seed;
    return seed & 1 ? LLVMFuzzerMutate(data, size, most) : fuzz_damage_model(data, size, most, &state);
}
