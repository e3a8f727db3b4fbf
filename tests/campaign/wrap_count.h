/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_CAMPAIGN_WRAP_COUNT_H
#define TESTS_CAMPAIGN_WRAP_COUNT_H

#include "wrap.h"

/* For the wrappers: true if the call that is being made is the one that is to fail. */
bool wrap_hit(void);

#endif
