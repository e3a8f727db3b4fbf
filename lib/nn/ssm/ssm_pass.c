/* SPDX-License-Identifier: BSD-3-Clause */
/* A pass of a state-space model: the choice of the algorithm, and how the workers share the work.
 *
 * The work is divided into units. A unit is one block of channels and one group of samples; units are
 * numbered group by group. In the backward pass each unit has its own sums over its samples. The sums are
 * added in the order of the groups, so the bits depend only on the sizes. */
#include "nn/ssm/ssm_pass.h"

#include <math.h>
#include <string.h>

#include "nn/ssm/ssm.h"
#include "nn/ssm/ssm_coef.h"
#include "nn/ssm/ssm_fft.h"
#include "nn/ssm/ssm_line.h"
#include "nn/ssm/ssm_toeplitz.h"

/* ---- the fastest algorithm ---- */

/* Nanoseconds for one step of one sample and channel, measured on a server core with AVX2. On other machines
 * all of them change by nearly the same factor. ROW: to load x and store y. PAIR: one pair of states of the
 * recurrence; PAIR_LOW: the same with P. PRODUCT: by Toeplitz matrices, times the steps of the sequence. FFT:
 * times n log2 n, for all steps of a transform of length n. Training takes three times as long with a
 * convolution. With the recurrence it takes more than five times as long, because it visits all states twice
 * more. TRAINING is the ratio of the two. */
#define ROW      2.0
#define PAIR     0.47
#define PAIR_LOW 0.65
#define PRODUCT  0.0125
#define FFT      1.25
#define TRAINING 1.8

static double recurrence_ns(const fgti_ssm *m)
{
    return ROW + (double)(m->directions * m->pairs) * (m->low_rank ? PAIR_LOW : PAIR);
}

fgti_ssm_way fgti_ssm_choose(const fgti_ssm *m, int64_t samples, int64_t time, bool training, bool fft)
{
    const double t = (double)time, b = (double)samples, n = exp2(ceil(log2(2 * t)));
    const double scan     = recurrence_ns(m) * (training ? TRAINING : 1);
    const double toeplitz = ROW + PRODUCT * (double)m->directions * (t + 64);
    const double fourier  = fft ? ROW + FFT * n * log2(n) / t : INFINITY;
    if (time == 1 || b * scan <= scan + b * fmin(toeplitz, fourier)) return FGTI_SSM_RECURRENCE;
    return toeplitz <= fourier ? FGTI_SSM_TOEPLITZ : FGTI_SSM_FFT;
}

/* ---- the division into tasks ---- */

/* A task below 20 microseconds is not worth waking a thread. A unit should take 50 microseconds, because each
 * unit loads its coefficients or its kernel again. 16 units are enough for a small machine. */
#define TASK_NS 20e3
#define UNIT_NS 50e3
#define UNITS   16

/* Returns the rough duration of the whole pass in nanoseconds, for any of the algorithms. */
static double work_of(const fgti_ssm *m, int64_t samples, int64_t time)
{
    return recurrence_ns(m) * (double)m->width * (double)samples * (double)time;
}

static int64_t groups_of(const fgti_ssm *m, int64_t samples, int64_t time)
{
    const int64_t blocks = fgti_ssm_blocks(m), wanted = (UNITS + blocks - 1) / blocks;
    const double  worth = work_of(m, samples, time) / UNIT_NS / (double)blocks;
    const int64_t most  = worth < (double)wanted ? (int64_t)worth : wanted;
    return most < 1 ? 1 : most < samples ? most : samples;
}

typedef struct units {
    const fgti_ssm_pass *p;
    const fgti_ssm_grad *g;
    int64_t              units, tasks;
    void (*fn)(const struct units *u, int64_t first, int64_t last, int32_t worker);
    int64_t    groups;
    fgti_real *kernel, *dkernel;
    double    *dcoef;
} units;

static void ssm_run_task(void *arg, int64_t task, int32_t worker)
{
    const units *u = arg;
    u->fn(u, u->units * task / u->tasks, u->units * (task + 1) / u->tasks, worker);
}

static void run_units(units *u, int64_t n, double ns, void (*fn)(const units *, int64_t, int64_t, int32_t))
{
    u->units = n;
    u->tasks = ns / TASK_NS < (double)n ? (int64_t)(ns / TASK_NS) : n;
    u->fn    = fn;
    if (u->tasks < 1) u->tasks = 1;
    fgti_parallel(u->p->run->exec, u->tasks, ssm_run_task, u);
}

/* ---- memory ---- */

static int64_t ssm_coefficients(const fgti_ssm *m)
{
    return fgti_scan_coefficients(m->pairs, m->low_rank);
}

/* Returns the elements of all kernels. all_coefficients() counts doubles. */
static int64_t kernels_of(const fgti_ssm *m, int64_t time)
{
    return fgti_mul(fgti_mul(m->directions * fgti_ssm_blocks(m), time), FGTI_SCAN);
}

static int64_t all_coefficients(const fgti_ssm *m)
{
    return fgti_mul(m->directions * fgti_ssm_blocks(m), ssm_coefficients(m));
}

static int64_t ssm_place_scratch(const fgti_ssm *m, int64_t time, int64_t groups, bool convolve,
                                 fgti_real *base, units *u)
{
    int64_t at = 0;
    u->dcoef   = fgti_take_doubles(base, &at, fgti_mul(groups, all_coefficients(m)));
    if (convolve) u->dkernel = fgti_take(base, &at, fgti_mul(groups, kernels_of(m, time)));
    return at;
}

/* Memory for one sequence in an arena: its state, the gradient of the state at its start, and scratch for the
 * backward pass. */
typedef struct line_arena {
    double    *x, *dx;
    fgti_real *scratch;
} line_arena;

static int64_t place_line(const fgti_ssm *m, int64_t time, fgti_real *base, line_arena *a)
{
    int64_t at = 0;
    a->x       = fgti_take_doubles(base, &at, fgti_scan_states(m->pairs));
    a->dx      = fgti_take_doubles(base, &at, fgti_scan_states(m->pairs));
    a->scratch = fgti_take(base, &at, fgti_ssm_line_scratch(m->pairs, time));
    return at;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void fgti_ssm_size(const fgti_ssm *m, int64_t samples, int64_t time, fgti_ssm_way way, bool fft,
                   fgti_need *need)
{
    const bool    convolve = way != FGTI_SSM_RECURRENCE;
    const int64_t groups   = groups_of(m, samples, time);
    units         u;
    line_arena    line;
    if (convolve) need->cache += kernels_of(m, time) + FGTI_ALIGN;
    need->backward += ssm_place_scratch(m, time, groups, convolve, NULL, &u);
    need->arena = most(need->arena, place_line(m, time, NULL, &line));
    if (way == FGTI_SSM_AUTO || way == FGTI_SSM_TOEPLITZ)
        need->arena = most(need->arena, fgti_ssm_toeplitz_arena(m, samples, time));
    if (fft) need->arena = most(need->arena, fgti_ssm_fft_arena(time));
}

static fgti_real *ssm_arena_of(const units *u, int32_t worker)
{
    return fgti_worker_arena(u->p->io, worker);
}

static line_arena line_arena_of(const units *u, int32_t worker)
{
    line_arena a;
    place_line(&u->p->m, u->p->time, ssm_arena_of(u, worker), &a);
    return a;
}

static const double *coef_of(const units *u, int64_t direction, int64_t block)
{
    return u->p->coef + (direction * fgti_ssm_blocks(&u->p->m) + block) * ssm_coefficients(&u->p->m);
}

static double *dcoef_of(const units *u, int64_t group, int64_t direction, int64_t block)
{
    const int64_t blocks = fgti_ssm_blocks(&u->p->m);
    return u->dcoef +
           ((group * u->p->m.directions + direction) * blocks + block) * ssm_coefficients(&u->p->m);
}

static int64_t kernel_offset(const units *u, int64_t direction, int64_t block)
{
    return (direction * fgti_ssm_blocks(&u->p->m) + block) * u->p->time * FGTI_SCAN;
}

static int64_t first_sample(const units *u, int64_t group)
{
    return u->p->samples * group / u->groups;
}

/* ---- the recurrence ---- */

/* Returns the scan of one sample through a block, with x, y and their gradients in the order of the
 * direction. In the second direction y_t is computed from the state that x_{t+1} and later inputs have left,
 * so there is one step less. */
static fgti_scan_grad line_of(const units *u, int64_t direction, int64_t block, int64_t sample)
{
    const fgti_ssm_pass *p     = u->p;
    const int64_t        width = p->m.width, row = sample * p->time * width + block * FGTI_SCAN;
    const int64_t        last = row + (p->time - 1) * width;
    const bool           turn = direction == 1;
    const int64_t        in = turn ? last : row, out = turn ? last - width : row, ld = turn ? -width : width;
    fgti_scan_grad       a = {.of   = {.pairs    = p->m.pairs,
                                       .time     = p->time - turn,
                                       .count    = fgti_ssm_count(&p->m, block),
                                       .low_rank = p->m.low_rank,
                                       .add      = turn,
                                       .coef     = coef_of(u, direction, block),
                                       .u        = p->x + in,
                                       .ldu      = ld,
                                       .ldy      = ld},
                              .lddy = ld,
                              .lddu = ld,
                              .add  = turn};
    if (a.of.time > 0 && p->y) a.of.y = p->y + out;
    if (a.of.time > 0 && p->dy) a.dy = p->dy + out;
    if (p->dx) a.du = p->dx + in;
    return a;
}

/* Copies the states [pairs][2][width] of a sample to the states [pairs][2][FGTI_SCAN] of a block. states
 * NULL: zeros. */
static void ssm_load_state(const units *u, int64_t block, int64_t sample, const fgti_real *states, double *x)
{
    const int64_t count = fgti_ssm_count(&u->p->m, block), width = u->p->m.width, rows = 2 * u->p->m.pairs;
    const int64_t from = sample * rows * width + block * FGTI_SCAN;
    if (!states || count < FGTI_SCAN) memset(x, 0, (size_t)(rows * FGTI_SCAN) * sizeof *x);
    for (int64_t i = 0; states && i < rows; i++)
        for (int64_t k = 0; k < count; k++) x[i * FGTI_SCAN + k] = (double)states[from + i * width + k];
}

static void store_state(const units *u, int64_t block, int64_t sample, const double *x, fgti_real *states)
{
    const int64_t count = fgti_ssm_count(&u->p->m, block), width = u->p->m.width, rows = 2 * u->p->m.pairs;
    const int64_t to = sample * rows * width + block * FGTI_SCAN;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < count; k++)
            states[to + i * width + k] = (fgti_real)fgti_scan_flush(x[i * FGTI_SCAN + k], FGTI_SCAN_SMALL);
}

/* Takes a sample through all blocks before the next sample starts, because one block reads only half a cache
 * line of each row. */
static void ssm_run_sample(const units *u, int64_t first, int64_t last, int64_t sample, double *x)
{
    for (int64_t block = first; block < last; block++)
        for (int64_t direction = 0; direction < u->p->m.directions; direction++) {
            fgti_scan a = line_of(u, direction, block, sample).of;
            ssm_load_state(u, block, sample, direction ? NULL : u->p->start, x);
            a.x = x;
            fgti_ssm_line(u->p->run->vec, &a);
            if (u->p->end) store_state(u, block, sample, x, u->p->end);
        }
}

static void run_sample_back(const units *u, int64_t first, int64_t last, int64_t group, int64_t sample,
                            const line_arena *arena)
{
    for (int64_t block = first; block < last; block++)
        for (int64_t direction = 0; direction < u->p->m.directions; direction++) {
            fgti_scan_grad a = line_of(u, direction, block, sample);
            if (a.of.time < 1) continue;
            ssm_load_state(u, block, sample, direction ? NULL : u->p->start, arena->x);
            a.of.x  = arena->x;
            a.dcoef = dcoef_of(u, group, direction, block);
            fgti_ssm_line_grad(u->p->run->vec, &a, u->p->dstart ? arena->dx : NULL, arena->scratch);
            if (u->p->dstart) store_state(u, block, sample, arena->dx, u->p->dstart);
        }
}

/* Runs units first .. last - 1, which may belong to several groups. */
static void recurrence_units(const units *u, int64_t first, int64_t last, int32_t worker)
{
    const int64_t    blocks = fgti_ssm_blocks(&u->p->m);
    const line_arena arena  = line_arena_of(u, worker);
    for (int64_t i = first; i < last;) {
        const int64_t group = i / blocks, end = last < (group + 1) * blocks ? last : (group + 1) * blocks;
        for (int64_t s = first_sample(u, group); s < first_sample(u, group + 1); s++)
            ssm_run_sample(u, i % blocks, i % blocks + end - i, s, arena.x);
        i = end;
    }
}

static void recurrence_grad_units(const units *u, int64_t first, int64_t last, int32_t worker)
{
    const int64_t    blocks = fgti_ssm_blocks(&u->p->m);
    const line_arena arena  = line_arena_of(u, worker);
    for (int64_t i = first; i < last;) {
        const int64_t group = i / blocks, end = last < (group + 1) * blocks ? last : (group + 1) * blocks;
        const int64_t from = i % blocks, to = from + end - i;
        for (int64_t block = from; block < to; block++)
            for (int64_t d = 0; d < u->p->m.directions; d++)
                memset(dcoef_of(u, group, d, block), 0,
                       (size_t)ssm_coefficients(&u->p->m) * sizeof *u->dcoef);
        for (int64_t s = first_sample(u, group); s < first_sample(u, group + 1); s++)
            run_sample_back(u, from, to, group, s, &arena);
        i = end;
    }
}

/* ---- the convolutions ---- */

static fgti_scan kernel_line(const units *u, int64_t direction, int64_t block)
{
    return (fgti_scan){.pairs    = u->p->m.pairs,
                       .time     = u->p->time,
                       .count    = FGTI_SCAN,
                       .low_rank = u->p->m.low_rank,
                       .coef     = coef_of(u, direction, block),
                       .ldy      = FGTI_SCAN};
}

static void kernel_units(const units *u, int64_t first, int64_t last, int32_t worker)
{
    const int64_t    blocks = fgti_ssm_blocks(&u->p->m);
    const line_arena arena  = line_arena_of(u, worker);
    for (int64_t i = first; i < last; i++) {
        fgti_scan a = kernel_line(u, i / blocks, i % blocks);
        a.y         = u->kernel + kernel_offset(u, i / blocks, i % blocks);
        fgti_ssm_kernel(u->p->run->vec, &a, arena.x);
    }
}

static fgti_ssm_conv conv_of(const units *u, int64_t unit, int32_t worker)
{
    const int64_t block = unit % fgti_ssm_blocks(&u->p->m), group = unit / fgti_ssm_blocks(&u->p->m);
    fgti_ssm_conv c = {.p     = u->p,
                       .block = block,
                       .first = first_sample(u, group),
                       .last  = first_sample(u, group + 1),
                       .gemm  = fgti_worker_scratch(u->p->run->exec, worker),
                       .arena = ssm_arena_of(u, worker)};
    for (int64_t d = 0; d < u->p->m.directions; d++) {
        const int64_t offset = kernel_offset(u, d, block);
        c.kernel[d]          = u->kernel + offset;
        if (u->dkernel) c.dkernel[d] = u->dkernel + group * kernels_of(&u->p->m, u->p->time) + offset;
    }
    return c;
}

static void convolve_units(const units *u, int64_t first, int64_t last, int32_t worker)
{
    for (int64_t i = first; i < last; i++) {
        const fgti_ssm_conv c = conv_of(u, i, worker);
        if (u->p->way == FGTI_SSM_FFT)
            fgti_ssm_fft(&c);
        else
            fgti_ssm_toeplitz(&c);
    }
}

static void convolve_grad_units(const units *u, int64_t first, int64_t last, int32_t worker)
{
    for (int64_t i = first; i < last; i++) {
        const fgti_ssm_conv c = conv_of(u, i, worker);
        if (u->p->way == FGTI_SSM_FFT)
            fgti_ssm_fft_grad(&c);
        else
            fgti_ssm_toeplitz_grad(&c);
    }
}

/* Computes the gradient of the coefficients, through the recurrence, from the gradient of the kernel, which
 * is summed over the groups. */
static void ssm_kernel_grad(const units *u, int64_t direction, int64_t block, int32_t worker)
{
    const int64_t    n = u->p->time * FGTI_SCAN, all = kernels_of(&u->p->m, u->p->time);
    const line_arena arena = line_arena_of(u, worker);
    double          *dcoef = dcoef_of(u, 0, direction, block);
    fgti_real       *dk    = u->dkernel + kernel_offset(u, direction, block);
    for (int64_t group = 1; group < u->groups; group++) u->p->run->vec->axpy(n, 1, dk + group * all, dk);
    memset(arena.x, 0, (size_t)fgti_scan_states(u->p->m.pairs) * sizeof *arena.x);
    memset(dcoef, 0, (size_t)ssm_coefficients(&u->p->m) * sizeof *dcoef);
    fgti_scan_grad a = {.of = kernel_line(u, direction, block), .dy = dk, .lddy = FGTI_SCAN, .dcoef = dcoef};
    a.of.x           = arena.x;
    fgti_ssm_line_grad(u->p->run->vec, &a, NULL, arena.scratch);
}

static void kernel_grad_units(const units *u, int64_t first, int64_t last, int32_t worker)
{
    const int64_t blocks = fgti_ssm_blocks(&u->p->m);
    for (int64_t i = first; i < last; i++) ssm_kernel_grad(u, i / blocks, i % blocks, worker);
}

/* ---- passes ---- */

static units units_of(const fgti_ssm_pass *p, const fgti_ssm_grad *g)
{
    return (units){.p = p, .g = g, .groups = groups_of(&p->m, p->samples, p->time), .kernel = p->cache};
}

void fgti_ssm_forward(const fgti_ssm_pass *p)
{
    units         u    = units_of(p, NULL);
    const int64_t n    = fgti_ssm_blocks(&p->m);
    const double  work = work_of(&p->m, p->samples, p->time);
    if (p->way == FGTI_SSM_RECURRENCE) {
        run_units(&u, n * u.groups, work, recurrence_units);
        return;
    }
    run_units(&u, p->m.directions * n, work_of(&p->m, p->m.directions, p->time), kernel_units);
    run_units(&u, n * u.groups, work, convolve_units);
}

/* Adds the groups' sums for one block, then computes the gradients of the parameters. */
static void parameters(const units *u, int64_t block)
{
    const int64_t n = ssm_coefficients(&u->p->m), groups = u->p->way == FGTI_SSM_RECURRENCE ? u->groups : 1;
    for (int64_t direction = 0; direction < u->p->m.directions; direction++) {
        double *sum = dcoef_of(u, 0, direction, block);
        for (int64_t group = 1; group < groups; group++) {
            const double *part = dcoef_of(u, group, direction, block);
            for (int64_t i = 0; i < n; i++) sum[i] += part[i];
        }
        fgti_ssm_coef_grad(&u->p->m, direction, block, coef_of(u, direction, block), sum, u->g);
    }
}

static void parameter_units(const units *u, int64_t first, int64_t last, int32_t worker)
{
    (void)worker;
    for (int64_t block = first; block < last; block++) parameters(u, block);
}

void fgti_ssm_backward(const fgti_ssm_pass *p, const fgti_ssm_grad *g)
{
    units         u    = units_of(p, g);
    const int64_t n    = fgti_ssm_blocks(&p->m);
    const double  work = 4 * work_of(&p->m, p->samples, p->time);
    ssm_place_scratch(&p->m, p->time, u.groups, p->way != FGTI_SSM_RECURRENCE, p->scratch, &u);
    if (p->way == FGTI_SSM_RECURRENCE) {
        run_units(&u, n * u.groups, work, recurrence_grad_units);
    } else {
        run_units(&u, n * u.groups, work, convolve_grad_units);
        run_units(&u, p->m.directions * n, 4 * work_of(&p->m, p->m.directions, p->time), kernel_grad_units);
    }
    run_units(&u, n, work_of(&p->m, 1, 512), parameter_units);
}
