/* SPDX-License-Identifier: BSD-3-Clause */
#include <fighter/experimental/adapter.h>

#include "adapter.h"

#include "output.h"
#include "program.h"

#define AT(field) offsetof(adapter, field)

/* The adapter's name in the model. */
#define NAME "adapter"

const opt adapter_options[ADAPTER_OPTIONS] = {
    {"adapt", TEXT, AT(adapt), 0, 0, 0, NULL, "FOLDER",
     "with --load MODEL and data to train on: train an adapter (LoRA),\n"
     "not the model, and write only it to the folder, as Python's peft\n"
     "does"},
    {"adapt-rank", COUNT, AT(rank), 0, 1, 65536, NULL, "N", "of its matrices; default: 8"},
    {"adapt-alpha", REAL, AT(alpha), 0, 1e-6, 1e6, NULL, "F",
     "N times the scale of what it adds; default: the rank"},
    {"adapt-maps", TEXT, AT(maps), 0, 0, 0, NULL, "PATTERNS",
     "weights that it adapts, such as \"*.in_proj_weight\", several with\n"
     "commas; \"*\": all, tables of embeddings too; default: all\n"
     "linear maps"},
    {"adapt-whole", TEXT, AT(whole), 0, 0, 0, NULL, "PATTERNS",
     "parameters of which it trains a whole copy, such as \"head.\";\n"
     "default: none"},
    {"adapter", TEXT, AT(use), 0, 0, 0, NULL, "FOLDER", "with --load MODEL: use this adapter"},
};

bool adapter_check(const adapter *a, const char *load, const char *data, const char *from)
{
    if (a->adapt && !(load && data)) return complain("--adapt needs --load MODEL and --%s", from);
    if (a->adapt && a->use) return complain("--adapt and --adapter cannot both be given");
    if (a->use && !load) return complain("--adapter needs --load MODEL");
    if (!a->adapt && (a->rank || a->alpha > 0 || a->maps || a->whole))
        return complain("--adapt-rank, --adapt-alpha, --adapt-maps and --adapt-whole need --adapt FOLDER");
    return !a->adapt || output_check_folder(a->adapt);
}

fgt_status adapter_add(const adapter *a, fgt_model *model, uint64_t seed)
{
    const fgt_adapter_opts opts = {.size    = sizeof opts,
                                   .name    = NAME,
                                   .pattern = a->maps,
                                   .whole   = a->whole,
                                   .alpha   = a->alpha,
                                   .rank    = a->rank,
                                   .seed    = seed};
    const fgt_status       s    = fgt_model_add_adapter(model, &opts);
    return s == FGT_OK ? fgt_model_set_adapter(model, NAME) : s;
}

fgt_status adapter_load(const adapter *a, fgt_model *model)
{
    const fgt_status s = fgt_model_load_adapter(model, NAME, a->use);
    return s == FGT_OK ? fgt_model_set_adapter(model, NAME) : s;
}

fgt_status adapter_save(const adapter *a, fgt_model *model)
{
    return fgt_model_save_adapter(model, NAME, a->adapt);
}
