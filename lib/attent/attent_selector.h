/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENT_SELECTOR_H
#define FGTI_ATTENT_SELECTOR_H

#include "attent/attent_impl.h"

/* All options except its seed and its log, as text (core/config.h). */
fgt_status fgti_attent_write_opts(const fgt_attent *a, fgti_text *t);
/* Tells the selector that scores will be losses of samples with this many elements: `squares`, means of (f -
 * f*)^2. FGT_E_ARG if the options say otherwise: nothing changes. */
fgt_status fgti_attent_bind(fgt_attent *a, bool squares, int64_t elements);
/* A hash of its groups, its references, the log that it replays and, with `state`, its scores, subset and
 * place in the schedules. */
uint64_t fgti_attent_hash_all(const fgt_attent *a, bool state);

#endif
