/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading: every rule broken once, conversions, the golden files. */
#include <dirent.h>
#include <math.h>

#include "counting_allocator.h"
#include "model/files/file_input.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_read.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define SAYS(words)                                                                                         \
    do {                                                                                                    \
        if (!strstr(context.error.text, words)) fail_msg("\"%s\" lacks \"%s\"", context.error.text, words); \
    } while (0)

/* A file in memory: length, header, n bytes of data counting up from 1. Returns its size. */
static size_t build(char *out, const char *header, size_t n)
{
    const size_t h = strlen(header);
    for (size_t i = 0; i < 8; i++) out[i] = (char)((uint64_t)h >> 8 * i);
    memcpy(out + 8, header, h);
    for (size_t i = 0; i < n; i++) out[8 + h + i] = (char)(i + 1);
    return 8 + h + n;
}

/* From a heap block of just that size, so that the sanitiser sees a read beyond it. */
static fgt_status open_bytes(const char *bytes, size_t size, fgti_st **st, char **block)
{
    *block = malloc(size + !size);
    assert_non_null(*block);
    memcpy(*block, bytes, size);
    return fgti_st_open_memory(&context, "m.st", *block, size, st);
}

/* One F32 tensor x [2] and another y [1]: variations of the middle part. */
#define X         "\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"
#define T(fields) "{\"x\":{" fields "}}"

static const struct {
    const char *header;
    size_t      data;
    const char *sentence;
} broken[] = {
    {"", 0, "m.st: byte 8: the header does not begin with '{'"},
    {" {}", 0, "m.st: byte 8: the header does not begin with '{'"},
    {"[]", 0, "m.st: byte 8: the header does not begin with '{'"},
    {"{", 0, "m.st: byte 9: expected a string"},
    {"{}x", 0, "m.st: byte 10: text after the closing bracket"},
    {"{" X ",}", 8, "expected a string"},
    {"{" X " " X "}", 8, "expected ',' or '}'"},
    {"{\"\xC3(\":1}", 0, "m.st: byte 10: malformed character in a string"},
    {"{\"\\u0000\":1}", 0, "m.st: byte 10: malformed character in a string"},
    {"{\"x\":1}", 0, "m.st: tensor \"x\": byte 13: expected '{'"},
    {"{\"x\":[]}", 0, "tensor \"x\": byte 13: expected '{'"},
    {"{\"__metadata__\":[]}", 0, "m.st: byte 24: expected '{'"},
    {"{\"__metadata__\":{\"a\":1}}", 0, "m.st: byte 29: expected a string"},
    {"{\"__metadata__\":{\"a\":{}}}", 0, "expected a string"},
    {"{\"__metadata__\":{\"a\":null}}", 0, "expected a string"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ occurs twice"},
    {"{\"__metadata__\":{\"a\":\"1\",\"\\u0061\":\"2\"}}", 0, "m.st: metadata key \"a\" occurs twice"},
    {"{" X "," X "}", 8, "tensor \"x\": data begin at 0, but the data before end at 8: overlap"},
    {"{" X ",\"\\u0078\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[8,9]}}", 9,
     "m.st: tensor \"x\": occurs twice"},
    {T("\"shape\":[2],\"data_offsets\":[0,8]"), 8, "tensor \"x\": dtype is missing"},
    {T("\"dtype\":\"F32\",\"data_offsets\":[0,8]"), 8, "tensor \"x\": shape is missing"},
    {T("\"dtype\":\"F32\",\"shape\":[2]"), 8, "tensor \"x\": data_offsets is missing"},
    {T(""), 0, "tensor \"x\": dtype is missing"},
    {T("\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]"), 8,
     "tensor \"x\": dtype occurs twice"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"shape\":[2],\"data_offsets\":[0,8]"), 8,
     "tensor \"x\": shape occurs twice"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],\"more\":1"), 8,
     "tensor \"x\": byte 68: unknown key (need dtype, shape, data_offsets)"},
    {T("\"dtype\":32,\"shape\":[2],\"data_offsets\":[0,8]"), 8, "expected a string"},
    {T("\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]"), 1,
     "m.st: tensor \"x\": dtype \"F4\" is not supported"},
    {T("\"dtype\":\"F6_E2M3\",\"shape\":[4],\"data_offsets\":[0,3]"), 3,
     "dtype \"F6_E2M3\" is not supported"},
    {T("\"dtype\":\"F8_E5M2\",\"shape\":[4],\"data_offsets\":[0,4]"), 4,
     "dtype \"F8_E5M2\" is not supported"},
    {T("\"dtype\":\"f32\",\"shape\":[2],\"data_offsets\":[0,8]"), 8, "dtype \"f32\" is not supported"},
    {T("\"dtype\":\"a type of a very long name\",\"shape\":[2],\"data_offsets\":[0,8]"), 8,
     "is not supported"},
    {T("\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]"), 8, "expected '['"},
    {T("\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]"), 8,
     "tensor \"x\": byte 37: expected a whole number that is not negative"},
    {T("\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]"), 8, "expected ',' or ']'"},
    {T("\"dtype\":\"F32\",\"shape\":[2e0],\"data_offsets\":[0,8]"), 8, "expected ',' or ']'"},
    {T("\"dtype\":\"F32\",\"shape\":[\"2\"],\"data_offsets\":[0,8]"), 8, "expected a whole number"},
    {T("\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,2],\"data_offsets\":[0,8]"), 8,
     "tensor \"x\": shape has more than 8 axes"},
    {T("\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,8]"), 8,
     "number is too large"},
    {T("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]"), 8,
     "m.st: tensor \"x\": the size of F32 [4294967296,4294967296] overflows"},
    {T("\"dtype\":\"F32\",\"shape\":[2305843009213693952],\"data_offsets\":[0,8]"), 8, "overflows"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]"), 8,
     "tensor \"x\": data_offsets are not two numbers"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,8]"), 8, "data_offsets are not two numbers"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":8"), 8, "expected '['"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]"), 8,
     "tensor \"x\": data begin at 8, after their end at 0"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]"), 7,
     "m.st: tensor \"x\": data end at 8, but the file has 7 bytes of data"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,9223372036854775807]"), 8, "data end at 92233"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,7]"), 7,
     "tensor \"x\": 7 bytes of data, but F32 [2] takes 8"},
    {T("\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,8]"), 8, "8 bytes of data, but F32 [] takes 4"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]"), 9,
     "m.st: byte 70: 1 bytes belong to no tensor"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]"), 12,
     "tensor \"x\": data begin at 4, but the data before end at 0: hole"},
    {"{" X ",\"y\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[9,10]}}", 10,
     "tensor \"y\": data begin at 9, but the data before end at 8: hole"},
    {"{\"y\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[6,10]}," X "}", 10,
     "tensor \"y\": data begin at 6, but the data before end at 8: overlap"},
    {"{}", 1, "m.st: byte 10: 1 bytes belong to no tensor"},
    {"{\"\\u001b[2J\":1}", 0, "tensor \"?[2J\""},
};

static void test_broken_rules(void **state)
{
    (void)state;
    char bytes[512], *block;
    for (size_t i = 0; i < COUNT(broken); i++) {
        fgti_st     *st   = (fgti_st *)&context;
        const size_t size = build(bytes, broken[i].header, broken[i].data);
        if (open_bytes(bytes, size, &st, &block) != FGT_E_FORMAT) fail_msg("accepted: %s", broken[i].header);
        assert_null(st);
        SAYS(broken[i].sentence);
        assert_int_equal(hook.live, 0);
        free(block);
    }
}

static void test_broken_prefix(void **state)
{
    (void)state;
    static const struct {
        uint64_t    length;
        size_t      size;
        const char *sentence;
    } cases[] = {
        {2, 0, "m.st: not a safetensors file but an empty file"},
        {2, 7, "not a safetensors file: 7 bytes are too few"},
        {100000001, 10, "not a safetensors file, the format of models: its first 8 bytes"},
        {UINT64_MAX, 10, "a header of 18446744073709551615 bytes"},
        {3, 10, "m.st: byte 0: truncated: a header of 3 bytes in a file of 10"},
        {0, 8, "the header does not begin with '{'"},
    };
    char bytes[16], *block;
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgti_st *st;
        build(bytes, "{}", 0);
        for (int k = 0; k < 8; k++) bytes[k] = (char)(cases[i].length >> 8 * k);
        assert_int_equal(open_bytes(bytes, cases[i].size, &st, &block), FGT_E_FORMAT);
        SAYS(cases[i].sentence);
        free(block);
    }
}

/* No prefix of a good file is a good file, and no byte of the header may become 0. */
static void test_truncated(void **state)
{
    (void)state;
    char         bytes[512], *block;
    fgti_st     *st;
    const size_t size = build(bytes, "{\"__metadata__\":{\"k\":\"v\"}," X "}  ", 8);
    for (size_t n = 0; n < size; n++) {
        assert_int_equal(open_bytes(bytes, n, &st, &block), FGT_E_FORMAT);
        free(block);
    }
    for (size_t n = 8; n < size - 8; n++) {
        const char keep = bytes[n];
        bytes[n]        = 0;
        assert_int_equal(open_bytes(bytes, size, &st, &block), FGT_E_FORMAT);
        free(block);
        bytes[n] = keep;
    }
    assert_int_equal(open_bytes(bytes, size, &st, &block), FGT_OK);
    fgti_st_close(&context, &st);
    assert_null(st);
    fgti_st_close(&context, &st);
    free(block);
    assert_int_equal(hook.live, 0);
}

static void test_legal_corners(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t      data;
        int64_t     count;
    } good[] = {
        {"{}", 0, 0},
        {"{ }   ", 0, 0},
        {"{\"__metadata__\":{}}", 0, 0},
        {"{\"\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", 1, 1},
        {"{\"e\":{\"shape\":[0,4294967296],\"data_offsets\":[0,0],\"dtype\":\"F64\"}}", 0, 1},
        {"{\"b\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[0,3]},"
         "\"a\":{\"dtype\":\"I8\",\"shape\":[0],\"data_offsets\":[3,3]},"
         "\"c\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1],\"data_offsets\":[3,7]},"
         "\"d\":{\"dtype\":\"F32\",\"shape\":[2,0],\"data_offsets\":[0,0]}}",
         7, 4},
        {"{ \"\\u0078\" :\n{ \"\\u0064type\" : \"BOOL\" , \"shape\" : [ 2 ] , \"data_offsets\" : [ 0 , 2 ] } "
         "}",
         2, 1},
    };
    char     bytes[512], *block;
    fgti_st *st;
    for (size_t i = 0; i < COUNT(good); i++) {
        const size_t     size = build(bytes, good[i].header, good[i].data);
        const fgt_status s    = open_bytes(bytes, size, &st, &block);
        if (s != FGT_OK) fail_msg("%s", context.error.text);
        assert_int_equal(st->count, good[i].count);
        for (int64_t k = 1; k < st->count; k++)
            assert_true(strcmp(st->tensors[k - 1].name, st->tensors[k].name) < 0);
        fgti_st_close(&context, &st);
        free(block);
    }
    assert_int_equal(hook.live, 0);
}

static void test_lookup(void **state)
{
    (void)state;
    char                  bytes[512], *block;
    fgti_st              *st;
    const fgti_st_tensor *t;
    const size_t          size = build(bytes, "{\"__metadata__\":{\"b\":\"2\",\"a\":\"1\"}," X "}", 8);
    assert_int_equal(open_bytes(bytes, size, &st, &block), FGT_OK);
    assert_int_equal(st->meta_count, 2);
    assert_string_equal(fgti_st_meta(st, "a"), "1");
    assert_string_equal(fgti_st_meta(st, "b"), "2");
    assert_null(fgti_st_meta(st, "c"));
    assert_null(fgti_st_find(st, "y"));
    assert_null(fgti_st_find(st, ""));
    char copy[4];
    assert_int_equal(fgti_st_find(st, "x")->offset, size - 8);
    assert_int_equal(fgti_st_read_bytes(st, fgti_st_find(st, "x"), 4, 4, copy), FGT_OK);
    assert_memory_equal(copy, block + size - 4, 4);

    const int64_t two = 2, three = 3, any = -1;
    assert_int_equal(fgti_st_expect(&context, st, "x", 1, &two, &t), FGT_OK);
    assert_int_equal(fgti_st_expect(&context, st, "x", 1, &any, &t), FGT_OK);
    assert_int_equal(fgti_st_expect(&context, st, "y", 1, &two, &t), FGT_E_NAME);
    assert_null(t);
    SAYS("m.st: no tensor \"y\"");
    assert_int_equal(fgti_st_expect(&context, st, "x", 1, &three, &t), FGT_E_SHAPE);
    SAYS("m.st: tensor \"x\": wrong shape (got [2], need [3])");
    assert_int_equal(fgti_st_expect(&context, st, "x", 2, (const int64_t[]){2, -1}, &t), FGT_E_SHAPE);
    SAYS("got [2], need [2,*]");
    fgti_st_close(&context, &st);
    free(block);
}

/* ---- from a function that does not know the length ---- */

typedef struct bytes_of {
    const char *bytes;
    int64_t     size;
} bytes_of;

static fgt_status read_some(void *user, int64_t offset, void *out, int64_t room, int64_t *count)
{
    const bytes_of *b = user;
    const int64_t   n = offset >= b->size ? 0 : b->size - offset < room ? b->size - offset : room;
    memcpy(out, b->bytes + (n ? offset : 0), (size_t)n);
    *count = n;
    return FGT_OK;
}

static void test_unknown_length(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t      data;
        const char *sentence; /* NULL: it is read */
    } cases[] = {
        {"{" X "}", 8, NULL},
        {"{" X "}", 9, "bytes after the last tensor"},
        {T("\"dtype\":\"U8\",\"shape\":[9223372036854775807],"
           "\"data_offsets\":[0,9223372036854775807]"),
         8, "data end at 9223372036854775807, more than any file has"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char             bytes[512];
        const bytes_of   b = {bytes, (int64_t)build(bytes, cases[i].header, cases[i].data)};
        const fgt_reader r = {.size = sizeof r, .read = read_some, .user = (void *)&b, .name = "m.st"};
        fgti_input       in;
        fgti_st         *st;
        assert_int_equal(fgti_input_reader(&context.error, &r, &in), FGT_OK);
        const fgt_status s = fgti_st_open_input(&context, &in, &st);
        assert_int_equal(s, cases[i].sentence ? FGT_E_FORMAT : FGT_OK);
        if (cases[i].sentence) SAYS(cases[i].sentence);
        fgti_st_close(&context, &st);
    }
}

/* All types, at odd addresses, little-endian. Opposite them what a reader must see. */
static void test_conversions(void **state)
{
    (void)state;
    static const struct {
        const char *dtype;
        size_t      size;
        int         count;
        uint64_t    bits[8];
        double      value[8];
    } cases[] = {
        {"F64", 8, 3, {0x3FF8000000000000, 0xBFF0000000000000, 0x7FF0000000000000}, {1.5, -1, INFINITY}},
        {"F32", 4, 4, {0x3FC00000, 0x80000000, 1, 0xFF800000}, {1.5, -0.0, 0x1p-149, -INFINITY}},
        {"F16",
         2,
         7,
         {0x3E00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0x83FF, 0xFC00},
         {1.5, -2, 65504, 0x1p-14, 0x1p-24, -1023 * 0x1p-24, -INFINITY}},
        {"BF16", 2, 4, {0x3FC0, 0xC000, 0x7F80, 0x0001}, {1.5, -2, INFINITY, 0x1p-133}},
        {"I64", 8, 2, {5, 0xFFFFFFFFFFFFFFFE}, {5, -2}},
        {"I32", 4, 2, {0x7FFFFFFF, 0xFFFFFFFE}, {2147483647, -2}},
        {"I16", 2, 2, {0x7FFF, 0xFFFE}, {32767, -2}},
        {"I8", 1, 2, {0x7F, 0xFE}, {127, -2}},
        {"U64", 8, 1, {0x100000000}, {4294967296}},
        {"U32", 4, 1, {0xFFFFFFFE}, {4294967294}},
        {"U16", 2, 1, {0xFFFE}, {65534}},
        {"U8", 1, 1, {0xFE}, {254}},
        {"BOOL", 1, 2, {0, 1}, {0, 1}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char          header[256], bytes[512], *block;
        fgti_st      *st;
        const int64_t n = cases[i].count;
        snprintf(header, sizeof header,
                 "{\"pad\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                 "\"x\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[1,%zu]}}",
                 cases[i].dtype, cases[i].count, 1 + cases[i].size * (size_t)n);
        const size_t size = build(bytes, header, 1 + cases[i].size * (size_t)n);
        for (size_t k = 0; k < cases[i].size * (size_t)n; k++)
            bytes[9 + strlen(header) + k] =
                (char)(cases[i].bits[k / cases[i].size] >> 8 * (k % cases[i].size));
        if (open_bytes(bytes, size, &st, &block)) fail_msg("%s", context.error.text);

        fgti_real  real[8] = {7};
        double     f64[8]  = {7};
        int64_t    i64[8]  = {7};
        const bool whole   = !strchr("FB", cases[i].dtype[0]) || !strcmp(cases[i].dtype, "BOOL");
        assert_int_equal(fgti_st_read_real(&context, st, "x", 1, &n, real), whole ? FGT_E_SHAPE : FGT_OK);
        assert_int_equal(fgti_st_read_f64(&context, st, "x", 1, &n, f64), whole ? FGT_E_SHAPE : FGT_OK);
        if (whole) SAYS(", need F64, F32, F16 or BF16");
        assert_int_equal(fgti_st_read_i64(&context, st, "x", 1, &n, i64), whole ? FGT_OK : FGT_E_SHAPE);
        if (!whole) SAYS(", need whole numbers");
        for (int k = 0; k < n; k++) {
            const double v = cases[i].value[k];
            if (whole)
                assert_int_equal(i64[k], (int64_t)v);
            else
                assert_true(f64[k] == v && !signbit(f64[k]) == !signbit(v) && real[k] == (fgti_real)v);
        }
        assert_true(whole ? real[0] == 7 && f64[0] == 7 : i64[0] == 7);
        fgti_st_close(&context, &st);
        free(block);
    }
}

static void test_awkward_values(void **state)
{
    (void)state;
    char          bytes[512], *block;
    fgti_st      *st;
    const char   *header = "{\"big\":{\"dtype\":\"U64\",\"shape\":[2],\"data_offsets\":[0,16]},"
                           "\"nan\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[16,18]}}";
    const size_t  size = build(bytes, header, 18), at = size - 18;
    const int64_t two = 2, one = 1;
    int64_t       out[2] = {7, 7};
    fgti_real     nan    = 0;
    memset(bytes + at, 0, 16);
    bytes[at + 15] = (char)0x80;
    memcpy(bytes + at + 16, "\x01\x7C", 2);
    assert_int_equal(open_bytes(bytes, size, &st, &block), FGT_OK);
    assert_int_equal(fgti_st_read_i64(&context, st, "big", 1, &two, out), FGT_E_DATA);
    SAYS("m.st: tensor \"big\": element 1 is beyond 2^63 - 1");
    assert_int_equal(fgti_st_read_real(&context, st, "nan", 1, &one, &nan), FGT_OK);
    assert_true(isnan(nan));
    assert_int_equal(fgti_st_load_real(&context, st, "nan", 1, &one, &nan), FGT_E_NONFINITE);
    SAYS("m.st: tensor \"nan\": element 0 is NaN or infinite");
    assert_int_equal(fgti_st_check_real(&context, st, "nan", 1, &one), FGT_E_NONFINITE);
    fgti_st_close(&context, &st);
    free(block);
}

static void test_unreadable(void **state)
{
    (void)state;
    fgti_st *st;
    assert_int_equal(fgti_st_open(&context, in_directory("none"), &st), FGT_E_IO);
    SAYS("/none: cannot open: No such file or directory");
    assert_int_equal(fgti_st_open(&context, directory, &st), FGT_E_IO);
    SAYS(": cannot read: Is a directory");
    assert_int_equal(fgti_st_open(&context, "/dev/null", &st), FGT_E_IO);
    SAYS("/dev/null: cannot read: not a regular file");
    assert_int_equal(mkfifo(in_directory("pipe"), 0600), 0);
    assert_int_equal(fgti_st_open(&context, in_directory("pipe"), &st), FGT_E_IO);
    SAYS("not a regular file");
    test_write(in_directory("empty"), "", 0);
    assert_int_equal(fgti_st_open(&context, in_directory("empty"), &st), FGT_E_FORMAT);
    SAYS("/empty: not a safetensors file but an empty file");
    test_write(in_directory("text"), "time,value\n2020-01-01,1\n", 24);
    assert_int_equal(fgti_st_open(&context, in_directory("text"), &st), FGT_E_FORMAT);
    SAYS("/text: not a safetensors file but text, such as CSV");
    test_write(in_directory("png"), "\x89PNG\r\n\x1a\n0000", 12);
    assert_int_equal(fgti_st_open(&context, in_directory("png"), &st), FGT_E_FORMAT);
    SAYS("/png: not a safetensors file but a picture (PNG)");
    test_write(in_directory("zip"), "PK\3\4\0\0\0\0\0\0", 10);
    assert_int_equal(fgti_st_open(&context, in_directory("zip"), &st), FGT_E_FORMAT);
    SAYS("/zip: not a safetensors file but a workbook (xlsx, ods) or another zip archive");
    assert_null(st);
    assert_int_equal(hook.live, 0);
}

static void test_no_permission(void **state)
{
    (void)state;
    fgti_st    *st     = NULL;
    const char *secret = in_directory("secret");
    const uid_t me     = geteuid();
    test_write(secret, "", 0);
    assert_int_equal(chmod(directory, 0711), 0);
    assert_int_equal(chmod(secret, 0), 0);
    const bool       lost = lose_privileges();
    const fgt_status s    = lost ? fgti_st_open(&context, secret, &st) : FGT_OK;
    assert_int_equal(seteuid(me), 0);
    if (!lost) skip();
    assert_int_equal(s, FGT_E_IO);
    SAYS("/secret: cannot open: Permission denied");
    assert_int_equal(hook.live, 0);
}

static int load_folder(const char *folder)
{
    int  n = 0;
    DIR *d = opendir(folder);
    if (!d) return 0;
    for (struct dirent *e; (e = readdir(d));) {
        char        path[1024];
        fgti_st    *st;
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".safetensors") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (fgti_st_open(&context, path, &st)) fail_msg("%s", context.error.text);
        assert_true(st->count > 0 && st->meta_count > 0);
        fgti_st_close(&context, &st);
        n++;
    }
    closedir(d);
    return n;
}

static void test_golden_files(void **state)
{
    (void)state;
    const int ours   = load_folder(TESTS_DIR "/golden/vectors");
    const int shared = load_folder(TESTS_DIR "/../../shared/golden");
    print_message("golden files: %d of tests/golden/vectors, %d of ../shared/golden%s\n", ours, shared,
                  shared ? "" : " (skipped: not there)");
    assert_true(ours > 0);
    assert_int_equal(hook.live, 0);

    fgti_st              *st;
    const int64_t         shape[] = {15, 20};
    fgti_real             weight[300];
    const fgti_st_tensor *t;
    assert_int_equal(fgti_st_open(&context, TESTS_DIR "/golden/vectors/linear.safetensors", &st), FGT_OK);
    assert_string_equal(fgti_st_meta(st, "layer"), "linear");
    assert_int_equal(fgti_st_expect(&context, st, "param.weight", 2, shape, &t), FGT_OK);
    assert_int_equal(t->dtype, FGTI_ST_F32);
    assert_int_equal(fgti_st_read_real(&context, st, "param.weight", 2, shape, weight), FGT_OK);
    fgti_st_close(&context, &st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_rules),   cmocka_unit_test(test_broken_prefix),
        cmocka_unit_test(test_truncated),      cmocka_unit_test(test_legal_corners),
        cmocka_unit_test(test_lookup),         cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_awkward_values), cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_no_permission),  cmocka_unit_test(test_golden_files),
        cmocka_unit_test(test_unknown_length),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
