/* SPDX-License-Identifier: BSD-3-Clause */
/* The gates of recurrent cells, for one time step of some rows. The file is built in the same way as vec.c.
 * For arrays of rows, one loop over the cell's width computes all gates, so that memory is read and written
 * once. For panels there are loops over the lanes for every unit of the cell.
 *
 * Numbers that decay from step to step, above all gradients, would become denormal before they reach zero. A
 * product with a denormal number takes a hundred times as long. So numbers below 2^-100, which are negligible
 * beside all others, are set to zero earlier. */
#include "core/vec/vec.h"

#include "core/vec/vec_math.h"
#include "core/vec/vec_strip.h"

#define NOTHING ((fgti_real)0x1p-100)

#define HALF ((fgti_real)0.5)

INLINE fgti_real flushed(fgti_real x)
{
    return choose(absolute(x) < NOTHING, 0, x);
}

/* The sigmoid of a gate, 1/2 + tanh(x/2)/2. This formula is cheaper than the formula with exp. Its error is
 * small in absolute terms, not in relative terms. That is enough, because the output of an almost closed gate
 * is added to larger numbers. */
INLINE fgti_real gate(fgti_real x)
{
    return HALF * tanh_real(HALF * x) + HALF;
}

/* ---- the cells forward: one unit of one sequence ---- */

/* rnn: h = act(a) */
INLINE fgti_real rnn_h(bool is_relu, fgti_real a)
{
    return flushed(is_relu ? relu(a) : tanh_real(a));
}

/* lstm: c' = f c + i g,  h' = o tanh(c') */
INLINE fgti_real lstm_c(fgti_real i, fgti_real f, fgti_real g, fgti_real c)
{
    return flushed(f * c + i * g);
}
INLINE fgti_real lstm_h(fgti_real o, fgti_real c)
{
    return flushed(o * tanh_real(c));
}

/* gru: h' = n + z (h - n) */
INLINE fgti_real gru_h(fgti_real n, fgti_real z, fgti_real h)
{
    return flushed(n + z * (h - n));
}

/* Prefetches data for the row after the next one. In the backward pass the rows of a step lie a whole series
 * apart, and the processor does not predict such distances. */
INLINE void fetch_row(const fgti_step *s, int64_t r, int64_t slots)
{
    const int64_t next = r + 2;
    if (next >= s->rows) return;
    fgti_fetch(slots * s->h, s->a + next * s->lda);
    if (s->h_in) fgti_fetch(s->h, s->h_in + next * s->ldh_in);
    if (s->c_in) fgti_fetch(s->h, s->c_in + next * s->ldc_in);
    if (s->c_out) fgti_fetch(s->h, s->c_out + next * s->ldc_out);
}

/* ---- rnn ---- */

INLINE void rnn_lanes(int width, bool is_relu, const fgti_real *a, fgti_real b, fgti_real *h)
{
    LANES
    for (int l = 0; l < width; l++) h[l] = rnn_h(is_relu, a[l] + b);
}

INLINE void rnn_panel(const fgti_step *s, bool is_relu)
{
    for (int64_t j = 0; j < s->h; j++) {
        const fgti_real *a = s->a + j * s->v;
        fgti_real       *h = s->h_out + j * s->v;
        int64_t          l = 0;
        for (; l + STRIP <= s->v; l += STRIP) rnn_lanes(STRIP, is_relu, a + l, s->b[j], h + l);
        for (; l < s->v; l += 4) rnn_lanes(4, is_relu, a + l, s->b[j], h + l);
    }
}

INLINE void rnn_row(bool is_relu, int64_t n, const fgti_real *a, const fgti_real *b, fgti_real *h)
{
    INDEPENDENT
    for (int64_t j = 0; j < n; j++) h[j] = rnn_h(is_relu, a[j] + b[j]);
}

/* h = act(a + b) */
static void rnn(const fgti_step *s)
{
    if (s->v) {
        s->relu ? rnn_panel(s, true) : rnn_panel(s, false);
        return;
    }
    for (int64_t r = 0; r < s->rows; r++) {
        const fgti_real *a = s->a + r * s->lda;
        fgti_real       *h = s->h_out + r * s->ldh_out;
        s->relu ? rnn_row(true, s->h, a, s->b, h) : rnn_row(false, s->h, a, s->b, h);
    }
}

/* da = (dh + dy) act', where act' is 1 - h^2, or for relu 1 where h > 0 */
static void rnn_grad(const fgti_step *s)
{
    for (int64_t r = 0; r < s->rows; r++) {
        const fgti_real *h = s->h_out + r * s->ldh_out, *dy = s->dy + r * s->lddy, *dh = s->dh + r * s->h;
        fgti_real       *a = s->a + r * s->lda;
        fetch_row(s, r, 1);
        if (s->relu) {
            INDEPENDENT
            for (int64_t j = 0; j < s->h; j++) a[j] = flushed(choose(h[j] > 0, dh[j] + dy[j], 0));
        } else {
            INDEPENDENT
            for (int64_t j = 0; j < s->h; j++) a[j] = flushed((dh[j] + dy[j]) * (1 - h[j] * h[j]));
        }
    }
}

/* ---- lstm ---- */

/* Computes h' in a loop of its own. With this tanh, the chain of operations through all gates would be longer
 * than the processor's window of instructions. */
INLINE void lstm_out(int64_t n, const fgti_real *o, const fgti_real *c, fgti_real *h)
{
    INDEPENDENT
    for (int64_t j = 0; j < n; j++) h[j] = lstm_h(o[j], c[j]);
}

/* Computes the lanes of one unit. Its gates are n units apart. */
INLINE void lstm_lanes(int width, int64_t n, int64_t v, fgti_real *a, const fgti_real *b,
                       const fgti_real *c_in, fgti_real *c)
{
    const fgti_real bi = b[0], bf = b[n], bg = b[2 * n], bo = b[3 * n];
    LANES
    for (int l = 0; l < width; l++) {
        const fgti_real i = gate(a[l] + bi), f = gate(a[n * v + l] + bf);
        const fgti_real g = tanh_real(a[2 * n * v + l] + bg), o = gate(a[3 * n * v + l] + bo);
        c[l]             = lstm_c(i, f, g, c_in[l]);
        a[3 * n * v + l] = o;
    }
}

static void lstm_panel(const fgti_step *s)
{
    for (int64_t j = 0; j < s->h; j++) {
        const int64_t    at = j * s->v;
        const fgti_real *b = s->b + j, *c_in = s->c_in + at;
        fgti_real       *a = s->a + at, *c = s->c_out + at;
        int64_t          l = 0;
        for (; l + STRIP <= s->v; l += STRIP) lstm_lanes(STRIP, s->h, s->v, a + l, b, c_in + l, c + l);
        for (; l < s->v; l += 4) lstm_lanes(4, s->h, s->v, a + l, b, c_in + l, c + l);
    }
    lstm_out(s->h * s->v, s->a + 3 * s->h * s->v, s->c_out, s->h_out);
}

/* i, f, o = s(a + b);  g = tanh(a + b);  c' = f c + i g;  h' = o tanh(c') */
static void lstm(const fgti_step *s)
{
    if (s->v) {
        lstm_panel(s);
        return;
    }
    const int64_t    n  = s->h;
    const fgti_real *bi = s->b, *bf = bi + n, *bg = bf + n, *bo = bg + n;
    for (int64_t r = 0; r < s->rows; r++) {
        fgti_real       *ai = s->a + r * s->lda, *af = ai + n, *ag = af + n, *ao = ag + n;
        const fgti_real *c_in = s->c_in + r * s->ldc_in;
        fgti_real       *c = s->c_out + r * s->ldc_out, *h = s->h_out + r * s->ldh_out;
        INDEPENDENT
        for (int64_t j = 0; j < n; j++) {
            const fgti_real i = gate(ai[j] + bi[j]), f = gate(af[j] + bf[j]);
            const fgti_real g = tanh_real(ag[j] + bg[j]), o = gate(ao[j] + bo[j]);
            const fgti_real c_new = lstm_c(i, f, g, c_in[j]);
            ai[j]                 = i;
            af[j]                 = f;
            ag[j]                 = g;
            ao[j]                 = o;
            c[j]                  = c_new;
            h[j]                  = lstm_h(o, c_new);
        }
    }
}

/* With t = tanh(c') and d = dh + dy:  dc' += d o (1 - t^2);  da_o = d t o (1 - o);  da_i = dc' g i (1 - i);
 * da_f = dc' c f (1 - f);  da_g = dc' i (1 - g^2);  dc = dc' f */
static void lstm_grad(const fgti_step *s)
{
    const int64_t n = s->h;
    for (int64_t r = 0; r < s->rows; r++) {
        fgti_real       *ai = s->a + r * s->lda, *af = ai + n, *ag = af + n, *ao = ag + n;
        const fgti_real *c_in = s->c_in + r * s->ldc_in, *c_out = s->c_out + r * s->ldc_out;
        const fgti_real *dy = s->dy + r * s->lddy, *dh = s->dh + r * n;
        fgti_real       *dc = s->dc + r * n;
        fetch_row(s, r, 4);
        INDEPENDENT
        for (int64_t j = 0; j < n; j++) {
            const fgti_real i = ai[j], f = af[j], g = ag[j], o = ao[j];
            const fgti_real t = tanh_real(c_out[j]), d = dh[j] + dy[j];
            const fgti_real dc_out = dc[j] + d * o * (1 - t * t);
            ai[j]                  = flushed(dc_out * g * i * (1 - i));
            af[j]                  = flushed(dc_out * c_in[j] * f * (1 - f));
            ag[j]                  = flushed(dc_out * i * (1 - g * g));
            ao[j]                  = flushed(d * t * o * (1 - o));
            dc[j]                  = flushed(dc_out * f);
        }
    }
}

/* ---- gru ---- */

/* Computes n = tanh(a) and h' in a loop of its own, for the reason that lstm_out() gives. */
INLINE void gru_out(int64_t w, fgti_real *a, const fgti_real *z, const fgti_real *h_in, fgti_real *h)
{
    INDEPENDENT
    for (int64_t j = 0; j < w; j++) {
        const fgti_real n = tanh_real(a[j]);
        a[j]              = n;
        h[j]              = gru_h(n, z[j], h_in[j]);
    }
}

/* Computes the lanes of one unit, as lstm_lanes() does. */
INLINE void gru_lanes(int width, int64_t w, int64_t v, fgti_real *a, const fgti_real *b)
{
    const fgti_real br = b[0], bz = b[w], bn = b[2 * w], bq = b[3 * w];
    LANES
    for (int l = 0; l < width; l++) {
        const fgti_real r = gate(a[l] + br), q = a[3 * w * v + l] + bq;
        a[w * v + l]     = gate(a[w * v + l] + bz);
        a[2 * w * v + l] = a[2 * w * v + l] + bn + r * q;
    }
}

static void gru_panel(const fgti_step *s)
{
    const int64_t all = s->h * s->v;
    for (int64_t j = 0; j < s->h; j++) {
        fgti_real *a = s->a + j * s->v;
        int64_t    l = 0;
        for (; l + STRIP <= s->v; l += STRIP) gru_lanes(STRIP, s->h, s->v, a + l, s->b + j);
        for (; l < s->v; l += 4) gru_lanes(4, s->h, s->v, a + l, s->b + j);
    }
    gru_out(all, s->a + 2 * all, s->a + all, s->h_in, s->h_out);
}

/* r, z, n, q = a + b;  r = s(r), z = s(z);  n = tanh(n + r q);  h' = n + z (h - n) */
static void gru(const fgti_step *s)
{
    if (s->v) {
        gru_panel(s);
        return;
    }
    const int64_t    w  = s->h;
    const fgti_real *br = s->b, *bz = br + w, *bn = bz + w, *bq = bn + w;
    for (int64_t row = 0; row < s->rows; row++) {
        fgti_real       *ar = s->a + row * s->lda, *az = ar + w, *an = az + w, *aq = an + w;
        const fgti_real *h_in = s->h_in + row * s->ldh_in;
        fgti_real       *h    = s->h_out + row * s->ldh_out;
        INDEPENDENT
        for (int64_t j = 0; j < w; j++) {
            const fgti_real r = gate(ar[j] + br[j]), z = gate(az[j] + bz[j]);
            const fgti_real q = aq[j] + bq[j], n = tanh_real(an[j] + bn[j] + r * q);
            ar[j] = r;
            az[j] = z;
            an[j] = n;
            aq[j] = q;
            h[j]  = gru_h(n, z, h_in[j]);
        }
    }
}

/* With d = dh + dy:  da_n = d (1 - z)(1 - n^2);  da_z = d (h - n) z (1 - z);  dq = da_n r;
 *  da_r = da_n q r (1 - r). At the end dh = d z, a part of the gradient of the state before this step. The
 *  caller adds the part that passes through the recurrent weights. */
static void gru_grad(const fgti_step *s)
{
    const int64_t w = s->h;
    for (int64_t row = 0; row < s->rows; row++) {
        fgti_real       *ar = s->a + row * s->lda, *az = ar + w, *an = az + w, *aq = an + w;
        const fgti_real *h_in = s->h_in + row * s->ldh_in, *dy = s->dy + row * s->lddy;
        fgti_real       *dh = s->dh + row * w;
        fetch_row(s, row, 4);
        INDEPENDENT
        for (int64_t j = 0; j < w; j++) {
            const fgti_real r = ar[j], z = az[j], n = an[j], q = aq[j];
            const fgti_real d = dh[j] + dy[j], dn = flushed(d * (1 - z) * (1 - n * n));
            ar[j] = flushed(dn * q * r * (1 - r));
            az[j] = flushed(d * (h_in[j] - n) * z * (1 - z));
            an[j] = dn;
            aq[j] = flushed(dn * r);
            dh[j] = flushed(d * z);
        }
    }
}

extern const fgti_cell_steps THIS_TABLE(fgti_cells_)[FGTI_CELLS];
const fgti_cell_steps        THIS_TABLE(fgti_cells_)[FGTI_CELLS] = {
    [FGTI_CELL_RNN]  = {rnn, rnn_grad},
    [FGTI_CELL_GRU]  = {gru, gru_grad},
    [FGTI_CELL_LSTM] = {lstm, lstm_grad},
};
