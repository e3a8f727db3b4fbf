/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/store/block_read.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "core/context.h"
#include "core/hash.h"
#include "core/size.h"
#include "core/text.h"
#include "data/store/block_write.h"

fgt_status fgti_block_file_damaged(const fgti_block_file *f, const char *what)
{
    return fgti_fail(&f->ctx->error, FGT_E_FORMAT, "%.300s: damaged: %s", f->path, what);
}

fgt_status fgti_block_file_refuse(const fgti_block_file *f, int64_t block, const char *column)
{
    char show[FGTI_SHOW], of[FGTI_SHOW + 16] = "";
    if (column) snprintf(of, sizeof of, " of column \"%s\"", fgti_show(column, show));
    return fgti_fail(&f->ctx->error, FGT_E_FORMAT,
                     "%.300s: damaged: rows %lld..%lld%s are not what was written", f->path,
                     (long long)f->index.row[block], (long long)f->index.row[block + 1] - 1, of);
}

static fgt_status read_bytes(const fgti_block_file *f, int64_t offset, int64_t bytes, void *out)
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

/* ---- the index ---- */

/* The part of an index that is still to be read. */
typedef struct fgti_rest {
    const unsigned char *next, *end;
} fgti_rest;

static bool take_u64(fgti_rest *x, uint64_t *v)
{
    if (x->end - x->next < 8) return false;
    *v = fgti_get_u64(x->next);
    x->next += 8;
    return true;
}

static bool take_double(fgti_rest *x, double *v)
{
    uint64_t   bits;
    const bool is = take_u64(x, &bits);
    if (is) memcpy(v, &bits, sizeof *v);
    return is;
}

static float float_of(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float          v;
    memcpy(&v, &low, sizeof v);
    return v;
}

static bool take_moments(fgti_rest *x, int64_t rows, fgti_chunk_moments *m)
{
    uint64_t count, bounds;
    if (!take_double(x, &m->mean) || !take_double(x, &m->square) || !take_u64(x, &count) ||
        !take_u64(x, &bounds))
        return false;
    m->count = (int64_t)count;
    m->least = float_of(bounds);
    m->most  = float_of(bounds >> 32);
    return m->count >= 0 && m->count <= rows && isfinite(m->mean) && m->square >= 0 && !isinf(m->square) &&
           isfinite(m->least) && isfinite(m->most);
}

/* Reads the index of block b. Every number is checked, because hashes detect damage but not a forged file.
 * data: number of bytes of all blocks. */
static fgt_status read_block(fgti_block_file *f, fgti_rest *x, int64_t b, int64_t data)
{
    fgti_block_index *in    = &f->index;
    fgti_chunk       *chunk = in->chunk + b * in->columns;
    const int64_t     left  = data - chunk->begin;
    uint64_t          rows;
    if (!take_u64(x, &rows) || !rows || rows > (uint64_t)left / 4 / (uint64_t)in->columns)
        return fgti_block_file_damaged(f, "the sizes of its blocks");
    for (int64_t c = 0; c < in->columns; c++) {
        uint64_t bytes = 0;
        if (!take_u64(x, &chunk[c].hash) || (in->type[c] == FGTI_CELLS_BYTES && !take_u64(x, &bytes)) ||
            bytes > (uint64_t)data || 4 * (int64_t)rows + (int64_t)bytes > data - chunk[c].begin)
            return fgti_block_file_damaged(f, "the sizes of its blocks");
        if (in->type[c] == FGTI_CELLS_FLOATS &&
            !take_moments(x, (int64_t)rows, &in->moments[b * in->columns + c]))
            return fgti_block_file_damaged(f, "the moments of a block");
        chunk[c + 1].begin = chunk[c].begin + 4 * (int64_t)rows + (int64_t)bytes;
    }
    in->row[b + 1]     = in->row[b] + (int64_t)rows;
    const int64_t size = chunk[in->columns].begin - chunk->begin;
    if (size > f->longest) f->longest = size;
    if ((int64_t)rows > f->most_rows) f->most_rows = (int64_t)rows;
    return FGT_OK;
}

static fgt_status read_blocks(fgti_block_file *f, fgti_rest *x, int64_t data)
{
    fgti_block_index *in    = &f->index;
    const int64_t     words = (x->end - x->next) / 8;
    int64_t           chunks;
    if (in->columns > words || !fgti_size_mul(in->blocks, in->columns, &chunks) || chunks > words)
        return fgti_block_file_damaged(f, "its blocks do not fit its index");
    FGTI_TRY(FGTI_NEW(f->ctx, in->columns, "columns", &in->type));
    FGTI_TRY(FGTI_NEW(f->ctx, in->blocks + 1, "index of blocks", &in->row));
    FGTI_TRY(FGTI_NEW(f->ctx, chunks + 1, "index of blocks", &in->chunk));
    FGTI_TRY(FGTI_NEW(f->ctx, chunks, "index of blocks", &in->moments));
    for (int64_t c = 0; c < in->columns; c++) {
        uint64_t type;
        if (!take_u64(x, &type) || type >= FGTI_CELL_TYPES)
            return fgti_block_file_damaged(f, "the types of its columns");
        in->type[c] = (uint8_t)type;
    }
    for (int64_t b = 0; b < in->blocks; b++) FGTI_TRY(read_block(f, x, b, data));
    in->rows = in->row[in->blocks];
    return in->chunk[chunks].begin == data ? FGT_OK : fgti_block_file_damaged(f, "the sizes of its blocks");
}

static fgt_status block_read_names(fgti_block_file *f, fgti_rest *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t n;
        if (!take_u64(x, &n) || n > (uint64_t)(x->end - x->next) || memchr(x->next, 0, (size_t)n))
            return fgti_block_file_damaged(f, "its names");
        FGTI_TRY(fgti_strings_add(f->ctx, &f->index.names, (const char *)x->next, (int64_t)n));
        x->next += n;
    }
    return x->next == x->end ? FGT_OK : fgti_block_file_damaged(f, "its index has another size");
}

static fgt_status read_index(fgti_block_file *f, fgti_rest x, int64_t data)
{
    fgti_block_index *in    = &f->index;
    const uint64_t    words = (uint64_t)(x.end - x.next) / 8;
    uint64_t          size[4], v = 0;
    for (int i = 0; i < 4; i++)
        if (!take_u64(&x, &size[i]) || size[i] > words)
            return fgti_block_file_damaged(f, "the size of its index");
    if (!size[0] || !size[1]) return fgti_block_file_damaged(f, "its numbers of rows and columns");
    in->columns = (int64_t)size[0];
    in->blocks  = (int64_t)size[1];
    in->numbers = (int64_t)size[2];
    FGTI_TRY(read_blocks(f, &x, data));
    FGTI_TRY(FGTI_NEW(f->ctx, in->numbers + 1, "index of blocks", &in->number));
    for (int64_t i = 0; i < in->numbers; i++) {
        if (!take_u64(&x, &v)) return fgti_block_file_damaged(f, "the size of its index");
        in->number[i] = (int64_t)v;
    }
    return block_read_names(f, &x, (int64_t)size[3]);
}

/* ---- opening ---- */

/* Refuses a file of another kind or form. */
static fgt_status refuse_mark(const fgti_block_file *f, const unsigned char *begin, const char *mark,
                              const char *kind)
{
    if (memcmp(begin, mark, FGTI_MARK - 1))
        return fgti_fail(&f->ctx->error, FGT_E_FORMAT, "%.300s: not a %s", f->path, kind);
    return fgti_fail(&f->ctx->error, FGT_E_FORMAT,
                     "%.300s: the %s has another form (got %c, need %c); convert its data again", f->path,
                     kind,
                     begin[FGTI_MARK - 1] > ' ' && begin[FGTI_MARK - 1] <= '~' ? begin[FGTI_MARK - 1] : '?',
                     mark[FGTI_MARK - 1]);
}

/* Reads the end mark and the index. The size of the index is first compared with the size of the file, and
 * only then memory is allocated. */
static fgt_status read_end(fgti_block_file *f, const char *mark, const char *kind, int64_t size)
{
    unsigned char end[FGTI_INDEX_END], begin[FGTI_MARK], *index;
    const int64_t around = FGTI_MARK + FGTI_INDEX_END;
    if (size < around)
        return fgti_fail(&f->ctx->error, FGT_E_FORMAT, "%.300s: damaged: it is too short for a %s", f->path,
                         kind);
    FGTI_TRY(read_bytes(f, 0, FGTI_MARK, begin));
    if (memcmp(begin, mark, FGTI_MARK)) return refuse_mark(f, begin, mark, kind);
    FGTI_TRY(read_bytes(f, size - FGTI_INDEX_END, FGTI_INDEX_END, end));
    if (memcmp(end + 16, mark, FGTI_MARK))
        return fgti_block_file_damaged(f, "it has no end mark, so it was cut off");
    const uint64_t own = fgti_get_u64(end);
    f->hash            = fgti_get_u64(end + 8);
    if (own < 8 || own > (uint64_t)(size - around))
        return fgti_block_file_damaged(f, "the size of its index");
    const int64_t bytes = (int64_t)own, data = size - around - bytes;
    FGTI_TRY(fgti_alloc_dirty(f->ctx, bytes, 1, "index of blocks", (void **)&index));
    fgt_status s = read_bytes(f, FGTI_MARK + data, bytes, index);
    if (s == FGT_OK)
        s = fgti_hash(FGTI_HASH_START, index, bytes) == f->hash
                ? read_index(f, (fgti_rest){index, index + bytes}, data)
                : fgti_block_file_damaged(f, "its index");
    fgti_free(f->ctx, index);
    return s;
}

fgt_status fgti_block_file_open(fgt_context *ctx, const char *path, const char *mark, const char *kind,
                                fgti_block_file *f)
{
    struct stat st;
    *f = (fgti_block_file){.ctx = ctx, .fd = -1, .resident = f->resident};
    FGTI_TRY(fgti_strdup(ctx, path, &f->path));
    f->fd = fgti_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (f->fd < 0) return fgti_fail_errno(&ctx->error, path, "open", errno);
    if (fstat(f->fd, &st)) return fgti_fail_errno(&ctx->error, path, "open", errno);
    if (!S_ISREG(st.st_mode)) return fgti_fail(&ctx->error, FGT_E_IO, "%.300s: not an ordinary file", path);
    return read_end(f, mark, kind, (int64_t)st.st_size);
}

void fgti_block_file_close(fgti_block_file *f)
{
    if (!f->ctx) return;
    fgti_block_index_done(f->ctx, &f->index);
    fgti_free(f->ctx, f->path);
    if (f->fd >= 0) close(f->fd);
    *f = (fgti_block_file){.fd = -1};
}

/* A pipe is not opened, because its writer would notice. */
bool fgti_block_file_is(const char *path, const char *mark)
{
    char        begin[FGTI_MARK];
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return false;
    const int  fd = fgti_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    const bool is = fd >= 0 && pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
                    !memcmp(begin, mark, FGTI_MARK - 1);
    if (fd >= 0) close(fd);
    return is;
}

/* ---- chunks ---- */

/* Whether these values have the count and the bounds of the index. Callers use the bounds without reading the
 * values. */
static bool is_bounded(const fgti_chunk_moments *m, const float *v, int64_t rows)
{
    int64_t count = 0;
    bool    good  = true;
    for (int64_t i = 0; i < rows; i++) {
        if (isnan(v[i])) continue;
        good &= v[i] >= m->least && v[i] <= m->most;
        count++;
    }
    return good && count == m->count;
}

static bool do_rise(const uint32_t *end, int64_t rows, int64_t bytes)
{
    for (int64_t i = 1; i < rows; i++)
        if (end[i] < end[i - 1]) return false;
    return end[rows - 1] == bytes;
}

fgt_status fgti_block_file_read(const fgti_block_file *f, int64_t block, int64_t column, void *out,
                                bool *good)
{
    const int64_t  i = block * f->index.columns + column, rows = fgti_block_file_rows(f, block);
    const int64_t  bytes = fgti_block_file_bytes(f, block, column);
    unsigned char *p     = out;
    uint64_t       hash  = FGTI_HASH_START;
    FGTI_TRY(read_bytes(f, FGTI_MARK + f->index.chunk[i].begin, bytes, out));
    for (int64_t r = 0; r < rows; r++, p += 4) {
        const uint32_t word = fgti_get_u32(p);
        hash                = fgti_hash_value(hash, word);
        memcpy(p, &word, sizeof word);
    }
    hash  = fgti_block_hash(hash, p, bytes - 4 * rows);
    *good = hash == f->index.chunk[i].hash;
    if (f->index.type[column] == FGTI_CELLS_FLOATS)
        *good = *good && is_bounded(&f->index.moments[i], out, rows);
    if (f->index.type[column] == FGTI_CELLS_BYTES) *good = *good && do_rise(out, rows, bytes - 4 * rows);
    return FGT_OK;
}
