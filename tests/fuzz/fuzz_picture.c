/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG and JPEG files. The first byte chooses the reader, the size that the picture is brought to, and whether
 * the lengths and checksums of a PNG are mended: otherwise most damage comes no further than to these. Pixels
 * may then be rows that nothing has compressed. */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "fuzz.h"
#include "image/images.h"
#include "image/picture/jpeg.h"
#include "image/picture/png.h"

enum { JPEG = 1, MEND = 64, GRAY = 128 };

/* ---- what an input may cost (SECURITY.md) ---- */

/* libpng's rows, pointers to the rows of the picture, and structures. */
#define FIXED (INT64_C(1) << 20)
/* 8256 pixels for each byte, in up to 3 bytes each (a picture of 4 has fewer), twice when it is turned. */
#define OF_A_BYTE (INT64_C(8256) * 3 * 2)

static int64_t allocated, most; /* that are allocated, and may be; 0: as many as there are */

static void *limited_alloc(void *user, size_t size, size_t align)
{
    allocated += (int64_t)size;
    if (most && allocated > most) abort();
    return fgti_libc_alloc(user, size, align);
}

static void limited_release(void *user, void *p, size_t size)
{
    allocated -= (int64_t)size;
    fgti_libc_release(user, p, size);
}

static fgt_context *context;

static void destroy(void)
{
    fgt_context_destroy(&context);
}

static fgt_context *limited_context(void)
{
    const fgt_allocator    a = {sizeof a, NULL, limited_alloc, limited_release};
    const fgt_context_opts o = {.size = sizeof o, .allocator = &a, .threads = 1};
    if (!context && fgt_context_create(&o, &context) == FGT_OK) atexit(destroy);
    return context;
}

/* ---- a mended PNG ---- */

enum { ROOM = 1 << 16, CHUNK = 12 /* bytes around its data: length, type and checksum */ };

typedef struct mended {
    uint8_t data[ROOM];
    size_t  size;
} mended;

static void put(mended *m, const void *bytes, size_t n)
{
    memcpy(m->data + m->size, bytes, n);
    m->size += n;
}

static void put_number(mended *m, uint32_t v)
{
    put(m, (const uint8_t[]){(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v}, 4);
}

static uint32_t crc32_of(const uint8_t *data, size_t n)
{
    uint32_t c = ~UINT32_C(0);
    for (size_t i = 0; i < n; i++) {
        c ^= data[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ UINT32_C(0xedb88320) : c >> 1;
    }
    return ~c;
}

static uint32_t adler32_of(const uint8_t *data, size_t n)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* Rows that nothing has compressed, as a zlib stream of one stored block. */
static void put_rows(mended *m, const uint8_t *rows, size_t n)
{
    const uint8_t low = (uint8_t)n, high = (uint8_t)(n >> 8);
    put(m, (const uint8_t[]){0x78, 1, 1, low, high, (uint8_t)~low, (uint8_t)~high}, 7);
    put(m, rows, n);
    put_number(m, adler32_of(rows, n));
}

static void put_chunk(mended *m, const uint8_t *type, const uint8_t *data, size_t n)
{
    const size_t at = m->size;
    put_number(m, 0);
    put(m, type, 4);
    if (!memcmp(type, "IDAT", 4) && n && data[0] != 0x78)
        put_rows(m, data, n);
    else
        put(m, data, n);
    const size_t end = m->size;
    m->size          = at;
    put_number(m, (uint32_t)(end - at - 8));
    m->size = end;
    put_number(m, crc32_of(m->data + at + 4, end - at - 4));
}

/* Chunk after chunk. A length beyond the end becomes what is left. */
static void mend(const uint8_t *data, size_t size, mended *m)
{
    static const uint8_t signature[8] = {137, 'P', 'N', 'G', '\r', '\n', 26, '\n'};
    m->size = 0;
    put(m, signature, sizeof signature);
    for (size_t at = sizeof signature; size >= at + CHUNK;) {
        const size_t left = size - at - CHUNK;
        const size_t said = (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 | (size_t)data[at + 2] << 8 |
                            data[at + 3];
        const size_t n = said < left ? said : left;
        if (n > 0xffff || n + CHUNK + 11 > ROOM - m->size) break;
        put_chunk(m, data + at + 4, data + at + 8, n);
        at += n + CHUNK;
    }
}

/* ---- */

static fgt_status decode(fgt_context *ctx, int bits, const uint8_t *data, size_t size, fgti_picture *p)
{
    static mended     m;
    const fgti_colour background = {{(unsigned char)(bits & 16), 0, 0}};
    most                         = allocated + FIXED + OF_A_BYTE * ((int64_t)size + 1);
    if (bits & JPEG) return fgti_jpeg_decode(ctx, data, (int64_t)size, p);
    if (!(bits & MEND)) return fgti_png_decode(ctx, data, (int64_t)size, &background, p);
    mend(data, size, &m);
    most += OF_A_BYTE * (int64_t)m.size;
    uint8_t *copy = malloc(m.size); /* its exact size, so that a sanitiser sees reads beyond it */
    if (!copy) return FGT_E_NOMEM;
    memcpy(copy, m.data, m.size);
    *p                 = (fgti_picture){0};
    const fgt_status s = fgti_png_decode(ctx, copy, (int64_t)m.size, &background, p);
    free(copy);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const int     bits = data[0];
    fgt_context  *ctx  = limited_context();
    fgti_picture  p = {0};
    unsigned char out[16 * 16 * 3];
    if (!ctx) return 0;
    fgt_status s = decode(ctx, bits, data + 1, size - 1, &p);
    if (s == FGT_OK) s = fgti_picture_turn(ctx, &p);
    most = 0;
    fuzz_count(s == FGT_OK);
    if (s != FGT_OK && p.pixels) abort(); /* a picture is turned unless there is no memory */
    if (s != FGT_OK) return 0;
    if (p.channels != 1 && p.channels != 3) abort();
    const int64_t h = 1 + (bits >> 1 & 15), w = 1 + (bits >> 2 & 15);
    (void)fgti_picture_fit(ctx, &p, h, w, bits & GRAY ? 1 : 3, out);
    fgti_picture_done(ctx, &p);
    return 0;
}
