/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_COUNTING_ALLOCATOR_H
#define TESTS_MODEL_COUNTING_ALLOCATOR_H

/* For tests of what needs no more of a context than its allocator. */

#include "../directory.h"

static test_memory hook;
static fgt_context context = {.allocator = {sizeof(fgt_allocator), &hook, test_alloc, test_release}};

#endif
