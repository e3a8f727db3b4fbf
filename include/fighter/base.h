/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_BASE_H
#define FIGHTER_BASE_H

/** @file base.h
 *  Basis of all other headers: status codes, views, hooks, the context. In all headers the host is the
 *  program that calls the library, and the error text is the text of fgt_context_get_error(), or of the
 *  workspace's function.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9.
 *
 *  Any call may change errno, even if it succeeds. No call sets errno to 0 or reads its old value. Only the
 *  status and the error text tell the reason of an error. A call needs 64 KiB of stack, and more for
 *  functions of the host that the library calls. */

#include <stddef.h>
#include <stdint.h>

#define FGT_VERSION_MAJOR 0
#define FGT_VERSION_MINOR 9
#define FGT_VERSION_PATCH 0

#if defined(_WIN32) && defined(FGT_BUILD)
#define FGT_API __declspec(dllexport)
#elif defined(__GNUC__)
#define FGT_API __attribute__((visibility("default")))
#else
#define FGT_API
#endif

/* The compiler warns if a status is not used, because an unread status hides an error. */
#if defined(__GNUC__)
#define FGT_MUST __attribute__((warn_unused_result))
#else
#define FGT_MUST
#endif

/** Builds an options struct in place and sets its size field. Every field that is left out is zero, and zero
 *  always means "the default":
 *      fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 64))
 *  In C++: auto o = fgt_opts<fgt_linear_opts>(); o.out = 64; */
#ifdef __cplusplus
extern "C++" { /* the host may include this header between the braces of an extern "C" */
template <class T> inline T fgt_opts()
{
    T o = T();
    o.size = sizeof(T);
    return o;
}

/** A struct that can be built in the arguments of a call, which takes it as a pointer. The struct lives until
 *  the end of the statement. */
template <class T> struct fgt_in_place : T {
    operator const T *() const
    {
        return this;
    }
};
}
#if __cplusplus >= 202002L
/** From C++20 on FGT_OPTS() works as in C, if the fields are in the order of the struct. */
#define FGT_OPTS(type, ...) (static_cast<const type &>(type{.size = sizeof(type), __VA_ARGS__}))
#endif
extern "C" {
#else
#define FGT_OPTS(type, ...) ((type){.size = sizeof(type), __VA_ARGS__})
#endif

/** Largest number of values of a series that count as missing because they are probably errors. */
#define FGT_LEFT_OUT 16

/** Result of every call that can fail. The numbers never change. */
typedef enum fgt_status {
    FGT_OK            = 0,
    FGT_E_ARG         = -1,  /**< an argument or option is out of its range */
    FGT_E_SHAPE       = -2,  /**< shapes or element types do not fit together */
    FGT_E_SIZE        = -3,  /**< a size overflows, or is too large */
    FGT_E_NOMEM       = -4,  /**< the allocator returned NULL */
    FGT_E_VERSION     = -5,  /**< a struct or file comes from a later version */
    FGT_E_STATE       = -6,  /**< the call is not possible in this state, such as before the first pass */
    FGT_E_NONFINITE   = -7,  /**< NaN or infinity in loss, gradient or weights */
    FGT_E_IO          = -8,  /**< the operating system refused a file */
    FGT_E_FORMAT      = -9,  /**< a file is not what it claims to be */
    FGT_E_DATA        = -10, /**< the data cannot be used as they are */
    FGT_E_CANCELLED   = -11, /**< a callback asked to stop */
    FGT_E_UNSUPPORTED = -12, /**< the library was built without it, or this layer or table cannot do it */
    FGT_E_NAME        = -13  /**< a name is not there, is taken, or cannot be one */
} fgt_status;

/** Element types of a view. */
typedef enum fgt_dtype {
    FGT_DTYPE_F32 = 0,
    FGT_DTYPE_F64 = 1, /**< masks and statistics only; layers compute in float */
    FGT_DTYPE_I32 = 2,
    FGT_DTYPE_I64 = 3
} fgt_dtype;

#define FGT_MAX_RANK 5

/** A dense row-major array that the caller owns. It is borrowed for the call unless a function says
 *  otherwise. The struct is frozen: it will never grow. rank 0 is a scalar. */
typedef struct fgt_view {
    void   *data;
    int64_t shape[FGT_MAX_RANK];
    int32_t rank;
    int32_t dtype; /**< an fgt_dtype */
} fgt_view;

/** A view in place, of floats: FGT_VIEW(x, 32, 96, 7) is x [32,96,7]. It lives as long as the enclosing
 *  block, in C++ until the end of the statement. */
#define FGT_VIEW(p, ...) FGT_VIEW_OF(FGT_DTYPE_F32, p, __VA_ARGS__)
/** A view in place, of any element type: FGT_VIEW_OF(FGT_DTYPE_I64, ids, 32, 128). */
#ifdef __cplusplus
#define FGT_VIEW_OF(type, p, ...) fgt_view_of(type, p, __VA_ARGS__)
extern "C++" {
template <class... N> inline fgt_in_place<fgt_view> fgt_view_of(int32_t dtype, const void *p, N... lengths)
{
    static_assert(sizeof...(N) <= FGT_MAX_RANK, "a view has at most FGT_MAX_RANK axes");
    const int64_t          shape[] = {static_cast<int64_t>(lengths)..., 0};
    fgt_in_place<fgt_view> v       = fgt_in_place<fgt_view>();
    v.data                         = const_cast<void *>(p);
    v.rank                         = static_cast<int32_t>(sizeof...(N));
    v.dtype                        = dtype;
    for (int32_t i = 0; i < v.rank; i++) v.shape[i] = shape[i];
    return v;
}
}
#else
#define FGT_VIEW_OF(type, p, ...)                                                \
    (&(fgt_view){.data  = (void *)(p),                                           \
                 .shape = {__VA_ARGS__},                                         \
                 .rank  = (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
                 .dtype = (type)})
#endif

/** The host's memory functions. alloc returns NULL when there is no memory; align is a power of two, at most
 *  64. release gets the size that was requested from alloc. The library calls both from the thread that
 *  called the library, never under a lock. */
typedef struct fgt_allocator {
    size_t size;
    void  *user;
    void *(*alloc)(void *user, size_t size, size_t align);
    void (*release)(void *user, void *ptr, size_t size);
} fgt_allocator;

/** Levels of log lines. */
typedef enum fgt_log { FGT_LOG_DEBUG = 0, FGT_LOG_INFO = 1, FGT_LOG_WARN = 2 } fgt_log;

/** Gets one whole line without its newline; level is an fgt_log. Never called under a lock. */
typedef void (*fgt_log_fn)(void *user, int32_t level, const char *message);

/** The host's own threads. run calls task(arg, worker) once for every worker in 0 .. workers-1, at the same
 *  time if possible, and returns when all tasks are done. The library calls run from the thread that called
 *  the library, never under a lock. So the host's threads may finish predictions in workspaces before they
 *  begin these tasks. A workspace with more than one thread has its own threads and does not use these. */
typedef struct fgt_executor {
    size_t size;
    void  *user;
    void (*run)(void *user, int32_t workers, void (*task)(void *arg, int32_t worker), void *arg);
} fgt_executor;

/** Bytes of a file that the host keeps itself: an archive of assets, an encrypted store, a stream.
 *  read copies up to `bytes` bytes, from `offset` on, to buffer and sets *count to the number of bytes
 *  copied. If read copies fewer bytes, it is called again; 0 means the end of the file. If it returns another
 *  status than FGT_OK, the call returns FGT_E_IO, and fgt_context_get_error() has that status.
 *  Set `sequential` for a stream that cannot seek. Then offsets ascend without gaps, each byte is read once,
 *  and no byte beyond a known `length` is read. The call then needs memory for a copy of the file. Without
 *  `sequential` any part may be read at any time, and no copy is made.
 *  The functions are called from the thread that called the library, never under a lock. They must not call
 *  the library with the same context. */
typedef struct fgt_reader {
    size_t size;
    void  *user;
    fgt_status (*read)(void *user, int64_t offset, void *buffer, int64_t bytes, int64_t *count);
    int64_t     length;     /**< length of the file in bytes; 0: not known, the file ends where read copies 0
                                 bytes */
    const char *name;       /**< error texts begin with it; NULL: "reader" */
    int32_t     sequential; /**< 1: a stream */
    int32_t     reserved;
} fgt_reader;

/** A function that takes the bytes of a file. write gets them in order, in blocks of any size, and must take
 *  each block whole. If it returns another status than FGT_OK, the call returns FGT_E_IO, and
 *  fgt_context_get_error() has that status. After an error, discard the bytes written: the file is not
 *  complete. The rules for calls of fgt_reader also apply here. */
typedef struct fgt_writer {
    size_t size;
    void  *user;
    fgt_status (*write)(void *user, const void *data, int64_t bytes);
    const char *name; /**< error texts begin with it; NULL: "writer" */
} fgt_writer;

/** Where a file is read from. Exactly one of path, data and reader is set; the bytes are the same in all
 *  three. A call with an fgt_input returns, besides its own errors, FGT_E_ARG if none or several of the three
 *  are set, if the number of bytes is negative, or if a reader has no function; FGT_E_VERSION; FGT_E_IO if
 *  the file cannot be read, or the reader's function failed. */
typedef struct fgt_input {
    size_t            size;
    const char       *path;   /**< a file of the system */
    const void       *data;   /**< a file in memory, at any address. It must not change during the call */
    int64_t           bytes;  /**< size of data in bytes */
    const fgt_reader *reader; /**< functions of the host */
} fgt_input;

/** Where a file is written to. Exactly one of path, memory (buffer or bytes) and writer is set; the bytes
 *  are the same in all three. A path is written under a temporary name, synced, then renamed, so that an
 *  old file stays intact until the new one is complete. A call with an fgt_output returns, besides its own
 *  errors, FGT_E_ARG if none or several of the three are set, if memory has no `bytes`, or if a writer has no
 *  function; FGT_E_SIZE if the buffer is too small: then *bytes is the size needed, and the buffer is
 *  untouched; FGT_E_VERSION; FGT_E_IO if the file cannot be written, or the writer's function failed. */
typedef struct fgt_output {
    size_t            size;
    const char       *path;     /**< a file of the system */
    void             *buffer;   /**< memory of the caller. NULL, if bytes is set: the call only finds the
                                     size */
    int64_t           capacity; /**< size of buffer in bytes */
    int64_t          *bytes;    /**< gets the size of the file in bytes */
    const fgt_writer *writer;   /**< a function of the host */
} fgt_output;

/** Inputs and outputs in place: fgt_model_load(ctx, FGT_FROM_FILE("a.st"), NULL, &model). Each lives as
 *  long as the enclosing block, in C++ until the end of the statement. */
#ifdef __cplusplus
#define FGT_FROM_FILE(path)                    fgt_from_file(path)
#define FGT_FROM_MEMORY(data, bytes)           fgt_from_memory(data, bytes)
#define FGT_TO_FILE(path)                      fgt_to_file(path)
#define FGT_TO_MEMORY(buffer, capacity, bytes) fgt_to_memory(buffer, capacity, bytes)
extern "C++" {
inline fgt_in_place<fgt_input> fgt_from_file(const char *path)
{
    fgt_in_place<fgt_input> in = fgt_in_place<fgt_input>();
    in.size                    = sizeof(fgt_input);
    in.path                    = path;
    return in;
}

inline fgt_in_place<fgt_input> fgt_from_memory(const void *data, int64_t bytes)
{
    fgt_in_place<fgt_input> in = fgt_in_place<fgt_input>();
    in.size                    = sizeof(fgt_input);
    in.data                    = data;
    in.bytes                   = bytes;
    return in;
}

inline fgt_in_place<fgt_output> fgt_to_file(const char *path)
{
    fgt_in_place<fgt_output> out = fgt_in_place<fgt_output>();
    out.size                     = sizeof(fgt_output);
    out.path                     = path;
    return out;
}

inline fgt_in_place<fgt_output> fgt_to_memory(void *buffer, int64_t capacity, int64_t *bytes)
{
    fgt_in_place<fgt_output> out = fgt_in_place<fgt_output>();
    out.size                     = sizeof(fgt_output);
    out.buffer                   = buffer;
    out.capacity                 = capacity;
    out.bytes                    = bytes;
    return out;
}
}
#else
#define FGT_FROM_FILE(p)      (&(fgt_input){.size = sizeof(fgt_input), .path = (p)})
#define FGT_FROM_MEMORY(p, n) (&(fgt_input){.size = sizeof(fgt_input), .data = (p), .bytes = (n)})
#define FGT_TO_FILE(p)        (&(fgt_output){.size = sizeof(fgt_output), .path = (p)})
#define FGT_TO_MEMORY(p, c, n) \
    (&(fgt_output){.size = sizeof(fgt_output), .buffer = (p), .capacity = (c), .bytes = (n)})
#endif

/** A fixed graph; made with the functions of graph.h and graph_data.h. */
typedef struct fgt_graph fgt_graph;

/** Everything a call needs besides its arguments: allocator, threads, the text
 *  of the last error, the matrix kernels chosen for this processor. */
typedef struct fgt_context fgt_context;

/** Which code multiplies matrices: the library's own loops, or BLIS. BLIS first copies both operands, so
 *  products of matrices that fit into the cache are faster without BLIS; docs/routes.md says by how much. */
typedef enum fgt_products {
    FGT_PRODUCTS_AUTO = 0, /**< own loops or BLIS, whichever is faster at the largest sizes of a pass */
    /** BLIS's microkernels. Products with sparse graphs use the library's own loops, and often also the last
     *  rows of a product, which do not fill a tile of the microkernel */
    FGT_PRODUCTS_BLIS = 1
} fgt_products;

/** Precision of the factors in products of matrices. Sums are always F32. */
typedef enum fgt_precision {
    FGT_PRECISION_F32 = 0, /**< factors are not rounded */
    /** Both factors are rounded to the nearest bf16, on ties to the even one. bf16 has 8 significant bits:
     *  each x becomes x (1 + e) with |e| <= 2^-8, or 0 if |x| < 1.2e-38. So the error of an element of A B is
     *  at most 2^-7 + 2^-16 times the same element of |A| |B|, besides the rounding of sums. Some processors
     *  have an instruction for such products, which is used if it is faster (fgt_build_info.bf16); others
     *  compute with floats. Both give the same bits, unless a product or a sum on the way is below 1.2e-38 */
    FGT_PRECISION_BF16 = 1
} fgt_precision;

typedef struct fgt_context_opts {
    size_t               size;
    const fgt_allocator *allocator; /**< copied; NULL: malloc() and free() */
    fgt_log_fn           log;       /**< NULL: silent */
    void                *log_user;
    const fgt_executor  *executor;  /**< copied; NULL: the library's own pool */
    int32_t              threads;   /**< number of workers; 0: 1. Results do not depend on this number */
    int32_t              keep_environment; /**< 1: the library never sets the environment variable
                                                BLIS_ARCH_TYPE; 0: it may set it while the first context
                                                initialises BLIS */
    int32_t              products; /**< an fgt_products */
    /** an fgt_precision for training. FGT_PRECISION_BF16: products with weights of more than 32768 elements,
     *  forward and backward, round their factors to bf16. Weights, gradients, moments and sums stay F32.
     *  Products with smaller weights, in attention, in recurrent cells and in adapters stay F32, too.
     *  Predictions do not change: predictors have an option of their own (predictor.h) */
    int32_t              precision;
} fgt_context_opts;

/** Build and processor, for logs, bug reports and published measurements. */
typedef struct fgt_build_info {
    size_t      size;
    const char *version;      /**< "0.9.0" */
    const char *blas;         /**< "blis" or "reference" */
    const char *blas_version; /**< as BLIS reports it at run time */
    const char *blas_config;  /**< sub-configuration in use: "skx", "haswell", "generic" ... */
    const char *kernel;       /**< kernels of products, such as "32x12 column, 8x32 panels", where panels is
                                   the library's own kernel; "none": products call gemm of the BLAS library */
    const char *vector;       /**< instruction set of the elementwise kernels */
    int32_t     threads;
    int32_t     bf16; /**< 1: products in FGT_PRECISION_BF16 use an instruction of the processor for them */
} fgt_build_info;

/** Creates a context. A context takes up to 0.5 MB for each thread, for packed operands of products. The
 *  first model whose passes take more than 1 MB adds a block that all threads share. The block is as large as
 *  this model's passes take, but at most 6 MB; it stays until the context is destroyed.
 *  Owner    *ctx is the caller's; it must outlive everything created from it
 *  Errors   FGT_E_ARG threads outside 0 .. 1024, products or precision unknown, allocator or executor without
 *           functions; FGT_E_VERSION; FGT_E_NOMEM; on error *ctx is NULL, so there is no error text
 *  Threads  any; one thread at a time may use a context and what was made from it, except for calls whose
 *           doc says "per workspace", and predictions in workspaces. In a child process of fork() the
 *           library's threads do not run. If no call was running at the fork, all calls work in the child, on
 *           the calling thread only. Otherwise only the calls that destroy work there */
FGT_API FGT_MUST fgt_status fgt_context_create(const fgt_context_opts *opts, fgt_context **ctx);

/** Destroys a context and sets *ctx to NULL. NULL and *ctx == NULL are allowed,
 *  here and in every other destroy function.
 *  Owner    takes *ctx; everything created from it must be gone already */
FGT_API void fgt_context_destroy(fgt_context **ctx);

/** The last error of this context in words, "" if there was none.
 *  Owner    the context's; valid until the next call with it
 *  Errors   none; ctx == NULL gives "" */
FGT_API const char *fgt_context_get_error(const fgt_context *ctx);

/** Fills *info, whose size field the caller has set.
 *  Owner    the strings are the context's
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set */
FGT_API FGT_MUST fgt_status fgt_context_get_info(fgt_context *ctx, fgt_build_info *info);

/** Short name of a status: "FGT_E_SHAPE".
 *  Owner    static
 *  Errors   none; an unknown number gives "unknown status"
 *  Threads  any */
FGT_API const char *fgt_status_get_name(fgt_status status);

/** Version of the library at run time, major * 10000 + minor * 100 + patch.
 *  Threads  any */
FGT_API int32_t fgt_version(void);

/** Number of elements of a view; -1 if this number overflows or the view is malformed.
 *  Shapes   any
 *  Units    elements
 *  Errors   -1
 *  Threads  any */
FGT_API int64_t fgt_view_count(const fgt_view *view);

#ifdef __cplusplus
}
#endif
#endif
