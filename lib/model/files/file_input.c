/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/files/file_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/opts.h"
#include "core/atomic_file.h"

/* Most bytes that one pread() is asked for. Linux reads at most 2^31 - 4096 at a time, and macOS refuses more
 * than 2^31 - 1. */
#define READ_MAX (INT64_C(1) << 30)
/* Bytes of the first piece of the data from an fgt_reader. The size in the header may be wrong, so later
 * pieces grow with the bytes that arrived. */
#define FIRST_PIECE 65536

/* ---- the kinds of input ---- */

void fgti_input_path(const char *path, fgti_input *in)
{
    *in = (fgti_input){.name = path, .path = path, .fd = -1};
}

fgt_status fgti_input_memory(fgti_error *err, const void *data, int64_t size, fgti_input *in)
{
    *in = (fgti_input){.name = "memory", .memory = data, .size = size, .fd = -1};
    if (size < 0 || !data)
        return fgti_fail(err, FGT_E_ARG, "memory: data or size is wrong (got %lld bytes at %s)",
                         (long long)size, data ? "an address" : "NULL");
    return FGT_OK;
}

fgt_status fgti_input_reader(fgti_error *err, const fgt_reader *reader, fgti_input *in)
{
    *in = (fgti_input){.fd = -1};
    if (!reader) return fgti_fail(err, FGT_E_ARG, "reader is NULL");
    FGTI_TRY(fgti_opts_read(err, "reader", reader, &in->reader, sizeof in->reader));
    const fgt_reader *r = &in->reader;
    if (!r->read) return fgti_fail(err, FGT_E_ARG, "reader: read is NULL");
    if (r->length < 0)
        return fgti_fail(err, FGT_E_ARG, "reader: length is out of range (got %lld, need 0 or more)",
                         (long long)r->length);
    FGTI_TRY(fgti_reserved_check(err, "reader", r->reserved));
    in->name = r->name ? r->name : "reader";
    in->size = r->length ? r->length : -1;
    return FGT_OK;
}

fgt_status fgti_input_from(fgti_error *err, const fgt_input *from, fgti_input *in)
{
    fgt_input f;
    if (!from) return fgti_fail(err, FGT_E_ARG, "input: is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_input", from, &f, sizeof f));
    const bool memory = f.data || f.bytes;
    const int  given  = (f.path != NULL) + memory + (f.reader != NULL);
    if (given != 1)
        return fgti_fail(err, FGT_E_ARG, "input: wrong number of path, data and reader (got %d, need 1)",
                         given);
    if (memory) return fgti_input_memory(err, f.data, f.bytes, in);
    if (f.reader) return fgti_input_reader(err, f.reader, in);
    fgti_input_path(f.path, in);
    return FGT_OK;
}

/* ---- opening and closing ---- */

static fgt_status check_file(fgti_input *in)
{
    fgti_error *err = &in->ctx->error;
    struct stat info;
    if (fstat(in->fd, &info)) return fgti_fail_errno(err, in->path, "cannot read", errno);
    if (S_ISDIR(info.st_mode)) return fgti_fail_errno(err, in->path, "cannot read", EISDIR);
    if (!S_ISREG(info.st_mode))
        return fgti_fail(err, FGT_E_IO, "%.300s: cannot read: not a regular file", in->path);
    in->size = info.st_size;
    return FGT_OK;
}

fgt_status fgti_input_open(fgt_context *ctx, fgti_input *in)
{
    in->ctx = ctx;
    if (!in->path) return FGT_OK;
    /* O_NONBLOCK, because the open of a pipe without a writer must not block */
    in->fd = fgti_open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (in->fd < 0) return fgti_fail_errno(&ctx->error, in->path, "cannot open", errno);
    const fgt_status s = check_file(in);
    if (s != FGT_OK) fgti_input_close(in);
    return s;
}

void fgti_input_close(fgti_input *in)
{
    if (in->fd >= 0) close(in->fd);
    for (int i = 0; i < in->pieces; i++) fgti_free(in->ctx, in->piece[i]);
    in->fd     = -1;
    in->pieces = 0;
}

/* ---- reading ---- */

static fgt_status get_from_file(const fgti_input *in, int64_t offset, int64_t bytes, void *out, int64_t *got)
{
    ssize_t n;
    if (bytes > READ_MAX) bytes = READ_MAX;
    do n = pread(in->fd, out, (size_t)bytes, (off_t)offset);
    while (n < 0 && errno == EINTR);
    if (n < 0) return fgti_fail_errno(&in->ctx->error, in->path, "cannot read", errno);
    *got = n;
    return FGT_OK;
}

static fgt_status get_from_reader(const fgti_input *in, int64_t offset, int64_t bytes, void *out,
                                  int64_t *got)
{
    int64_t          n = 0;
    const fgt_status s = in->reader.read(in->reader.user, offset, out, bytes, &n);
    if (s != FGT_OK)
        return fgti_fail(&in->ctx->error, FGT_E_IO, "%.300s: byte %lld: the reader failed with %d (%s)",
                         in->name, (long long)offset, (int)s, fgt_status_get_name(s));
    if (n < 0 || n > bytes)
        return fgti_fail(&in->ctx->error, FGT_E_IO,
                         "%.300s: byte %lld: the reader returned a wrong count (got %lld, at most %lld)",
                         in->name, (long long)offset, (long long)n, (long long)bytes);
    *got = n;
    return FGT_OK;
}

/* Copies data from the pieces, as far as the pieces reach. Data before the first piece are not in them. */
static bool get_from_pieces(const fgti_input *in, int64_t offset, int64_t bytes, void *out, int64_t *got)
{
    int64_t begin = in->held;
    *got          = 0;
    if (!in->pieces || offset < begin) return false;
    for (int i = 0; i < in->pieces; begin += in->piece_size[i++]) {
        const int64_t skip = offset - begin, n = in->piece_size[i] - skip;
        if (n <= 0) continue;
        *got = n < bytes ? n : bytes;
        memcpy(out, in->piece[i] + skip, (size_t)*got);
        return true;
    }
    return false;
}

static void get_from_memory(const fgti_input *in, int64_t offset, int64_t bytes, void *out, int64_t *got)
{
    const int64_t left = in->size - offset;
    *got               = left < bytes ? left : bytes;
    memcpy(out, in->memory + offset, (size_t)*got);
}

fgt_status fgti_input_get(const fgti_input *in, int64_t offset, int64_t bytes, void *out, int64_t *got)
{
    if (in->size >= 0 && bytes > in->size - offset) bytes = in->size > offset ? in->size - offset : 0;
    int64_t n = 0;
    for (*got = 0; *got < bytes; *got += n) {
        char *const   to   = (char *)out + *got;
        const int64_t from = offset + *got, left = bytes - *got;
        if (get_from_pieces(in, from, left, to, &n)) continue;
        if (in->reader.read)
            FGTI_TRY(get_from_reader(in, from, left, to, &n));
        else if (in->path)
            FGTI_TRY(get_from_file(in, from, left, to, &n));
        else
            get_from_memory(in, from, left, to, &n);
        if (n == 0) break;
    }
    return FGT_OK;
}

fgt_status fgti_input_read(const fgti_input *in, int64_t offset, int64_t bytes, void *out)
{
    int64_t got;
    FGTI_TRY(fgti_input_get(in, offset, bytes, out, &got));
    if (got == bytes) return FGT_OK;
    /* if the length is not known, a read of one byte far after the end may only be a test */
    const char *before = in->size < 0 && !got ? " or before" : "";
    return fgti_fail(&in->ctx->error, FGT_E_FORMAT,
                     "%.300s: truncated: it ends at byte %lld%s, in the middle of %lld bytes from %lld on",
                     in->name, (long long)(offset + got), before, (long long)bytes, (long long)offset);
}

/* ---- keeping data in memory ---- */

fgt_status fgti_input_hold(fgti_input *in, int64_t offset, int64_t bytes)
{
    int64_t done = 0;
    if (!in->path && !in->reader.read) return FGT_OK;
    while (done < bytes && in->pieces < FGTI_INPUT_PIECES) {
        int64_t size = bytes - done;
        if (fgti_input_doubtful(in)) {
            const int64_t next = done ? done : FIRST_PIECE;
            size               = next < size ? next : size;
        }
        char *piece;
        FGTI_TRY(fgti_alloc_dirty(in->ctx, size, 1, "data of a file", (void **)&piece));
        const fgt_status s = fgti_input_read(in, offset + done, size, piece);
        if (s != FGT_OK) {
            fgti_free(in->ctx, piece);
            return s;
        }
        if (!in->pieces) in->held = offset;
        in->piece_size[in->pieces] = size;
        in->piece[in->pieces++]    = piece;
        done += size;
    }
    return FGT_OK;
}
