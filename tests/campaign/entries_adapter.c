/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: adapters. */
#include <stdio.h>
#include <unistd.h>

#include <fighter/experimental/adapter.h>

#include "entries.h"

#define FILE_OF(folder) folder "/adapter_model.safetensors", folder "/adapter_config.json"

static void see_adapters(world *w)
{
    const fgt_model *m = w->fresh.model;
    for (int64_t i = 0; i < fgt_model_count_adapters(m); i++) {
        fgt_adapter_info info = {.size = sizeof info};
        if (fgt_model_get_adapter(m, i, &info) != FGT_OK) broken("an adapter that is there is not found");
        see_text(w, info.name);
        SEE(w, info.parameters);
        SEE(w, info.active);
    }
}

static fgt_status adapt(world *w)
{
    fgt_model *m      = w->fresh.model;
    char       folder[128]; /* in() keeps eight paths only */
    snprintf(folder, sizeof folder, "%s", in(w, "folder"));
    TRY(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "a", .whole = "out.bias", .rank = 2)));
    TRY(fgt_model_set_adapter(m, "a"));
    see_adapters(w);
    TRY(fgt_model_save_adapter(m, "a", folder));
    TRY(fgt_model_load_adapter(m, "b", folder));
    TRY(fgt_model_set_adapter(m, "b"));
    see_adapters(w);
    TRY(fgt_model_remove_adapter(m, "a"));
    return fgt_model_merge_adapter(m, "b");
}

/* Whatever has failed, the model and the folder are as before. */
static fgt_status adapters(world *w)
{
    static const char *const file[] = {FILE_OF("folder")};
    const fgt_status         s      = adapt(w);
    fgt_model               *m      = w->fresh.model;
    fgt_adapter_info         info   = {.size = sizeof info};
    while (fgt_model_count_adapters(m))
        if (fgt_model_get_adapter(m, 0, &info) != FGT_OK || fgt_model_remove_adapter(m, info.name) != FGT_OK)
            broken("an adapter cannot be removed");
    for (int i = 0; i < 2; i++) unlink(in(w, file[i]));
    rmdir(in(w, "folder"));
    return s;
}

static const entry entries[] = {
    {"fgt_model_add_adapter fgt_model_set_adapter fgt_model_count_adapters fgt_model_get_adapter "
     "fgt_model_remove_adapter fgt_model_merge_adapter fgt_model_save_adapter fgt_model_load_adapter",
     adapters, GRAPH | READS},
};
const entry_table adapter_entries = {entries, LENGTH(entries)};
