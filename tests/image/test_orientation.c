/* SPDX-License-Identifier: BSD-3-Clause */
/* EXIF orientations in JPEG and PNG files, and pixels that are not opaque. */
#include "image/images.h"
#include "image/picture/decode.h"
#include "image/picture/exif.h"
#include "pictures.h"

#if defined(FGTI_HAVE_PNG) && defined(FGTI_HAVE_JPEG)

#include <jpeglib.h>
#include <png.h>

/* ---- EXIF data ---- */

enum { EXIF_MAX = 64 };

static void put_number(unsigned char *to, int bytes, bool little, uint32_t v)
{
    for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(v >> 8 * (little ? i : bytes - 1 - i));
}

/* A header, two entries, of which the second one is the orientation, and no further directory; its size. */
static size_t make_exif(unsigned char *to, bool little, int type, uint32_t orientation)
{
    const uint32_t entries[2][4] = {{0x100, 4, 1, 7}, {0x112, (uint32_t)type, 1, orientation}};
    unsigned char *p             = to + 8;
    memcpy(to, little ? "II" : "MM", 2);
    put_number(to + 2, 2, little, 42);
    put_number(to + 4, 4, little, 8);
    put_number(p, 2, little, 2);
    p += 2;
    for (int i = 0; i < 2; i++, p += 12) {
        const bool short_value = entries[i][1] == 3;
        put_number(p, 2, little, entries[i][0]);
        put_number(p + 2, 2, little, entries[i][1]);
        put_number(p + 4, 4, little, entries[i][2]);
        put_number(p + 8, 4, little, 0);
        put_number(p + 8, short_value ? 2 : 4, little, entries[i][3]);
    }
    put_number(p, 4, little, 0);
    return (size_t)(p + 4 - to);
}

static void test_exif(void **state)
{
    (void)state;
    unsigned char e[EXIF_MAX];
    for (int little = 0; little < 2; little++) {
        for (uint32_t o = 0; o < 12; o++)
            for (int type = 3; type <= 4; type++) {
                const int64_t n = (int64_t)make_exif(e, little, type, o), upright = o >= 1 && o <= 8 ? o : 1;
                assert_int_equal(fgti_exif_orientation(e, n), upright);
                assert_int_equal(fgti_exif_orientation(e, n - 4), upright); /* nothing follows the entries */
                for (int64_t k = 0; k < n - 4; k++) {
                    unsigned char *exact = malloc((size_t)k + 1); /* so that a sanitiser sees reads beyond */
                    memcpy(exact + 1, e, (size_t)k);
                    assert_int_equal(fgti_exif_orientation(exact + 1, k), 1);
                    free(exact);
                }
            }
        const int64_t n = (int64_t)make_exif(e, little, 2, 6);
        assert_int_equal(fgti_exif_orientation(e, n), 1); /* a text */
        make_exif(e, little, 3, 6);
        put_number(e + 4, 4, little, 0xffffffff);
        assert_int_equal(fgti_exif_orientation(e, n), 1);
        put_number(e + 4, 4, little, (uint32_t)n - 1);
        assert_int_equal(fgti_exif_orientation(e, n), 1);
        make_exif(e, little, 3, 6);
        put_number(e + 8, 2, little, 0xffff); /* more entries than there are */
        assert_int_equal(fgti_exif_orientation(e, n), 6);
        put_number(e + 8, 2, little, 1);
        assert_int_equal(fgti_exif_orientation(e, n), 1);
    }
}

/* ---- pictures that stand upright, and how a camera stores them ---- */

enum { HEIGHT = 3, WIDTH = 4, CELL = 8 }; /* cells of 8 x 8 pixels, which JPEG keeps apart */

/* Where the first row and the first column of the stored picture are in the upright one (EXIF, 4.6.4). */
static const char *const sides[9] = {"", "TL", "TR", "BR", "BL", "LT", "RT", "RB", "LB"};

/* The upright cell that is stored at row r, column c. */
static int cell_of(int o, int r, int c)
{
    const char first = sides[o][0], second = sides[o][1];
    const int  y = first == 'T' ? r : first == 'B' ? HEIGHT - 1 - r : second == 'T' ? c : HEIGHT - 1 - c;
    const int  x = first == 'L' ? r : first == 'R' ? WIDTH - 1 - r : second == 'L' ? c : WIDTH - 1 - c;
    return y * WIDTH + x;
}

static unsigned char value_of(int cell)
{
    return (unsigned char)(20 + cell * 19);
}

typedef struct stored {
    int           height, width; /* in pixels */
    unsigned char pixels[CELL * WIDTH][CELL * WIDTH];
} stored;

static void store(int o, stored *s)
{
    s->height = CELL * (o < 5 ? HEIGHT : WIDTH);
    s->width  = CELL * (o < 5 ? WIDTH : HEIGHT);
    for (int i = 0; i < s->height; i++)
        for (int j = 0; j < s->width; j++) s->pixels[i][j] = value_of(cell_of(o, i / CELL, j / CELL));
}

enum { PLAIN, AFTER_XMP, AFTER_COMMENT }; /* what is before the EXIF segment */

static const char *put_exif_jpeg(const stored *s, const unsigned char *exif, size_t size, int around)
{
    const char                 *path = in_directory("o.jpg");
    FILE                       *f    = fopen(path, "wb");
    struct jpeg_compress_struct j;
    struct jpeg_error_mgr       errors;
    unsigned char               segment[6 + EXIF_MAX] = "Exif\0";
    assert_non_null(f);
    memcpy(segment + 6, exif, size);
    j.err = jpeg_std_error(&errors);
    jpeg_create_compress(&j);
    jpeg_stdio_dest(&j, f);
    j.image_width      = (JDIMENSION)s->width;
    j.image_height     = (JDIMENSION)s->height;
    j.input_components = 1;
    j.in_color_space   = JCS_GRAYSCALE;
    jpeg_set_defaults(&j);
    jpeg_set_quality(&j, 100, TRUE);
    jpeg_start_compress(&j, TRUE);
    if (around == AFTER_XMP)
        jpeg_write_marker(&j, JPEG_APP0 + 1, (const JOCTET *)"http://ns.adobe.com/xap/1.0/", 29);
    if (around == AFTER_COMMENT) jpeg_write_marker(&j, JPEG_COM, (const JOCTET *)"", 1);
    jpeg_write_marker(&j, JPEG_APP0 + 1, segment, (unsigned)(6 + size));
    for (int i = 0; i < s->height; i++) {
        JSAMPROW row = (JSAMPROW)s->pixels[i];
        jpeg_write_scanlines(&j, &row, 1);
    }
    jpeg_finish_compress(&j);
    jpeg_destroy_compress(&j);
    fclose(f);
    return path;
}

static const char *put_exif_png(const stored *s, const unsigned char *exif, size_t size, bool behind)
{
    const char *path = in_directory("o.png");
    FILE       *f    = fopen(path, "wb");
    png_structp png  = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop   info = png_create_info_struct(png);
    assert_non_null(f);
    png_init_io(png, f);
    png_set_IHDR(png, info, (png_uint_32)s->width, (png_uint_32)s->height, 8, PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (!behind) png_write_chunk(png, (png_const_bytep) "eXIf", exif, size);
    for (int i = 0; i < s->height; i++) png_write_row(png, s->pixels[i]);
    if (behind) png_write_chunk(png, (png_const_bytep) "eXIf", exif, size);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(f);
    return path;
}

static const fgti_colour white = {{255, 255, 255}};

static fgti_picture decode(const char *path, const fgti_colour *background)
{
    fgti_picture     p;
    const test_block b = test_read(path);
    OK(fgti_picture_decode(ctx, (const unsigned char *)b.data, b.size, background, &p));
    free(b.data);
    return p;
}

/* The file shows the upright picture; within: what a JPEG may lose. */
static void expect_upright(const char *path, int within)
{
    fgti_picture p = decode(path, &white);
    assert_true(p.height == CELL * HEIGHT && p.width == CELL * WIDTH && p.channels == 1);
    for (int i = 0; i < p.height; i++)
        for (int j = 0; j < p.width; j++)
            assert_in_range(p.pixels[i * p.width + j] + within, value_of(i / CELL * WIDTH + j / CELL),
                            value_of(i / CELL * WIDTH + j / CELL) + 2 * within);
    fgti_picture_done(ctx, &p);
}

/* A byte 0xff more before the segment, as T.81 B.1.1.2 allows. */
static const char *fill(const char *path)
{
    const test_block b  = test_read(path);
    char            *at = b.data + 2, *copy = malloc((size_t)b.size + 1);
    while ((unsigned char)at[1] != 0xe1) at += 2 + ((unsigned char)at[2] << 8 | (unsigned char)at[3]);
    const size_t head = (size_t)(at - b.data);
    memcpy(copy, b.data, head);
    copy[head] = (char)0xff;
    memcpy(copy + head + 1, at, (size_t)b.size - head);
    put_bytes("o.jpg", copy, (size_t)b.size + 1);
    free(copy);
    free(b.data);
    return path;
}

static void test_orientations(void **state)
{
    (void)state;
    for (int o = 1; o <= 8; o++)
        for (int little = 0; little < 2; little++) {
            unsigned char exif[EXIF_MAX];
            const size_t  n = make_exif(exif, little, 3, (uint32_t)o);
            stored        s;
            store(o, &s);
            expect_upright(put_exif_jpeg(&s, exif, n, PLAIN), 2);
            expect_upright(put_exif_jpeg(&s, exif, n, AFTER_XMP), 2);
            expect_upright(fill(put_exif_jpeg(&s, exif, n, AFTER_COMMENT)), 2);
#ifdef PNG_eXIf_SUPPORTED
            expect_upright(put_exif_png(&s, exif, n, false), 0);
            expect_upright(put_exif_png(&s, exif, n, true), 0);
#endif
        }
}

/* Whatever the EXIF data are, there is a picture; without an orientation it is the stored one. */
static void test_damaged_exif(void **state)
{
    (void)state;
    unsigned char exif[EXIF_MAX];
    const size_t  n = make_exif(exif, true, 3, 6);
    stored        s;
    store(1, &s);
    for (size_t k = 0; k < n - 4; k++) {
        expect_upright(put_exif_jpeg(&s, exif, k, PLAIN), 2);
        expect_upright(put_exif_png(&s, exif, k, k % 2), 0);
    }
    for (size_t k = 0; k < n; k++) {
        exif[k] ^= 0xff;
        fgti_picture p = decode(put_exif_jpeg(&s, exif, n, PLAIN), &white);
        fgti_picture_done(ctx, &p);
        p = decode(put_exif_png(&s, exif, n, k % 2), &white);
        fgti_picture_done(ctx, &p);
        exif[k] ^= 0xff;
    }
}

/* ---- alpha ---- */

/* (a x + (255 - a) b) / 255 for the last pixel, which alone is not opaque. */
static void expect_mixed(int type, int depth, const fgti_colour *background, unsigned char alpha)
{
    const unsigned char *b = background->rgb;
    fgti_picture p = decode(put_png("p.png", 2, 7, 9, type, depth, 0, alpha), background);
    const bool   grey = b[0] == b[1] && b[1] == b[2];
    const int    c = type & PNG_COLOR_MASK_COLOR || !grey ? 3 : 1;
    assert_true(p.height == 7 && p.width == 9 && p.channels == c);
    for (int i = 0; i < 7 * 9 * c; i++) {
        const int x = test_pixel(2, i / c / 9, i / c % 9, type & PNG_COLOR_MASK_COLOR ? i % c : 0);
        const int a = i / c == 7 * 9 - 1 ? alpha : 255;
        assert_int_equal(p.pixels[i], (int)(((double)a * x + (255.0 - a) * b[i % c]) / 255 + 0.5));
    }
    fgti_picture_done(ctx, &p);
}

static void test_alpha(void **state)
{
    (void)state;
    const fgti_colour backgrounds[] = {{{255, 255, 255}}, {{0, 0, 0}}, {{128, 128, 128}}, {{64, 128, 255}}};
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < 256; a += 5) {
            expect_mixed(PNG_COLOR_TYPE_GRAY_ALPHA, 8, &backgrounds[k], (unsigned char)a);
            expect_mixed(PNG_COLOR_TYPE_RGBA, a % 2 ? 8 : 16, &backgrounds[k], (unsigned char)a);
        }
}

/* 5 x 7 pixels of 1 bit, every third one of the first colour, which is transparent. */
static const char *put_key(int type)
{
    const char   *path  = in_directory("k.png");
    FILE         *f     = fopen(path, "wb");
    png_structp   png   = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop     info  = png_create_info_struct(png);
    png_color     two[] = {{10, 20, 30}, {200, 100, 50}};
    png_color_16  key   = {0};
    unsigned char clear = 0, row[1];
    assert_non_null(f);
    png_init_io(png, f);
    png_set_IHDR(png, info, 7, 5, 1, type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, two, 2);
    png_set_tRNS(png, info, &clear, 1, &key);
    png_write_info(png, info);
    for (int i = 0; i < 5; i++) {
        row[0] = 0;
        for (int j = 0; j < 7; j++) row[0] |= (unsigned char)((7 * i + j) % 3 ? 0x80 >> j : 0);
        png_write_row(png, row);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(f);
    return path;
}

static void test_key(void **state)
{
    (void)state;
    const fgti_colour   blue = {{1, 2, 250}};
    const unsigned char second[] = {200, 100, 50};
    fgti_picture        p = decode(put_key(PNG_COLOR_TYPE_PALETTE), &blue);
    assert_int_equal(p.channels, 3);
    for (int q = 0; q < 5 * 7 * 3; q++)
        assert_int_equal(p.pixels[q], q / 3 % 3 ? second[q % 3] : blue.rgb[q % 3]);
    fgti_picture_done(ctx, &p);
    p = decode(put_key(PNG_COLOR_TYPE_GRAY), &white);
    assert_int_equal(p.channels, 1);
    for (int q = 0; q < 5 * 7; q++) assert_int_equal(p.pixels[q], 255);
    fgti_picture_done(ctx, &p);
    p = decode(put_key(PNG_COLOR_TYPE_GRAY), &blue);
    assert_int_equal(p.channels, 3);
    for (int q = 0; q < 5 * 7 * 3; q++) assert_int_equal(p.pixels[q], q / 3 % 3 ? 255 : blue.rgb[q % 3]);
    fgti_picture_done(ctx, &p);
}

/* The first pixel of a set of one transparent picture. */
static float first_pixel(const char *background, const fgt_images *like, fgt_images **images)
{
    const char *text = "clear.png,a\n", *path = put_bytes("list.csv", text, strlen(text));
    float       x[12];
    put_png("clear.png", 0, 1, 1, PNG_COLOR_TYPE_GRAY_ALPHA, 8, 0, 0);
    OK(fgt_images_load(ctx, path, &FGT_OPTS(fgt_images_opts, .background = background, .like = like),
                       images));
    OK(fgt_images_copy_pixels(*images, (const int64_t[]){0}, 1, FGT_VIEW(x, 1, 1, 1, 1)));
    return x[0];
}

static void test_background(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        float       gray;
    } right[] = {{NULL, 255}, {"white", 255}, {"black", 0}, {"gray", 128}, {"grey", 128}, {"#0a0A0a", 10}};
    static const char *const wrong[] = {"", "#", "#fff", "#ffffff0", "ffffff", "#fffffg", "#ffff f", "White",
                                        "transparent", "#\xff\xff\xff\xff\xff\xff"};
    fgt_images *images, *again;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(first_pixel(right[i].text, NULL, &images) == right[i].gray);
        assert_true(first_pixel(NULL, images, &again) == right[i].gray);
        fgt_images_destroy(&again);
        assert_true(first_pixel("#010101", images, &again) == 1);
        fgt_images_destroy(&again);
        fgt_images_destroy(&images);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        REFUSED(fgt_images_load(ctx, in_directory("list.csv"),
                                &FGT_OPTS(fgt_images_opts, .background = wrong[i]), &images),
                FGT_E_ARG, "need white, black, gray, or a colour such as #4080ff)");
}

static void test_no_memory(void **state)
{
    (void)state;
    unsigned char exif[EXIF_MAX];
    const size_t  n = make_exif(exif, false, 3, 8);
    stored        s;
    fgti_picture  p;
    fgt_status    status;
    store(8, &s);
    const test_block b = test_read(put_exif_jpeg(&s, exif, n, PLAIN));
    SWEEP(&memory, status, 3, fgti_picture_decode(ctx, (unsigned char *)b.data, b.size, &white, &p))
    {
        assert_null(p.pixels);
        NOTHING_LEAKS;
    }
    fgti_picture_done(ctx, &p);
    free(b.data);
    const test_block c = test_read(put_exif_png(&s, exif, n, true));
    SWEEP(&memory, status, 5, fgti_picture_decode(ctx, (unsigned char *)c.data, c.size, &white, &p))
    {
        assert_null(p.pixels);
        NOTHING_LEAKS;
    }
    fgti_picture_done(ctx, &p);
    free(c.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_exif),     WITH_CONTEXT(test_orientations), WITH_CONTEXT(test_damaged_exif),
        WITH_CONTEXT(test_alpha),    WITH_CONTEXT(test_key),          WITH_CONTEXT(test_background),
        WITH_CONTEXT(test_no_memory),
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
