/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/files/file_output.h"

#include <string.h>

#include "core/context.h"
#include "core/opts.h"

void fgti_output_path(const char *path, fgti_output *out)
{
    *out = (fgti_output){.name = path, .path = path, .file = {.fd = -1}};
}

static fgt_status memory_output(fgti_error *err, void *buffer, int64_t capacity, int64_t *bytes,
                                fgti_output *out)
{
    *out = (fgti_output){
        .name = "memory", .memory = buffer, .capacity = capacity, .bytes = bytes, .file = {.fd = -1}};
    if (!bytes) return fgti_fail(err, FGT_E_ARG, "memory: bytes is NULL");
    if (capacity < 0 || (capacity > 0 && !buffer))
        return fgti_fail(err, FGT_E_ARG, "memory: buffer or capacity is wrong (got %lld bytes at %s)",
                         (long long)capacity, buffer ? "an address" : "NULL");
    return FGT_OK;
}

static fgt_status writer_output(fgti_error *err, const fgt_writer *writer, fgti_output *out)
{
    *out = (fgti_output){.file = {.fd = -1}};
    FGTI_TRY(fgti_opts_read(err, "writer", writer, &out->writer, sizeof out->writer));
    if (!out->writer.write) return fgti_fail(err, FGT_E_ARG, "writer: write is NULL");
    out->name = out->writer.name ? out->writer.name : "writer";
    return FGT_OK;
}

fgt_status fgti_output_to(fgti_error *err, const fgt_output *to, fgti_output *out)
{
    fgt_output t;
    if (!to) return fgti_fail(err, FGT_E_ARG, "output: is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_output", to, &t, sizeof t));
    const bool memory = t.buffer || t.bytes || t.capacity;
    const int  given  = (t.path != NULL) + memory + (t.writer != NULL);
    if (given != 1)
        return fgti_fail(err, FGT_E_ARG, "output: wrong number of path, memory and writer (got %d, need 1)",
                         given);
    if (memory) return memory_output(err, t.buffer, t.capacity, t.bytes, out);
    if (t.writer) return writer_output(err, t.writer, out);
    fgti_output_path(t.path, out);
    return FGT_OK;
}

fgt_status fgti_output_open(fgt_context *ctx, fgti_output *out, int64_t size)
{
    out->ctx = ctx;
    out->at  = 0;
    if (out->bytes) *out->bytes = size;
    if (out->memory && out->capacity < size)
        return fgti_fail(&ctx->error, FGT_E_SIZE, "%s: the buffer is too small (got %lld bytes, need %lld)",
                         out->name, (long long)out->capacity, (long long)size);
    return out->path ? fgti_atomic_open(ctx, out->path, &out->file) : FGT_OK;
}

fgt_status fgti_output_write(fgti_output *out, const void *data, int64_t bytes)
{
    if (bytes == 0) return FGT_OK;
    if (out->path) return fgti_atomic_write(&out->file, data, (size_t)bytes);
    if (out->writer.write) {
        const fgt_status s = out->writer.write(out->writer.user, data, bytes);
        if (s != FGT_OK)
            return fgti_fail(&out->ctx->error, FGT_E_IO, "%.300s: byte %lld: the writer failed with %d (%s)",
                             out->name, (long long)out->at, (int)s, fgt_status_get_name(s));
    } else if (out->memory)
        memcpy(out->memory + out->at, data, (size_t)bytes);
    out->at += bytes;
    return FGT_OK;
}

fgt_status fgti_output_commit(fgti_output *out)
{
    return out->path ? fgti_atomic_commit(&out->file) : FGT_OK;
}

void fgti_output_abandon(fgti_output *out)
{
    if (out->path && out->file.ctx) fgti_atomic_abandon(&out->file);
}

fgt_status fgti_output_whole(fgt_context *ctx, fgti_output *out, const void *data, int64_t bytes)
{
    fgt_status s = fgti_output_open(ctx, out, bytes);
    if (s == FGT_OK && fgti_output_wants_bytes(out)) s = fgti_output_write(out, data, bytes);
    if (s == FGT_OK) s = fgti_output_commit(out);
    if (s != FGT_OK) fgti_output_abandon(out);
    return s;
}
