/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_SELECTOR_H
#define PROGRAMS_CLASSIFY_SELECTOR_H

/* Selectors of training samples. */

#include "run.h"

/* Makes a selector of these samples; *selector is NULL without --attent. */
bool selector_create(run *r, samples from, int64_t epochs, uint64_t seed, fgt_attent **selector);

#endif
