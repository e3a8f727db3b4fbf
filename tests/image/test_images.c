/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of images: from memory, IDX files, folders and lists; bad files; parts; failing allocations. */
#include <math.h>

#ifdef FGTI_HAVE_ZLIB
#include <zlib.h>
#endif

#include "../samples_info.h"
#include "image/images.h"
#include "pictures.h"

static const unsigned char labels[] = {3, 10, 3, 0, 10};

static fgt_images_info info_of(const fgt_images *m)
{
    fgt_images_info info = {.size = sizeof info};
    OK(fgt_images_get_info(m, &info));
    return info;
}

/* ---- IDX ---- */

static const char *put_idx(const char *name, int n, int h, int w, int channels)
{
    unsigned char bytes[4096];
    return put_bytes(name, bytes, make_idx(bytes, n, h, w, channels));
}

static const char *put_labels(const char *name, int n)
{
    unsigned char bytes[64];
    return put_bytes(name, bytes, make_labels(bytes, n, labels));
}

static void expect_pattern(const fgt_images *m, int n)
{
    const fgt_images_info info = info_of(m);
    const int64_t         size = info.height * info.width * info.channels;
    float                *x    = malloc((size_t)size * sizeof *x);
    assert_int_equal(info.count, n);
    for (int64_t k = 0; k < n; k++) {
        OK(fgt_images_copy_pixels(m, &k, 1, FGT_VIEW(x, 1, info.height, info.width, info.channels)));
        for (int64_t q = 0; q < size; q++) {
            const int c = (int)(q % info.channels), j = (int)(q / info.channels % info.width);
            const int i = (int)(q / info.channels / info.width);
            if (x[q] != test_pixel((int)k, i, j, c)) fail_msg("image %d, pixel %d", (int)k, (int)q);
        }
    }
    free(x);
}

static void test_idx(void **state)
{
    (void)state;
    fgt_images           *m;
    const fgt_images_opts o = {.size = sizeof o, .labels = put_labels("l", 5)};
    OK(fgt_images_load(ctx, put_idx("i", 5, 4, 3, 0), &o, &m));
    expect_pattern(m, 5);
    const fgt_images_info info = info_of(m);
    assert_int_equal(info.height, 4);
    assert_int_equal(info.width, 3);
    assert_int_equal(info.channels, 1);
    assert_int_equal(info.classes, 3);
    assert_string_equal(fgt_images_get_class_name(m, 0), "0");
    assert_string_equal(fgt_images_get_class_name(m, 1), "3");
    assert_string_equal(fgt_images_get_class_name(m, 2), "10"); /* as a number */
    assert_int_equal(images_class(m, 0), 1);
    assert_int_equal(images_class(m, 1), 2);
    assert_int_equal(images_info(m).class_rows[2], 2);
    assert_null(fgt_images_get_class_name(m, 3));
    assert_null(fgt_images_get_name(m, 0));
    fgt_images_destroy(&m);
    fgt_images_destroy(&m);
    OK(fgt_images_load(ctx, put_idx("c", 2, 4, 3, 3), &FGT_OPTS(fgt_images_opts, .no_classes = 1), &m));
    expect_pattern(m, 2);
    assert_int_equal(info_of(m).channels, 3);
    assert_int_equal(info_of(m).classes, 0);
    assert_int_equal(images_class(m, 0), -1);
    fgt_images_destroy(&m);
}

static void test_gzip(void **state)
{
    (void)state;
#ifdef FGTI_HAVE_ZLIB
    unsigned char bytes[4096];
    const size_t  n    = make_idx(bytes, 5, 4, 3, 0);
    const char   *path = in_directory("i.gz");
    gzFile        f    = gzopen(path, "wb");
    fgt_images   *m;
    assert_int_equal(gzwrite(f, bytes, (unsigned)n), n);
    assert_int_equal(gzclose(f), Z_OK);
    OK(fgt_images_load(ctx, path, &FGT_OPTS(fgt_images_opts, .no_classes = 1), &m));
    expect_pattern(m, 5);
    fgt_images_destroy(&m);
#else
    skip();
#endif
}

static void refuse(const char *path, const fgt_images_opts *o, fgt_status status, const char *words)
{
    fgt_images *m = (fgt_images *)ctx;
    REFUSED(fgt_images_load(ctx, path, o, &m), status, words);
    assert_null(m);
}

/* The images of put_idx("i", 5, 4, 3, 0) with other bytes. */
static void refuse_bytes(size_t at, unsigned char value, int64_t size, fgt_status status, const char *words)
{
    unsigned char bytes[4096] = {0};
    const size_t  n           = make_idx(bytes, 5, 4, 3, 0);
    bytes[at]                 = value;
    refuse(put_bytes("bad", bytes, (size_t)((int64_t)n + size)), &FGT_OPTS(fgt_images_opts, .no_classes = 1),
           status, words);
}

static void test_bad_idx(void **state)
{
    (void)state;
    refuse_bytes(2, 13, 0, FGT_E_FORMAT, "elements of the IDX file (got 13, need 8");
    refuse_bytes(3, 0, 0, FGT_E_FORMAT, "0 axes");
    refuse_bytes(3, 5, 0, FGT_E_FORMAT, "5 axes");
    refuse_bytes(3, 2, 0, FGT_E_FORMAT, "need [images,rows,columns]");
    refuse_bytes(7, 0, 0, FGT_E_FORMAT, "there are bytes after the last element");
    refuse_bytes(7, 6, 0, FGT_E_FORMAT, "byte 76: the IDX file ends too early");
    refuse_bytes(4, 0x7f, 0, FGT_E_FORMAT, "the IDX file ends too early");
    refuse_bytes(8, 0x7f, 0, FGT_E_SIZE, "need at most 16384 a side");
    refuse_bytes(11, 0, 0, FGT_E_FORMAT, "the picture has no pixels (got 0 x 3)");
    refuse_bytes(0, 0, -1, FGT_E_FORMAT, "ends too early");
    refuse_bytes(0, 0, 1, FGT_E_FORMAT, "byte 76: there are bytes after");
    refuse_bytes(0, 0, -66, FGT_E_FORMAT, "byte 10: the IDX file ends too early");
    const char           *five = put_idx("i", 5, 4, 3, 0);
    const fgt_images_opts four = {.size = sizeof four, .labels = put_labels("l", 4)};
    refuse(five, &four, FGT_E_DATA, "wrong number of labels (got 4, need ");
    const char           *all   = put_labels("l", 5);
    const fgt_images_opts ten   = {.size = sizeof ten, .labels = all, .classes = 10};
    const fgt_images_opts other = {.size = sizeof other, .labels = all, .height = 4, .width = 4};
    const fgt_images_opts three = {.size = sizeof three, .labels = five};
    refuse(five, &ten, FGT_E_DATA, "image 1: label is out of range (got 10, need 0 .. 9)");
    refuse(five, &other, FGT_E_DATA, "wrong size (got 4 x 3 pixels, need 4 x 4)");
    refuse(five, &three, FGT_E_FORMAT, "the labels have the wrong rank");
    refuse(five, NULL, FGT_E_ARG, "the file of its labels is missing");
    refuse(in_directory("none"), NULL, FGT_E_IO, "no such file");
    refuse(five, &FGT_OPTS(fgt_images_opts, .channels = 2), FGT_E_ARG, "channels (got 2, need 1 or 3)");
    refuse(five, &FGT_OPTS(fgt_images_opts, .height = 2), FGT_E_ARG, "height and width do not go together");
    refuse(five, &FGT_OPTS(fgt_images_opts, .no_classes = 1, .classes = 2), FGT_E_ARG, "no_classes");
}

/* ---- memory, parts ---- */

static fgt_images *five_images(void)
{
    float            x[5 * 2 * 2];
    fgt_images      *m;
    const int64_t    classes[] = {1, 0, 1, 4, 0};
    for (int i = 0; i < 20; i++) x[i] = (float)(i * 12);
    OK(fgt_images_create(ctx, FGT_VIEW(x, 5, 2, 2, 1), FGT_VIEW_OF(FGT_DTYPE_I64, classes, 5), NULL, &m));
    return m;
}

static void test_views(void **state)
{
    (void)state;
    fgt_images *m = five_images(), *part, *first, *rest;
    double      mean, deviation;
    float       x[8];
    OK(fgt_images_compute_moments(m, FGT_VIEW_OF(FGT_DTYPE_F64, &mean, 1),
                                  FGT_VIEW_OF(FGT_DTYPE_F64, &deviation, 1)));
    assert_true(mean == 114); /* 12 times 0 .. 19: 12 (20^2 - 1) / 12 is the square of the deviation */
    assert_true(fabs(deviation - 12 * sqrt(399 / 12.0)) < 1e-12);
    OK(fgt_images_create_subset(m, (const int64_t[]){3, 1}, 2, &part));
    OK(fgt_images_copy_pixels(part, (const int64_t[]){0, 1}, 2, FGT_VIEW(x, 2, 2, 2, 1)));
    assert_true(x[0] == 144 && x[7] == 84);
    assert_int_equal(images_class(part, 0), 2);
    assert_int_equal(info_of(part).classes, 3);
    assert_int_equal(images_info(part).class_rows[1], 0);
    OK(fgt_images_create_split(m, &FGT_OPTS(fgt_images_split_opts, .count = 2, .seed = 7), &first, &rest));
    int64_t seen[3] = {0};
    for (int64_t k = 0; k < 3; k++)
        seen[k] = images_info(first).class_rows[k] + images_info(rest).class_rows[k];
    assert_true(seen[0] == 2 && seen[1] == 2 && seen[2] == 1);
    assert_int_equal(info_of(first).count, 2);
    assert_int_equal(info_of(rest).count, 3);
    REFUSED(fgt_images_copy_pixels(m, (const int64_t[]){5}, 1, FGT_VIEW(x, 1, 2, 2, 1)), FGT_E_ARG,
            "image 5");
    REFUSED(fgt_images_copy_pixels(m, (const int64_t[]){0}, 1, FGT_VIEW(x, 1, 2, 1, 2)), FGT_E_SHAPE,
            "x has the wrong shape");
    fgt_images *none;
    REFUSED(fgt_images_create_subset(m, (const int64_t[]){-1}, 1, &none), FGT_E_ARG, "image -1");
    REFUSED(fgt_images_create_split(m, &FGT_OPTS(fgt_images_split_opts, .count = 5, .seed = 7), &none, &none),
            FGT_E_ARG, "5 of 5");
    fgt_images_destroy(&part);
    fgt_images_destroy(&first);
    fgt_images_destroy(&rest);
    fgt_images_destroy(&m);
}

static void test_class_names(void **state)
{
    (void)state;
    fgt_images       *m;
    float             x[3]    = {1, 2, 3};
    const char *const names[] = {"night", "day", "dawn"}, *const twice[] = {"day", "night", "day"},
                      *const bad[] = {"day", ""};
    const fgt_view          *three = FGT_VIEW(x, 3, 1, 1, 1),
                   *label          = FGT_VIEW_OF(FGT_DTYPE_I64, ((int64_t[]){1, 0, 1}), 3);
    OK(fgt_images_create(ctx, three, label,
                         &FGT_OPTS(fgt_images_opts, .class_names = names, .class_name_count = 3), &m));
    assert_int_equal(info_of(m).classes, 3);
    assert_string_equal(fgt_images_get_class_name(m, 1), "day");
    assert_int_equal(images_class(m, 0), 1);
    assert_int_equal(images_info(m).class_rows[2], 0);
    fgt_images_destroy(&m);
    REFUSED(fgt_images_create(ctx, three, label,
                              &FGT_OPTS(fgt_images_opts, .class_names = names, .class_name_count = 1), &m),
            FGT_E_DATA, "image 0: label is out of range (got 1, need 0 .. 0)");
    REFUSED(fgt_images_create(ctx, three, label,
                              &FGT_OPTS(fgt_images_opts, .class_names = twice, .class_name_count = 3), &m),
            FGT_E_ARG, "a name twice (got names 0 and 2)");
    REFUSED(fgt_images_create(ctx, three, label,
                              &FGT_OPTS(fgt_images_opts, .class_names = bad, .class_name_count = 2), &m),
            FGT_E_ARG, "a wrong name 1");
    REFUSED(fgt_images_create(ctx, three, label, &FGT_OPTS(fgt_images_opts, .class_name_count = 2), &m),
            FGT_E_ARG, "do not go together");
    REFUSED(fgt_images_create(
                ctx, three, label,
                &FGT_OPTS(fgt_images_opts, .class_names = names, .class_name_count = 3, .classes = 3), &m),
            FGT_E_ARG, "class_names already sets the classes");
}

static void test_bad_views(void **state)
{
    (void)state;
    float           x[4] = {0, 1, 255, 0.5f};
    const int64_t   c[]  = {0, -1};
    fgt_images     *m;
    const fgt_view *two = FGT_VIEW(x, 2, 1, 2, 1), *label = FGT_VIEW_OF(FGT_DTYPE_I64, c, 2);
    REFUSED(fgt_images_create(ctx, two, label, NULL, &m), FGT_E_DATA,
            "image 1 has a wrong pixel (got 0.5, need");
    x[3] = 256;
    REFUSED(fgt_images_create(ctx, two, label, NULL, &m), FGT_E_DATA,
            "image 1 has a wrong pixel (got 256, need");
    x[3] = NAN;
    REFUSED(fgt_images_create(ctx, two, label, NULL, &m), FGT_E_DATA,
            "image 1 has a wrong pixel (got nan, need");
    x[3] = 7;
    REFUSED(fgt_images_create(ctx, two, label, NULL, &m), FGT_E_DATA,
            "image 1: label is out of range (got -1");
    REFUSED(fgt_images_create(ctx, two, NULL, NULL, &m), FGT_E_ARG,
            "wrong labels and no_classes (need one of them)");
    REFUSED(fgt_images_create(ctx, FGT_VIEW(x, 1, 1, 2, 2), label, NULL, &m), FGT_E_SHAPE, "2 channels");
    assert_null(m);
    fgt_images *five = five_images();
    const fgt_images_opts like = {.size = sizeof like, .like = five};
    REFUSED(fgt_images_create(ctx, FGT_VIEW(x, 1, 2, 2, 1), FGT_VIEW_OF(FGT_DTYPE_I64, &(int64_t){7}, 1),
                              &like, &m),
            FGT_E_DATA, "class \"7\" is not one of the 3 classes");
    REFUSED(fgt_images_create(ctx, two, label, &like, &m), FGT_E_DATA,
            "wrong size (got 1 x 2 pixels, need 2 x 2)");
    fgt_images_destroy(&five);
}

/* ---- size ---- */

static void test_resampling(void **state)
{
    (void)state;
    unsigned char      p[] = {0, 10, 20, 30, 40, 50, 60, 70}, out[32];
    const fgti_picture flat = {2, 4, 1, p, 1};
    OK(fgti_picture_fit(ctx, &flat, 4, 8, 1, out)); /* enlarged: linear between the centres */
    const unsigned char rows[2][8] = {{0, 3, 8, 13, 18, 23, 28, 30}, {10, 13, 18, 23, 28, 33, 38, 40}};
    assert_memory_equal(out, rows[0], 8);
    assert_memory_equal(out + 8, rows[1], 8);
    OK(fgti_picture_fit(ctx, &flat, 1, 1, 1, out)); /* reduced: a mean, here of a symmetric picture */
    assert_int_equal(out[0], 35);
    memset(p, 200, sizeof p);
    OK(fgti_picture_fit(ctx, &flat, 3, 3, 3, out)); /* weights sum to 1 */
    for (int i = 0; i < 27; i++) assert_int_equal(out[i], 200);
    const fgti_picture colour = {1, 2, 3, (unsigned char[]){255, 0, 0, 0, 255, 0}, 1};
    OK(fgti_picture_fit(ctx, &colour, 1, 2, 1, out));
    assert_int_equal(out[0], 76);
    assert_int_equal(out[1], 150);
}

/* ---- failing allocations ---- */

static void test_no_memory(void **state)
{
    (void)state;
    fgt_images           *m, *five = five_images(), *rest;
    fgt_status            s;
    const char           *path = put_idx("i", 5, 4, 3, 0);
    const fgt_images_opts o    = {.size = sizeof o, .labels = put_labels("l", 5), .height = 3, .width = 5,
                                  .resize = 1};
    SWEEP(&memory, s, 8, fgt_images_load(ctx, path, &o, &m))
    {
        assert_null(m);
        NOTHING_LEAKS;
    }
    fgt_images_destroy(&m);
    SWEEP(&memory, s, 6,
          fgt_images_create_split(five, &FGT_OPTS(fgt_images_split_opts, .count = 2, .seed = 1), &m, &rest))
    {
        assert_null(m);
        assert_null(rest);
        NOTHING_LEAKS;
    }
    fgt_images_destroy(&m);
    fgt_images_destroy(&rest);
    fgt_images_destroy(&five);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_idx),        WITH_CONTEXT(test_gzip),      WITH_CONTEXT(test_bad_idx),
        WITH_CONTEXT(test_views),      WITH_CONTEXT(test_bad_views), WITH_CONTEXT(test_class_names),
        WITH_CONTEXT(test_resampling), WITH_CONTEXT(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
