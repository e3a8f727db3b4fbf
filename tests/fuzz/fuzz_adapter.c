/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of an adapter. An input that begins as JSON is its description, beside good tensors; any other
 * one is its tensors, beside a good description. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fighter/base.h>
#include <fighter/experimental/adapter.h>

#include "adapted.h"
#include "fuzz.h"

#define CONFIG  "adapter_config.json"
#define TENSORS "adapter_model.safetensors"

enum { MOST = 1 << 14 };

typedef struct file {
    uint8_t data[MOST];
    size_t  size;
} file;

/* One for all inputs. */
static fgt_model *model;
static char       folder[] = "/tmp/fighter-fuzz-XXXXXX";
static file       config, tensors; /* good ones */

static const char *path_of(const char *name)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void clean_up(void)
{
    fgt_model_destroy(&model);
    unlink(path_of(CONFIG));
    unlink(path_of(TENSORS));
    rmdir(folder);
}

static void take(const char *name, file *to)
{
    FILE *f = fopen(path_of(name), "rb");
    if (!f) abort();
    to->size = fread(to->data, 1, MOST, f);
    fclose(f);
    if (to->size == MOST || unlink(path_of(name))) abort();
}

/* File number i under its name in the folder: it stays in memory. */
static void link_file(const char *name, int i)
{
    const char *path = fuzz_file_number(i, NULL, 0);
    if (!path || symlink(path, path_of(name))) abort();
}

static void make(fgt_context *ctx)
{
    if (!mkdtemp(folder)) abort();
    if (adapted_create(ctx, &model) || fgt_model_save_adapter(model, "first", folder)) abort();
    take(CONFIG, &config);
    take(TENSORS, &tensors);
    link_file(CONFIG, 0);
    link_file(TENSORS, 1);
    atexit(clean_up); /* before the context, which was made earlier */
}

static void use(void)
{
    static int64_t ids[ADAPTED_TIME] = {0, 1, 2, 5, 6};
    static float   y[ADAPTED_TIME * 2];
    const fgt_view out = {.data = y, .shape = {1, ADAPTED_TIME, 2}, .rank = 3, .dtype = FGT_DTYPE_F32};
    if (fgt_model_set_adapter(model, "second")) abort();
    if (fgt_predict(model, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 1, ADAPTED_TIME), &out)) abort();
    if (fgt_model_remove_adapter(model, "second")) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fgt_context *ctx = fuzz_context();
    if (!ctx) return 0;
    if (!model) make(ctx);
    const bool describes = size && data[0] == '{';
    if (!fuzz_file_number(0, describes ? data : config.data, describes ? size : config.size)) return 0;
    if (!fuzz_file_number(1, describes ? tensors.data : data, describes ? tensors.size : size)) return 0;
    const uint64_t   before = fgt_model_get_hash(model);
    const fgt_status s      = fgt_model_load_adapter(model, "second", folder);
    fuzz_count(s == FGT_OK);
    if (s == FGT_OK) use();
    if (fgt_model_count_adapters(model) != 1 || fgt_model_get_hash(model) != before) abort();
    return 0;
}
