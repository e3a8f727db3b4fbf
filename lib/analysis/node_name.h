/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_NODE_NAME_H
#define FGTI_NODE_NAME_H

#include <fighter/analysis.h>

#include "core/text.h"

/* Puts a name as it stands inside quotes (CSV, DOT) or between tags (GraphML). Names may be any bytes. What
 * comes out is UTF-8 on one line, and ends neither quotes nor tags. */
fgt_status fgti_name_put(fgti_text *t, fgt_edges_format format, const char *name);

#endif
