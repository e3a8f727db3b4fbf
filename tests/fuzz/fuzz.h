/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_H
#define FUZZ_H

/* A fuzz program is one LLVMFuzzerTestOneInput; with clang and -Dfuzz=true libFuzzer calls it, in every
 * build replay.c does, with the corpus. A finding is a crash, a sanitiser's report or a leak. */

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The loaders take paths. Writes the input to this process's own temporary file; NULL if it cannot. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
