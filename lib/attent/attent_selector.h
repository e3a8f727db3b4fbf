/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENT_SELECTOR_H
#define FGTI_ATTENT_SELECTOR_H

#include "attent/attent_impl.h"

/* Writes all options of a selector except its seed and its log as text (core/config.h). */
fgt_status fgti_attent_write_opts(const fgt_attent *a, fgti_text *t);
/* Tells the selector that the scores will be losses of samples with this many elements. With `squares` the
 * losses are means of (f - f*)^2. FGT_E_ARG: the options contradict this, and nothing has changed. */
fgt_status fgti_attent_bind(fgt_attent *a, bool squares, int64_t elements);
/* A hash of the selector's groups, references and replayed log. With `state` the hash also covers its scores,
 * its subset and its place in the schedules. */
uint64_t fgti_attent_hash_all(const fgt_attent *a, bool state);

#endif
