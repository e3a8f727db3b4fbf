/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_NODE_NAME_H
#define FGTI_NODE_NAME_H

#include <fighter/analysis.h>

#include "core/text.h"

/* Writes a name as it stands between quotes (CSV, DOT) or tags (GraphML). The name may be any bytes. The
 * output is one line of UTF-8 in which nothing ends the quotes or the tags. */
fgt_status fgti_name_put(fgti_text *t, fgt_edges_format format, const char *name);

#endif
