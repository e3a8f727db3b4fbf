/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_H
#define FUZZ_H

/* A fuzz program is one LLVMFuzzerTestOneInput; with clang and -Dfuzz=true libFuzzer calls it, in every
 * build replay.c does, with the corpus. A finding is a crash, a sanitiser's report or a leak. */

#include <stddef.h>
#include <stdint.h>

#include <fighter/base.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One context for all inputs; NULL if there is no memory. Making one for each input would take most of the
 * time. It is destroyed when the program ends, so that a leak in it is seen. */
fgt_context *fuzz_context(void);

/* For loaders that take nothing but a path. Writes the input to a temporary file of this process; NULL if it
 * cannot. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
