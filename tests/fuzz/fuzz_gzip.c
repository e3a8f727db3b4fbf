/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed files. The first byte chooses: the rest is a gzip file as it comes, or is first made one, of
 * several streams one after another, and then must be read as it was. */
#include <stdlib.h>
#include <string.h>
#ifdef FGTI_HAVE_ZLIB
#include <zlib.h>
#endif

#include "core/context.h"
#include "data/csv/reader.h"
#include "fuzz.h"

enum { MOST = 1 << 16, HEADER = 10 };

/* Reads all of it; compares it with `expected` unless that is NULL. */
static bool read_file(const uint8_t *data, size_t size, const uint8_t *expected, size_t expected_size)
{
    static fgt_context ctx  = {.allocator = {sizeof ctx.allocator, NULL, fgti_libc_alloc, fgti_libc_release}};
    const char        *path = fuzz_file(data, size), *piece;
    fgti_reader       *r    = NULL;
    size_t             n = 1, done = 0;
    if (!path) return false;
    ctx.error.text[0] = 0;
    fgt_status s      = fgti_reader_open(&ctx, path, &r);
    while (s == FGT_OK && n && done < MOST) {
        s = fgti_reader_read(r, &piece, &n);
        if (s != FGT_OK) break;
        if (expected && (n > expected_size - done || memcmp(piece, expected + done, n) != 0)) abort();
        done += n;
    }
    const double share = r ? fgti_reader_progress(r) : 0;
    if (!(share >= 0 && share <= 1) || (s != FGT_OK && !ctx.error.text[0])) abort();
    fgti_reader_close(&r);
    if (s == FGT_OK && expected && done != expected_size) abort();
    return s == FGT_OK;
}

#ifdef FGTI_HAVE_ZLIB
static z_stream z;

static void done_with(void)
{
    deflateEnd(&z);
}

/* 0: it does not fit */
static size_t compress_piece(const uint8_t *data, size_t size, uint8_t *out, size_t most)
{
    static int ready;
    /* the smallest window and tables, because they are cleared for each stream */
    if (!ready && deflateInit2(&z, 1, Z_DEFLATED, 9 + 16, 1, Z_DEFAULT_STRATEGY) != Z_OK) abort();
    if (!ready++) atexit(done_with);
    if (deflateReset(&z) != Z_OK) abort();
    z.next_in   = (unsigned char *)(uintptr_t)data;
    z.avail_in  = (unsigned)size;
    z.next_out  = out;
    z.avail_out = (unsigned)most;
    return deflate(&z, Z_FINISH) == Z_STREAM_END ? most - z.avail_out : 0;
}

static bool read_compressed(const uint8_t *data, size_t size, size_t piece)
{
    static uint8_t file[2 * MOST];
    size_t         used = 0, at = 0;
    do {
        const size_t left = size - at, n = left < piece ? left : piece;
        const size_t packed = compress_piece(data + at, n, file + used, sizeof file - used);
        if (!packed) return false;
        used += packed;
        at += n;
    } while (at < size);
    if (!read_file(file, used, data, size)) abort();
    return true;
}
#else
static bool read_compressed(const uint8_t *data, size_t size, size_t piece)
{
    (void)data, (void)size, (void)piece;
    return false;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t header[HEADER] = {0x1f, 0x8b, 8}; /* no name, no time */
    static uint8_t       file[MOST];
    if (size < 1 || size > MOST - HEADER) return 0;
    const int how = data[0];
    if (how & 1) { /* the compressed bytes, behind a header that is right */
        memcpy(file, header, HEADER);
        memcpy(file + HEADER, data + 1, size - 1);
        fuzz_count(read_file(file, HEADER + size - 1, NULL, 0));
    } else if (how & 2) {
        fuzz_count(read_file(data + 1, size - 1, NULL, 0));
    } else {
        fuzz_count(read_compressed(data + 1, size - 1, size / 4 + (size_t)(how >> 2) + 1));
    }
    return 0;
}
