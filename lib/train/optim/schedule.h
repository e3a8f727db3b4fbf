/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SCHEDULE_H
#define FGTI_SCHEDULE_H

#include <fighter/train.h>

#include "core/opts.h"

/* The options of a schedule, which checkpoints also contain. */
extern const fgti_opt fgti_schedule_opts[];

fgt_status fgti_schedule_read(fgti_error *err, const fgt_schedule_opts *in, fgt_schedule_opts *out);
double     fgti_schedule_lr(const fgt_schedule_opts *opts, double lr, int64_t t);

#endif
