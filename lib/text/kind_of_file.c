/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells files of tables from files of texts by their first bytes. */
#include <fighter/experimental/table_file.h>

#include "data/store/store.h"
#include "text/text_store.h"

int32_t fgt_file_get_kind(const char *path)
{
    if (!path) return FGT_FILE_KIND_OTHER;
    if (fgti_store_is(path)) return FGT_FILE_KIND_TABLE;
    return fgti_text_store_is(path) ? FGT_FILE_KIND_CORPUS : FGT_FILE_KIND_OTHER;
}
