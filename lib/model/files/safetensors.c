/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/files/safetensors.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/text.h"
#include "model/files/file_input.h"

static const struct {
    const char *name;
    size_t      size;
} dtypes[FGTI_ST_DTYPES] = {
    [FGTI_ST_BOOL] = {"BOOL", 1}, [FGTI_ST_I8] = {"I8", 1},     [FGTI_ST_U8] = {"U8", 1},
    [FGTI_ST_F16] = {"F16", 2},   [FGTI_ST_BF16] = {"BF16", 2}, [FGTI_ST_I16] = {"I16", 2},
    [FGTI_ST_U16] = {"U16", 2},   [FGTI_ST_F32] = {"F32", 4},   [FGTI_ST_I32] = {"I32", 4},
    [FGTI_ST_U32] = {"U32", 4},   [FGTI_ST_F64] = {"F64", 8},   [FGTI_ST_I64] = {"I64", 8},
    [FGTI_ST_U64] = {"U64", 8},
};

size_t fgti_st_dtype_size(fgti_st_dtype dtype)
{
    return dtypes[dtype].size;
}

const char *fgti_st_dtype_name(fgti_st_dtype dtype)
{
    return dtypes[dtype].name;
}

bool fgti_st_dtype_find(const char *name, fgti_st_dtype *out)
{
    for (int i = 0; i < FGTI_ST_DTYPES; i++)
        if (strcmp(dtypes[i].name, name) == 0) {
            *out = (fgti_st_dtype)i;
            return true;
        }
    return false;
}

bool fgti_st_bytes(fgti_st_dtype dtype, int32_t rank, const int64_t *shape, int64_t *bytes)
{
    int64_t n = (int64_t)dtypes[dtype].size;
    for (int32_t i = 0; i < rank; i++)
        if (!fgti_size_mul(n, shape[i], &n)) return false;
    *bytes = n;
    return true;
}

const char *fgti_st_label(const char *name, char buf[FGTI_ST_LABEL])
{
    static const char dots[] = "...";
    size_t            at = 0, left = strlen(name);
    while (left > 0) {
        const size_t n = fgti_utf8_size(name, left);
        if (at + n + sizeof dots > FGTI_ST_LABEL) {
            memcpy(buf + at, dots, sizeof dots);
            return buf;
        }
        const unsigned char c = (unsigned char)*name;
        if (n == 0 || c < 0x20 || c == 0x7F)
            buf[at] = '?'; /* because a terminal might interpret the character */
        else
            memcpy(buf + at, name, n);
        const size_t step = n ? n : 1;
        at += step;
        name += step;
        left -= step;
    }
    buf[at] = 0;
    return buf;
}

/* At least the first 120 bytes of the path are in an error text. */
bool fgti_st_names(const fgti_error *err, const char *path)
{
    const size_t n = strlen(path);
    if (n > 120) return strncmp(err->text, path, 120) == 0;
    return strncmp(err->text, path, n) == 0 && err->text[n] == ':';
}

const fgti_st_tensor *fgti_st_find(const fgti_st *st, const char *name)
{
    for (int64_t low = 0, high = st->count; low < high;) {
        const int64_t middle = low + (high - low) / 2;
        const int     order  = strcmp(name, st->tensors[middle].name);
        if (order == 0) return &st->tensors[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *fgti_st_meta(const fgti_st *st, const char *key)
{
    for (int64_t low = 0, high = st->meta_count; low < high;) {
        const int64_t middle = low + (high - low) / 2;
        const int     order  = strcmp(key, st->meta[middle].key);
        if (order == 0) return st->meta[middle].value;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

fgt_status fgti_st_expect(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                          const int64_t *shape, const fgti_st_tensor **out)
{
    char                  label[FGTI_ST_LABEL], have[FGTI_SHAPE_TEXT], want[FGTI_SHAPE_TEXT];
    const fgti_st_tensor *t = fgti_st_find(st, name);
    *out                    = NULL;
    if (!t)
        return fgti_fail(&ctx->error, FGT_E_NAME, "%.120s: no tensor \"%s\"", st->path,
                         fgti_st_label(name, label));
    bool same = t->rank == rank;
    for (int32_t i = 0; same && i < rank; i++) same = shape[i] < 0 || shape[i] == t->shape[i];
    if (!same)
        return fgti_fail(&ctx->error, FGT_E_SHAPE, "%.120s: tensor \"%s\": wrong shape (got %s, need %s)",
                         st->path, fgti_st_label(name, label), fgti_shape_text(t->rank, t->shape, have),
                         fgti_shape_text(rank, shape, want));
    *out = t;
    return FGT_OK;
}

/* A part of a tensor's elements, in the byte order of the file. */
#define PIECE 16384
typedef struct piece {
    unsigned char bytes[PIECE];
    fgti_st_dtype dtype;
    int64_t       count;
} piece;

fgt_status fgti_st_read_bytes(const fgti_st *st, const fgti_st_tensor *t, int64_t at, int64_t bytes,
                              void *out)
{
    return fgti_input_read(&st->input, t->offset + at, bytes, out);
}

/* Reads a piece, which begins with element `first` and has as many elements as fit. */
static fgt_status read_piece(const fgti_st *st, const fgti_st_tensor *t, int64_t first, piece *p)
{
    const int64_t size = (int64_t)dtypes[t->dtype].size, left = t->bytes - first * size;
    const int64_t bytes = left < PIECE ? left : PIECE;
    p->dtype            = t->dtype;
    p->count            = bytes / size;
    return fgti_st_read_bytes(st, t, first * size, bytes, p->bytes);
}

/* Returns element i of a piece as bits, in this machine's byte order. */
static uint64_t st_load_element(const piece *p, int64_t i)
{
    const size_t         size = dtypes[p->dtype].size;
    const unsigned char *b    = p->bytes + (size_t)i * size;
    uint64_t             v    = 0;
    for (size_t k = 0; k < size; k++) v |= (uint64_t)b[k] << 8 * k;
    return v;
}

static double from_f32(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Converts half precision: 1 sign bit, 5 bits of exponent (bias 15), 10 bits of fraction. A float has bias
 * 127 and 23 bits of fraction. */
static double from_f16(uint32_t h)
{
    const uint32_t sign = (h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
    if (exponent == 0) return (sign ? -0x1p-24 : 0x1p-24) * fraction; /* subnormal or zero */
    return from_f32(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13);
}

static bool is_floating(fgti_st_dtype dtype)
{
    return dtype == FGTI_ST_F64 || dtype == FGTI_ST_F32 || dtype == FGTI_ST_F16 || dtype == FGTI_ST_BF16;
}

/* Returns an element of one of the four floating types, whose values all fit into a double. */
static double load_floating(const piece *t, int64_t i)
{
    const uint64_t bits = st_load_element(t, i);
    double         v;
    switch (t->dtype) {
    case FGTI_ST_F32: return from_f32((uint32_t)bits);
    case FGTI_ST_F16: return from_f16((uint32_t)bits);
    case FGTI_ST_BF16: return from_f32((uint32_t)bits << 16);
    default: memcpy(&v, &bits, sizeof v); return v;
    }
}

static int64_t load_whole(const piece *t, int64_t i)
{
    const uint64_t bits = st_load_element(t, i);
    switch (t->dtype) {
    case FGTI_ST_I8: return (int8_t)bits;
    case FGTI_ST_I16: return (int16_t)bits;
    case FGTI_ST_I32: return (int32_t)bits;
    default: return (int64_t)bits;
    }
}

static fgt_status fail_dtype(fgt_context *ctx, const fgti_st *st, const fgti_st_tensor *t,
                             const char *expected)
{
    char label[FGTI_ST_LABEL];
    return fgti_fail(&ctx->error, FGT_E_SHAPE, "%.200s: tensor \"%s\": wrong type (got %s, need %s)",
                     st->path, fgti_st_label(t->name, label), dtypes[t->dtype].name, expected);
}

static int64_t st_count_of(const fgti_st_tensor *t)
{
    return t->bytes / (int64_t)dtypes[t->dtype].size;
}

static fgt_status fail_element(fgt_context *ctx, const fgti_st *st, const fgti_st_tensor *t, int64_t i,
                               fgt_status s, const char *what)
{
    char label[FGTI_ST_LABEL];
    return fgti_fail(&ctx->error, s, "%.200s: tensor \"%s\": element %lld is %s", st->path,
                     fgti_st_label(t->name, label), (long long)i, what);
}

static fgt_status expect_floating(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                                  const int64_t *shape, const fgti_st_tensor **t)
{
    FGTI_TRY(fgti_st_expect(ctx, st, name, rank, shape, t));
    return is_floating((*t)->dtype) ? FGT_OK : fail_dtype(ctx, st, *t, "F64, F32, F16 or BF16");
}

fgt_status fgti_st_check_real(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                              const int64_t *shape)
{
    const fgti_st_tensor *t;
    piece                 p;
    FGTI_TRY(expect_floating(ctx, st, name, rank, shape, &t));
    for (int64_t at = 0; at < st_count_of(t); at += p.count) {
        FGTI_TRY(read_piece(st, t, at, &p));
        for (int64_t i = 0; i < p.count; i++)
            if (!isfinite((fgti_real)load_floating(&p, i)))
                return fail_element(ctx, st, t, at + i, FGT_E_NONFINITE, "NaN or infinite");
    }
    return FGT_OK;
}

static fgt_status read_real(const fgti_st *st, const fgti_st_tensor *t, fgti_real *out)
{
    piece p;
    if (t->dtype == FGTI_ST_REAL && fgti_st_host_little()) return fgti_st_read_bytes(st, t, 0, t->bytes, out);
    for (int64_t at = 0; at < st_count_of(t); at += p.count) {
        FGTI_TRY(read_piece(st, t, at, &p));
        for (int64_t i = 0; i < p.count; i++) out[at + i] = (fgti_real)load_floating(&p, i);
    }
    return FGT_OK;
}

fgt_status fgti_st_read_real(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                             const int64_t *shape, fgti_real *out)
{
    const fgti_st_tensor *t;
    FGTI_TRY(expect_floating(ctx, st, name, rank, shape, &t));
    return read_real(st, t, out);
}

fgt_status fgti_st_load_real(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                             const int64_t *shape, fgti_real *out)
{
    const fgti_st_tensor *t;
    FGTI_TRY(expect_floating(ctx, st, name, rank, shape, &t));
    FGTI_TRY(read_real(st, t, out));
    for (int64_t i = 0; i < st_count_of(t); i++)
        if (!isfinite(out[i])) return fail_element(ctx, st, t, i, FGT_E_NONFINITE, "NaN or infinite");
    return FGT_OK;
}

fgt_status fgti_st_read_f64(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                            const int64_t *shape, double *out)
{
    const fgti_st_tensor *t;
    piece                 p;
    FGTI_TRY(expect_floating(ctx, st, name, rank, shape, &t));
    for (int64_t at = 0; at < st_count_of(t); at += p.count) {
        FGTI_TRY(read_piece(st, t, at, &p));
        for (int64_t i = 0; i < p.count; i++) out[at + i] = load_floating(&p, i);
    }
    return FGT_OK;
}

fgt_status fgti_st_read_i64(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                            const int64_t *shape, int64_t *out)
{
    const fgti_st_tensor *t;
    piece                 p;
    FGTI_TRY(fgti_st_expect(ctx, st, name, rank, shape, &t));
    if (is_floating(t->dtype)) return fail_dtype(ctx, st, t, "whole numbers");
    for (int64_t at = 0; at < st_count_of(t); at += p.count) {
        FGTI_TRY(read_piece(st, t, at, &p));
        for (int64_t i = 0; i < p.count; i++) {
            if (t->dtype == FGTI_ST_U64 && st_load_element(&p, i) > INT64_MAX)
                return fail_element(ctx, st, t, at + i, FGT_E_DATA, "beyond 2^63 - 1");
            out[at + i] = load_whole(&p, i);
        }
    }
    return FGT_OK;
}

const void *fgti_st_to_file(const fgti_st_tensor *t, int64_t at, int64_t n, char *buf)
{
    const char   *data = (const char *)t->data + at;
    const int64_t last = (int64_t)fgti_st_dtype_size(t->dtype) - 1;
    if (fgti_st_host_little()) return data;
    for (int64_t i = 0; i < n; i++) buf[i] = data[i ^ last];
    return buf;
}
