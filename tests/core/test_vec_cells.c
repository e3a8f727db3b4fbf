/* SPDX-License-Identifier: BSD-3-Clause */
/* The recurrent cells of every table that this processor runs against plain double arithmetic: widths
 * 0 .. 67, rows at distances of their own between canaries, saturated gates. */
#include "vec_canaries.h"

enum { ROWS = 3, GAP = 2, SLOTS = 4 };

/* Of sums of products of numbers below 1. */
#define BOUND (24 * EPS)

/* One element of a cell: its gates and states. */
typedef struct element {
    double a[SLOTS], b[SLOTS];
    double h_in, c_in, h_out, c_out;
    double dh, dc, dy;
} element;

static double sigmoid_of(double x)
{
    return 1 / (1 + exp(-x));
}

static void tanh_cell(element *e)
{
    e->h_out = tanh(e->a[0] + e->b[0]);
}

static void tanh_cell_grad(element *e)
{
    e->a[0] = (e->dh + e->dy) * (1 - e->h_out * e->h_out);
}

static void relu_cell(element *e)
{
    e->h_out = fmax(0, e->a[0] + e->b[0]);
}

static void relu_cell_grad(element *e)
{
    e->a[0] = e->h_out > 0 ? e->dh + e->dy : 0;
}

static void lstm_cell(element *e)
{
    for (int k = 0; k < 4; k++) e->a[k] += e->b[k];
    for (int k = 0; k < 4; k++) e->a[k] = k == 2 ? tanh(e->a[k]) : sigmoid_of(e->a[k]);
    e->c_out = e->a[1] * e->c_in + e->a[0] * e->a[2];
    e->h_out = e->a[3] * tanh(e->c_out);
}

static void lstm_cell_grad(element *e)
{
    const double i = e->a[0], f = e->a[1], g = e->a[2], o = e->a[3], t = tanh(e->c_out), d = e->dh + e->dy;
    const double dc = e->dc + d * o * (1 - t * t);
    e->a[0]         = dc * g * i * (1 - i);
    e->a[1]         = dc * e->c_in * f * (1 - f);
    e->a[2]         = dc * i * (1 - g * g);
    e->a[3]         = d * t * o * (1 - o);
    e->dc           = dc * f;
}

static void gru_cell(element *e)
{
    e->a[0] = sigmoid_of(e->a[0] + e->b[0]);
    e->a[1] = sigmoid_of(e->a[1] + e->b[1]);
    e->a[3] += e->b[3];
    e->a[2] = tanh(e->a[2] + e->b[2] + e->a[0] * e->a[3]);
    e->h_out = (1 - e->a[1]) * e->a[2] + e->a[1] * e->h_in;
}

static void gru_cell_grad(element *e)
{
    const double r = e->a[0], z = e->a[1], n = e->a[2], q = e->a[3], d = e->dh + e->dy;
    e->a[2] = d * (1 - z) * (1 - n * n);
    e->a[1] = d * (e->h_in - n) * z * (1 - z);
    e->a[0] = e->a[2] * q * r * (1 - r);
    e->a[3] = e->a[2] * r;
    e->dh   = d * z;
}

enum { TANH, RELU, LSTM, GRU, CELLS_TESTED };

static const struct {
    const char *name;
    int         slots; /* width of a */
    void (*forward)(element *e);
    void (*backward)(element *e);
} cells[CELLS_TESTED] = {
    [TANH] = {"tanh", 1, tanh_cell, tanh_cell_grad},
    [RELU] = {"relu", 1, relu_cell, relu_cell_grad},
    [LSTM] = {"lstm", 4, lstm_cell, lstm_cell_grad},
    [GRU]  = {"gru", 4, gru_cell, gru_cell_grad},
};

static void run(int cell, bool backward, const fgti_step *s)
{
    static const fgti_cell_kind kinds[CELLS_TESTED] = {
        [TANH] = FGTI_CELL_RNN, [RELU] = FGTI_CELL_RNN, [LSTM] = FGTI_CELL_LSTM, [GRU] = FGTI_CELL_GRU};
    const fgti_cell_steps *c = &vec->cells[kinds[cell]];
    (backward ? c->backward : c->forward)(s);
}

enum { A, B, H_IN, C_IN, H_OUT, C_OUT, DY, DH, DC, ARRAYS };
static guarded array[ARRAYS], before[ARRAYS];

/* Width and distance of the rows of an array. */
static int64_t width_of(int cell, int which, int64_t h)
{
    return h * (which == A || which == B ? cells[cell].slots : 1);
}

static int64_t distance(int cell, int which, int64_t h)
{
    const bool tight = which == DH || which == DC;
    return which == B ? 0 : width_of(cell, which, h) + (tight ? 0 : GAP);
}

static fgti_step step_of(int cell, int64_t h, int64_t row)
{
    fgti_real *p[ARRAYS];
    int64_t    ld[ARRAYS];
    for (int i = 0; i < ARRAYS; i++) {
        ld[i] = distance(cell, i, h);
        p[i]  = at(&array[i]) + row * ld[i];
    }
    return (fgti_step){.rows    = 1,
                       .h       = h,
                       .a       = p[A],
                       .b       = p[B],
                       .h_in    = p[H_IN],
                       .c_in    = p[C_IN],
                       .h_out   = p[H_OUT],
                       .c_out   = p[C_OUT],
                       .dy      = p[DY],
                       .dh      = p[DH],
                       .dc      = p[DC],
                       .lda     = ld[A],
                       .ldh_in  = ld[H_IN],
                       .ldc_in  = ld[C_IN],
                       .ldh_out = ld[H_OUT],
                       .ldc_out = ld[C_OUT],
                       .lddy    = ld[DY],
                       .relu    = cell == RELU};
}

static void fill(int cell, int64_t h)
{
    for (int i = 0; i < ARRAYS; i++) {
        filled(&array[i], distance(cell, i, h) * (ROWS - 1) + width_of(cell, i, h), 1, (uint64_t)i);
        before[i] = array[i];
    }
}

static double *field(element *e, int which, int64_t slot)
{
    double *const fields[ARRAYS] = {&e->a[slot], &e->b[slot], &e->h_in, &e->c_in, &e->h_out,
                                    &e->c_out,   &e->dy,      &e->dh,   &e->dc};
    return fields[which];
}

/* Values that stood in the arrays, for element j of a row. */
static element gather(int cell, int64_t h, int64_t row, int64_t j)
{
    element e = {0};
    for (int i = 0; i < ARRAYS; i++)
        for (int64_t k = 0; k * h < width_of(cell, i, h); k++)
            *field(&e, i, k) = (double)at(&before[i])[row * distance(cell, i, h) + k * h + j];
    return e;
}

/* Everything that is not the element's is as before. */
static void compare(int cell, bool backward, int64_t h)
{
    guarded want[ARRAYS];
    memcpy(want, before, sizeof want);
    for (int64_t row = 0; row < ROWS; row++)
        for (int64_t j = 0; j < h; j++) {
            element e = gather(cell, h, row, j);
            (backward ? cells[cell].backward : cells[cell].forward)(&e);
            for (int i = 0; i < ARRAYS; i++)
                for (int64_t k = 0; i != B && k * h < width_of(cell, i, h); k++) {
                    const int64_t to = row * distance(cell, i, h) + k * h + j;
                    near((double)at(&array[i])[to], *field(&e, i, k), BOUND, cells[cell].name, (double)j);
                    at(&want[i])[to] = at(&array[i])[to];
                }
        }
    for (int i = 0; i < ARRAYS; i++) assert_memory_equal(&array[i], &want[i], sizeof want[i]);
}

/* All rows at once give the bits of each row alone. */
static void check(int cell, bool backward, int64_t h)
{
    static guarded together[ARRAYS];
    fill(cell, h);
    fgti_step s = step_of(cell, h, 0);
    s.rows      = ROWS;
    run(cell, backward, &s);
    compare(cell, backward, h);
    memcpy(together, array, sizeof array);
    memcpy(array, before, sizeof array);
    for (int64_t row = 0; row < ROWS; row++) {
        s = step_of(cell, h, row);
        run(cell, backward, &s);
    }
    assert_memory_equal(array, together, sizeof array);
}

static void widths(void)
{
    for (int cell = 0; cell < CELLS_TESTED; cell++)
        for (int64_t h = 0; h < LENGTHS; h++) {
            check(cell, false, h);
            check(cell, true, h);
        }
}

static void test_widths(void **state)
{
    (void)state;
    each_table(widths);
}

/* dst [n][m] = src' [m][n] */
static void turn(int64_t m, int64_t n, const fgti_real *src, fgti_real *dst)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) dst[j * m + i] = src[i * n + j];
}

/* The states of v sequences in panels, to the bit those of their rows; a alone is written besides. */
static void check_panels(int cell, int64_t h, int64_t v)
{
    static fgti_real rows[ARRAYS][CELLS];
    fgti_step        s = {.h = h, .v = v, .relu = cell == RELU};
    for (int i = A; i <= C_OUT; i++) {
        const int64_t width = width_of(cell, i, h);
        filled(&array[i], i == B ? width : width * v, 3, (uint64_t)i);
        turn(width, v, at(&array[i]), rows[i]);
    }
    before[A] = array[A], before[B] = array[B], before[H_IN] = array[H_IN], before[C_IN] = array[C_IN];
    s.a = at(&array[A]), s.b = at(&array[B]), s.h_in = at(&array[H_IN]), s.c_in = at(&array[C_IN]);
    s.h_out = at(&array[H_OUT]), s.c_out = at(&array[C_OUT]);
    run(cell, false, &s);
    s = (fgti_step){.rows = v, .h = h, .relu = s.relu, .b = s.b};
    s.a = rows[A], s.h_in = rows[H_IN], s.c_in = rows[C_IN], s.h_out = rows[H_OUT], s.c_out = rows[C_OUT];
    s.lda = width_of(cell, A, h), s.ldh_in = s.ldc_in = s.ldh_out = s.ldc_out = h;
    run(cell, false, &s);
    for (int i = H_OUT; i <= C_OUT; i++) {
        turn(v, h, rows[i], at(&before[i]));
        assert_memory_equal(at(&array[i]), at(&before[i]), (size_t)(h * v) * sizeof(fgti_real));
        intact(&array[i], h * v);
    }
    intact(&array[A], width_of(cell, A, h) * v);
    for (int i = B; i <= C_IN; i++) assert_memory_equal(&array[i], &before[i], sizeof before[i]);
}

static void panels(void)
{
    static const int64_t widths_of_panels[] = {4, 8, 12, 16, 32, 36};
    for (int cell = 0; cell < CELLS_TESTED; cell++)
        for (int64_t h = 1; h < 8; h++)
            for (size_t i = 0; i < sizeof widths_of_panels / sizeof *widths_of_panels; i++)
                check_panels(cell, h, widths_of_panels[i]);
}

static void test_panels(void **state)
{
    (void)state;
    each_table(panels);
}

/* Gates far out are 0 or 1 exactly, and nothing but a NaN makes a NaN. */
static void saturated(void)
{
    const fgti_real far[] = {INF, (fgti_real)1e30, 1000}, zero[SLOTS] = {0}, one = 1;
    for (int i = 0; i < 6; i++) {
        const fgti_real x = i < 3 ? far[i] : -far[i - 3], open = i < 3;
        fgti_real       a[SLOTS] = {x, x, x, x}, h = 7, c = 7, end = (fgti_real)0.9640275800758169;
        fgti_step       s        = {.rows = 1, .h = 1, .a = a, .b = zero, .h_in = &one,
                                    .c_in = &one, .h_out = &h, .c_out = &c};
        vec->cells[FGTI_CELL_LSTM].forward(&s); /* c = 1 + 1 or 0 - 0 */
        assert_true(c == 2 * open && fabs((double)(h - open * end)) <= 2 * EPS);
        assert_true(a[0] == open && a[1] == open && a[2] == 2 * open - 1 && a[3] == open);
        a[0] = a[1] = a[2] = x;
        vec->cells[FGTI_CELL_GRU].forward(&s); /* the update gate keeps h, or takes tanh(-inf) */
        assert_true(h == (open > 0 ? 1 : -1));
        a[0] = x;
        vec->cells[FGTI_CELL_RNN].forward(&s);
        assert_true(h == 2 * open - 1);
    }
    fgti_real bad = (fgti_real)NAN, h = 0;
    fgti_step s   = {.rows = 1, .h = 1, .a = &bad, .b = zero, .h_out = &h};
    vec->cells[FGTI_CELL_RNN].forward(&s);
    assert_true(isnan(h));
    s.relu = true;
    vec->cells[FGTI_CELL_RNN].forward(&s);
    assert_true(isnan(h));
}

/* A value that has decayed becomes zero before it is denormal. */
static void decayed(void)
{
    const fgti_real zero[SLOTS] = {0}, small = (fgti_real)0x1p-101, more = (fgti_real)0x1p-99;
    for (int i = 0; i < 2; i++) {
        const fgti_real x = i ? more : small;
        fgti_real       a[SLOTS] = {x}, h = 7, dh = x, dc = 0;
        fgti_step       s = {.rows = 1, .h = 1, .a = a, .b = zero, .h_in = zero, .c_in = &x,
                             .h_out = &h, .c_out = &h, .dy = zero, .dh = &dh, .dc = &dc};
        vec->cells[FGTI_CELL_RNN].forward(&s);
        assert_true((h != 0) == i);
        h = 0;
        vec->cells[FGTI_CELL_RNN].backward(&s);
        assert_true((a[0] != 0) == i);
        a[0] = a[1] = a[3] = 1, a[2] = 0;
        vec->cells[FGTI_CELL_LSTM].backward(&s); /* da_g and dc are dh */
        assert_true((a[2] != 0) == i && (dc != 0) == i);
        a[1] = 1;
        vec->cells[FGTI_CELL_GRU].backward(&s); /* nothing updates */
        assert_true((dh != 0) == i);
    }
}

static void test_decayed(void **state)
{
    (void)state;
    each_table(decayed);
}

static void test_saturated(void **state)
{
    (void)state;
    each_table(saturated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_panels),
        cmocka_unit_test(test_saturated),
        cmocka_unit_test(test_decayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
