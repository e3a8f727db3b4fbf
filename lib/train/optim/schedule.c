/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/optim/schedule.h"

#include <float.h>
#include <math.h>

#include "core/context.h"
#include "core/opts.h"

#define PI 3.14159265358979323846

/* ---- the rate after the warm-up; u = t - W >= 0 ---- */

static double rate_constant(const fgt_schedule_opts *o, double lr, int64_t u)
{
    (void)o;
    (void)u;
    return lr;
}

static double rate_cosine(const fgt_schedule_opts *o, double lr, int64_t u)
{
    const int64_t span = o->total - o->warmup;
    if (u >= span) return o->min_lr;
    return o->min_lr + (lr - o->min_lr) * (1 + cos(PI * (double)u / (double)span)) / 2;
}

static double steps(const fgt_schedule_opts *o, double lr, int64_t u)
{
    return lr * pow(o->gamma, (double)(u / o->every));
}

static double (*const schedules[])(const fgt_schedule_opts *opts, double lr, int64_t u) = {
    [FGT_SCHEDULE_CONSTANT] = rate_constant,
    [FGT_SCHEDULE_COSINE]   = rate_cosine,
    [FGT_SCHEDULE_STEP]     = steps,
};

#define KINDS (sizeof schedules / sizeof *schedules)

/* Rates are converted to float, and the limits follow from this. */
const fgti_opt fgti_schedule_opts[] = {
    {"warmup", offsetof(fgt_schedule_opts, warmup), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"total", offsetof(fgt_schedule_opts, total), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"every", offsetof(fgt_schedule_opts, every), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"min_lr", offsetof(fgt_schedule_opts, min_lr), FGTI_OPT_F64, 0, FLT_MAX, 0},
    {"gamma", offsetof(fgt_schedule_opts, gamma), FGTI_OPT_F64, 0, FLT_MAX, 0.5},
    {"warmup_start", offsetof(fgt_schedule_opts, warmup_start), FGTI_OPT_F64, 0, 1, 0},
    {"kind", offsetof(fgt_schedule_opts, kind), FGTI_OPT_ENUM, 0, KINDS - 1, 0},
    {"reserved", offsetof(fgt_schedule_opts, reserved), FGTI_OPT_ENUM, 0, 0, 0},
    {0},
};

fgt_status fgti_schedule_read(fgti_error *err, const fgt_schedule_opts *in, fgt_schedule_opts *out)
{
    FGTI_TRY(fgti_opts_read(err, "schedule", in, out, sizeof *out));
    FGTI_TRY(fgti_opts_check(err, "schedule", fgti_schedule_opts, out));
    if (out->kind == FGT_SCHEDULE_COSINE && out->total <= out->warmup)
        return fgti_fail(err, FGT_E_ARG,
                         "schedule: total is out of range (got %lld, need more than the %lld of the warm-up)",
                         (long long)out->total, (long long)out->warmup);
    if (out->kind == FGT_SCHEDULE_STEP && !out->every)
        return fgti_fail(err, FGT_E_ARG, "schedule: every is not given (need 1 or more)");
    return FGT_OK;
}

double fgti_schedule_lr(const fgt_schedule_opts *opts, double lr, int64_t t)
{
    const double s = opts->warmup_start;
    if (t < opts->warmup) return lr * (s + (1 - s) * (double)t / (double)opts->warmup);
    return schedules[opts->kind](opts, lr, t - opts->warmup);
}

fgt_status fgt_schedule_get(fgt_context *ctx, const fgt_schedule_opts *opts, double lr, int64_t t,
                            double *out)
{
    if (!ctx) return FGT_E_ARG;
    fgt_schedule_opts o;
    if (!out) return fgti_fail(&ctx->error, FGT_E_ARG, "schedule: out is NULL");
    if (t < 0)
        return fgti_fail(&ctx->error, FGT_E_ARG, "schedule: t is out of range (got %lld, need 0 or more)",
                         (long long)t);
    if (!(lr >= 0 && lr <= FLT_MAX))
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "schedule: lr is out of range (got %g, need finite and not negative)", lr);
    FGTI_TRY(fgti_schedule_read(&ctx->error, opts, &o));
    *out = fgti_schedule_lr(&o, lr, t);
    return FGT_OK;
}
