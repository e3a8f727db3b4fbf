/* SPDX-License-Identifier: BSD-3-Clause */
/* The library fighter-mpi itself, by one process: what it refuses, memory that fails, an exchange. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fighter/experimental/collective.h>
#include <fighter/experimental/mpi.h>

/* Numbers that a compiled program depends on, as in tests/abi. */
#define F(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
F(fgt_mpi_opts, size, 0);
F(fgt_mpi_opts, timeout, 8);
F(fgt_mpi_opts, allreduce, 16);
F(fgt_mpi_opts, reserved, 20);
F(fgt_mpi_opts, allocator, 24);

static int64_t live, countdown;

static void *count_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    if (countdown > 0 && --countdown == 0) return NULL;
    live++;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void count_release(void *user, void *p, size_t size)
{
    (void)user;
    (void)size;
    live--;
    free(p);
}

static const fgt_allocator counting = {sizeof counting, NULL, count_alloc, count_release};

static void refuse(MPI_Comm comm, const fgt_mpi_opts *o, fgt_status status, const char *words)
{
    char     why[256] = "";
    fgt_mpi *m        = (fgt_mpi *)&m;
    assert_int_equal(fgt_mpi_create(comm, o, &m, why, sizeof why), status);
    assert_null(m);
    if (!strstr(why, words)) fail_msg("\"%s\" lacks \"%s\"", why, words);
}

static void test_not_running(void **state)
{
    (void)state;
    refuse(MPI_COMM_WORLD, NULL, FGT_E_STATE, "MPI_Init()");
}

static void test_refused(void **state)
{
    (void)state;
    char why[8] = "";
    union {
        fgt_mpi_opts  o;
        unsigned char byte[1000];
    } newer = {.o = {.size = sizeof newer}}; /* options of a later header */
    fgt_mpi *mpi;
    refuse(MPI_COMM_NULL, NULL, FGT_E_ARG, "MPI_COMM_NULL");
    refuse(MPI_COMM_WORLD, &FGT_OPTS(fgt_mpi_opts, .allreduce = 2), FGT_E_ARG, "option");
    refuse(MPI_COMM_WORLD, &FGT_OPTS(fgt_mpi_opts, .reserved = 1), FGT_E_VERSION, "version");
    newer.byte[999] = 1;
    refuse(MPI_COMM_WORLD, &newer.o, FGT_E_VERSION, "version");
    newer.byte[999] = 0;
    assert_int_equal(fgt_mpi_create(MPI_COMM_WORLD, &newer.o, &mpi, NULL, 0), FGT_OK);
    fgt_mpi_destroy(&mpi);
    assert_int_equal(fgt_mpi_create(MPI_COMM_WORLD, NULL, NULL, why, sizeof why), FGT_E_ARG);
    assert_int_equal(strlen(why), sizeof why - 1);
    assert_null(fgt_mpi_get_collective(NULL));
    fgt_mpi_destroy(NULL);
}

/* Allocations of the object and of its first exchange fail, one after another. */
static void test_nomem(void **state)
{
    (void)state;
    const fgt_mpi_opts o  = {.size = sizeof o, .allocator = &counting};
    const int64_t      at = 0, bytes = 5;
    char               to[5] = "";
    for (int64_t k = 1; k < 20; k++) {
        const fgt_exchange e = {sizeof e, 3, "fives", &at, &bytes, to, &at, &bytes};
        fgt_mpi           *m;
        void              *request = NULL;
        int32_t            done    = 0;
        countdown                  = k;
        fgt_status            s    = fgt_mpi_create(MPI_COMM_WORLD, &o, &m, NULL, 0);
        const fgt_collective *c    = fgt_mpi_get_collective(m);
        if (s == FGT_OK) {
            assert_int_equal(c->rank, 0);
            assert_int_equal(c->ranks, 1);
            assert_null(c->sum);
            s = c->exchange(c->user, &e, &request);
        }
        if (s == FGT_OK) assert_int_equal(c->finish(c->user, request, 1, &done), FGT_OK);
        if (c && s != FGT_OK) assert_non_null(strstr(c->explain(c->user), "no memory"));
        const int64_t left = countdown;
        countdown          = 0;
        fgt_mpi_destroy(&m);
        assert_int_equal(live, 0);
        assert_int_equal(s, left ? FGT_OK : FGT_E_NOMEM);
        if (!left) continue;
        assert_true(done && !memcmp(to, "fives", 5) && k > 3);
        return;
    }
    fail_msg("there is no end");
}

static void test_sum(void **state)
{
    (void)state;
    fgt_mpi *m;
    assert_int_equal(fgt_mpi_create(MPI_COMM_SELF, &FGT_OPTS(fgt_mpi_opts, .allreduce = 1), &m, NULL, 0),
                     FGT_OK);
    const fgt_collective *c       = fgt_mpi_get_collective(m);
    float                 v[3]    = {1, 2, 3};
    void                 *request = NULL;
    int32_t               done    = 0;
    assert_int_equal(c->sum(c->user, 0, v, 3, FGT_DTYPE_F32, &request), FGT_OK);
    assert_int_equal(c->finish(c->user, request, 1, &done), FGT_OK);
    assert_true(done && v[0] == 1 && v[2] == 3);
    fgt_mpi_destroy(&m);
    assert_null(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest before[] = {cmocka_unit_test(test_not_running)};
    const struct CMUnitTest tests[]  = {cmocka_unit_test(test_refused), cmocka_unit_test(test_nomem),
                                        cmocka_unit_test(test_sum)};
    int                     failed   = cmocka_run_group_tests(before, NULL, NULL);
    MPI_Init(&argc, &argv);
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
