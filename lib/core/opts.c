/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/opts.h"

#include <math.h>
#include <string.h>

/* Upper bound of the size of any options struct. A larger size means an uninitialised field. */
#define SIZE_LIMIT 4096

fgt_status fgti_opts_read(fgti_error *err, const char *what, const void *in, void *out, size_t ours)
{
    size_t size = sizeof(size_t);
    memset(out, 0, ours);
    if (in) {
        memcpy(&size, in, sizeof size);
        if (size < sizeof(size_t))
            return fgti_fail(err, FGT_E_VERSION, "%s: size %zu is not set; use FGT_OPTS", what, size);
        if (size > SIZE_LIMIT)
            return fgti_fail(err, FGT_E_VERSION,
                             "%s: size is not set (got %zu, need at most %d); use FGT_OPTS", what, size,
                             SIZE_LIMIT);
        const unsigned char *bytes = in;
        for (size_t i = ours; i < size; i++)
            if (bytes[i])
                return fgti_fail(err, FGT_E_VERSION, "%s: an option of a later version is set (byte %zu/%zu)",
                                 what, i, size);
        memcpy(out, in, size < ours ? size : ours);
    }
    memcpy(out, &ours, sizeof ours);
    return FGT_OK;
}

fgt_status fgti_result_check(fgti_error *err, const char *what, const void *result)
{
    size_t size;
    memcpy(&size, result, sizeof size);
    if (size >= sizeof(size_t) && size <= SIZE_LIMIT) return FGT_OK;
    return fgti_fail(err, FGT_E_VERSION, "%s: size is %zu; set it to the size of the struct before the call",
                     what, size);
}

fgt_status fgti_result_write(fgti_error *err, const char *what, const void *ours, size_t size, void *result)
{
    size_t wanted;
    FGTI_TRY(fgti_result_check(err, what, result));
    memcpy(&wanted, result, sizeof wanted);
    memcpy(result, ours, wanted < size ? wanted : size);
    if (wanted > size) memset((char *)result + size, 0, wanted - size);
    memcpy(result, &wanted, sizeof wanted);
    return FGT_OK;
}

fgt_status fgti_reserved_check(fgti_error *err, const char *what, int64_t reserved)
{
    if (!reserved) return FGT_OK;
    return fgti_fail(err, FGT_E_VERSION, "%s: reserved is wrong (got %lld, need 0)", what,
                     (long long)reserved);
}

double fgti_opt_get(const fgti_opt *opt, const void *opts)
{
    const char *p = (const char *)opts + opt->offset;
    int64_t     i64;
    int32_t     i32;
    float       f32;
    double      f64;
    switch (opt->kind) {
    case FGTI_OPT_I64: memcpy(&i64, p, sizeof i64); return (double)i64;
    case FGTI_OPT_F32: memcpy(&f32, p, sizeof f32); return f32;
    case FGTI_OPT_F64: memcpy(&f64, p, sizeof f64); return f64;
    case FGTI_OPT_GRAPH: return 0;
    default: memcpy(&i32, p, sizeof i32); return i32;
    }
}

void fgti_opt_set(const fgti_opt *opt, void *opts, double value)
{
    char   *p = (char *)opts + opt->offset;
    int64_t i64;
    int32_t i32;
    float   f32;
    switch (opt->kind) {
    case FGTI_OPT_I64: i64 = (int64_t)value; memcpy(p, &i64, sizeof i64); break;
    case FGTI_OPT_F32: f32 = (float)value; memcpy(p, &f32, sizeof f32); break;
    case FGTI_OPT_F64: memcpy(p, &value, sizeof value); break;
    case FGTI_OPT_GRAPH: break;
    default: i32 = (int32_t)value; memcpy(p, &i32, sizeof i32); break;
    }
}

/* Rounds a bound to the type of the field. Otherwise a field with the value (float)1e-5 would be below the
 * bound 1e-5. */
static double bound(const fgti_opt *opt, double value)
{
    return opt->kind == FGTI_OPT_F32 ? (double)(float)value : value;
}

/* The precision for %g that prints whole numbers up to 2^53 as whole numbers. */
static int precision(double v)
{
    return v == trunc(v) && fabs(v) <= 0x1p53 ? 16 : 6;
}

fgt_status fgti_opts_check(fgti_error *err, const char *what, const fgti_opt *table, void *opts)
{
    for (const fgti_opt *o = table; o->name; o++) {
        double v = fgti_opt_get(o, opts);
        if (v != 0 && !strcmp(o->name, "reserved"))
            return fgti_fail(err, FGT_E_VERSION, "%s: reserved is wrong (got %g, need 0)", what, v);
        if (v == 0 && isnan(o->standard))
            return fgti_fail(err, FGT_E_ARG, "%s: %s is not given (need %.*g .. %.*g)", what, o->name,
                             precision(o->min), o->min, precision(o->max), o->max);
        if (v == 0) fgti_opt_set(o, opts, v = o->standard);
        /* the conditions are written so that NaN fails too; 0 is always allowed where it is the default */
        if (!(v == 0 && o->standard == 0) && !(v >= bound(o, o->min) && v <= bound(o, o->max)))
            return fgti_fail(err, FGT_E_ARG, "%s: %s is out of range (got %.*g, need %.*g .. %.*g%s)", what,
                             o->name, precision(v), v, precision(o->min), o->min, precision(o->max), o->max,
                             o->min > 0 && !isnan(o->standard) ? ", or 0 for the default" : "");
    }
    return FGT_OK;
}
