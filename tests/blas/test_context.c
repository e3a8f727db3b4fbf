/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: options, hooks, information, and every allocation that can fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"

/* Counts what is out, and refuses from allocation number `fail` on. */
struct memory {
    int64_t calls, fail, bytes;
};

static void *counting_alloc(void *user, size_t size, size_t align)
{
    struct memory *m = user;
    if (m->calls++ >= m->fail) return NULL;
    m->bytes += (int64_t)size;
    return fgti_libc_alloc(NULL, size, align);
}

static void counting_release(void *user, void *ptr, size_t size)
{
    struct memory *m = user;
    m->bytes -= (int64_t)size;
    fgti_libc_release(NULL, ptr, size);
}

static void run_backwards(void *user, int32_t workers, void (*task)(void *arg, int32_t worker), void *arg)
{
    ++*(int *)user;
    for (int32_t i = workers - 1; i >= 0; i--) task(arg, i);
}

static void test_defaults(void **unused)
{
    (void)unused;
    fgt_context *ctx = NULL;
    assert_int_equal(fgt_context_create(NULL, &ctx), FGT_OK);
    assert_string_equal(fgt_context_get_error(ctx), "");
    fgt_build_info info = {.size = sizeof info};
    assert_int_equal(fgt_context_get_info(ctx, &info), FGT_OK);
    assert_string_equal(info.version, "0.9.0");
    assert_true(strcmp(info.blas, "blis") == 0 || strcmp(info.blas, "reference") == 0);
    assert_true(info.blas_config[0] && info.kernel[0] && info.vector[0] && info.blas_version);
    assert_int_equal(info.threads, 1);
    info.size = sizeof(size_t) - 1;
    assert_int_equal(fgt_context_get_info(ctx, &info), FGT_E_VERSION);
    assert_non_null(strstr(fgt_context_get_error(ctx), "size"));
    assert_int_equal(fgt_context_get_info(ctx, NULL), FGT_E_ARG);
    fgt_context_destroy(&ctx);
    assert_null(ctx);
    fgt_context_destroy(&ctx);
    fgt_context_destroy(NULL);
    assert_string_equal(fgt_context_get_error(NULL), "");
}

static void expect_refusal(const fgt_context_opts *opts, fgt_status status)
{
    fgt_context *ctx = (fgt_context *)&ctx;
    assert_int_equal(fgt_context_create(opts, &ctx), status);
    assert_null(ctx);
}

static void test_bad_options(void **unused)
{
    (void)unused;
    assert_int_equal(fgt_context_create(NULL, NULL), FGT_E_ARG);
    expect_refusal(&FGT_OPTS(fgt_context_opts, .threads = -1), FGT_E_ARG);
    expect_refusal(&FGT_OPTS(fgt_context_opts, .threads = 1 << 30), FGT_E_ARG);
    expect_refusal(&FGT_OPTS(fgt_context_opts, .products = 2), FGT_E_ARG);
    expect_refusal(&FGT_OPTS(fgt_context_opts, .products = -1), FGT_E_ARG);
    expect_refusal(&FGT_OPTS(fgt_context_opts, .precision = 2), FGT_E_ARG);
    expect_refusal(&FGT_OPTS(fgt_context_opts, .precision = -1), FGT_E_ARG);
    expect_refusal(&(fgt_context_opts){.threads = 1}, FGT_E_VERSION);
    fgt_allocator allocator = {.size = sizeof allocator, .alloc = counting_alloc};
    expect_refusal(&FGT_OPTS(fgt_context_opts, .allocator = &allocator), FGT_E_ARG);
    fgt_executor executor = {.size = sizeof executor};
    expect_refusal(&FGT_OPTS(fgt_context_opts, .executor = &executor), FGT_E_ARG);
    struct {
        fgt_context_opts opts;
        int32_t          later;
    } longer = {FGT_OPTS(fgt_context_opts, .threads = 1), 7};
    longer.opts.size = sizeof longer;
    expect_refusal(&longer.opts, FGT_E_VERSION);
}

static void test_no_memory(void **unused)
{
    (void)unused;
    struct memory       memory    = {0};
    const fgt_allocator allocator = {sizeof allocator, &memory, counting_alloc, counting_release};
    fgt_context        *ctx       = NULL;
    while (!ctx) {
        const fgt_status s =
            fgt_context_create(&FGT_OPTS(fgt_context_opts, .allocator = &allocator, .threads = 3), &ctx);
        assert_int_equal(s, ctx ? FGT_OK : FGT_E_NOMEM);
        if (!ctx) assert_int_equal(memory.bytes, 0);
        memory.calls = 0;
        memory.fail++;
        assert_in_range(memory.fail, 1, 100);
    }
    assert_true(memory.fail > 1 && memory.bytes > 0);
    fgt_context_destroy(&ctx);
    assert_int_equal(memory.bytes, 0);
}

static void note(void *arg, int64_t task, int32_t worker)
{
    int *seen = arg;
    assert_in_range(worker, 0, 3);
    seen[task]++;
}

static void test_executor(void **unused)
{
    (void)unused;
    int                runs = 0, seen[10] = {0};
    const fgt_executor executor = {sizeof executor, &runs, run_backwards};
    fgt_context       *ctx;
    assert_int_equal(
        fgt_context_create(&FGT_OPTS(fgt_context_opts, .executor = &executor, .threads = 4), &ctx), FGT_OK);
    fgti_parallel(&ctx->exec, 10, note, seen);
    assert_int_equal(runs, 1);
    for (int i = 0; i < 10; i++) assert_int_equal(seen[i], 1);
    fgt_context_destroy(&ctx);
}

static void keep_line(void *user, int32_t level, const char *message)
{
    assert_int_equal(level, FGT_LOG_INFO);
    assert_true(strlen(message) < 600);
    strcpy(user, message);
}

static void test_log(void **unused)
{
    (void)unused;
    char         line[600] = "", many[1000];
    fgt_context *ctx;
    assert_int_equal(fgt_context_create(NULL, &ctx), FGT_OK);
    fgti_log(ctx, FGT_LOG_INFO, "nobody listens");
    ctx->log      = keep_line;
    ctx->log_user = line;
    fgti_log(ctx, FGT_LOG_INFO, "epoch %d of %s", 3, "ten");
    assert_string_equal(line, "epoch 3 of ten");
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = 0;
    fgti_log(ctx, FGT_LOG_INFO, "%s", many);
    assert_int_equal(line[100], 'x');
    fgt_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_bad_options), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_executor), cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
