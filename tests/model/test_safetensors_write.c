/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing: exact bytes, round trip, a foreign reader, full disk, allocation failures. */
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "counting_allocator.h"
#include "file_data.h"

#define COUNT(a)    ((int64_t)(sizeof(a) / sizeof *(a)))
#define SAYS(words) assert_non_null(strstr(context.error.text, words))

static const double   f64[]  = {0.1, -2.5e300};
static const float    f32[]  = {1.5f, -0.25f, 3e-45f, 0x1p100f, 0.0f, 7.0f};
static const uint16_t f16[]  = {0x3E00, 0xC000};
static const uint16_t bf16[] = {0x3FC0};
static const int64_t  i64[]  = {-9007199254740993};
static const int32_t  i32[]  = {-7, 8};
static const int16_t  i16[]  = {-300};
static const int8_t   i8[]   = {-3, 4, 5};
static const uint8_t  u8[]   = {200};
static const uint16_t u16[]  = {60000};
static const uint32_t u32[]  = {4000000000};
static const uint64_t u64[]  = {9007199254740993};
static const uint8_t  flag[] = {1, 0};

static const fgti_st_tensor tensors[] = {
    {.name = "scale", .dtype = FGTI_ST_F64, .rank = 1, .shape = {2}, .data = f64},
    {.name = "layers.0.weight", .dtype = FGTI_ST_F32, .rank = 2, .shape = {2, 3}, .data = f32},
    {.name = "half", .dtype = FGTI_ST_F16, .rank = 1, .shape = {2}, .data = f16},
    {.name = "brain", .dtype = FGTI_ST_BF16, .rank = 0, .data = bf16},
    {.name = "step", .dtype = FGTI_ST_I64, .rank = 0, .data = i64},
    {.name = "ids", .dtype = FGTI_ST_I32, .rank = 3, .shape = {1, 2, 1}, .data = i32},
    {.name = "short", .dtype = FGTI_ST_I16, .rank = 1, .shape = {1}, .data = i16},
    {.name = "tiny", .dtype = FGTI_ST_I8, .rank = 1, .shape = {3}, .data = i8},
    {.name = "byte", .dtype = FGTI_ST_U8, .rank = 1, .shape = {1}, .data = u8},
    {.name = "ushort", .dtype = FGTI_ST_U16, .rank = 1, .shape = {1}, .data = u16},
    {.name = "uint", .dtype = FGTI_ST_U32, .rank = 1, .shape = {1}, .data = u32},
    {.name = "ulong", .dtype = FGTI_ST_U64, .rank = 1, .shape = {1}, .data = u64},
    {.name = "mask", .dtype = FGTI_ST_BOOL, .rank = 1, .shape = {2}, .data = flag},
    {.name = "empty", .dtype = FGTI_ST_F32, .rank = 2, .shape = {4, 0}},
};
static const fgti_st_pair meta[] = {{"kind", "forecaster"}, {"columns", "a,b"}, {"", "no key"}};

static fgt_status save(const char *path)
{
    return fgti_st_save(&context, path, COUNT(tensors), tensors, COUNT(meta), meta);
}

static void test_exact_bytes(void **state)
{
    (void)state;
    static const fgti_st_tensor two[] = {
        {.name = "b\"", .dtype = FGTI_ST_I8, .rank = 1, .shape = {3}, .data = i8},
        {.name = "a", .dtype = FGTI_ST_I32, .rank = 1, .shape = {2}, .data = i32},
    };
    static const char  expected[] = "\xb8\0\0\0\0\0\0\0"
                                    "{\"__metadata__\":{\"fighter.hash\":\"1ee35edbc97133f7\","
                                    "\"k\":\"\\u000a\"},"
                                    "\"a\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                                    "\"b\\\"\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[8,11]}}"
                                    "\xF9\xFF\xFF\xFF\x08\0\0\0\xFD\x04\x05";
    const fgti_st_pair pair       = {"k", "\n"};
    const char        *path       = in_directory("exact");
    char               bytes[512];
    assert_int_equal(fgti_st_save(&context, path, 2, two, 1, &pair), FGT_OK);
    const size_t n = get_file(path, bytes, sizeof bytes);
    /* The expected header without its padding, which is as long as need be. */
    const size_t header = sizeof expected - 1 - 8 - 11, pad = (8 - header % 8) % 8;
    assert_int_equal(n, 8 + header + pad + 11);
    assert_int_equal((unsigned char)bytes[0], header + pad);
    assert_memory_equal(bytes + 1, expected + 1, 7 + header);
    for (size_t i = 0; i < pad; i++) assert_int_equal(bytes[8 + header + i], ' ');
    assert_memory_equal(bytes + 8 + header + pad, expected + 8 + header, 11);
    assert_int_equal(fgti_st_save(&context, path, 0, NULL, 0, NULL), FGT_OK);
    assert_int_equal(get_file(path, bytes, sizeof bytes), 64);
    assert_memory_equal(bytes + 8, "{\"__metadata__\":{\"fighter.hash\":\"0000000000000000\"}}", 52);
    assert_int_equal(hook.live, 0);
}

static void test_round_trip(void **state)
{
    (void)state;
    fgti_st    *st;
    const char *path = in_directory("all");
    assert_int_equal(save(path), FGT_OK);
    if (fgti_st_open(&context, path, &st)) fail_msg("%s", context.error.text);
    assert_int_equal(st->count, COUNT(tensors));
    assert_int_equal(st->meta_count, COUNT(meta) + 1); /* and the hash */
    for (int64_t i = 0; i < COUNT(tensors); i++) {
        const fgti_st_tensor *in = &tensors[i], *out = fgti_st_find(st, in->name);
        assert_non_null(out);
        assert_int_equal(out->dtype, in->dtype);
        assert_int_equal(out->rank, in->rank);
        assert_memory_equal(out->shape, in->shape, sizeof in->shape);
        char copy[64];
        assert_int_equal(fgti_st_read_bytes(st, out, 0, out->bytes, copy), FGT_OK);
        swap_to_host(copy, out->bytes, fgti_st_dtype_size(out->dtype));
        if (out->bytes) assert_memory_equal(copy, in->data, (size_t)out->bytes);
        assert_int_equal((size_t)out->offset % fgti_st_dtype_size(out->dtype), 0);
    }
    for (int64_t i = 0; i < COUNT(meta); i++)
        assert_string_equal(fgti_st_meta(st, meta[i].key), meta[i].value);
    fgti_st_close(&context, &st);
    assert_int_equal(hook.live, 0);
}

static void test_order_does_not_matter(void **state)
{
    (void)state;
    static char    one[4096], other[4096];
    fgti_st_tensor turned[COUNT(tensors)];
    fgti_st_pair   turned_meta[COUNT(meta)];
    const char    *path = in_directory("order");
    for (int64_t i = 0; i < COUNT(tensors); i++) turned[COUNT(tensors) - 1 - i] = tensors[i];
    for (int64_t i = 0; i < COUNT(meta); i++) turned_meta[COUNT(meta) - 1 - i] = meta[i];
    assert_int_equal(save(path), FGT_OK);
    const size_t n = get_file(path, one, sizeof one);
    assert_int_equal(fgti_st_save(&context, path, COUNT(tensors), turned, COUNT(meta), turned_meta), FGT_OK);
    assert_int_equal(get_file(path, other, sizeof other), n);
    assert_memory_equal(one, other, n);
}

/* numpy reads what we wrote. The order is ours: alignment, then name. */
static void test_foreign_reader(void **state)
{
    (void)state;
    static const char expected[] =
        "=no key\ncolumns=a,b\nfighter.hash=cc42b07a0de32233\nkind=forecaster\n"
        "scale F64 [2] 0.10000000000000001 -2.5000000000000001e+300\n"
        "step I64 [] -9007199254740993\n"
        "ulong U64 [1] 9007199254740993\n"
        "empty F32 [4, 0]\n"
        "ids I32 [1, 2, 1] -7 8\n"
        "layers.0.weight F32 [2, 3] 1.5 -0.25 2.8025969286496341e-45 "
        "1.2676506002282294e+30 0 7\n"
        "uint U32 [1] 4000000000\n"
        "brain BF16 [] 1.5\nhalf F16 [2] 1.5 -2\nshort I16 [1] -300\n"
        "ushort U16 [1] 60000\nbyte U8 [1] 200\nmask BOOL [2] 1 0\ntiny I8 [3] -3 4 5\n";
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    char                     command[1024], out[4096];
    int                      code = 77;
    const char              *path = in_directory("foreign");
    assert_int_equal(save(path), FGT_OK);
    for (size_t i = 0; i < 2 && code == 77; i++) {
        snprintf(command, sizeof command, "'%s' '%s/tools/st_read.py' '%s'", pythons[i], TESTS_DIR, path);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        out[fread(out, 1, sizeof out - 1, pipe)] = 0;
        const int status                         = pclose(pipe);
        code = WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : 77;
    }
    if (code == 77) {
        print_message("skipped: no python3 with numpy\n");
        skip();
    }
    assert_int_equal(code, 0);
    assert_string_equal(out, expected);
}

static void test_refused(void **state)
{
    (void)state;
    static const fgti_st_tensor good = {
        .name = "x", .dtype = FGTI_ST_I8, .rank = 1, .shape = {3}, .data = i8};
    static const struct {
        fgti_st_tensor tensor;
        fgt_status     status;
        const char    *sentence;
    } cases[] = {
        {{.name = "x", .dtype = FGTI_ST_F32, .rank = 0, .data = f32},
         FGT_E_ARG,
         "two tensors are called \"x\""},
        {{.name = "__metadata__", .dtype = FGTI_ST_F32, .data = f32},
         FGT_E_ARG,
         "is not a valid name of a tensor"},
        {{.name = "\xFF", .dtype = FGTI_ST_F32, .data = f32},
         FGT_E_ARG,
         "\"?\" is not a valid name of a tensor"},
        {{.name = "y", .dtype = FGTI_ST_DTYPES, .data = f32}, FGT_E_ARG,
         "tensor \"y\": type or rank is not valid"},
        {{.name = "y", .dtype = FGTI_ST_F32, .rank = 9, .data = f32}, FGT_E_ARG, "type or rank is not valid"},
        {{.name = "y", .dtype = FGTI_ST_F32, .rank = 1, .shape = {2}}, FGT_E_ARG, "tensor \"y\" has no data"},
        {{.name = "y", .dtype = FGTI_ST_F32, .rank = 1, .shape = {-1}, .data = f32},
         FGT_E_SIZE,
         "size overflows"},
        {{.name = "y", .dtype = FGTI_ST_F32, .rank = 2, .shape = {INT64_MAX, 2}, .data = f32},
         FGT_E_SIZE,
         "size overflows"},
        {{.name = "y", .dtype = FGTI_ST_I8, .rank = 1, .shape = {INT64_MAX}, .data = f32},
         FGT_E_SIZE,
         "too many tensors or data"},
    };
    char        content[8];
    const char *path = in_directory("kept");
    test_write(path, "old", 3);
    for (int64_t i = 0; i < COUNT(cases); i++) {
        const fgti_st_tensor both[] = {good, cases[i].tensor};
        assert_int_equal(fgti_st_save(&context, path, 2, both, 0, NULL), cases[i].status);
        SAYS("/kept: ");
        SAYS(cases[i].sentence);
    }
    const fgti_st_pair twice[] = {{"k", "1"}, {"k", "2"}}, odd = {"k", "\xC3"};
    assert_int_equal(fgti_st_save(&context, path, 1, &good, 2, twice), FGT_E_ARG);
    SAYS("metadata \"k\" is given twice");
    assert_int_equal(fgti_st_save(&context, path, 1, &good, 1, &odd), FGT_E_ARG);
    SAYS("metadata \"k\" is not UTF-8");
    assert_int_equal(get_file(path, content, sizeof content), 3);
    assert_int_equal(save(in_directory("no/folder")), FGT_E_IO);
    SAYS("No such file or directory");
    assert_int_equal(save("/dev/full"), FGT_E_IO);
    assert_int_equal(hook.live, 0);
}

/* The limit on file sizes stands in for a full disk; it is met at every place of the file in turn. */
static void test_full_disk(void **state)
{
    (void)state;
    struct rlimit old, low;
    char          content[8] = "";
    const char   *path       = in_directory("full");
    test_write(path, "old", 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    low                  = old;
    for (low.rlim_cur = 0;; low.rlim_cur += 64) {
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
        const fgt_status s = save(path);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        if (s == FGT_OK) break;
        assert_int_equal(s, FGT_E_IO);
        SAYS("/full: cannot write: File too large");
        assert_int_equal(get_file(path, content, sizeof content), 3);
        assert_string_equal(content, "old");
    }
    signal(SIGXFSZ, handler);
    assert_true(low.rlim_cur > 1000);
    assert_int_equal(hook.live, 0);
}

static fgt_status open_and_read(const char *path)
{
    fgti_st      *st;
    const int64_t shape[] = {2, 3};
    fgti_real     weight[6];
    FGTI_TRY(fgti_st_open(&context, path, &st));
    const fgt_status s = fgti_st_read_real(&context, st, "layers.0.weight", 2, shape, weight);
    fgti_st_close(&context, &st);
    return s;
}

static void test_allocations_fail(void **state)
{
    (void)state;
    static char old[8192], now[8192];
    const char *path = in_directory("sweep");
    for (int reading = 0; reading < 2; reading++) {
        test_write(path, "old", 3);
        if (reading) assert_int_equal(save(path), FGT_OK);
        const size_t n = get_file(path, old, sizeof old);
        long         k = 0;
        fgt_status   s = FGT_E_NOMEM;
        while (s == FGT_E_NOMEM) {
            assert_int_equal(get_file(path, now, sizeof now), n);
            assert_memory_equal(now, old, n);
            hook.countdown = ++k;
            s              = reading ? open_and_read(path) : save(path);
            assert_int_equal(hook.live, 0);
            if (s == FGT_E_NOMEM) SAYS("no memory for");
        }
        hook.countdown = 0;
        assert_int_equal(s, FGT_OK);
        print_message("%s: %ld allocations, each failed once\n", reading ? "reading" : "writing", k - 1);
        assert_true(k > 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_bytes),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_foreign_reader),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_allocations_fail),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
