/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TRAIN_SMALL_MODELS_H
#define TESTS_TRAIN_SMALL_MODELS_H

/* Parts that the tests of lib/train share: a context that counts allocations and fails one on demand,
 * small models, a source of samples made by a rule. */

#include <math.h>

#include <fighter/train.h>

#include "../model_info.h"
#include "../one_context.h"
#include "core/rng.h"
#include "core/tensor.h"

static inline int open_two(void **state)
{
    (void)state;
    return test_open_threads(2);
}

static inline void says(fgt_context *c, const char *words)
{
    const char *said = fgt_context_get_error(c);
    if (!strstr(said, words)) fail_msg("\"%s\" lacks \"%s\"", said, words);
}

static inline void near(double got, double want, double bound, const char *what)
{
    if (!(fabs(got - want) <= bound)) fail_msg("%s: got %.9g, expected %.9g", what, got, want);
}

/* Uniform in -1 .. 1. */
static inline fgti_real noise(uint64_t stream, int64_t i)
{
    return (fgti_real)(2 * fgti_rng_uniform((fgti_rng){11, stream}, (uint64_t)i) - 1);
}

/* y = x W' + b for x [batch,time,in]. */
static inline fgt_model *new_linear(fgt_context *c, int64_t batch, int64_t time, int64_t in, int64_t out)
{
    fgt_model           *m;
    const fgt_model_opts o = {.size = sizeof o, .batch = batch, .time = time, .features = in, .seed = 3};
    OK_OF(c, model_of_layer(c, &o, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = out)), &m));
    return m;
}

static inline int64_t elements_of(const fgt_view *v)
{
    return fgt_view_count(v) / (v->shape[0] ? v->shape[0] : 1);
}

/* Samples that are functions of their numbers: x = noise, t_c = slope (x_0 + c) + x_1. */
struct samples {
    fgt_source source;
    double     slope;
    int64_t    nan_from, nan_every; /* targets of samples from, from + every, ... are NaN; every 0: none */
    int64_t    fail_call;           /* the call with this number fails; 0: none */
    int64_t    nan_call;            /* from this call on every target is NaN; 0: never */
    int64_t    calls, given;
    int64_t    seen[512]; /* numbers in the order they were asked for */
};

static inline bool is_missing(const struct samples *s, int64_t i)
{
    if (s->nan_call && s->calls >= s->nan_call) return true;
    return s->nan_every && i >= s->nan_from && (i - s->nan_from) % s->nan_every == 0;
}

static inline fgt_status samples_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                                     const fgt_view *target)
{
    struct samples *s = user;
    if (++s->calls == s->fail_call) return FGT_E_IO;
    const int64_t in = x->shape[x->rank - 1], rows = elements_of(x) / in, out = elements_of(target) / rows;
    for (int64_t i = 0; i < n; i++) {
        if (s->given < 512) s->seen[s->given++] = index[i];
        const bool missing = is_missing(s, index[i]);
        for (int64_t r = 0; r < rows; r++) {
            fgti_real *xr = (fgti_real *)x->data + (i * rows + r) * in;
            fgti_real *tr = (fgti_real *)target->data + (i * rows + r) * out;
            for (int64_t c = 0; c < in; c++) xr[c] = noise(21, (index[i] * rows + r) * in + c);
            const fgti_real second = in > 1 ? xr[1] : 0;
            for (int64_t c = 0; c < out; c++)
                tr[c] = missing ? (fgti_real)NAN : (fgti_real)s->slope * (xr[0] + (fgti_real)c) + second;
        }
    }
    return FGT_OK;
}

/* s->source.user is s itself, so s stays where it is. */
static inline void samples_init(struct samples *s, int64_t count, double slope)
{
    *s = (struct samples){.slope = slope};
    s->source = (fgt_source){.size = sizeof s->source, .count = count, .get = samples_get, .user = s};
}

#endif
