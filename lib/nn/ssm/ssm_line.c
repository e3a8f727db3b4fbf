/* SPDX-License-Identifier: BSD-3-Clause */
/* One sequence of a block of channels through its recurrence, and back. The kernel of the convolutions is the
 * answer to an impulse, so that the same two functions make it and its gradient.
 *
 * Backward wants the states of all steps. They are kept at every `segment` steps and made again from there,
 * segment after segment: with about sqrt(time) of them memory is 2 sqrt(time) states. */
#include "nn/ssm/ssm.h"

#include <math.h>
#include <string.h>

/* Up to here one segment: 64 steps of 32 pairs are 256 KiB, which stays in the L2 cache. */
#define SHORT_LINE 64

static int64_t segment_of(int64_t time)
{
    const int64_t root = (int64_t)ceil(sqrt((double)time));
    if (time <= SHORT_LINE) return time;
    return root > SHORT_LINE ? root : SHORT_LINE;
}

/* Parts of the work. */
typedef struct parts {
    int64_t    segment, segments, size;
    double    *kept;  /* [segments][states]: at the start of each */
    double    *x, *s; /* [segment + 1] states and sums */
    double    *lambda, *sigma;
    fgti_real *impulse; /* [segment][FGTI_SCAN]: 1, then 0 */
} parts;

static int64_t place(int64_t pairs, int64_t time, double *base, parts *p)
{
    int64_t at  = 0;
    p->segment  = segment_of(time);
    p->segments = (time + p->segment - 1) / p->segment;
    p->size     = fgti_scan_states(pairs);
    p->kept     = base;
    at          = fgti_mul(p->segments, p->size);
    p->x        = base ? base + at : NULL;
    at += fgti_mul(p->segment + 1, p->size);
    p->s = base ? base + at : NULL;
    at += (p->segment + 1) * FGTI_SCAN;
    p->lambda = base ? base + at : NULL;
    at += p->size;
    p->sigma = base ? base + at : NULL;
    at += FGTI_SCAN;
    p->impulse = base ? (fgti_real *)(base + at) : NULL;
    return at + p->segment * FGTI_SCAN;
}

int64_t fgti_ssm_line_work(int64_t pairs, int64_t time)
{
    parts p;
    return place(pairs, time, NULL, &p);
}

void fgti_ssm_line(const fgti_vec *vec, const fgti_scan *line)
{
    vec->scans->forward(line);
}

/* Two scans: the impulse, and what follows without input. */
void fgti_ssm_kernel(const fgti_vec *vec, const fgti_scan *line, double *work)
{
    fgti_real impulse[FGTI_SCAN];
    fgti_scan a = *line;
    for (int k = 0; k < FGTI_SCAN; k++) impulse[k] = 1;
    a.x = work;
    memset(work, 0, (size_t)fgti_scan_states(a.pairs) * sizeof *work);
    a.time = 1;
    a.u    = impulse;
    vec->scans->forward(&a);
    a.time = line->time - 1;
    a.u    = NULL;
    a.y += a.ldy;
    vec->scans->forward(&a);
}

/* Steps from `first` on, of one segment. */
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

/* The start of every segment. */
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

/* What the first step hands to the start: dx = conj(E) lambda + sigma conj(V), and by its s dV += sigma
 * conj(x). */
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

void fgti_ssm_line_grad(const fgti_vec *vec, const fgti_scan_grad *line, double *dstart, double *work)
{
    parts p;
    place(line->of.pairs, line->of.time, work, &p);
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
