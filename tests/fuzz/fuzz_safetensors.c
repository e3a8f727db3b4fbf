/* SPDX-License-Identifier: BSD-3-Clause */
/* safetensors reader: whatever it accepts must be readable to the last byte. */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "fuzz.h"
#include "model/files/file_input.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_read.h"

static void read_tensor(fgt_context *ctx, const fgti_st *st, const fgti_st_tensor *t)
{
    const size_t n   = (size_t)t->bytes / fgti_st_dtype_size(t->dtype);
    void        *out = malloc(n * sizeof(double) + 1);
    if (!out || fgti_st_find(st, t->name) != t) abort();
    const fgt_status real  = fgti_st_read_real(ctx, st, t->name, t->rank, t->shape, out);
    const fgt_status whole = fgti_st_read_i64(ctx, st, t->name, t->rank, t->shape, out);
    if ((real == FGT_OK) == (whole == FGT_OK || whole == FGT_E_DATA)) abort();
    free(out);
}

/* The input as a host's archive or stream gives it, few bytes at a time. */
typedef struct archive {
    const uint8_t *data;
    int64_t        size, most;
} archive;

static fgt_status read_archive(void *user, int64_t offset, void *buffer, int64_t bytes, int64_t *count)
{
    const archive *a = user;
    int64_t        n = offset < a->size ? a->size - offset : 0;
    if (n > bytes) n = bytes;
    if (n > a->most) n = a->most;
    if (n) memcpy(buffer, a->data + offset, (size_t)n);
    *count = n;
    return FGT_OK;
}

/* Whether it opens does not depend on where it comes from. */
static void open_otherwise(fgt_context *ctx, const uint8_t *data, size_t size, fgt_status expected)
{
    for (int way = 0; way < 4; way++) {
        archive          a = {data, (int64_t)size, (int64_t)(size % 13) + 1};
        const fgt_reader r = {.size       = sizeof r,
                              .read       = read_archive,
                              .user       = &a,
                              .length     = way & 1 ? a.size : 0,
                              .sequential = way & 2};
        fgti_input       in;
        fgti_st         *st;
        if (fgti_input_reader(&ctx->error, &r, &in)) abort();
        if (fgti_st_open_input(ctx, &in, &st) != expected) abort();
        fgti_st_close(ctx, &st);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fgt_context ctx = {.allocator = {sizeof ctx.allocator, NULL, fgti_libc_alloc, fgti_libc_release}};
    fgti_st           *st;
    ctx.error.text[0] = 0;
    open_otherwise(&ctx, data, size, fgti_st_open_memory(&ctx, "input", data, size, &st));
    fgti_st_close(&ctx, &st);
    const fgt_status s = fgti_st_open_memory(&ctx, "input", data, size, &st);
    fuzz_count(s == FGT_OK);
    if (s != FGT_OK) {
        if (s != FGT_E_FORMAT || strncmp(ctx.error.text, "input: ", 7) != 0) abort();
        return 0;
    }
    for (int64_t i = 0; i < st->count; i++) read_tensor(&ctx, st, &st->tensors[i]);
    for (int64_t i = 0; i < st->meta_count; i++)
        if (fgti_st_meta(st, st->meta[i].key) != st->meta[i].value) abort();
    fgti_st_close(&ctx, &st);
    return 0;
}
