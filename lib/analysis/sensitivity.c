/* SPDX-License-Identifier: BSD-3-Clause */
/* Norms of the blocks of a model's Jacobian, computed from vector-Jacobian products. */
#include <fighter/experimental/sensitivity.h>
#include <math.h>
#include <string.h>

#include "analysis/singular.h"
#include "analysis/spare_gradients.h"
#include "core/opts.h"
#include "core/rng.h"
#include "core/size.h"
#include "model/access.h"
#include "model/gradients.h"
#include "model/params.h"
#include "model/pass/own_pass.h"

/* Values [batch,tokens,width], for any axes of the tensor that has them. */
typedef struct tokens {
    int64_t batch, count, width;
} tokens;

typedef struct job {
    fgt_model           *model;
    fgt_context         *ctx;
    fgt_sensitivity_opts opts;
    const fgt_view      *x;
    fgt_view             y;     /* output of the model; own memory */
    fgt_view             dto;   /* a vector at the output of `to`; own memory */
    fgt_view             dfrom; /* the product of dto and the Jacobian; own memory */
    tokens               to, from;
    int64_t              row, rows; /* rows of a block: elements row .. row + rows - 1 of y_i */
    fgti_real           *gradients; /* gradients of parameters; computed, but not used */
    fgti_touched         touched;
} job;

static const fgti_opt sensitivity_opts[] = {
    FGTI_FIELD(fgt_sensitivity_opts, first, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_sensitivity_opts, count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_sensitivity_opts, probes, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_sensitivity_opts, norm, ENUM, 0, FGT_SENSITIVITY_NORM_SPECTRAL, 0),
    FGTI_FIELD(fgt_sensitivity_opts, reserved, BOOL, 0, 0, 0),
    FGTI_FIELD(fgt_sensitivity_opts, element, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    {0},
};

/* ---- products ---- */

static fgt_status sensitivity_forward(job *j)
{
    FGTI_TRY(fgti_model_check_stateless(j->model, "sensitivity"));
    return fgti_model_forward(j->model, j->x, &j->y);
}

/* dfrom = dto J, computed for all samples at once. */
static fgt_status sensitivity_multiply(job *j)
{
    const fgt_view *dy = j->opts.to ? NULL : &j->dto;
    FGTI_TRY(sensitivity_forward(j));
    if (j->opts.to) FGTI_TRY(fgt_model_add_gradient(j->model, j->opts.to, &j->dto));
    const fgt_status s =
        j->opts.from
            ? fgti_model_backward_until(j->model, dy, j->gradients, &j->touched, j->opts.from, &j->dfrom)
            : fgti_model_backward(j->model, dy, j->gradients, &j->touched, &j->dfrom);
    fgti_spare_touched_clear(&j->touched);
    FGTI_TRY(s);
    if (fgti_all_finite(fgt_view_count(&j->dfrom), j->dfrom.data)) return FGT_OK;
    return fgti_fail(&j->ctx->error, FGT_E_NONFINITE, "sensitivity: a gradient is not finite");
}

/* Sets dto to the vector v [width] at token i of each sample, and to 0 elsewhere. */
static void set_vector(job *j, int64_t i, const fgti_real *v)
{
    fgti_real *d = j->dto.data;
    memset(d, 0, (size_t)fgt_view_count(&j->dto) * sizeof *d);
    for (int64_t b = 0; b < j->to.batch; b++)
        memcpy(d + (b * j->to.count + i) * j->to.width, v, (size_t)j->to.width * sizeof *v);
}

/* ---- results from products ---- */

/* Adds the squares |v J_ij|^2 of one product. `squares` has an element for each block, [batch,from.count]. */
static void add_squares(const job *j, double *squares)
{
    const fgti_real *g = j->dfrom.data;
    for (int64_t k = 0; k < j->from.batch * j->from.count; k++)
        for (int64_t n = 0; n < j->from.width; n++) {
            const double e = (double)g[k * j->from.width + n];
            squares[k] += e * e;
        }
}

/* Copies row o of all blocks of one token of y. `blocks` is [batch,from.count,rows,from.width]. */
static void sensitivity_copy_row(const job *j, int64_t o, float *blocks)
{
    const fgti_real *g = j->dfrom.data;
    const int64_t    h = j->rows, d = j->from.width;
    for (int64_t k = 0; k < j->from.batch * j->from.count; k++)
        for (int64_t n = 0; n < d; n++) blocks[(k * h + o) * d + n] = (float)g[k * d + n];
}

/* Computes all products for token i. Rows of the Jacobian are written to `blocks`, and their squares are
 * added to `squares`; either pointer may be NULL. v: memory for a vector. */
static fgt_status multiply_token(job *j, int64_t i, fgti_real *v, double *squares, float *blocks)
{
    for (int64_t o = 0; o < j->rows; o++) {
        memset(v, 0, (size_t)j->to.width * sizeof *v);
        v[j->row + o] = 1;
        set_vector(j, i, v);
        FGTI_TRY(sensitivity_multiply(j));
        if (squares) add_squares(j, squares);
        if (blocks) sensitivity_copy_row(j, o, blocks);
    }
    return FGT_OK;
}

/* The mean and the standard error of P estimates of each square. `work` has room for two arrays of the size
 * of `squares`. */
static fgt_status probe_token(job *j, int64_t i, fgti_real *v, double *work, double *squares, double *errors)
{
    const int64_t n = j->from.batch * j->from.count, p = j->opts.probes;
    double       *one = work, *moment = work + n; /* moment: sum of squared distances from the mean so far */
    memset(moment, 0, (size_t)n * sizeof *moment);
    for (int64_t k = 0; k < p; k++) {
        const fgti_rng rng =
            fgti_rng_of(j->opts.seed, FGTI_STREAM_PROBES, 0, (uint64_t)(k * j->to.count + i));
        for (int64_t o = 0; o < j->to.width; o++) v[o] = fgti_rng_u32(rng, (uint64_t)o) & 1 ? 1 : -1;
        set_vector(j, i, v);
        FGTI_TRY(sensitivity_multiply(j));
        memset(one, 0, (size_t)n * sizeof *one);
        add_squares(j, one);
        for (int64_t b = 0; b < n; b++) { /* running mean and variance: Welford 1962 */
            const double step = one[b] - squares[b];
            squares[b] += step / (double)(k + 1);
            moment[b] += step * (one[b] - squares[b]);
        }
    }
    for (int64_t b = 0; b < n; b++) {
        const double s = sqrt(moment[b] / (double)(p - 1));
        errors[b]      = squares[b] > 0 ? s / (2 * sqrt(squares[b] * (double)p)) : 0;
    }
    return FGT_OK;
}

/* ---- spectral norms ---- */

typedef struct spectral {
    const float *blocks;
    int64_t      rows, columns; /* rows and columns of a block */
    double      *memory;
    int64_t      each;
    double      *squares;
} spectral;

static void take_spectral(void *arg, int64_t k, int32_t worker)
{
    const spectral *s = arg;
    const int64_t   n = s->rows * s->columns;
    double         *a = s->memory + worker * s->each;
    for (int64_t i = 0; i < n; i++) a[i] = (double)s->blocks[k * n + i];
    const double *values  = fgti_singular_values(s->rows, s->columns, a, a + n);
    const double  largest = values[fgti_least(s->rows, s->columns) - 1];
    s->squares[k]         = largest * largest;
}

/* Computes the spectral norms of the blocks of one token. */
static fgt_status take_spectral_norms(const job *j, const float *blocks, double *squares)
{
    fgt_context *ctx = j->ctx;
    spectral     s   = {.blocks = blocks, .rows = j->rows, .columns = j->from.width, .squares = squares};
    s.each           = s.rows * s.columns + fgti_singular_work(s.rows, s.columns);
    FGTI_TRY(FGTI_NEW(ctx, fgti_mul(ctx->exec.workers, s.each), "blocks in double", &s.memory));
    fgti_parallel(&ctx->exec, j->from.batch * j->from.count, take_spectral, &s);
    fgti_free(ctx, s.memory);
    return FGT_OK;
}

/* ---- shapes and memory ---- */

static tokens tokens_of(const fgt_view *v, int64_t width)
{
    return (tokens){v->shape[0], fgt_view_count(v) / v->shape[0] / width, width};
}

static int64_t last_axis(const fgt_view *v)
{
    return v->shape[v->rank - 1];
}

/* Makes a view with the shape of the layer's output in the last pass. */
static fgt_status shape_like(job *j, const char *layer, fgt_view *v)
{
    FGTI_TRY(fgt_workspace_get_value(fgt_model_get_workspace(j->model), layer, v));
    v->data = NULL;
    return FGT_OK;
}

static fgt_status reserve_view(fgt_context *ctx, fgt_view *v)
{
    return fgti_alloc(ctx, fgt_view_count(v), sizeof(fgti_real), "values of the Jacobian", &v->data);
}

static fgt_status sensitivity_read_opts(job *j, const fgt_sensitivity_opts *opts)
{
    fgti_error *err = &j->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_sensitivity_opts", opts, &j->opts, sizeof j->opts));
    FGTI_TRY(fgti_opts_check(err, "fgt_sensitivity_opts", sensitivity_opts, &j->opts));
    if (j->opts.probes == 1)
        return fgti_fail(err, FGT_E_ARG,
                         "sensitivity: probes is wrong (got 1, need 0, or at least 2 for a standard error)");
    if (j->opts.probes && j->opts.norm)
        return fgti_fail(err, FGT_E_ARG, "sensitivity: probes estimate Frobenius norms only");
    if (j->opts.probes && j->opts.element)
        return fgti_fail(err, FGT_E_ARG,
                         "sensitivity: element and probes cannot be combined: the norm of one element is "
                         "computed exactly");
    if (j->x && !j->opts.from && (j->x->dtype == FGT_DTYPE_I32 || j->x->dtype == FGT_DTYPE_I64))
        return fgti_fail(err, FGT_E_UNSUPPORTED,
                         "sensitivity: ids have no gradient; name the embedding as `from`");
    return FGT_OK;
}

/* Runs a pass, which checks x and sets all shapes. */
static fgt_status find_shapes(job *j)
{
    FGTI_TRY(fgti_model_output(j->model, j->x, &j->y));
    FGTI_TRY(reserve_view(j->ctx, &j->y));
    FGTI_TRY(sensitivity_forward(j));
    j->dto        = j->y;
    j->dto.data   = NULL;
    j->dfrom      = *j->x;
    j->dfrom.data = NULL;
    if (j->opts.to) FGTI_TRY(shape_like(j, j->opts.to, &j->dto));
    if (j->opts.from) FGTI_TRY(shape_like(j, j->opts.from, &j->dfrom));
    /* x may leave out an axis D of length 1; the output of a layer always has it */
    const int64_t width = j->opts.from ? last_axis(&j->dfrom) : fgti_model_options(j->model)->features;
    j->to               = tokens_of(&j->dto, last_axis(&j->dto));
    j->from             = tokens_of(&j->dfrom, width);
    const int64_t first = j->opts.first, left = j->to.count - first;
    if (left < 1 || j->opts.count > left)
        return fgti_fail(&j->ctx->error, FGT_E_ARG,
                         "sensitivity: tokens are out of range (got %lld .. %lld, of %lld)", (long long)first,
                         (long long)first + j->opts.count - 1, (long long)j->to.count);
    if (j->opts.element > j->to.width)
        return fgti_fail(&j->ctx->error, FGT_E_ARG,
                         "sensitivity: element is out of range (got %lld, of %lld)",
                         (long long)j->opts.element, (long long)j->to.width);
    if (!j->opts.count) j->opts.count = left;
    j->row  = j->opts.element ? j->opts.element - 1 : 0;
    j->rows = j->opts.element ? 1 : j->to.width;
    return FGT_OK;
}

static fgt_status reserve_memory(job *j)
{
    FGTI_TRY(fgti_gradients_need(j->model)); /* allocates the list of rows with a sparse gradient */
    const fgti_slabs slabs = fgti_model_slabs(j->model);
    FGTI_TRY(reserve_view(j->ctx, &j->dto));
    FGTI_TRY(reserve_view(j->ctx, &j->dfrom));
    FGTI_TRY(FGTI_NEW(j->ctx, slabs.size, "gradients of parameters", &j->gradients));
    return fgti_spare_touched(j->ctx, &slabs, &j->touched);
}

static void sensitivity_clean_up(job *j)
{
    fgti_free(j->ctx, j->y.data);
    fgti_free(j->ctx, j->dto.data);
    fgti_free(j->ctx, j->dfrom.data);
    fgti_free(j->ctx, j->gradients);
    fgti_spare_touched_done(j->ctx, &j->touched);
}

/* ---- norms ---- */

/* The memory for one token. */
typedef struct token_memory {
    fgti_real *vector;  /* [to.width]: the vector at the output of `to` */
    double    *squares; /* [batch,from.count]; with probes, three such arrays */
    double    *errors;  /* [batch,from.count] */
    float     *blocks;  /* the blocks, only for spectral norms */
} token_memory;

static fgt_status norms_of_token(job *j, int64_t i, token_memory *m)
{
    const int64_t n = j->from.batch * j->from.count;
    memset(m->squares, 0, (size_t)n * sizeof *m->squares);
    if (j->opts.probes) return probe_token(j, i, m->vector, m->squares + n, m->squares, m->errors);
    FGTI_TRY(multiply_token(j, i, m->vector, m->blocks ? NULL : m->squares, m->blocks));
    return m->blocks ? take_spectral_norms(j, m->blocks, m->squares) : FGT_OK;
}

static fgt_status fill_norms(job *j, token_memory *m, double *norms, double *errors)
{
    const int64_t t = j->from.count, count = j->opts.count, n = j->from.batch * t;
    FGTI_TRY(FGTI_NEW(j->ctx, j->to.width, "a vector", &m->vector));
    FGTI_TRY(FGTI_NEW(j->ctx, fgti_mul(n, 3), "squares", &m->squares));
    FGTI_TRY(FGTI_NEW(j->ctx, n, "standard errors", &m->errors));
    if (j->opts.norm == FGT_SENSITIVITY_NORM_SPECTRAL)
        FGTI_TRY(FGTI_NEW(j->ctx, fgti_mul(n, fgti_mul(j->rows, j->from.width)), "blocks", &m->blocks));
    for (int64_t i = 0; i < count; i++) {
        FGTI_TRY(norms_of_token(j, j->opts.first + i, m));
        for (int64_t b = 0; b < j->from.batch; b++)
            for (int64_t k = 0; k < t; k++) {
                norms[(b * count + i) * t + k] = sqrt(m->squares[b * t + k]);
                if (errors) errors[(b * count + i) * t + k] = m->errors[b * t + k];
            }
    }
    return FGT_OK;
}

static fgt_view shape_of_norms(const job *j)
{
    return (fgt_view){
        .shape = {j->from.batch, j->opts.count, j->from.count}, .rank = 3, .dtype = FGT_DTYPE_F64};
}

static fgt_status compute_norms(job *j, const fgt_view *norms, const fgt_view *errors)
{
    fgti_error    *err   = &j->ctx->error;
    token_memory   m     = {0};
    const fgt_view shape = shape_of_norms(j);
    FGTI_TRY(fgti_view_check(err, "norms", norms, FGT_DTYPE_F64, 3, shape.shape));
    if (errors) FGTI_TRY(fgti_view_check(err, "errors", errors, FGT_DTYPE_F64, 3, shape.shape));
    FGTI_TRY(reserve_memory(j));
    const fgt_status s = fill_norms(j, &m, norms->data, errors ? errors->data : NULL);
    fgti_free(j->ctx, m.vector);
    fgti_free(j->ctx, m.squares);
    fgti_free(j->ctx, m.errors);
    fgti_free(j->ctx, m.blocks);
    return s;
}

/* ---- blocks ---- */

/* Computes the blocks of all tokens. `one` is memory for the blocks of one token, which come sample by
 * sample. */
static fgt_status fill_blocks(job *j, fgti_real *vector, float *one, float *out)
{
    const int64_t each = j->from.count * j->rows * j->from.width, count = j->opts.count;
    for (int64_t i = 0; i < count; i++) {
        FGTI_TRY(multiply_token(j, j->opts.first + i, vector, NULL, one));
        for (int64_t b = 0; b < j->from.batch; b++)
            memcpy(out + (b * count + i) * each, one + b * each, (size_t)each * sizeof *out);
    }
    return FGT_OK;
}

static fgt_view shape_of_blocks(const job *j)
{
    return (fgt_view){.shape = {j->from.batch, j->opts.count, j->from.count, j->rows, j->from.width},
                      .rank  = 5,
                      .dtype = FGT_DTYPE_F32};
}

static fgt_status compute_blocks(job *j, const fgt_view *jacobian)
{
    const int64_t  h = j->rows, d = j->from.width;
    fgti_real     *vector = NULL;
    float         *one    = NULL;
    const fgt_view shape  = shape_of_blocks(j);
    FGTI_TRY(fgti_view_check(&j->ctx->error, "jacobian", jacobian, FGT_DTYPE_F32, 5, shape.shape));
    FGTI_TRY(reserve_memory(j));
    const int64_t blocks = fgti_mul(fgti_mul(j->from.batch, j->from.count), fgti_mul(h, d));
    fgt_status    s      = FGTI_NEW(j->ctx, j->to.width, "a vector", &vector);
    if (s == FGT_OK) s = FGTI_NEW(j->ctx, blocks, "blocks", &one);
    if (s == FGT_OK) s = fill_blocks(j, vector, one, jacobian->data);
    fgti_free(j->ctx, vector);
    fgti_free(j->ctx, one);
    return s;
}

/* ---- calls ---- */

/* Everything that precedes the computation. `errors` is allowed only with norms. */
static fgt_status sensitivity_prepare(job *j, fgt_model *model, const fgt_view *x,
                                      const fgt_sensitivity_opts *opts, const fgt_view *result)
{
    fgti_error *err = &fgti_model_context(model)->error;
    *j              = (job){.model = model, .ctx = fgti_model_context(model), .x = x};
    if (!x || !result) return fgti_fail(err, FGT_E_ARG, "sensitivity: x or the result is NULL");
    FGTI_TRY(sensitivity_read_opts(j, opts));
    return find_shapes(j);
}

static fgt_status prepare_blocks(job *j, fgt_model *model, const fgt_view *x,
                                 const fgt_sensitivity_opts *opts, const fgt_view *result)
{
    FGTI_TRY(sensitivity_prepare(j, model, x, opts, result));
    if (j->opts.probes || j->opts.norm)
        return fgti_fail(&j->ctx->error, FGT_E_ARG,
                         "sensitivity: probes and norm are wrong (got %lld and %d, need 0 for blocks)",
                         (long long)j->opts.probes, (int)j->opts.norm);
    return FGT_OK;
}

static fgt_status get_shape(fgt_model *model, const fgt_view *x, const fgt_sensitivity_opts *opts,
                            bool blocks, fgt_view *shape)
{
    job j;
    if (!model) return FGT_E_ARG;
    const fgt_status s = (blocks ? prepare_blocks : sensitivity_prepare)(&j, model, x, opts, shape);
    if (s == FGT_OK) *shape = blocks ? shape_of_blocks(&j) : shape_of_norms(&j);
    sensitivity_clean_up(&j);
    return s;
}

fgt_status fgt_sensitivity_compute(fgt_model *model, const fgt_view *x, const fgt_sensitivity_opts *opts,
                                   const fgt_view *norms, const fgt_view *errors)
{
    job j;
    if (!model) return FGT_E_ARG;
    fgt_status s = sensitivity_prepare(&j, model, x, opts, norms);
    if (s == FGT_OK) s = compute_norms(&j, norms, errors);
    sensitivity_clean_up(&j);
    return s;
}

fgt_status fgt_sensitivity_get_shape(fgt_model *model, const fgt_view *x, const fgt_sensitivity_opts *opts,
                                     fgt_view *shape)
{
    return get_shape(model, x, opts, false, shape);
}

fgt_status fgt_jacobian_get_shape(fgt_model *model, const fgt_view *x, const fgt_sensitivity_opts *opts,
                                  fgt_view *shape)
{
    return get_shape(model, x, opts, true, shape);
}

fgt_status fgt_jacobian_compute(fgt_model *model, const fgt_view *x, const fgt_sensitivity_opts *opts,
                                const fgt_view *jacobian)
{
    job j;
    if (!model) return FGT_E_ARG;
    fgt_status s = prepare_blocks(&j, model, x, opts, jacobian);
    if (s == FGT_OK) s = compute_blocks(&j, jacobian);
    sensitivity_clean_up(&j);
    return s;
}
