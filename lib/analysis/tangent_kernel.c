/* SPDX-License-Identifier: BSD-3-Clause */
#include <fighter/experimental/ntk.h>

#include <math.h>
#include <string.h>

#include "analysis/singular.h"
#include "analysis/spare_gradients.h"
#include "core/opts.h"
#include "model/access.h"
#include "model/gradients.h"
#include "model/pass/own_pass.h"
#include "model/pass/values.h"

struct fgt_ntk {
    fgt_model   *model;
    fgt_context *ctx;
    fgt_ntk_opts opts;
    fgt_view     x, y, dy;        /* input, output and gradient of the output, for M inputs */
    fgti_values  values;          /* further values for the M inputs */
    int64_t      inputs, outputs; /* M, O */
    int64_t      size;            /* P, elements in all parameters */
    uint64_t     serial;          /* serial number of the adapter that owns the parameters; 0: the layers own
                                   * them */
    int64_t      rows;            /* rows of the kernel: M O with FGT_NTK_ELEMENTS, otherwise M */
    int64_t      steps;
    fgti_real   *jacobian;                  /* [rows,P]; with FGT_NTK_TRACE the rows of one output at a
                                             * time */
    double      *kernel, *next, *reference; /* [rows,rows] */
    bool         reference_set;             /* true: fgt_ntk_set_kernel() has set `reference`; false:
                                             * `reference` is the first kernel */
    fgti_touched touched;                   /* rows with a gradient; replaces the model's own list while a row
                                             * is computed */
};

enum { KINDS = 4 }; /* number of enumerators */
_Static_assert(FGT_NTK_ELEMENTS == KINDS - 1, "count of enumerators");

static const fgti_opt ntk_opts[] = {
    {"kind", offsetof(fgt_ntk_opts, kind), FGTI_OPT_ENUM, 0, KINDS - 1, 0},
    {"reserved", offsetof(fgt_ntk_opts, reserved), FGTI_OPT_ENUM, 0, 0, 0},
    {0},
};

/* ---- rows of the Jacobian ---- */

/* Runs a pass without dropout, because the kernel describes the model as it predicts. */
static fgt_status tangent_forward(fgt_ntk *k)
{
    return fgti_model_forward(k->model, &k->x, &k->y);
}

/* Writes the derivative of value * f_a(S_i) with respect to all parameters to `row`. a = -1: of value * sum_a
 * f_a(S_i). */
static fgt_status tangent_derive(fgt_ntk *k, int64_t i, int64_t a, fgti_real value, fgti_real *row)
{
    fgti_real *dy = k->dy.data;
    FGTI_TRY(tangent_forward(k));
    memset(dy, 0, (size_t)(k->inputs * k->outputs) * sizeof *dy);
    for (int64_t b = 0; b < k->outputs; b++)
        if (a < 0 || a == b) dy[i * k->outputs + b] = value;
    memset(row, 0, (size_t)k->size * sizeof *row);
    const fgt_status s = fgti_model_backward(k->model, &k->dy, row, &k->touched, NULL);
    fgti_spare_touched_clear(&k->touched);
    return s;
}

/* ---- kernel = J J' ---- */

typedef struct product {
    const fgt_ntk *k;
    bool           add;
} product;

/* Computes row i of the lower triangle of the kernel. */
static void tangent_multiply_row(void *arg, int64_t i, int32_t worker)
{
    (void)worker;
    const product   *p = arg;
    const fgt_ntk   *k = p->k;
    const int64_t    n = k->size;
    const fgti_real *u = k->jacobian + i * n;
    for (int64_t j = 0; j <= i; j++) {
        const fgti_real *v   = k->jacobian + j * n;
        double           sum = 0;
        for (int64_t q = 0; q < n; q++) sum += (double)u[q] * (double)v[q];
        double *out = &k->next[i * k->rows + j];
        *out        = p->add ? *out + sum : sum;
    }
}

static void tangent_kernel_multiply(fgt_ntk *k, bool add)
{
    product p = {k, add};
    fgti_parallel(&k->ctx->exec, k->rows, tangent_multiply_row, &p);
}

static fgt_status tangent_compute(fgt_ntk *k)
{
    const int64_t   n    = k->size;
    const bool      mean = k->opts.kind == FGT_NTK_MEAN, one = mean || k->opts.kind == FGT_NTK_SUM;
    const bool      all    = k->opts.kind == FGT_NTK_ELEMENTS;
    const fgti_real weight = mean ? (fgti_real)(1 / (double)k->outputs) : 1;
    for (int64_t a = 0; a < (one ? 1 : k->outputs); a++) {
        for (int64_t i = 0; i < k->inputs; i++)
            FGTI_TRY(
                tangent_derive(k, i, one ? -1 : a, weight, k->jacobian + (all ? i * k->outputs + a : i) * n));
        if (!all) tangent_kernel_multiply(k, a > 0);
    }
    if (all) tangent_kernel_multiply(k, false);
    for (int64_t i = 0; i < k->rows; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double v = k->next[i * k->rows + j];
            if (!isfinite(v))
                return fgti_fail(&k->ctx->error, FGT_E_NONFINITE, "ntk: the kernel is NaN or infinite");
            k->next[j * k->rows + i] = v;
        }
    return FGT_OK;
}

/* ---- life ---- */

/* Copies x. Gives y and dy the shape of the model's output. */
static fgt_status tangent_copy_input(fgt_ntk *k, const fgt_view *x)
{
    fgt_context  *ctx   = k->ctx;
    const int64_t count = x ? fgt_view_count(x) : -1;
    if (count < 1 || x->rank < 1 || !x->data || !fgti_dtype_size(x->dtype))
        return fgti_fail(&ctx->error, FGT_E_ARG, "ntk: x is NULL, empty or malformed");
    k->x      = *x;
    k->inputs = x->shape[0];
    FGTI_TRY(fgti_alloc(ctx, count, fgti_dtype_size(x->dtype), "inputs of the kernel", &k->x.data));
    memcpy(k->x.data, x->data, (size_t)count * fgti_dtype_size(x->dtype));
    FGTI_TRY(fgti_model_output(k->model, x, &k->y));
    FGTI_TRY(fgti_values_copy(k->model, &k->values));
    k->dy      = k->y;
    k->outputs = fgt_view_count(&k->y) / k->inputs;
    FGTI_TRY(fgti_alloc(ctx, fgt_view_count(&k->y), sizeof(fgti_real), "outputs of the kernel", &k->y.data));
    return fgti_alloc(ctx, fgt_view_count(&k->y), sizeof(fgti_real), "outputs of the kernel", &k->dy.data);
}

static fgt_status tangent_fill(fgt_ntk *k, const fgt_ntk_opts *opts, const fgt_view *x)
{
    fgt_context *ctx = k->ctx;
    int64_t      entries, elements;
    FGTI_TRY(fgti_opts_read(&ctx->error, "ntk", opts, &k->opts, sizeof k->opts));
    FGTI_TRY(fgti_opts_check(&ctx->error, "ntk", ntk_opts, &k->opts));
    if (!k->size) return fgti_fail(&ctx->error, FGT_E_STATE, "ntk: the model has no parameters");
    FGTI_TRY(tangent_copy_input(k, x));
    FGTI_TRY(fgti_gradients_need(k->model));
    FGTI_TRY(fgti_model_check_stateless(k->model, "ntk"));
    FGTI_TRY(tangent_forward(k)); /* so that x is checked now, not in the first step */
    k->rows = k->opts.kind == FGT_NTK_ELEMENTS ? k->inputs * k->outputs : k->inputs;
    if (!fgti_size_mul(k->rows, k->rows, &entries) || !fgti_size_mul(k->rows, k->size, &elements))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "ntk: %lld rows are too many", (long long)k->rows);
    FGTI_TRY(FGTI_NEW(ctx, elements, "Jacobian", &k->jacobian));
    FGTI_TRY(FGTI_NEW(ctx, entries, "kernel", &k->kernel));
    FGTI_TRY(FGTI_NEW(ctx, entries, "kernel", &k->next));
    FGTI_TRY(FGTI_NEW(ctx, entries, "kernel", &k->reference));
    const fgti_slabs slabs = fgti_model_slabs(k->model);
    return fgti_spare_touched(ctx, &slabs, &k->touched);
}

fgt_status fgt_ntk_create(fgt_model *model, const fgt_ntk_opts *opts, const fgt_view *x, fgt_ntk **ntk)
{
    if (ntk) *ntk = NULL;
    if (!model) return FGT_E_ARG;
    fgt_context *ctx = fgti_model_context(model);
    if (!ntk) return fgti_fail(&ctx->error, FGT_E_ARG, "ntk: ntk is NULL");
    FGTI_TRY(FGTI_NEW(ctx, 1, "ntk", ntk));
    (*ntk)->model      = model;
    (*ntk)->ctx        = ctx;
    (*ntk)->size       = fgti_model_slabs(model).size;
    (*ntk)->serial     = fgti_model_slabs(model).serial;
    const fgt_status s = tangent_fill(*ntk, opts, x);
    if (s != FGT_OK) fgt_ntk_destroy(ntk);
    return s;
}

void fgt_ntk_destroy(fgt_ntk **ntk)
{
    if (!ntk || !*ntk) return;
    fgt_ntk     *k     = *ntk;
    fgt_context *ctx   = k->ctx;
    void *const  own[] = {k->x.data, k->y.data, k->dy.data,  k->jacobian,
                          k->kernel, k->next,   k->reference};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) fgti_free(ctx, own[i]);
    fgti_values_done(ctx, &k->values);
    fgti_spare_touched_done(ctx, &k->touched);
    fgti_free(ctx, k);
    *ntk = NULL;
}

/* ---- steps ---- */

static double tangent_norm_of(const fgt_ntk *k, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < k->rows * k->rows; i++) {
        const double d = a[i] - (b ? b[i] : 0);
        sum += d * d;
    }
    return sqrt(sum);
}

static double tangent_relative(const fgt_ntk *k, const double *from)
{
    const double scale = tangent_norm_of(k, from, NULL);
    return scale > 0 ? tangent_norm_of(k, k->next, from) / scale : NAN;
}

fgt_status fgt_ntk_compute(fgt_ntk *ntk, fgt_ntk_report *report)
{
    if (!ntk) return FGT_E_ARG;
    fgt_ntk *k = ntk;
    if (report) FGTI_TRY(fgti_result_check(&k->ctx->error, "fgt_ntk_report", report));
    if (fgti_model_slabs(k->model).serial != k->serial)
        return fgti_fail(&k->ctx->error, FGT_E_STATE,
                         "ntk: created for other parameters: the active adapter has changed since");
    FGTI_TRY(fgti_model_check_stateless(k->model, "ntk"));
    fgti_values_swap(k->model, &k->values);
    const fgt_status s = tangent_compute(k);
    fgti_values_swap(k->model, &k->values);
    FGTI_TRY(s);
    const size_t bytes = (size_t)(k->rows * k->rows) * sizeof *k->next;
    if (!k->steps && !k->reference_set) memcpy(k->reference, k->next, bytes);
    const fgt_ntk_report r    = {.size      = sizeof r,
                                 .steps     = ++k->steps,
                                 .norm      = tangent_norm_of(k, k->next, NULL),
                                 .change    = k->steps > 1 ? tangent_relative(k, k->kernel) : NAN,
                                 .reference = tangent_relative(k, k->reference)};
    double *const  last = k->kernel;
    k->kernel           = k->next;
    k->next             = last;
    return report ? fgti_result_write(&k->ctx->error, "fgt_ntk_report", &r, sizeof r, report) : FGT_OK;
}

static fgt_view tangent_shape_of(const fgt_ntk *k)
{
    const int64_t m = k->inputs, o = k->outputs;
    if (k->opts.kind == FGT_NTK_ELEMENTS) return (fgt_view){NULL, {m, o, m, o}, 4, FGT_DTYPE_F64};
    return (fgt_view){NULL, {m, m}, 2, FGT_DTYPE_F64};
}

static fgt_status check_kernel(const fgt_ntk *k, const fgt_view *kernel)
{
    const fgt_view v = tangent_shape_of(k);
    return fgti_view_check(&k->ctx->error, "the kernel", kernel, FGT_DTYPE_F64, v.rank, v.shape);
}

fgt_status fgt_ntk_get_kernel_shape(const fgt_ntk *ntk, fgt_view *shape)
{
    if (!ntk) return FGT_E_ARG;
    if (!shape) return fgti_fail(&ntk->ctx->error, FGT_E_ARG, "ntk: shape is NULL");
    *shape = tangent_shape_of(ntk);
    return FGT_OK;
}

fgt_status fgt_ntk_copy_kernel(const fgt_ntk *ntk, const fgt_view *out)
{
    if (!ntk) return FGT_E_ARG;
    FGTI_TRY(check_kernel(ntk, out));
    if (!ntk->steps) return fgti_fail(&ntk->ctx->error, FGT_E_STATE, "ntk: no kernel was computed yet");
    memcpy(out->data, ntk->kernel, (size_t)(ntk->rows * ntk->rows) * sizeof(double));
    return FGT_OK;
}

fgt_status fgt_ntk_set_kernel(fgt_ntk *ntk, const fgt_view *kernel)
{
    if (!ntk) return FGT_E_ARG;
    FGTI_TRY(check_kernel(ntk, kernel));
    const double *v = kernel->data;
    for (int64_t i = 0; i < ntk->rows * ntk->rows; i++)
        if (!isfinite(v[i]))
            return fgti_fail(&ntk->ctx->error, FGT_E_NONFINITE, "the kernel: element %lld is NaN or infinite",
                             (long long)i);
    memcpy(ntk->reference, v, (size_t)(ntk->rows * ntk->rows) * sizeof *v);
    ntk->reference_set = true;
    return FGT_OK;
}

/* ---- learning rates ---- */

/* The largest trace of a diagonal block: max over inputs i of sum over outputs a of K(i,a,i,a). */
static double largest_of(const fgt_ntk *k)
{
    const int64_t each = k->rows / k->inputs;
    double        most = 0;
    for (int64_t i = 0; i < k->inputs; i++) {
        double sum = 0;
        for (int64_t a = 0; a < each; a++) sum += k->kernel[(i * each + a) * (k->rows + 1)];
        most = sum > most ? sum : most;
    }
    return most;
}

/* The kernel is J J', so its eigenvalues are its singular values, which are computed here. */
static fgt_status find_eigenvalue(const fgt_ntk *k, double *eigenvalue)
{
    const int64_t n = k->rows;
    double       *work;
    FGTI_TRY(FGTI_NEW(k->ctx, fgti_singular_work(n, n), "eigenvalues of the kernel", &work));
    *eigenvalue = fgti_singular_values(n, n, k->kernel, work)[n - 1];
    fgti_free(k->ctx, work);
    return FGT_OK;
}

fgt_status fgt_ntk_get_bound(const fgt_ntk *ntk, double smoothness, fgt_ntk_bound *bound)
{
    fgt_ntk_bound b = {.size = sizeof b, .eigenvalue = NAN, .critical = NAN};
    if (!ntk) return FGT_E_ARG;
    fgti_error *err = &ntk->ctx->error;
    if (!bound) return fgti_fail(err, FGT_E_ARG, "ntk: bound is NULL");
    FGTI_TRY(fgti_result_check(err, "fgt_ntk_bound", bound));
    if (!(smoothness > 0) || !isfinite(smoothness))
        return fgti_fail(err, FGT_E_ARG, "ntk: smoothness is out of range (got %g, need finite and above 0)",
                         smoothness);
    if (!ntk->steps) return fgti_fail(err, FGT_E_STATE, "ntk: no kernel was computed yet");
    b.largest = largest_of(ntk);
    b.rate    = b.largest > 0 ? 1 / (2 * smoothness * b.largest) : INFINITY;
    if (ntk->opts.kind != FGT_NTK_TRACE || ntk->outputs == 1) {
        FGTI_TRY(find_eigenvalue(ntk, &b.eigenvalue));
        b.critical = b.eigenvalue > 0 ? 2 * (double)ntk->inputs / (smoothness * b.eigenvalue) : INFINITY;
    }
    return fgti_result_write(err, "fgt_ntk_bound", &b, sizeof b, bound);
}
