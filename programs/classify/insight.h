/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_INSIGHT_H
#define PROGRAMS_CLASSIFY_INSIGHT_H

/* The page of --report. Without the option these functions do nothing. */

#include "run.h"

/* A copy of the texts to show; if possible, texts that no model was trained on. On error prints a message and
 * returns false. */
bool insight_texts(const run *r, fgt_corpus **texts);
/* Makes the page, before training. */
bool insight_start(run *r);
/* Records the part of an epoch that the page shows. */
bool insight_record(run *r, const fgt_progress *p);
bool insight_write(run *r);

#endif
