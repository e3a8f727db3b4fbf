/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CATEGORY_ALIGN_H
#define FGTI_CATEGORY_ALIGN_H

#include "data/table.h"

/* Several tables may have columns of one category: each gets the columns that only others have, with 0. */
fgt_status fgti_categories_align(fgt_context *ctx, fgt_table **tables, int64_t count,
                                 const char *const *names, int64_t name_count);

#endif
