/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_LAYER_H
#define FIGHTER_EXPERIMENTAL_LAYER_H

/** @file layer.h
 *  Layers that the host writes itself. A class of layers is a struct of functions. Once a class is registered
 *  in a context, its type can be used everywhere: in fgt_model_add(), in model files and checkpoints, with
 *  every optimiser.
 *
 *      static fgt_status plan(void *user, fgt_layer_plan *p, const void *opts);      // shapes, parameters
 *      static fgt_status forward(void *user, fgt_layer_pass *p, const void *opts);   // y from x
 *      static fgt_status backward(void *user, fgt_layer_pass *p, const void *opts);  // dx and dw from dy
 *
 *      fgt_context_add_layer(ctx, &FGT_OPTS(fgt_layer_class, .type = "acme.prelu", .plan = plan,
 *                                           .forward = forward, .backward = backward));
 *      fgt_model_add(model, (fgt_layer){.type = "acme.prelu"});
 *      fgt_model_check_gradient(model, x, NULL, &report);                       // is backward right?
 *
 *  examples/14_host_layer.c is a whole program. Tensors are float, row-major [B,N,T,D]: batch, nodes, tokens,
 *  features. A pass allocates nothing: memory() says how much a layer needs. The functions must do the same
 *  in every pass with the same input. Several threads may call the functions at once
 *  (fgt_workspace_predict()). If one of the functions begins another pass of its model, trains the model or
 *  changes its adapters, this call gives FGT_E_STATE. plan(), and memory() while a workspace is made, may
 *  only read the model; calls that change the model or make a pass give FGT_E_STATE. fgt_model_destroy() does
 *  nothing if a layer of the model calls it.
 *  A prediction of an fgt_workspace only refuses another prediction in the same workspace. It does not notice
 *  changes of weights and adapters: then some layers read the old weights, and some the new ones.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Argument of plan(): the layer while it is added to a model. */
typedef struct fgt_layer_plan fgt_layer_plan;
/** Argument of forward() and backward(): one layer in one pass. */
typedef struct fgt_layer_pass fgt_layer_pass;

/** The type of an option. */
typedef enum fgt_layer_field_kind {
    FGT_LAYER_FIELD_I64 = 0,
    FGT_LAYER_FIELD_I32 = 1,
    FGT_LAYER_FIELD_F32 = 2,
    FGT_LAYER_FIELD_F64 = 3
} fgt_layer_field_kind;

/** One option of a layer: a field of the struct that fgt_layer.opts points to. By this description the
 *  library checks options and writes error texts and model files. An option that is 0 gets the value
 *  `standard`. The struct is frozen: it will never grow. */
typedef struct fgt_layer_field {
    const char *name;     /**< name of the option in files and error texts */
    size_t      offset;   /**< offsetof(struct, field) */
    double      min, max; /**< allowed range, both included; FGT_LAYER_FIELD_I64: within +-2^40 in any case */
    double      standard; /**< default, used if the option is 0 */
    int32_t     kind;     /**< an fgt_layer_field_kind */
    int32_t     required; /**< 1: the option has no default, and 0 is refused */
} fgt_layer_field;

/** A class of layers. */
typedef struct fgt_layer_class {
    size_t                 size;
    const char            *type;      /**< name of the type, with a dot, at most 60 bytes: "acme.prelu" */
    size_t                 opts_size; /**< size of the options struct, which begins with size_t size; 0: no
                                           options */
    const fgt_layer_field *fields;    /**< descriptions of all fields of the options struct but size */
    int64_t                field_count;
    void                  *user; /**< first argument of every function. (The last argument, opts, is a copy of
                                      the options with defaults filled in) */
    int64_t more_inputs;         /**< inputs besides x that fgt_model_add_from() may name, at most 15 */

    /** Called once, when a layer is added: checks the inputs of the layer, sets the shape of its output and
     *  declares its parameters. */
    fgt_status (*plan)(void *user, fgt_layer_plan *plan, const void *opts);
    /** Sets the numbers of floats that a pass over x [B,N,T,D] needs. The memory of *cache floats lasts from
     *  forward to backward, the memory of *scratch floats within one call. Both numbers grow with B and
     *  T. memory NULL: no such memory. */
    void (*memory)(void *user, const int64_t shape[4], const void *opts, int64_t *cache, int64_t *scratch);
    fgt_status (*forward)(void *user, fgt_layer_pass *pass, const void *opts);
    /** Adds to the gradients of the parameters, and overwrites the gradients of those inputs that need
     *  one. */
    fgt_status (*backward)(void *user, fgt_layer_pass *pass, const void *opts);
} fgt_layer_class;

/** Registers a class in a context. Do this before a model uses the class, and before a file with such a layer
 *  is loaded.
 *  Owner    the class and everything that it points to are copied; but the functions and user must stay valid
 *           as long as the context
 *  Errors   FGT_E_ARG a function is missing, the type has no dot, more_inputs, a malformed field; FGT_E_NAME
 *           the type is taken; FGT_E_VERSION; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_context_add_layer(fgt_context *ctx, const fgt_layer_class *cls);

/* ---- while a layer is planned ---------------------------------------------------------------- */

/** Number of inputs of the layer, including x.
 *  Errors   0 for NULL */
FGT_API int32_t fgt_layer_plan_count_inputs(const fgt_layer_plan *plan);

/** Shape of input number `input`; 0 is x.
 *  Shapes   shape becomes [N,T,D], the largest that will come
 *  Errors   all zeros for NULL and if there is no such input */
FGT_API void fgt_layer_plan_get_input(const fgt_layer_plan *plan, int32_t input, int64_t shape[3]);

/** Sets the shape of the output. Without this call the output has the shape of x. If the output has as many
 *  tokens as x, a pass may have fewer tokens than planned; otherwise such a pass fails with FGT_E_SHAPE. For
 *  a layer along the nodes (fgt_along()) `nodes` is the number of the model's tokens, and `time` the number
 *  of its nodes. So the rule on tokens is then a rule on `nodes`.
 *  Errors   FGT_E_ARG NULL, a number below 1 */
FGT_API FGT_MUST fgt_status fgt_layer_plan_set_output(fgt_layer_plan *plan, int64_t nodes, int64_t time,
                                                      int64_t width);

/** Initial values of a parameter. */
typedef enum fgt_layer_init {
    FGT_LAYER_INIT_ZERO    = 0,
    FGT_LAYER_INIT_ONE     = 1,
    FGT_LAYER_INIT_UNIFORM = 2, /**< in +-scale */
    FGT_LAYER_INIT_NORMAL  = 3, /**< with standard deviation scale */
    FGT_LAYER_INIT_VALUE   = 4  /**< all are scale */
} fgt_layer_init;

/** Declares a parameter; init is an fgt_layer_init. In fgt_layer_pass_get_parameter() the first declared
 *  parameter is number 0, and so on.
 *  Shapes   shape has rank numbers, at most 4
 *  Owner    name is copied
 *  Errors   FGT_E_ARG NULL, a name over 31 bytes or not in UTF-8, rank, an axis < 1, scale infinite or NaN,
 *           or negative for FGT_LAYER_INIT_UNIFORM and FGT_LAYER_INIT_NORMAL; FGT_E_SIZE; FGT_E_NAME the name
 *           is taken, or together with the layer's name too long; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_layer_plan_add_parameter(fgt_layer_plan *plan, const char *name, int32_t rank,
                                                         const int64_t *shape, int32_t init, double scale);

/** Stores an error text and returns status, so that plan() can end with `return fgt_layer_plan_fail(...)`.
 *  Errors   returns status */
FGT_API fgt_status fgt_layer_plan_fail(fgt_layer_plan *plan, fgt_status status, const char *what);

/* ---- in a pass ------------------------------------------------------------------------------- */

/** Shape of input number `input` in this pass.
 *  Shapes   shape becomes [B,N,T,D]
 *  Threads  any, during the call of forward() or backward(), like all functions below except
 *           fgt_layer_pass_run() and fgt_layer_pass_multiply() */
FGT_API void fgt_layer_pass_get_shape(const fgt_layer_pass *pass, int32_t input, int64_t shape[4]);

/** Input number `input`; 0 is x.
 *  Shapes   [B,N,T,D]
 *  Errors   NULL if there is no such input
 *  Threads  any */
FGT_API const float *fgt_layer_pass_get_input(const fgt_layer_pass *pass, int32_t input);

/** The output of the layer. In backward() it has the values from forward().
 *  Shapes   as planned
 *  Threads  any */
FGT_API float *fgt_layer_pass_get_output(const fgt_layer_pass *pass);

/** Gradient of the output, in backward(). The layer may overwrite it.
 *  Shapes   like the output
 *  Errors   NULL in forward()
 *  Threads  any */
FGT_API float *fgt_layer_pass_get_output_gradient(const fgt_layer_pass *pass);

/** Memory for the gradient of input number `input`, in backward().
 *  Shapes   like the input
 *  Errors   NULL: this gradient is not needed
 *  Threads  any */
FGT_API float *fgt_layer_pass_get_input_gradient(const fgt_layer_pass *pass, int32_t input);

/** Parameter number `index`.
 *  Errors   NULL if there is no such parameter
 *  Threads  any */
FGT_API const float *fgt_layer_pass_get_parameter(const fgt_layer_pass *pass, int32_t index);

/** Gradient of parameter number `index`, in backward(). The layer adds to it.
 *  Errors   NULL if there is no such parameter, and in forward()
 *  Threads  any */
FGT_API float *fgt_layer_pass_get_parameter_gradient(const fgt_layer_pass *pass, int32_t index);

/** The cache that memory() asked for: floats that forward() leaves for backward(). Every pass has this
 *  memory, even if no backward() follows. A backward() may follow even if fgt_layer_pass_is_training() is 0.
 *  Threads  any */
FGT_API float *fgt_layer_pass_get_cache(const fgt_layer_pass *pass);

/** The scratch memory that memory() asked for: floats for this call only.
 *  Threads  any */
FGT_API float *fgt_layer_pass_get_scratch(const fgt_layer_pass *pass);

/** 1 in a training pass, which has dropout and the like, else 0. A backward() may also follow a pass with 0,
 *  in fgt_model_check_gradient(), sensitivity.h and ntk.h. So fill the cache in every pass.
 *  Threads  any */
FGT_API int32_t fgt_layer_pass_is_training(const fgt_layer_pass *pass);

/** A random number in [0,1): a function of seed, layer, training step and index, not of the number of
 *  threads. So backward() can draw the numbers of forward() again.
 *  Threads  any */
FGT_API double fgt_layer_pass_get_random(const fgt_layer_pass *pass, uint64_t index);

/** Calls task(arg, i) for i = 0 .. tasks-1 on the context's threads, and returns when all are done. Outputs
 *  of different tasks must not overlap. Any thread may run any task.
 *  Threads  the one that called forward() or backward() */
FGT_API void fgt_layer_pass_run(const fgt_layer_pass *pass, int64_t tasks, void (*task)(void *arg, int64_t i),
                                void *arg);

/** A product C = alpha A B + beta C. Element (i,p) of A [m,k] is a[i a_row + p a_column], so that a transpose
 *  is a swap of strides; the same for B [k,n]. C [m,n] is row-major. */
typedef struct fgt_layer_product {
    size_t       size;
    int64_t      m, n, k; /**< 0 or more */
    const float *a;
    int64_t      a_row, a_column; /**< strides of A, in floats */
    const float *b;
    int64_t      b_row, b_column; /**< strides of B */
    float       *c;
    int64_t      c_row; /**< stride of the rows of C, at least n */
    float        alpha; /**< 0: 1 */
    float        beta;  /**< 0: C is overwritten, not read */
} fgt_layer_product;

/** Computes a product on the context's threads, with the library's matrix kernels.
 *  Owner    product and its matrices are borrowed
 *  Errors   FGT_E_ARG NULL, a negative size, c_row below n; FGT_E_VERSION
 *  Threads  the one that called forward() or backward() */
FGT_API FGT_MUST fgt_status fgt_layer_pass_multiply(const fgt_layer_pass    *pass,
                                                    const fgt_layer_product *product);

/** Stores an error text and returns status, so that a function can end with `return
 *  fgt_layer_pass_fail(...)`.
 *  Errors   returns status */
FGT_API fgt_status fgt_layer_pass_fail(const fgt_layer_pass *pass, fgt_status status, const char *what);

/* ---- is backward right? ---------------------------------------------------------------------- */

typedef struct fgt_gradient_opts {
    size_t   size;
    uint64_t seed;       /**< seed of the directions */
    int64_t  directions; /**< number of directions for each parameter and for x; 0: 4 */
} fgt_gradient_opts;

typedef struct fgt_gradient_report {
    size_t      size;
    double      error;      /**< largest relative error of a parameter, or of x */
    const char *worst;      /**< name in the model of the parameter with this error, or "x" */
    int64_t     directions; /**< number of directions tried */
} fgt_gradient_report;

/** Compares the gradients of fgt_backward() with differences of fgt_forward(). The loss is L = <r, y> with a
 *  random r, and each difference is taken along a random direction d, in one parameter w or in x:
 *    error = |L(w + h d) - L(w - h d) - 2 h <dw, d>| / (2 h max(|dw|, g/100)),  the least over some h,
 *  where g is the norm of the largest of all gradients.
 *  A correct gradient gives an error of about 1e-3 in single precision, a wrong one 0.1 or more. relu has
 *  kinks. With many relus even the smallest step h may cross a kink, which gives an error of 1e-2: then try
 *  fewer samples or nodes. Dropout is off. After the call weights and gradients are as before.
 *  Shapes   x as in fgt_forward()
 *  Owner    borrowed; *report (its size set) is filled
 *  Errors   FGT_E_ARG; FGT_E_STATE states are carried over or were set; errors of the passes; FGT_E_VERSION;
 *           FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_model_check_gradient(fgt_model *model, const fgt_view *x,
                                                     const fgt_gradient_opts *opts,
                                                     fgt_gradient_report     *report);

#ifdef __cplusplus
}
#endif
#endif
