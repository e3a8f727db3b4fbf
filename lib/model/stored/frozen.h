/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FROZEN_H
#define FGTI_FROZEN_H

#include <fighter/model.h>

#include "core/text.h"

/* Writes the names of the frozen parameters as a model file has them. If no parameter is frozen, out->s stays
 * NULL. */
fgt_status fgti_frozen_write(const fgt_model *model, fgti_text *out);
/* Freezes the parameters named in a text of fgti_frozen_write(). text NULL: freezes no parameter.
 * FGT_E_FORMAT. */
fgt_status fgti_frozen_read(fgt_model *model, const char *text);

#endif
