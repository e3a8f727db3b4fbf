/* SPDX-License-Identifier: BSD-3-Clause */
/* Token by token: random causal models give in a stream, in calls of any number of tokens, the rows that a
 * pass over all tokens gives; with the same bits on any number of threads, and without an allocation. */
#include "random_stream.h"

enum { CASES = 600, MOST_OUT = MOST_BATCH * MOST_NODES * MOST_TIME * OUT };

static stream_case c;

/* Copies tokens first .. first+n-1 of [rows,time,width] to or from [rows,n,width]. */
static void part(int64_t rows, int64_t first, int64_t n, int64_t bytes, char *whole, char *some, bool out)
{
    for (int64_t r = 0; r < rows; r++) {
        char *w = whole + (r * c.time + first) * bytes, *s = some + r * n * bytes;
        memcpy(out ? s : w, out ? w : s, (size_t)(n * bytes));
    }
}

static fgt_view input(const void *x, int64_t n)
{
    if (c.ids) return *FGT_VIEW_OF(FGT_DTYPE_I32, x, c.batch, n);
    if (c.nodes == 1) return *FGT_VIEW(x, c.batch, n, c.width);
    return *FGT_VIEW(x, c.batch, c.nodes, n, c.width);
}

static fgt_status predict(fgt_workspace *ws, const void *x, int64_t n, float *y)
{
    const fgt_view in = input(x, n);
    return fgt_workspace_predict(ws, &in, FGT_VIEW(y, c.batch, c.nodes, n, OUT));
}

static void *inputs(void)
{
    return c.ids ? (void *)c.id : (void *)c.x;
}

static void whole_pass(fgt_model *m, float *y)
{
    fgt_workspace *ws;
    OK(fgt_model_create_workspace(m, NULL, &ws));
    set_masks(ws, &c, c.padding, c.time);
    if (predict(ws, inputs(), c.time, y) != FGT_OK) fail_msg("%s", fgt_workspace_get_error(ws));
    fgt_workspace_destroy(&ws);
}

/* One call of n tokens. */
static void step(fgt_workspace *ws, int64_t first, int64_t n, float *y)
{
    static float   x[sizeof c.x / sizeof *c.x], part_y[MOST_OUT];
    static int32_t padding[MOST_BATCH * MOST_TIME];
    const int64_t  rows = c.batch * c.nodes, bytes = c.ids ? 4 : 4 * c.width;
    const int64_t  calls = memory.calls;
    part(rows, first, n, bytes, inputs(), (char *)x, true);
    part(c.batch, first, n, 4, (char *)c.padding, (char *)padding, true);
    set_masks(ws, &c, padding, n);
    assert_int_equal(fgt_workspace_get_tokens(ws), first);
    if (predict(ws, x, n, part_y) != FGT_OK) fail_msg("%s", fgt_workspace_get_error(ws));
    assert_int_equal(memory.calls, calls);
    part(rows, first, n, 4 * OUT, (char *)y, (char *)part_y, false);
}

/* All tokens, `most` at a time or fewer. */
static void stream(fgt_workspace *ws, int64_t most, float *y)
{
    for (int64_t t = 0, n; t < c.time; t += n) {
        n = 1 + draw(&c, most);
        if (n > c.time - t) n = c.time - t;
        step(ws, t, n, y);
    }
}

static fgt_workspace *new_stream(fgt_model *m, int32_t threads)
{
    fgt_workspace *ws;
    OK(fgt_model_create_workspace(
        m, &FGT_OPTS(fgt_workspace_opts, .batch = c.batch, .tokens = c.time, .threads = threads), &ws));
    return ws;
}

static void compare(int number, const float *want, const float *got)
{
    for (int64_t i = 0; i < c.batch * c.nodes * c.time * OUT; i++)
        if (!(fabsf(got[i] - want[i]) <= 1e-5F * fmaxf(1, fabsf(want[i]))))
            fail_msg("case %d: token %lld of %lld is %.9g, in a whole pass %.9g", number,
                     (long long)(i / OUT % c.time), (long long)c.time, (double)got[i], (double)want[i]);
}

/* Token by token, twice in one workspace; then some tokens at a time. */
static void equals_a_pass(void **state)
{
    static float want[MOST_OUT], got[MOST_OUT], again[MOST_OUT];
    (void)state;
    for (int i = 0; i < CASES; i++) {
        fgt_model *m = new_case(&c, (uint64_t)i);
        whole_pass(m, want);
        fgt_workspace *ws = new_stream(m, 1);
        stream(ws, 1, got);
        compare(i, want, got);
        OK(fgt_workspace_begin_series(ws, 0));
        stream(ws, 1, again);
        assert_memory_equal(got, again, (size_t)(c.batch * c.nodes * c.time * OUT) * sizeof *got);
        OK(fgt_workspace_begin_series(ws, 0));
        stream(ws, c.time, again);
        compare(i, want, again);
        fgt_workspace_destroy(&ws);
        fgt_model_destroy(&m);
    }
}

static void has_the_same_bits(void **state)
{
    static float one[MOST_OUT], three[MOST_OUT];
    (void)state;
    for (int i = 0; i < CASES / 10; i++) {
        fgt_model     *m = new_case(&c, (uint64_t)(CASES + i));
        fgt_workspace *a = new_stream(m, 1), *b = new_stream(m, 3);
        const uint64_t draws = c.state;
        stream(a, 3, one);
        c.state = draws;
        stream(b, 3, three);
        assert_memory_equal(one, three, (size_t)(c.batch * c.nodes * c.time * OUT) * sizeof *one);
        fgt_workspace_destroy(&a);
        fgt_workspace_destroy(&b);
        fgt_model_destroy(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(equals_a_pass), WITH_CONTEXT(has_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
