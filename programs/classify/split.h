/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_SPLIT_H
#define PROGRAMS_CLASSIFY_SPLIT_H

/* Splits samples. */

#include "run.h"

/* Splits all samples into test samples (with --split), validation samples and training samples. */
bool split_samples(run *r);

#endif
