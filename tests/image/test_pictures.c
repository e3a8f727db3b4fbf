/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG and JPEG files, folders and lists of them; damaged ones; failing allocations. */
#include "../samples_info.h"
#include "image/images.h"
#include "image/picture/decode.h"
#include "image/picture/jpeg.h"
#include "image/picture/png.h"
#include "pictures.h"

#if defined(FGTI_HAVE_PNG) && defined(FGTI_HAVE_JPEG)

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(in_directory(name), 0755), 0);
}

static void refuse(const char *path, const fgt_images_opts *o, fgt_status status, const char *words)
{
    fgt_images *m = (fgt_images *)ctx;
    REFUSED(fgt_images_load(ctx, path, o, &m), status, words);
    assert_null(m);
}

static fgt_status decode_png(fgt_context *c, const unsigned char *data, int64_t bytes, fgti_picture *p)
{
    return fgti_png_decode(c, data, bytes, &(fgti_colour){{255, 255, 255}}, p);
}

static fgti_picture decode(const char *path, fgt_status (*with)(fgt_context *, const unsigned char *, int64_t,
                                                                fgti_picture *))
{
    fgti_picture     p;
    const test_block b = test_read(path);
    OK(with(ctx, (const unsigned char *)b.data, b.size, &p));
    free(b.data);
    return p;
}

static void expect_png(int type, int depth, int interlaced)
{
    fgti_picture p = decode(put_png("p.png", 2, 7, 9, type, depth, interlaced, 255), decode_png);
    const int    c = type & PNG_COLOR_MASK_COLOR ? 3 : 1;
    assert_true(p.height == 7 && p.width == 9 && p.channels == c);
    for (int i = 0; i < 7 * 9 * c; i++)
        assert_int_equal(p.pixels[i], test_pixel(2, i / c / 9, i / c % 9, i % c));
    fgti_picture_done(ctx, &p);
}

static void test_png(void **state)
{
    (void)state;
    const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_GRAY_ALPHA,
                         PNG_COLOR_TYPE_RGBA};
    for (int i = 0; i < 16; i++) expect_png(types[i % 4], i & 4 ? 16 : 8, i & 8);
}

/* 5 x 7 pixels: pixel q has the index q % highest, the last one `highest`. Colour k of `colours` is
 * (9 k, 8 k, 7 k); alpha: that of colour 1, -1: there is no alpha. */
static const char *put_palette(int depth, int interlaced, int highest, int colours, int alpha)
{
    const char     *path = in_directory("p.png");
    FILE           *f    = fopen(path, "wb");
    png_structp     png  = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop       info = png_create_info_struct(png);
    png_color       colour[16];
    unsigned char   pixels[5][7], alphas[2] = {255, (unsigned char)alpha};
    png_bytep       row[5];
    assert_non_null(f);
    for (int k = 0; k < colours; k++)
        colour[k] = (png_color){(png_byte)(9 * k), (png_byte)(8 * k), (png_byte)(7 * k)};
    for (int i = 0; i < 5; i++) {
        row[i] = pixels[i];
        for (int j = 0; j < 7; j++) row[i][j] = (unsigned char)((7 * i + j) % highest);
    }
    pixels[4][6] = (unsigned char)highest;
    png_init_io(png, f);
    png_set_IHDR(png, info, 7, 5, depth, PNG_COLOR_TYPE_PALETTE,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, colour, colours);
    if (alpha >= 0) png_set_tRNS(png, info, alphas, 2, NULL);
    png_set_rows(png, info, row);
    png_set_check_for_invalid_index(png, 0);
    png_write_png(png, info, PNG_TRANSFORM_PACKING, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(f);
    return path;
}

static void refuse_palette(const char *path, fgt_status status, const char *words)
{
    const test_block b = test_read(path);
    fgti_picture     p;
    REFUSED(decode_png(ctx, (const unsigned char *)b.data, b.size, &p), status, words);
    assert_null(p.pixels);
    free(b.data);
}

static void test_palette(void **state)
{
    (void)state;
    const int highest[] = {1, 3, 12, 12};
    for (int i = 0; i < 8; i++) {
        const int    h = highest[i % 4];
        fgti_picture p = decode(put_palette(1 << i % 4, i & 4, h, h + 1, i & 1 ? 255 : -1), decode_png);
        assert_true(p.height == 5 && p.width == 7 && p.channels == 3);
        for (int q = 0; q < 5 * 7 * 3; q++)
            assert_int_equal(p.pixels[q], (9 - q % 3) * (q / 3 == 34 ? h : q / 3 % h));
        fgti_picture_done(ctx, &p);
    }
    refuse_palette(put_palette(8, 0, 12, 12, -1), FGT_E_FORMAT,
                   "the pixel in row 4, column 6 has the colour 12 of a palette of 12");
    refuse_palette(put_palette(2, 1, 3, 3, -1), FGT_E_FORMAT, "the colour 3 of a palette of 3");
}

static void test_jpeg(void **state)
{
    (void)state;
    const unsigned char colour[] = {200, 40, 90, 0};
    for (int i = 0; i < 4; i++) {
        const int    c = i & 1 ? 3 : 1;
        fgti_picture p = decode(put_jpeg("p.jpg", 9, 17, c, colour, i & 2), fgti_jpeg_decode);
        assert_true(p.height == 9 && p.width == 17 && p.channels == c);
        for (int q = 0; q < 9 * 17 * c; q++) assert_in_range(p.pixels[q] + 4, colour[q % c],
                                                             colour[q % c] + 8);
        fgti_picture_done(ctx, &p);
    }
    const test_block b = test_read(put_jpeg("p.jpg", 9, 17, 4, colour, false));
    fgti_picture     p;
    REFUSED(fgti_jpeg_decode(ctx, (const unsigned char *)b.data, b.size, &p), FGT_E_UNSUPPORTED,
            "wrong colours of the JPEG (got 4, CMYK, need 1 or 3); save it as RGB");
    free(b.data);
}

/* Every prefix and every changed byte gives a picture or a sentence. */
static void damage(const char *path, fgt_status (*with)(fgt_context *, const unsigned char *, int64_t,
                                                        fgti_picture *))
{
    const test_block b    = test_read(path);
    unsigned char   *copy = malloc((size_t)b.size);
    fgti_picture     p;
    for (int64_t n = 0; n < b.size; n++) {
        memcpy(copy, b.data, (size_t)n);
        if (with(ctx, copy, n, &p) == FGT_OK) fgti_picture_done(ctx, &p);
        assert_null(p.pixels);
    }
    for (int64_t n = 0; n < 3 * b.size; n++) {
        memcpy(copy, b.data, (size_t)b.size);
        copy[n / 3] ^= (unsigned char)(n % 3 == 0 ? 1 : n % 3 == 1 ? 0x80 : 0xff);
        if (with(ctx, copy, b.size, &p) == FGT_OK) fgti_picture_done(ctx, &p);
    }
    free(copy);
    free(b.data);
}

static void test_damage(void **state)
{
    (void)state;
    const unsigned char colour[] = {200, 40, 90};
    const test_block    b = test_read(put_png("p.png", 0, 3, 4, PNG_COLOR_TYPE_RGB, 8, 0, 255));
    fgti_picture        p;
    REFUSED(decode_png(ctx, (const unsigned char *)b.data, b.size - 20, &p), FGT_E_FORMAT,
            "end too early");
    b.data[b.size - 18] ^= 1;
    REFUSED(decode_png(ctx, (const unsigned char *)b.data, b.size, &p), FGT_E_FORMAT,
            "damaged near byte");
    free(b.data);
    damage(put_png("p.png", 0, 3, 4, PNG_COLOR_TYPE_RGBA, 8, 1, 255), decode_png);
    damage(put_palette(4, 1, 12, 13, 255), decode_png);
    damage(put_jpeg("p.jpg", 9, 17, 3, colour, false), fgti_jpeg_decode);
    damage(put_jpeg("p.jpg", 9, 17, 1, colour, true), fgti_jpeg_decode);
}

/* A head that claims much costs nothing. */
static void expect_huge(const test_block *b, fgt_status (*with)(fgt_context *, const unsigned char *, int64_t,
                                                                fgti_picture *),
                        fgt_status status, const char *words)
{
    fgti_picture p;
    memory.peak = memory.bytes;
    REFUSED(with(ctx, (const unsigned char *)b->data, b->size, &p), status, words);
    assert_true(memory.peak - memory.bytes < 1 << 16);
}

static void test_huge_jpeg(void **state)
{
    (void)state;
    const unsigned char colour[] = {1};
    test_block b  = test_read(put_jpeg("p.jpg", 9, 17, 1, colour, false));
    int64_t    at = 0; /* of the frame, which has the height and the width */
    while ((unsigned char)b.data[at] != 0xff || (unsigned char)b.data[at + 1] != 0xc0) at++;
    memset(b.data + at + 5, 0x3f, 4);
    expect_huge(&b, fgti_jpeg_decode, FGT_E_SIZE, "the picture is too large");
    memset(b.data + at + 5, 0x13, 4);
    expect_huge(&b, fgti_jpeg_decode, FGT_E_FORMAT, "4883 x 4883 pixels, more than");
    free(b.data);
}

/* A head, EXIF data, and a few bytes of pixels. */
static test_block begun_png(png_uint_32 side, size_t exif)
{
    png_byte   *data = calloc(exif + 4, 1);
    const char *path = in_directory("p.png");
    FILE       *f    = fopen(path, "wb");
    png_structp png  = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop   info = png_create_info_struct(png);
    assert_non_null(f);
    png_init_io(png, f);
    png_set_IHDR(png, info, side, side, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    memcpy(data, "MM\0*", 4);
    if (exif) png_write_chunk(png, (png_const_bytep) "eXIf", data, exif);
    free(data);
    png_write_chunk(png, (png_const_bytep) "IDAT", (png_const_bytep) "\x78\x01\x01", 3);
    png_destroy_write_struct(&png, &info);
    fclose(f);
    return test_read(path);
}

static void test_huge_png(void **state)
{
    (void)state;
    test_block b = begun_png(16385, 0);
    expect_huge(&b, decode_png, FGT_E_SIZE, "the picture is too large");
    free(b.data);
    b = begun_png(5000, 0);
    expect_huge(&b, decode_png, FGT_E_FORMAT, "5000 x 5000 pixels, more than 48 bytes hold");
    free(b.data);
    b = begun_png(80, 0); /* 19 thousand bytes, which 48 can hold */
    fgti_picture p;
    REFUSED(decode_png(ctx, (const unsigned char *)b.data, b.size, &p), FGT_E_FORMAT, "end too early");
    free(b.data);
}

/* libpng goes on without memory for EXIF data. What is wrong behind it does not replace the sentence. */
static void test_png_exif(void **state)
{
    (void)state;
    const test_block b = begun_png(80, 60000);
    fgt_status       s = FGT_E_NOMEM;
    fgti_picture     p;
    for (int64_t k = 1; s == FGT_E_NOMEM; k++) {
        memory.countdown = k;
        s                = decode_png(ctx, (const unsigned char *)b.data, b.size, &p);
        assert_true(s == FGT_E_FORMAT || !strstr(fgt_context_get_error(ctx), "end too early"));
    }
    memory.countdown = 0;
    assert_int_equal(s, FGT_E_FORMAT);
    free(b.data);
}

static void put_classes(void)
{
    make_folder("set");
    make_folder("set/b");
    make_folder("set/a");
    put_png("set/b/2.png", 0, 3, 4, PNG_COLOR_TYPE_GRAY, 8, 0, 255);
    put_png("set/a/1.PNG", 1, 3, 4, PNG_COLOR_TYPE_GRAY, 8, 0, 255);
    put_jpeg("set/b/1.jpeg", 3, 4, 1, (const unsigned char[]){9}, false);
    put_bytes("set/.hidden", "x", 1);
    put_bytes("set/b/Thumbs.db", "x", 1);
}

static void test_folder(void **state)
{
    (void)state;
    fgt_images *m;
    put_classes();
    OK(fgt_images_load(ctx, in_directory("set"), NULL, &m));
    assert_string_equal(fgt_images_get_class_name(m, 0), "a");
    assert_string_equal(fgt_images_get_name(m, 0), "a/1.PNG");
    assert_string_equal(fgt_images_get_name(m, 1), "b/1.jpeg");
    assert_string_equal(fgt_images_get_name(m, 2), "b/2.png");
    assert_int_equal(images_class(m, 2), 1);
    fgt_images_destroy(&m);
    assert_int_equal(symlink("nothing", in_directory("set/gone")), 0);
    OK(fgt_images_load(ctx, in_directory("set"), NULL, &m)); /* no folder */
    fgt_images_destroy(&m);
    const char *const loop = in_directory("set/loop");
    assert_int_equal(symlink("loop", loop), 0);
    refuse(in_directory("set"), NULL, FGT_E_IO, "set/loop: cannot open: ");
    assert_int_equal(unlink(loop), 0);
    const fgt_images_opts bare = {.size = sizeof bare, .no_classes = 1};
    OK(fgt_images_load(ctx, in_directory("set/b"), &bare, &m));
    assert_string_equal(fgt_images_get_name(m, 1), "2.png");
    assert_int_equal(images_class(m, 1), -1);
    fgt_images_destroy(&m);
    refuse(in_directory("set/b"), NULL, FGT_E_DATA, "set/b/1.jpeg is in no subfolder");
    OK(fgt_images_load(ctx, in_directory("set"), &bare, &m));
    assert_string_equal(fgt_images_get_name(m, 0), "a/1.PNG");
    fgt_images_destroy(&m);
    refuse(in_directory("set/b/2.png"), NULL, FGT_E_FORMAT, "is one picture");
    make_folder("set/c");
    refuse(in_directory("set"), NULL, FGT_E_DATA, "set/c: the folder has no .png");
    put_png("set/c/1.png", 0, 4, 4, PNG_COLOR_TYPE_GRAY, 8, 0, 255);
    refuse(in_directory("set"), NULL, FGT_E_DATA, "set/c/1.png: wrong size (got 4 x 4 pixels, need 3 x 4)");
    OK(fgt_images_load(ctx, in_directory("set"), &FGT_OPTS(fgt_images_opts, .resize = 1), &m));
    fgt_images_destroy(&m);
    put_bytes("set/c/1.png", "no picture", 10);
    refuse(in_directory("set"), NULL, FGT_E_FORMAT, "set/c/1.png: the file is neither PNG nor JPEG");
    put_bytes("set/c/1.png", "", 0);
    refuse(in_directory("set"), NULL, FGT_E_FORMAT, "set/c/1.png: the file is empty");
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *name, *bytes;
    } kinds[] = {{"WebP", "RIFF1234WEBPVP8 "}, {"GIF", "GIF89a.........."},  {"BMP", "BM1234\0\0\0\0......"},
                 {"TIFF", "II*\0............"}, {"TIFF", "MM\0*............"},
                 {"AVIF", "\0\0\0 ftypavif...."},
                 {"HEIC", "\0\0\0 ftypheic...."}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        fgti_picture p;
        char         words[80];
        snprintf(words, sizeof words, "the file is %s, which is not read; convert it to PNG", kinds[i].name);
        for (int64_t n = 0; n <= 16; n++)
            assert_int_equal(fgti_picture_decode(ctx, (const unsigned char *)kinds[i].bytes, n,
                                                 &(fgti_colour){{0}}, &p), FGT_E_FORMAT);
        assert_non_null(strstr(fgt_context_get_error(ctx), words));
    }
}

static void refuse_list(const char *text, fgt_status status, const char *words)
{
    refuse(put_bytes("list.csv", text, strlen(text)), NULL, status, words);
}

static void test_list(void **state)
{
    (void)state;
    fgt_images *m;
    const char *text = "file,class\nx.png,cat\n\"y.png\",dog\nx.png,dog\n";
    put_png("x.png", 0, 3, 4, PNG_COLOR_TYPE_GRAY, 8, 0, 255);
    put_png("y.png", 1, 3, 4, PNG_COLOR_TYPE_RGB, 8, 0, 255);
    OK(fgt_images_load(ctx, put_bytes("list.csv", text, strlen(text)), NULL, &m));
    assert_int_equal(images_info(m).class_rows[1], 2);
    assert_string_equal(fgt_images_get_name(m, 1), "y.png");
    fgt_images_destroy(&m);
    text = "file\tclass\nx.png\tred, dark\ny.png\tblue\n";
    OK(fgt_images_load(ctx, put_bytes("list.tsv", text, strlen(text)), NULL, &m));
    assert_string_equal(fgt_images_get_class_name(m, 1), "red, dark");
    fgt_images_destroy(&m);
    text = "x.png\ny.png\n";
    OK(fgt_images_load(ctx, put_bytes("list.csv", text, strlen(text)),
                       &FGT_OPTS(fgt_images_opts, .no_classes = 1, .channels = 3), &m));
    fgt_images_destroy(&m);
    refuse_list("x.png\n", FGT_E_FORMAT,
                "line 1: wrong number of cells (got 1, need 2, a file and its class)");
    refuse_list("x.png,a,b\n", FGT_E_FORMAT, "(got 3, need 2, a file and its class)");
    refuse_list("x.png,a\nz.png,b\n", FGT_E_IO, "list.csv: line 2: ");
    assert_int_equal(mkfifo(in_directory("pipe.png"), 0600), 0);
    refuse_list("x.png,a\npipe.png,b\n", FGT_E_IO, "pipe.png: a picture must be a regular file");
    refuse_list("x.png,\n", FGT_E_DATA, "line 1: the class is empty");
    refuse_list("x.png,a\n,b\n", FGT_E_DATA, "line 2: the name of the file is empty");
    refuse_list("x.png,caf\xe9\n", FGT_E_DATA, "line 1: the name of the class is not UTF-8: \"caf\xe9\"");
    refuse_list("", FGT_E_DATA, "there is no image");
    refuse_list("file,class\n", FGT_E_DATA, "there is no image");
}

static void test_no_memory(void **state)
{
    (void)state;
    const unsigned char colour[] = {200, 40, 90};
    const char *text = "x.png,cat\ny.jpg,dog\n";
    fgt_images *m;
    fgt_status  s;
    put_png("x.png", 0, 3, 4, PNG_COLOR_TYPE_RGBA, 8, 1, 255);
    put_jpeg("y.jpg", 9, 17, 3, colour, true);
    const char *path = put_bytes("list.csv", text, strlen(text));
    SWEEP(&memory, s, 20, fgt_images_load(ctx, path, &FGT_OPTS(fgt_images_opts, .resize = 1), &m))
    {
        assert_null(m);
        NOTHING_LEAKS;
    }
    fgt_images_destroy(&m);
    make_folder("sweep");
    make_folder("sweep/a");
    put_png("sweep/a/x.png", 0, 3, 4, PNG_COLOR_TYPE_GRAY, 8, 0, 255);
    SWEEP(&memory, s, 20, fgt_images_load(ctx, in_directory("sweep"), NULL, &m)) NOTHING_LEAKS;
    fgt_images_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_png),       WITH_CONTEXT(test_palette),  WITH_CONTEXT(test_jpeg),
        WITH_CONTEXT(test_damage),    WITH_CONTEXT(test_huge_jpeg), WITH_CONTEXT(test_huge_png),
        WITH_CONTEXT(test_folder),    WITH_CONTEXT(test_list),     WITH_CONTEXT(test_no_memory),
        WITH_CONTEXT(test_png_exif), WITH_CONTEXT(test_kinds),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
#else
int main(void)
{
    puts("skipped: built without libpng or libjpeg");
    return 77;
}
#endif
