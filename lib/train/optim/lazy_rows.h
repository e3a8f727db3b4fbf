/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LAZY_ROWS_H
#define FGTI_LAZY_ROWS_H

#include "train/optim/optim_impl.h"

fgt_status fgti_lazy_init(fgt_optim *o);
void       fgti_lazy_done(fgt_optim *o);
/* Call it before rows are settled, and before a step that has this learning rate. */
void fgti_lazy_prepare(fgt_optim *o, double lr);
/* Makes the missed updates of a row. Threads may call this function and fgti_lazy_follow() at the same time
 * for different rows. */
void fgti_lazy_settle(const fgt_optim *o, int64_t row);
/* Marks a row as up to date, because another rank has updated it. */
void fgti_lazy_follow(const fgt_optim *o, int64_t row);
/* Marks a row as up to date, including the running step. */
void fgti_lazy_touch(const fgt_optim *o, int64_t row);
/* Called when the step is done and o->t includes it. */
void fgti_lazy_advance(fgt_optim *o, double lr);
/* Called after a step that skipped all rows because they are frozen. The step does not count as missed. */
void fgti_lazy_skip(const fgt_optim *o, double decay);

#endif
