/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>

#include "core/opts.h"
#include "train/train_impl.h"

/* One call of a loss: y [n], or [rows,columns] for classes. */
typedef struct work {
    const fgt_loss_opts *opts;
    const fgt_view      *target;
    const fgti_real     *y;
    fgti_real           *dy;    /* NULL: nobody asks; may be y */
    double               scale; /* 1 / elements that count */
    int64_t              columns;
    fgti_cut             cut;
    double               partial[FGTI_CHUNKS];
} work;

/* ---- losses of one element: the value, and in *d its derivative by y ---- */

static double mse(const fgt_loss_opts *o, double y, double t, double *d)
{
    (void)o;
    *d = 2 * (y - t);
    return (y - t) * (y - t);
}

static double sign(double x)
{
    return (double)((x > 0) - (x < 0));
}

static double l1(const fgt_loss_opts *o, double y, double t, double *d)
{
    (void)o;
    *d = sign(y - t);
    return fabs(y - t);
}

static double smooth_l1(const fgt_loss_opts *o, double y, double t, double *d)
{
    const double e = fabs(y - t), beta = (double)o->beta;
    *d = e < beta ? (y - t) / beta : sign(y - t);
    return e < beta ? e * e / (2 * beta) : e - beta / 2;
}

static double huber(const fgt_loss_opts *o, double y, double t, double *d)
{
    const double e = fabs(y - t), beta = (double)o->beta;
    *d = e < beta ? y - t : beta * sign(y - t);
    return e < beta ? e * e / 2 : beta * (e - beta / 2);
}

/* log(1 + e^y) - t y;  d = sigmoid(y) - t. Written with e^-|y| <= 1, so that nothing overflows. */
static double bce(const fgt_loss_opts *o, double y, double t, double *d)
{
    (void)o;
    const double z = exp(-fabs(y));
    *d = (y < 0 ? z : 1) / (1 + z) - t;
    return (y > 0 ? y : 0) - t * y + log1p(z);
}

/* ---- cross entropy of one row ---- */

/* L = (1-s) (log Z - y_t) + s (log Z - mean_c y_c), Z = sum_c e^{y_c};  dL/dy_c = p_c - (1-s) [c=t] - s/C */
static double cross_entropy(const work *w, int64_t r)
{
    const int64_t    n = w->columns, t = fgti_target_class(w->target, r);
    const fgti_real *y = w->y + r * n;
    const double     s = (double)w->opts->label_smoothing;
    double           top = -INFINITY, z = 0, mean = 0;
    for (int64_t c = 0; c < n; c++)
        if ((double)y[c] > top) top = (double)y[c];
    for (int64_t c = 0; c < n; c++) z += exp((double)y[c] - top); /* <= 1 each: cannot overflow */
    for (int64_t c = 0; s > 0 && c < n; c++) mean += (double)y[c] / (double)n;
    const double log_z = top + log(z);
    double       loss = (1 - s) * (log_z - (double)y[t]);
    if (s > 0) loss += s * (log_z - mean); /* without the test a logit of -inf would make 0 times inf */
    for (int64_t c = 0; w->dy && c < n; c++) {
        const double p = exp((double)y[c] - log_z);
        w->dy[r * n + c] = (fgti_real)(w->scale * (p - (c == t ? 1 - s : 0) - s / (double)n));
    }
    return loss;
}

/* ---- the table ---- */

static const struct {
    const char *name;
    /* one of the two: numbers, element by element, or classes, row by row */
    double (*element)(const fgt_loss_opts *opts, double y, double t, double *d);
    double (*row)(const work *w, int64_t r);
} losses[] = {
    [FGT_LOSS_MSE]           = {"mse", mse, NULL},
    [FGT_LOSS_L1]            = {"l1", l1, NULL},
    [FGT_LOSS_SMOOTH_L1]     = {"smooth-l1", smooth_l1, NULL},
    [FGT_LOSS_HUBER]         = {"huber", huber, NULL},
    [FGT_LOSS_CROSS_ENTROPY] = {"cross entropy", NULL, cross_entropy},
    [FGT_LOSS_BCE]           = {"bce", bce, NULL},
};

#define KINDS (sizeof losses / sizeof *losses)
#define BELOW_ONE (1 - 0x1p-24) /* the largest float that is */

static const fgti_opt loss_opts[] = {
    {"kind", offsetof(fgt_loss_opts, kind), FGTI_OPT_ENUM, 0, KINDS - 1, 0},
    {"beta", offsetof(fgt_loss_opts, beta), FGTI_OPT_F32, 0, FLT_MAX, 1},
    {"label_smoothing", offsetof(fgt_loss_opts, label_smoothing), FGTI_OPT_F32, 0, BELOW_ONE, 0},
    {"skip_nan", offsetof(fgt_loss_opts, skip_nan), FGTI_OPT_BOOL, 0, 1, 0},
    {0},
};

fgt_status fgti_loss_read(fgti_error *err, const fgt_loss_opts *in, fgt_loss_opts *out)
{
    FGTI_TRY(fgti_opts_read(err, "loss", in, out, sizeof *out));
    return fgti_opts_check(err, "loss", loss_opts, out);
}

bool fgti_loss_of_classes(const fgt_loss_opts *opts)
{
    return !losses[opts->kind].element;
}

/* ---- shapes and classes ---- */

int64_t fgti_target_class(const fgt_view *target, int64_t r)
{
    return target->dtype == FGT_I64 ? ((const int64_t *)target->data)[r] : ((const int32_t *)target->data)[r];
}

fgt_status fgti_target_dtype_check(fgti_error *err, const fgt_loss_opts *opts, int32_t dtype)
{
    if (dtype != FGT_F32 && dtype != FGT_I64)
        return fgti_fail(err, FGT_E_ARG, "target_dtype is %s, must be F32 or I64", fgti_dtype_name(dtype));
    if (opts && fgti_loss_of_classes(opts) != (dtype == FGT_I64))
        return fgti_fail(err, FGT_E_ARG, "%s needs target_dtype %s", losses[opts->kind].name,
                         dtype == FGT_I64 ? "F32" : "I64");
    return FGT_OK;
}

fgt_status fgti_target_check(fgti_error *err, const fgt_view *y, const fgt_view *target, bool classes)
{
    if (!y || !target) return fgti_fail(err, FGT_E_ARG, "%s is NULL", y ? "the target" : "y");
    FGTI_TRY(fgti_view_check(err, "y", y, FGTI_REAL, y->rank, y->shape));
    if (!classes) return fgti_view_check(err, "the target", target, FGTI_REAL, y->rank, y->shape);
    if (y->rank < 1 || y->shape[y->rank - 1] < 1)
        return fgti_fail(err, FGT_E_SHAPE, "y has no last axis of logits");
    const int32_t dtype = target->dtype == FGT_I32 ? FGT_I32 : FGT_I64;
    FGTI_TRY(fgti_view_check(err, "the target", target, dtype, y->rank - 1, y->shape));
    const int64_t n = y->shape[y->rank - 1], rows = fgt_view_count(target);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t c = fgti_target_class(target, r);
        if (c < 0 || c >= n)
            return fgti_fail(err, FGT_E_DATA, "the target of row %lld is class %lld, must lie in 0 .. %lld",
                             (long long)r, (long long)c, (long long)n - 1);
    }
    return FGT_OK;
}

/* ---- a whole batch ---- */

static double run_element(const work *w, int64_t i)
{
    const double t = (double)((const fgti_real *)w->target->data)[i];
    double       d = 0, loss = 0;
    if (!w->opts->skip_nan || !isnan(t))
        loss = losses[w->opts->kind].element(w->opts, (double)w->y[i], t, &d);
    if (w->dy) w->dy[i] = (fgti_real)(w->scale * d);
    return loss;
}

static void run_chunk(void *arg, int64_t chunk, int32_t lane)
{
    (void)lane;
    work         *w     = arg;
    const int64_t begin = chunk * w->cut.size, end = begin + fgti_cut_length(&w->cut, chunk);
    const int32_t kind = w->opts->kind;
    double        sum  = 0;
    for (int64_t i = begin; i < end; i++)
        sum += losses[kind].row ? losses[kind].row(w, i) : run_element(w, i);
    w->partial[chunk] = sum;
}

static int64_t count_targets(const fgt_loss_opts *o, const fgt_view *target)
{
    const int64_t n = fgt_view_count(target);
    if (!o->skip_nan || fgti_loss_of_classes(o)) return n;
    const fgti_real *t    = target->data;
    int64_t          kept = 0;
    for (int64_t i = 0; i < n; i++) kept += !isnan(t[i]);
    return kept;
}

/* The loss is not finite. Why, as far as can be told: y may be overwritten by now. */
static fgt_status refuse(fgti_error *err, const fgt_loss_opts *o, const fgt_view *target)
{
    const char *name = losses[o->kind].name;
    const int64_t n = fgti_loss_of_classes(o) ? 0 : fgt_view_count(target);
    for (int64_t i = 0; i < n; i++) {
        const double t = (double)((const fgti_real *)target->data)[i];
        if (isinf(t) || (isnan(t) && !o->skip_nan))
            return fgti_fail(err, FGT_E_NONFINITE, "%s: element %lld of the target is %s", name, (long long)i,
                             isnan(t) ? "NaN (skip_nan would leave it out)" : "infinite");
    }
    return fgti_fail(err, FGT_E_NONFINITE, "%s: the loss is NaN or infinite", name);
}

fgt_status fgti_loss_run(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                         const fgt_view *target, double *sum, int64_t *count, const fgt_view *dy)
{
    const bool classes = fgti_loss_of_classes(opts);
    FGTI_TRY(fgti_target_check(&ctx->error, y, target, classes));
    if (dy) FGTI_TRY(fgti_view_check(&ctx->error, "dy", dy, FGTI_REAL, y->rank, y->shape));
    *sum   = 0;
    *count = count_targets(opts, target);
    if (!*count) return FGT_OK;
    const int64_t n = fgt_view_count(target), columns = classes ? y->shape[y->rank - 1] : 1;
    work w = {.opts = opts, .target = target, .y = y->data, .dy = dy ? dy->data : NULL, .columns = columns,
              .scale = 1 / (double)*count,
              .cut = fgti_cut_of(n, columns < FGTI_GRAIN ? FGTI_GRAIN / columns : 1)};
    fgti_parallel(&ctx->exec, w.cut.count, run_chunk, &w);
    for (int64_t i = 0; i < w.cut.count; i++) *sum += w.partial[i];
    return isfinite(*sum) ? FGT_OK : refuse(&ctx->error, opts, target);
}

fgt_status fgt_loss_apply(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                          const fgt_view *target, double *loss, const fgt_view *dy)
{
    if (!ctx) return FGT_E_ARG;
    fgt_loss_opts o;
    double        sum;
    int64_t       count;
    if (!loss) return fgti_fail(&ctx->error, FGT_E_ARG, "loss: no place for the result");
    FGTI_TRY(fgti_loss_read(&ctx->error, opts, &o));
    FGTI_TRY(fgti_loss_run(ctx, &o, y, target, &sum, &count, dy));
    if (!count)
        return fgti_fail(&ctx->error, FGT_E_DATA, "%s: no element of the target counts", losses[o.kind].name);
    *loss = sum / (double)count;
    return FGT_OK;
}
