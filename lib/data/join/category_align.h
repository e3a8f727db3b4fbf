/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CATEGORY_ALIGN_H
#define FGTI_CATEGORY_ALIGN_H

#include "data/table.h"

/* Gives each table the columns of a category that only other tables have. The new columns are 0. */
fgt_status fgti_categories_align(fgt_context *ctx, fgt_table **tables, int64_t count,
                                 const char *const *names, int64_t name_count);

#endif
