/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/store/block_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"
#include "core/hash.h"
#include "core/text.h"

#define END 24 /* bytes after the index */

/* ---- writing ---- */

fgt_status fgti_block_writer_begin(fgt_context *ctx, const char *path, const char *mark, fgti_block_writer *w)
{
    *w = (fgti_block_writer){.mark = mark, .hash = FGTI_HASH_START};
    FGTI_TRY(fgti_atomic_open(ctx, path, &w->file));
    return fgti_atomic_write(&w->file, mark, FGTI_MARK);
}

static fgt_status index_add_bytes(fgti_block_writer *w, const void *bytes, int64_t size)
{
    w->hash = fgti_hash(w->hash, bytes, size);
    w->bytes += (uint64_t)size;
    return fgti_atomic_write(&w->file, bytes, (size_t)size);
}

static void put_u64(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++) p[i] = (unsigned char)(v >> (8 * i));
}

fgt_status fgti_index_add(fgti_block_writer *w, uint64_t v)
{
    unsigned char bytes[8];
    put_u64(bytes, v);
    return index_add_bytes(w, bytes, sizeof bytes);
}

fgt_status fgti_index_add_name(fgti_block_writer *w, const char *name, int64_t size)
{
    FGTI_TRY(fgti_index_add(w, (uint64_t)size));
    return index_add_bytes(w, name, size);
}

fgt_status fgti_block_writer_end(fgti_block_writer *w)
{
    unsigned char end[END];
    put_u64(end, w->bytes);
    put_u64(end + 8, w->hash);
    memcpy(end + 16, w->mark, FGTI_MARK);
    FGTI_TRY(fgti_atomic_write(&w->file, end, sizeof end));
    return fgti_atomic_commit(&w->file);
}

void fgti_block_writer_abandon(fgti_block_writer *w)
{
    if (w->file.temp) fgti_atomic_abandon(&w->file); /* otherwise no file was opened, and file descriptor 0
                                                      * must not be closed */
}

/* ---- reading ---- */

fgt_status fgti_block_file_damaged(const fgti_block_file *f, const char *what)
{
    return fgti_fail(&f->ctx->error, FGT_E_FORMAT, "%.300s: damaged: %s", f->path, what);
}

fgt_status fgti_block_file_read(const fgti_block_file *f, int64_t offset, int64_t bytes, void *out)
{
    char *to = out;
    while (bytes > 0) {
        const ssize_t n = pread(f->fd, to, (size_t)bytes, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fgti_fail_errno(&f->ctx->error, f->path, "read", errno);
        if (!n) return fgti_block_file_damaged(f, "it has become shorter");
        to += n;
        offset += n;
        bytes -= n;
    }
    return FGT_OK;
}

/* Reads the end mark and the index. The size of the index is compared with the size of the file before memory
 * is allocated. */
static fgt_status read_index(fgti_block_file *f, const char *mark, const char *kind, int64_t size)
{
    unsigned char end[END], begin[FGTI_MARK];
    if (size < FGTI_MARK + END)
        return fgti_fail(&f->ctx->error, FGT_E_FORMAT, "%.300s: damaged: it is too short for a %s", f->path,
                         kind);
    FGTI_TRY(fgti_block_file_read(f, 0, FGTI_MARK, begin));
    if (memcmp(begin, mark, FGTI_MARK))
        return fgti_fail(&f->ctx->error, FGT_E_FORMAT, "%.300s: not a %s", f->path, kind);
    FGTI_TRY(fgti_block_file_read(f, size - END, END, end));
    if (memcmp(end + 16, mark, FGTI_MARK))
        return fgti_block_file_damaged(f, "it has no end mark, so it was cut off");
    const uint64_t own = fgti_get_u64(end);
    f->hash            = fgti_get_u64(end + 8);
    if (own < 8 || own > (uint64_t)(size - FGTI_MARK - END))
        return fgti_block_file_damaged(f, "the size of its index");
    f->index_bytes = (int64_t)own;
    f->data        = size - FGTI_MARK - END - f->index_bytes;
    FGTI_TRY(fgti_alloc_dirty(f->ctx, f->index_bytes, 1, "index of blocks", (void **)&f->index));
    FGTI_TRY(fgti_block_file_read(f, FGTI_MARK + f->data, f->index_bytes, f->index));
    const bool same = fgti_hash(FGTI_HASH_START, f->index, f->index_bytes) == f->hash;
    return same ? FGT_OK : fgti_block_file_damaged(f, "its index");
}

fgt_status fgti_block_file_open(fgt_context *ctx, const char *path, const char *mark, const char *kind,
                                fgti_block_file *f)
{
    struct stat st;
    *f = (fgti_block_file){.ctx = ctx, .fd = -1};
    FGTI_TRY(fgti_strdup(ctx, path, &f->path));
    f->fd = fgti_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (f->fd < 0) return fgti_fail_errno(&ctx->error, path, "open", errno);
    if (fstat(f->fd, &st)) return fgti_fail_errno(&ctx->error, path, "open", errno);
    if (!S_ISREG(st.st_mode)) return fgti_fail(&ctx->error, FGT_E_IO, "%.300s: not an ordinary file", path);
    return read_index(f, mark, kind, (int64_t)st.st_size);
}

void fgti_block_file_forget(fgti_block_file *f)
{
    fgti_free(f->ctx, f->index);
    f->index = NULL;
}

void fgti_block_file_close(fgti_block_file *f)
{
    if (!f->ctx) return;
    fgti_block_file_forget(f);
    fgti_free(f->ctx, f->path);
    if (f->fd >= 0) close(f->fd);
    *f = (fgti_block_file){.fd = -1};
}

/* Does not open a pipe, because its writer would notice. */
bool fgti_block_file_is(const char *path, const char *mark)
{
    char        begin[FGTI_MARK];
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return false;
    const int  fd = fgti_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    const bool is = fd >= 0 && pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
                    !memcmp(begin, mark, FGTI_MARK);
    if (fd >= 0) close(fd);
    return is;
}
