/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SAFETENSORS_H
#define FGTI_SAFETENSORS_H

/* safetensors files: the length n of the header (u64, little-endian), n bytes of JSON, the data.
 *
 * The reference implementation (safetensors 0.5, tensor.rs) has these rules:
 * - n is at most 100,000,000.
 * - The header starts with '{' and is one JSON object. It maps each name to an object with exactly the keys
 *   dtype, shape and data_offsets, and "__metadata__" to an object of strings. No name occurs twice.
 * - The data, ordered by offset, go from 0 to the end of the file without holes, overlaps or a rest.
 * - Rank 0 and size 0 are legal. NaN and infinity are legal, too; a caller that loads weights checks for
 * them.
 *
 * Treat every input file as hostile. A file that breaks a rule gives FGT_E_FORMAT and an error text that
 * names the file and either the byte, counted from the start of the file, or the tensor. */

#include "core/alloc.h"
#include "core/tensor.h"
#include "model/files/file_input.h"
#include "model/files/file_output.h"

#define FGTI_ST_RANK       FGTI_SHAPE_RANK
#define FGTI_ST_HEADER_MAX 100000000

/* Types, in the order of their alignment. F8, and types of less than a byte (F4, F6), are not supported. */
typedef enum fgti_st_dtype {
    FGTI_ST_BOOL,
    FGTI_ST_I8,
    FGTI_ST_U8,
    FGTI_ST_F16,
    FGTI_ST_BF16,
    FGTI_ST_I16,
    FGTI_ST_U16,
    FGTI_ST_F32,
    FGTI_ST_I32,
    FGTI_ST_U32,
    FGTI_ST_F64,
    FGTI_ST_I64,
    FGTI_ST_U64,
    FGTI_ST_DTYPES
} fgti_st_dtype;

#ifdef FGTI_DOUBLE
#define FGTI_ST_REAL FGTI_ST_F64
#else
#define FGTI_ST_REAL FGTI_ST_F32
#endif

/* A tensor in a file, or a tensor to be written. */
typedef struct fgti_st_tensor {
    const char   *name;
    fgti_st_dtype dtype;
    int32_t       rank;
    int64_t       shape[FGTI_ST_RANK];
    const void   *data;   /* for a tensor to be written, in this machine's byte order; NULL in an open file */
    int64_t       bytes;  /* bytes of the data; the reader sets it, the writer ignores it */
    int64_t       offset; /* place in the file, from its start; the reader sets it, the writer ignores it */
} fgti_st_tensor;

typedef struct fgti_st_pair {
    const char *key, *value;
} fgti_st_pair;

/* An open file. Other modules read its fields but do not change them. */
typedef struct fgti_st {
    fgti_st_tensor *tensors; /* ordered by name */
    int64_t         count;
    fgti_st_pair   *meta; /* ordered by key */
    int64_t         meta_count;
    char           *path; /* name of the input, for error texts */
    char           *text; /* all names, keys and values */
    fgti_input      input;
    int64_t         data, size; /* data: bytes before the first tensor; size: bytes of the file */
} fgti_st;

/* Bytes of one element of a type. The next function gives the name of the type in the file. */
size_t      fgti_st_dtype_size(fgti_st_dtype dtype);
const char *fgti_st_dtype_name(fgti_st_dtype dtype);
bool        fgti_st_dtype_find(const char *name, fgti_st_dtype *out);
/* Computes the bytes of a tensor. Returns false on overflow. */
bool fgti_st_bytes(fgti_st_dtype dtype, int32_t rank, const int64_t *shape, int64_t *bytes);

/* Whether this machine has the byte order of the file. */
static inline bool fgti_st_host_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* Writes a name as error texts show it: shortened, and with '?' for control characters. */
#define FGTI_ST_LABEL 72
const char *fgti_st_label(const char *name, char buf[FGTI_ST_LABEL]);

/* Whether the error text already begins with the file's name. Error texts of the functions below do. */
bool fgti_st_names(const fgti_error *err, const char *path);

/* Find a tensor or a pair of the metadata; NULL: the file has no such entry. */
const fgti_st_tensor *fgti_st_find(const fgti_st *st, const char *name);
const char           *fgti_st_meta(const fgti_st *st, const char *key);

/* Finds a tensor and checks its shape. -1 in `shape` stands for any size. FGT_E_NAME, FGT_E_SHAPE. */
fgt_status fgti_st_expect(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                          const int64_t *shape, const fgti_st_tensor **out);

/* Checks that a tensor has this shape, a type that fgti_st_read_real() takes, and finite values.
 * FGT_E_NONFINITE: the error text names the element. */
fgt_status fgti_st_check_real(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                              const int64_t *shape);

/* Copy a tensor of this shape, in this machine's byte order. read_real and read_f64 take F64, F32, F16 and
 * BF16; a number too large for a float becomes infinite. read_i64 takes whole numbers and BOOL. Errors are as
 * in fgti_st_expect(), and FGT_E_SHAPE: another type; FGT_E_DATA: a U64 is above INT64_MAX. After FGT_E_NAME
 * and FGT_E_SHAPE `out` is unchanged. After other errors its contents are undefined. */
fgt_status fgti_st_read_real(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                             const int64_t *shape, fgti_real *out);
fgt_status fgti_st_read_f64(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                            const int64_t *shape, double *out);
fgt_status fgti_st_read_i64(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                            const int64_t *shape, int64_t *out);

/* Copies as fgti_st_read_real() does, then checks the copy. FGT_E_NONFINITE: the error text names the
 * element. */
fgt_status fgti_st_load_real(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                             const int64_t *shape, fgti_real *out);

/* Copies `bytes` bytes of a tensor, beginning with byte `at` of the tensor, in the byte order of the file. */
fgt_status fgti_st_read_bytes(const fgti_st *st, const fgti_st_tensor *t, int64_t at, int64_t bytes,
                              void *out);

/* The key of a hash in the metadata, which fgti_st_save_to() writes so that damage is found. The hash covers
 * all other pairs of the metadata, and the names, types, shapes and data of the tensors. Files of other
 * programs have no hash. */
#define FGTI_ST_HASH      "fighter.hash"
#define FGTI_ST_HASH_TEXT 17

/* Returns bytes at .. at+n-1 of a tensor in memory, in the byte order of files. If this machine has another
 * byte order, they are in `buf` [n]. at and n must be multiples of the size of an element. */
const void *fgti_st_to_file(const fgti_st_tensor *t, int64_t at, int64_t n, char *buf);

#endif
