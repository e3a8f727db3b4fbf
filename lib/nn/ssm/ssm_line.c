/* SPDX-License-Identifier: BSD-3-Clause */
/* The recurrence of one sequence for a block of channels, forward and backward. The kernel of the
 * convolutions is the response to an impulse, so the same functions compute the kernel and its gradient.
 *
 * The backward pass needs the states of all steps. The forward scan keeps only the states at the start of
 * every segment. The backward pass computes the other states again, segment by segment. With about sqrt(time)
 * segments this takes memory for 2 sqrt(time) states. */
#include "nn/ssm/ssm_line.h"

#include <math.h>
#include <string.h>

#include "nn/ssm/ssm.h"

/* Up to this number of steps there is one segment. 64 steps of 32 pairs are 256 KiB, which fit in the second
 * cache. */
#define SHORT_LINE 64

static int64_t segment_of(int64_t time)
{
    const int64_t root = (int64_t)ceil(sqrt((double)time));
    if (time <= SHORT_LINE) return time;
    return root > SHORT_LINE ? root : SHORT_LINE;
}

/* The scratch for a gradient. */
typedef struct parts {
    int64_t    segment, segments, size;
    double    *kept;  /* [segments][states]: the states at the start of each segment */
    double    *x, *s; /* states and sums of one segment, for [segment + 1] steps */
    double    *lambda, *sigma;
    fgti_real *impulse; /* [segment][FGTI_SCAN]: 1, then 0 */
} parts;

static int64_t ssm_line_layout(int64_t pairs, int64_t time, fgti_real *base, parts *p)
{
    int64_t at  = 0;
    p->segment  = segment_of(time);
    p->segments = fgti_parts(time, p->segment);
    p->size     = fgti_scan_states(pairs);
    p->kept     = fgti_take_doubles(base, &at, fgti_mul(p->segments, p->size));
    p->x        = fgti_take_doubles(base, &at, fgti_mul(p->segment + 1, p->size));
    p->s        = fgti_take_doubles(base, &at, (p->segment + 1) * FGTI_SCAN);
    p->lambda   = fgti_take_doubles(base, &at, p->size);
    p->sigma    = fgti_take_doubles(base, &at, FGTI_SCAN);
    p->impulse  = fgti_take(base, &at, p->segment * FGTI_SCAN);
    return at;
}

int64_t fgti_ssm_line_scratch(int64_t pairs, int64_t time)
{
    parts any;
    return ssm_line_layout(pairs, time, NULL, &any);
}

void fgti_ssm_line(const fgti_vec *vec, const fgti_scan *line)
{
    vec->scans->forward(line);
}

/* Computes the kernel by two scans: one step with the impulse, then the other steps without input. */
void fgti_ssm_kernel(const fgti_vec *vec, const fgti_scan *line, double *x)
{
    fgti_real impulse[FGTI_SCAN];
    fgti_scan a = *line;
    for (int k = 0; k < FGTI_SCAN; k++) impulse[k] = 1;
    a.x = x;
    memset(x, 0, (size_t)fgti_scan_states(a.pairs) * sizeof *x);
    a.time = 1;
    a.u    = impulse;
    vec->scans->forward(&a);
    a.time = line->time - 1;
    a.u    = NULL;
    a.y += a.ldy;
    vec->scans->forward(&a);
}

/* Returns the scan of one segment. */
static fgti_scan segment_at(const fgti_scan *line, const parts *p, int64_t index)
{
    fgti_scan     a     = *line;
    const int64_t first = index * p->segment;
    a.time              = line->time - first < p->segment ? line->time - first : p->segment;
    a.y                 = NULL;
    if (line->u) {
        a.u = line->u + first * line->ldu;
    } else if (index == 0) {
        a.u   = p->impulse;
        a.ldu = FGTI_SCAN;
    }
    return a;
}

/* Keeps the states at the start of every segment. */
static void run_forward(const fgti_vec *vec, const fgti_scan *line, const parts *p)
{
    memcpy(p->x, line->x, (size_t)p->size * sizeof *p->x);
    for (int64_t i = 0; i < p->segments; i++) {
        fgti_scan a = segment_at(line, p, i);
        memcpy(p->kept + i * p->size, p->x, (size_t)p->size * sizeof *p->x);
        a.x = p->x;
        if (i + 1 < p->segments) vec->scans->forward(&a);
    }
}

/* Computes the gradient of the start, dx = conj(E) lambda + sigma conj(V). Adds to dV the part that comes
 * from s at the start: dV += sigma conj(x). */
static void start_gradient(const fgti_scan_grad *line, const parts *p, double *dstart)
{
    const int64_t components = fgti_scan_components(line->of.low_rank);
    for (int64_t n = 0; n < line->of.pairs; n++)
        for (int k = 0; k < FGTI_SCAN; k++) {
            const int64_t at = n * components * FGTI_SCAN + k, st = n * 2 * FGTI_SCAN + k;
            const double *c = line->of.coef + at, *l = p->lambda + st, *x = line->of.x + st;
            double       *v = line->dcoef + at + FGTI_SCAN_V * FGTI_SCAN, *d = dstart + st;
            const double  er = c[FGTI_SCAN_E * FGTI_SCAN], ei = c[(FGTI_SCAN_E + 1) * FGTI_SCAN];
            d[0]         = er * l[0] + ei * l[FGTI_SCAN];
            d[FGTI_SCAN] = er * l[FGTI_SCAN] - ei * l[0];
            if (!line->of.low_rank) continue;
            d[0] += p->sigma[k] * c[FGTI_SCAN_V * FGTI_SCAN];
            d[FGTI_SCAN] -= p->sigma[k] * c[(FGTI_SCAN_V + 1) * FGTI_SCAN];
            v[0] += p->sigma[k] * x[0];
            v[FGTI_SCAN] -= p->sigma[k] * x[FGTI_SCAN];
        }
}

void fgti_ssm_line_grad(const fgti_vec *vec, const fgti_scan_grad *line, double *dstart, fgti_real *scratch)
{
    parts p;
    ssm_line_layout(line->of.pairs, line->of.time, scratch, &p);
    memset(p.lambda, 0, (size_t)p.size * sizeof *p.lambda);
    memset(p.sigma, 0, FGTI_SCAN * sizeof *p.sigma);
    for (int64_t i = 0; i < p.segment * FGTI_SCAN; i++) p.impulse[i] = i < FGTI_SCAN;
    run_forward(vec, &line->of, &p);
    for (int64_t i = p.segments - 1; i >= 0; i--) {
        const int64_t  first = i * p.segment;
        fgti_scan_grad a     = *line;
        a.of                 = segment_at(&line->of, &p, i);
        a.of.keep            = true;
        a.of.x               = p.x;
        a.of.s               = p.s;
        memcpy(p.x, p.kept + i * p.size, (size_t)p.size * sizeof *p.x);
        vec->scans->forward(&a.of);
        a.dy     = line->dy + first * line->lddy;
        a.du     = line->du ? line->du + first * line->lddu : NULL;
        a.lambda = p.lambda;
        a.sigma  = p.sigma;
        vec->scans->backward(&a);
    }
    if (dstart) start_gradient(line, &p, dstart);
}
