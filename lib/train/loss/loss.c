/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/loss/loss.h"

#include <float.h>
#include <math.h>

#include "core/opts.h"

/* ---- losses of one element: returns the value, *d is the derivative by y ---- */

static double mse(const fgt_loss_opts *o, int64_t i, double y, double t, double *d)
{
    (void)i;
    (void)o;
    *d = 2 * (y - t);
    return (y - t) * (y - t);
}

static double sign(double x)
{
    return (double)((x > 0) - (x < 0));
}

static double l1(const fgt_loss_opts *o, int64_t i, double y, double t, double *d)
{
    (void)i;
    (void)o;
    *d = sign(y - t);
    return fabs(y - t);
}

static double smooth_l1(const fgt_loss_opts *o, int64_t i, double y, double t, double *d)
{
    (void)i;
    const double e = fabs(y - t), beta = (double)o->beta;
    *d = e < beta ? (y - t) / beta : sign(y - t);
    return e < beta ? e * e / (2 * beta) : e - beta / 2;
}

static double huber(const fgt_loss_opts *o, int64_t i, double y, double t, double *d)
{
    (void)i;
    const double e = fabs(y - t), beta = (double)o->beta;
    *d = e < beta ? y - t : beta * sign(y - t);
    return e < beta ? e * e / 2 : beta * (e - beta / 2);
}

/* loss: log(1 + e^y) - t y; d = sigmoid(y) - t. The code uses e^-|y| <= 1, so nothing overflows. */
static double bce(const fgt_loss_opts *o, int64_t i, double y, double t, double *d)
{
    (void)i;
    (void)o;
    const double z = exp(-fabs(y));
    *d             = (y < 0 ? z : 1) / (1 + z) - t;
    return (y > 0 ? y : 0) - t * y + log1p(z);
}

/* With e = t - y, loss: max(q e, (q-1) e); d = -q if t is above y, 1 - q if t is below y. */
static double loss_quantile(const fgt_loss_opts *o, int64_t i, double y, double t, double *d)
{
    const int64_t n = o->quantile_count;
    const double  e = t - y, q = (double)(n ? o->quantiles[i % n] : o->quantile);
    *d = e > 0 ? -q : e < 0 ? 1 - q : 0;
    return e > 0 ? q * e : (q - 1) * e;
}

/* The least predicted mean. A mean of 0 would make positive counts impossible and their loss infinite. */
#define LEAST_MEAN 1e-8

static double t_log_t_over(double t, double y)
{
    return t > 0 ? t * log(t / y) : 0;
}

/* loss: y - t + t log(t/y); d = 1 - t/y. NaN if y or t is negative. */
static double poisson(const fgt_loss_opts *o, int64_t i, double y, double t, double *d)
{
    const double m = y < LEAST_MEAN ? LEAST_MEAN : y;
    (void)o, (void)i;
    *d = 1 - t / m;
    return y >= 0 && t >= 0 ? m - t + t_log_t_over(t, m) : NAN;
}

/* loss: t log(t/y) - (t + 1/a) log((1 + a t) / (1 + a y)); d = (y - t) / (y (1 + a y)) */
static double negative_binomial(const fgt_loss_opts *o, int64_t i, double y, double t, double *d)
{
    const double m = y < LEAST_MEAN ? LEAST_MEAN : y, a = (double)o->dispersion;
    (void)i;
    *d = (m - t) / (m * (1 + a * m));
    return y >= 0 && t >= 0 ? t_log_t_over(t, m) - (t + 1 / a) * log1p(a * (t - m) / (1 + a * m)) : NAN;
}

/* ---- cross entropy of one row ---- */

static double loss_prior(const float *priors, int64_t c)
{
    return priors ? (double)priors[c] : 1;
}

/* The loss of row r, whose class is t, with label smoothing s:
 *
 * L = (1-s) (log Z - v_t) + s (log Z - sum_c p_c v_c), where v_c = y_c + log p_c and Z = sum_c e^{v_c};
 *
 * dL/dy_c = e^{v_c}/Z - (1-s) [c=t] - s p_c.
 *
 * Both are multiplied by the weight of the class. Without priors p_c = 1/C. The code uses priors q of any
 * scale: p_c = q_c / sum q, and q_c = 1 if no priors are given. dy = scale dL/dy. If `square` is not NULL,
 * *square += |dL/dy|^2. For a row without a class both are 0. */
static double cross_entropy(const fgti_loss_work *w, int64_t r, double scale, double *square)
{
    const int64_t    n = w->columns, t = fgti_target_class(w->target, r);
    const fgti_real *y   = w->y + r * n;
    const double     s   = (double)w->opts->label_smoothing;
    const float     *of = w->opts->class_weights, *q = w->opts->class_priors;
    double           top = -INFINITY, z = 0, mean = 0, all = q ? 0 : (double)n;
    if (t < 0) {
        for (int64_t c = 0; w->dy && c < n; c++) w->dy[r * n + c] = 0;
        return 0;
    }
    for (int64_t c = 0; c < n; c++)
        if ((double)y[c] > top) top = (double)y[c];
    for (int64_t c = 0; q && c < n; c++) all += (double)q[c];
    for (int64_t c = 0; c < n; c++) /* each term is at most q, so the sum cannot overflow */
        z += loss_prior(q, c) * exp((double)y[c] - top);
    for (int64_t c = 0; s > 0 && c < n; c++)
        mean += loss_prior(q, c) * ((double)y[c] + log(loss_prior(q, c))) / all;
    const double log_z = top + log(z);
    double       loss  = (1 - s) * (log_z - (double)y[t] - log(loss_prior(q, t)));
    if (s > 0) loss += s * (log_z - mean); /* if s is 0, a logit of -inf would give 0 times inf */
    for (int64_t c = 0; (w->dy || square) && c < n; c++) {
        double d =
            loss_prior(q, c) * exp((double)y[c] - log_z) - (c == t ? 1 - s : 0) - s * loss_prior(q, c) / all;
        if (of) d *= (double)of[t];
        if (square) *square += d * d;
        if (w->dy) w->dy[r * n + c] = (fgti_real)(scale * d);
    }
    return of ? (double)of[t] * loss : loss;
}

/* ---- the table ---- */

static const struct {
    const char *name;
    /* Only one of the next two is set: `element` for losses of numbers, `row` for losses of classes. */
    double (*element)(const fgt_loss_opts *opts, int64_t i, double y, double t, double *d);
    double (*row)(const fgti_loss_work *w, int64_t r, double scale, double *square);
    bool numbers;  /* y and targets are numbers of any sign and size, as in forecasts */
    bool counts;   /* y and targets must not be negative */
    bool distance; /* the loss depends only on |y - t| and grows with it; a spectral part requires this */
} losses[] = {
    [FGT_LOSS_MSE]               = {"mse", mse, NULL, true, false, true},
    [FGT_LOSS_L1]                = {"l1", l1, NULL, true, false, true},
    [FGT_LOSS_SMOOTH_L1]         = {"smooth-l1", smooth_l1, NULL, true, false, true},
    [FGT_LOSS_HUBER]             = {"huber", huber, NULL, true, false, true},
    [FGT_LOSS_CROSS_ENTROPY]     = {"cross entropy", NULL, cross_entropy, false, false, false},
    [FGT_LOSS_BCE]               = {"bce", bce, NULL, false, false, false},
    [FGT_LOSS_QUANTILE]          = {"quantile", loss_quantile, NULL, true, false, false},
    [FGT_LOSS_POISSON]           = {"poisson", poisson, NULL, true, true, false},
    [FGT_LOSS_NEGATIVE_BINOMIAL] = {"negative binomial", negative_binomial, NULL, true, true, false},
};

#define KINDS      (int32_t)(sizeof losses / sizeof *losses)
#define BELOW_ONE  (1 - 0x1p-24) /* the largest float below 1 */
#define ABOVE_ZERO 0x1p-24

#define QUANTILE(k)                                                                                       \
    {                                                                                                     \
        "q" #k, offsetof(fgt_loss_opts, quantiles) + (k) * sizeof(float), FGTI_OPT_F32, 0, BELOW_ONE, 0   \
    }

const fgti_opt fgti_loss_opts[] = {
    {"kind", offsetof(fgt_loss_opts, kind), FGTI_OPT_ENUM, 0, KINDS - 1, 0},
    {"beta", offsetof(fgt_loss_opts, beta), FGTI_OPT_F32, 0, FLT_MAX, 1},
    {"label_smoothing", offsetof(fgt_loss_opts, label_smoothing), FGTI_OPT_F32, 0, BELOW_ONE, 0},
    {"skip_nan", offsetof(fgt_loss_opts, skip_nan), FGTI_OPT_BOOL, 0, 1, 0},
    {"quantile", offsetof(fgt_loss_opts, quantile), FGTI_OPT_F32, ABOVE_ZERO, BELOW_ONE, 0.5},
    {"dispersion", offsetof(fgt_loss_opts, dispersion), FGTI_OPT_F32, 1e-6, 1e6, 1},
    {"quantiles", offsetof(fgt_loss_opts, quantile_count), FGTI_OPT_I64, 0, FGT_QUANTILES_MAX, 0},
    QUANTILE(0),  QUANTILE(1),  QUANTILE(2),  QUANTILE(3),  QUANTILE(4),  QUANTILE(5),  QUANTILE(6),
    QUANTILE(7),  QUANTILE(8),  QUANTILE(9),  QUANTILE(10), QUANTILE(11), QUANTILE(12), QUANTILE(13),
    QUANTILE(14), QUANTILE(15), QUANTILE(16), QUANTILE(17), QUANTILE(18), QUANTILE(19), QUANTILE(20),
    QUANTILE(21), QUANTILE(22), QUANTILE(23), QUANTILE(24), QUANTILE(25), QUANTILE(26), QUANTILE(27),
    QUANTILE(28), QUANTILE(29), QUANTILE(30), QUANTILE(31),
    {"spectral", offsetof(fgt_loss_opts, spectral), FGTI_OPT_F32, 0, 1, 0},
    {"reserved", offsetof(fgt_loss_opts, reserved), FGTI_OPT_BOOL, 0, 0, 0},
    {"class_count", offsetof(fgt_loss_opts, class_count), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {0},
};
_Static_assert(FGT_QUANTILES_MAX == 32, "each quantile needs a row");

/* Checks that there is one number for each class, and that each number is at least `least`. */
static fgt_status check_each(fgti_error *err, const fgt_loss_opts *o, const char *what, const float *of,
                             float least)
{
    for (int64_t c = 0; of && c < o->class_count; c++)
        if (!(of[c] >= least) || isinf(of[c]))
            return fgti_fail(err, FGT_E_ARG,
                             "loss: the %s of class %lld is out of range (got %g, need finite and %s)", what,
                             (long long)c, (double)of[c], least > 0 ? "above 0" : "not negative");
    return FGT_OK;
}

static fgt_status check_classes(fgti_error *err, const fgt_loss_opts *o)
{
    const bool given = o->class_weights || o->class_priors;
    if (!o->class_count != !given)
        return fgti_fail(err, FGT_E_ARG, "loss: class_count is %lld, but %s", (long long)o->class_count,
                         given ? "there are class_weights or class_priors"
                               : "class_weights and class_priors are NULL");
    if (given && losses[o->kind].element)
        return fgti_fail(err, FGT_E_ARG, "loss: %s are for cross entropy, not for %s",
                         o->class_weights ? "class_weights" : "class_priors", losses[o->kind].name);
    FGTI_TRY(check_each(err, o, "weight", o->class_weights, 0));
    return check_each(err, o, "prior", o->class_priors, FLT_MIN);
}

fgt_status fgti_loss_read(fgti_error *err, const fgt_loss_opts *in, fgt_loss_opts *out)
{
    FGTI_TRY(fgti_opts_read(err, "loss", in, out, sizeof *out));
    FGTI_TRY(fgti_opts_check(err, "loss", fgti_loss_opts, out));
    for (int64_t i = 0; i < out->quantile_count; i++)
        if (!(out->quantiles[i] > 0))
            return fgti_fail(err, FGT_E_ARG,
                             "loss: quantile %lld is out of range (got %g, need between 0 and 1)",
                             (long long)i, (double)out->quantiles[i]);
    FGTI_TRY(check_classes(err, out));
    if (out->spectral > 0 && !losses[out->kind].distance)
        return fgti_fail(err, FGT_E_ARG,
                         "loss: spectral is %g, but %s is not a function of |y - t|, as mse and l1 are",
                         (double)out->spectral, losses[out->kind].name);
    return FGT_OK;
}

const char *fgti_loss_name(int32_t kind)
{
    return kind >= 0 && kind < KINDS ? losses[kind].name : NULL;
}

bool fgti_loss_of_numbers(int32_t kind)
{
    return fgti_loss_name(kind) && losses[kind].numbers;
}

bool fgti_loss_of_counts(int32_t kind)
{
    return fgti_loss_name(kind) && losses[kind].counts;
}

bool fgti_loss_of_classes(const fgt_loss_opts *opts)
{
    return !losses[opts->kind].element;
}

/* ---- shapes and classes ---- */

int64_t fgti_target_class(const fgt_view *target, int64_t r)
{
    return target->dtype == FGT_DTYPE_I64 ? ((const int64_t *)target->data)[r]
                                          : ((const int32_t *)target->data)[r];
}

fgt_status fgti_target_dtype_check(fgti_error *err, const fgt_loss_opts *opts, int32_t dtype)
{
    if (dtype != FGT_DTYPE_F32 && dtype != FGT_DTYPE_I64)
        return fgti_fail(err, FGT_E_ARG, "target_dtype is wrong (got %s, need F32 or I64)",
                         fgti_dtype_name(dtype));
    if (opts && fgti_loss_of_classes(opts) != (dtype == FGT_DTYPE_I64))
        return fgti_fail(err, FGT_E_ARG, "%s needs target_dtype %s", losses[opts->kind].name,
                         dtype == FGT_DTYPE_I64 ? "F32" : "I64");
    return FGT_OK;
}

fgt_status fgti_loss_check_classes(fgti_error *err, const fgt_loss_opts *o, int64_t classes)
{
    if (!o->class_count || o->class_count == classes) return FGT_OK;
    return fgti_fail(err, FGT_E_SHAPE, "loss: class_count is wrong (got %lld, need %lld, the classes of y)",
                     (long long)o->class_count, (long long)classes);
}

fgt_status fgti_target_check(fgti_error *err, const fgt_view *y, const fgt_view *target, bool classes,
                             bool missing)
{
    if (!y || !target) return fgti_fail(err, FGT_E_ARG, "%s is NULL", y ? "the target" : "y");
    FGTI_TRY(fgti_view_check(err, "y", y, FGTI_REAL, y->rank, y->shape));
    if (!classes) return fgti_view_check(err, "the target", target, FGTI_REAL, y->rank, y->shape);
    if (y->rank < 1 || y->shape[y->rank - 1] < 1)
        return fgti_fail(err, FGT_E_SHAPE, "y has no last axis of logits");
    const int32_t dtype = target->dtype == FGT_DTYPE_I32 ? FGT_DTYPE_I32 : FGT_DTYPE_I64;
    FGTI_TRY(fgti_view_check(err, "the target", target, dtype, y->rank - 1, y->shape));
    const int64_t n = y->shape[y->rank - 1], rows = fgt_view_count(target);
    const int64_t each = rows && target->rank ? rows / target->shape[0] : 1; /* number of rows in a sample */
    for (int64_t r = 0; r < rows; r++) {
        const int64_t c = fgti_target_class(target, r);
        if (c < (missing ? FGT_CLASS_MISSING : 0) || c >= n)
            return fgti_error_at(
                err, r / each,
                fgti_fail(err, FGT_E_DATA,
                          "the class of row %lld of the batch is out of range (got %lld, need %d .. %lld)",
                          (long long)r, (long long)c, missing ? FGT_CLASS_MISSING : 0, (long long)n - 1));
    }
    return FGT_OK;
}

/* ---- a whole batch ---- */

double fgti_loss_element(const fgti_loss_work *w, int64_t i, double *d)
{
    const double t = (double)((const fgti_real *)w->target->data)[i];
    *d             = 0;
    if (w->opts->skip_nan && isnan(t)) return 0;
    return losses[w->opts->kind].element(w->opts, i, (double)w->y[i], t, d);
}

static double run_element(const fgti_loss_work *w, int64_t i, double scale, double *square)
{
    double       d;
    const double loss = fgti_loss_element(w, i, &d);
    if (square) *square += d * d;
    if (w->dy) w->dy[i] = (fgti_real)(scale * d);
    return loss;
}

double fgti_loss_range(const fgti_loss_work *w, int64_t begin, int64_t end, double scale, double *square)
{
    const int32_t kind = w->opts->kind;
    double        sum  = 0;
    for (int64_t i = begin; i < end; i++)
        sum += losses[kind].row ? losses[kind].row(w, i, scale, square) : run_element(w, i, scale, square);
    return sum;
}

int64_t fgti_loss_count(const fgt_loss_opts *o, const fgt_view *target, int64_t begin, int64_t end)
{
    const bool       classes = fgti_loss_of_classes(o);
    const fgti_real *t       = target->data;
    int64_t          kept    = 0;
    if (!o->skip_nan) return end - begin;
    for (int64_t i = begin; i < end; i++) kept += classes ? fgti_target_class(target, i) >= 0 : !isnan(t[i]);
    return kept;
}

fgt_status fgti_loss_check_count(fgti_error *err, const fgt_loss_opts *o, int64_t count)
{
    if (count) return FGT_OK;
    return fgti_fail(err, FGT_E_DATA, "%s: every element of the target is missing", losses[o->kind].name);
}
