/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SAFETENSORS_H
#define FGTI_SAFETENSORS_H

/* safetensors files: the length n of the header (u64, little-endian), n bytes of JSON, the data.
 *
 * The rules are those of the reference implementation (safetensors 0.5, tensor.rs):
 * - n is at most 100,000,000.
 * - The header starts with '{' and is one JSON object. It maps each name to an object with exactly the keys
 *   dtype, shape and data_offsets, and "__metadata__" to an object of strings. No name occurs twice.
 * - The data, ordered by offset, run from 0 to the end of the file without holes, overlaps or a rest.
 * - Rank 0 and size 0 are legal. NaN and infinity are legal, too; those who load weights check for them.
 *
 * Treat every input file as hostile. A file that breaks a rule gives FGT_E_FORMAT and a sentence that names
 * the file and either the byte, counted from the start of the file, or the tensor. */

#include "core/alloc.h"
#include "core/tensor.h"
#include "model/files/file_input.h"
#include "model/files/file_output.h"

#define FGTI_ST_RANK       FGTI_SHAPE_RANK
#define FGTI_ST_HEADER_MAX 100000000

/* In the order of their alignment. F8 and the types smaller than one byte (F4, F6) are not supported. */
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

/* A tensor of a file, or one to be written. */
typedef struct fgti_st_tensor {
    const char   *name;
    fgti_st_dtype dtype;
    int32_t       rank;
    int64_t       shape[FGTI_ST_RANK];
    const void   *data;   /* for the writer, in this machine's byte order; NULL in an open file */
    int64_t       bytes;  /* filled by the reader, ignored by the writer */
    int64_t       offset; /* the same; from the start of the file */
} fgti_st_tensor;

typedef struct fgti_st_pair {
    const char *key, *value;
} fgti_st_pair;

/* An open file. Other modules read the fields but do not change them. */
typedef struct fgti_st {
    fgti_st_tensor *tensors; /* ordered by name */
    int64_t         count;
    fgti_st_pair   *meta; /* ordered by key */
    int64_t         meta_count;
    char           *path; /* for messages: the name of the input */
    char           *text; /* all names, keys and values */
    fgti_input      input;
    int64_t         data, size; /* bytes before the first tensor, bytes of the file */
} fgti_st;

/* ---- types, names (safetensors.c) ---- */

/* Bytes of one element, and the name in the file. */
size_t      fgti_st_dtype_size(fgti_st_dtype dtype);
const char *fgti_st_dtype_name(fgti_st_dtype dtype);
bool        fgti_st_dtype_find(const char *name, fgti_st_dtype *out);
/* Bytes of a tensor; false: overflow. */
bool fgti_st_bytes(fgti_st_dtype dtype, int32_t rank, const int64_t *shape, int64_t *bytes);

/* Whether this machine's byte order is the file's. */
static inline bool fgti_st_host_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* A name as error messages show it: shortened, with '?' for control characters. */
#define FGTI_ST_LABEL 72
const char *fgti_st_label(const char *name, char buf[FGTI_ST_LABEL]);

/* Whether the sentence begins with the name of the file already, as those of the functions below do. */
bool fgti_st_names(const fgti_error *err, const char *path);

/* ---- reading (safetensors_read.c) ---- */

/* Reads the header into memory of our own and checks all of it. The data stay where they are until they are
 * asked for. A file that somebody shortens meanwhile gives FGT_E_FORMAT, one that somebody rewrites gives
 * other values, which therefore are checked after they have been copied. `in` is copied. Unless it is
 * `trusted`, the data are read once for the hash.
 * FGT_E_IO, FGT_E_FORMAT, FGT_E_NOMEM; *out is NULL on error. */
fgt_status fgti_st_open_input(fgt_context *ctx, const fgti_input *in, fgti_st **out);
fgt_status fgti_st_open(fgt_context *ctx, const char *path, fgti_st **out);
/* `name` is for messages. */
fgt_status fgti_st_open_memory(fgt_context *ctx, const char *name, const void *bytes, size_t size,
                               fgti_st **out);
/* Copies all data into memory, so that whatever is read from then on cannot fail, and is what a check before
 * has seen. For those who replace something that must not be lost. FGT_E_IO, FGT_E_FORMAT, FGT_E_NOMEM. */
fgt_status fgti_st_hold(fgti_st *st);
/* Sets *st to NULL; NULL is allowed. */
void fgti_st_close(fgt_context *ctx, fgti_st **st);

/* ---- looking up and copying out (safetensors.c) ---- */

/* Both return NULL when the file has no such entry. */
const fgti_st_tensor *fgti_st_find(const fgti_st *st, const char *name);
const char           *fgti_st_meta(const fgti_st *st, const char *key);

/* Finds the tensor and compares its shape; -1 in `shape` matches any size. FGT_E_NAME, FGT_E_SHAPE. */
fgt_status fgti_st_expect(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                          const int64_t *shape, const fgti_st_tensor **out);

/* Whether the tensor has this shape, a type that fgti_st_read_real() takes, and finite values;
 * FGT_E_NONFINITE names the element. */
fgt_status fgti_st_check_real(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                              const int64_t *shape);

/* The following copy a tensor of this shape out, in this machine's byte order. real and f64 take F64, F32,
 * F16 and BF16; what float cannot hold becomes infinite. i64 takes whole numbers and BOOL. As
 * fgti_st_expect, and FGT_E_SHAPE for other types, FGT_E_DATA for a U64 beyond INT64_MAX. After FGT_E_NAME
 * and FGT_E_SHAPE `out` is untouched, after other errors it holds anything. */
fgt_status fgti_st_read_real(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                             const int64_t *shape, fgti_real *out);
fgt_status fgti_st_read_f64(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                            const int64_t *shape, double *out);
fgt_status fgti_st_read_i64(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                            const int64_t *shape, int64_t *out);

/* As fgti_st_read_real(), and checks the copy: FGT_E_NONFINITE names the element. */
fgt_status fgti_st_load_real(fgt_context *ctx, const fgti_st *st, const char *name, int32_t rank,
                             const int64_t *shape, fgti_real *out);

/* `bytes` bytes of a tensor, as the file has them, from byte `at` of the tensor on. */
fgt_status fgti_st_read_bytes(const fgti_st *st, const fgti_st_tensor *t, int64_t at, int64_t bytes,
                              void *out);

/* ---- the hash (safetensors_hash.c) ---- */

/* Files of fgti_st_save_to() have a hash of all that they say, which shows damage: of the other pairs of the
 * metadata, and of the names, types, shapes and data of the tensors. Other programs' files have none. */
#define FGTI_ST_HASH      "fighter.hash"
#define FGTI_ST_HASH_TEXT 17

/* Of tensors and pairs in memory, or with `st` of those of a file. FGT_E_IO, FGT_E_FORMAT. */
fgt_status fgti_st_hash(const fgti_st *st, int64_t count, const fgti_st_tensor *tensors, int64_t meta_count,
                        const fgti_st_pair *meta, char text[FGTI_ST_HASH_TEXT]);
/* FGT_E_FORMAT: the file has a hash, and another one than its contents. */
fgt_status fgti_st_verify(fgt_context *ctx, const fgti_st *st);

/* ---- writing (safetensors_write.c) ---- */

/* Bytes at .. at+n-1 of a tensor in memory, in the byte order of files; `buf` [n] is used where this is
 * another one. at and n are multiples of the size of an element. */
const void *fgti_st_to_file(const fgti_st_tensor *t, int64_t at, int64_t n, char *buf);

/* Writes a file to `out`. A path goes through atomic_file.h, so the old file stays whole on any error. The
 * bytes depend on the contents alone: keys of the metadata by name, tensors by alignment, widest first, then
 * by name, data from a multiple of 8. The hash is added, in the place of one that is given.
 * FGT_E_ARG a name twice, not UTF-8 or "__metadata__", bad rank, dtype; FGT_E_SIZE; FGT_E_IO; FGT_E_NOMEM. */
fgt_status fgti_st_save_to(fgt_context *ctx, fgti_output *out, int64_t count, const fgti_st_tensor *tensors,
                           int64_t meta_count, const fgti_st_pair *meta);
fgt_status fgti_st_save(fgt_context *ctx, const char *path, int64_t count, const fgti_st_tensor *tensors,
                        int64_t meta_count, const fgti_st_pair *meta);

#endif
