/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_H
#define FUZZ_H

/* A fuzz program is one LLVMFuzzerTestOneInput; with clang and -Dfuzz=true libFuzzer calls it, in every
 * build replay.c does, with the corpus. A finding is a crash, a sanitiser's report or a leak. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fighter/table.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One context for all inputs; NULL if there is no memory. Making one for each input would take most of the
 * time. It is destroyed when the program ends, so that a leak in it is seen. */
fgt_context *fuzz_context(void);

/* For loaders that take nothing but a path. Writes the input to a file in memory, or to a temporary file of
 * this process; NULL if it cannot. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* The same for file i of 3. */
const char *fuzz_file_number(int i, const uint8_t *data, size_t size);

/* Aborts unless a table is as every table must be that was read from files. */
void fuzz_check_table(const fgt_table *table);

/* A program says whether it took the input for good; how often it did either. */
typedef struct fuzz_counts {
    int64_t accepted, refused;
} fuzz_counts;

void        fuzz_count(bool accepted);
fuzz_counts fuzz_get_counts(void);

/* ---- damages (damage_bytes.c, damage_model.c) ---- */

/* Knuth's 64-bit linear congruential generator, below `below`: damages need no better one. */
static inline size_t fuzz_draw(uint64_t *state, size_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((*state >> 33) % below);
}

/* Damages an input in place, which may grow to `most` bytes; returns the new size. */
size_t fuzz_damage_bytes(uint8_t *data, size_t size, size_t most, uint64_t *state);
/* The same of a safetensors file with understanding: one value, key, shape, type, offset, option or weight
 * changes, and the lengths around it are made to fit. Other inputs get damaged bytes. */
size_t fuzz_damage_model(uint8_t *data, size_t size, size_t most, uint64_t *state);

#endif
