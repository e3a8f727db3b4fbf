/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CONFIG_H
#define FGTI_CONFIG_H

/* Writes and reads the options in model files: a text such as "out=64 dropout=0.1", which is the same in
 * every locale. Options that are 0 are left out: 0 means the default, in all versions. */

#include "core/opts.h"
#include "core/text.h"

fgt_status fgti_config_write(fgti_text *t, const fgti_opt *table, const void *opts);
/* Sets the named fields in *opts. FGT_E_FORMAT: bad text; FGT_E_VERSION: an unknown option. */
fgt_status fgti_config_read(fgti_error *err, const fgti_opt *table, const char *text, void *opts);

#endif
