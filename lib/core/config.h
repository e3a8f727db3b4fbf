/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CONFIG_H
#define FGTI_CONFIG_H

/* Options as text, for model files: "out=64 dropout=0.1". The same in every locale. What is zero is
 * left out, because zero is the default for ever. */

#include "core/opts.h"
#include "core/text.h"

fgt_status fgti_config_write(fgti_text *t, const fgti_opt *table, const void *opts);
/* Sets the named fields in *opts. FGT_E_FORMAT malformed; FGT_E_VERSION an option that we do not know. */
fgt_status fgti_config_read(fgti_error *err, const fgti_opt *table, const char *text, void *opts);

#endif
