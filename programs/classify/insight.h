/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_INSIGHT_H
#define PROGRAMS_CLASSIFY_INSIGHT_H

/* Makes the page of --report. These functions do nothing if the option is not given. */

#include "run.h"

/* Copies the texts that the page shows. They are texts that no model was trained on, if there are such texts.
 * On error prints a message and returns false. */
bool insight_texts(const run *r, fgt_corpus **texts);
/* Makes the page. Call it before the training. */
bool insight_start(run *r);
/* Records the facts about an epoch that the page shows. */
bool insight_record(run *r, const fgt_progress *p);
bool insight_write(run *r);

#endif
