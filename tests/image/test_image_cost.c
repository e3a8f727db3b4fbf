/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that a few bytes of a picture may ask of the allocator. */
#include "image/images.h"
#include "image/picture/decode.h"
#include "pictures.h"

#if defined(FGTI_HAVE_PNG) && defined(FGTI_HAVE_JPEG)

#include <jpeglib.h>
#include <png.h>

static const fgti_colour white = {{255, 255, 255}};

/* libpng's own structures, and zlib's window. */
#define FIXED (INT64_C(1) << 17)

/* Decodes a file, or refuses it with these words; the most that was asked for meanwhile. */
static int64_t cost(const test_block *b, fgt_status want, const char *words)
{
    fgti_picture  p;
    const int64_t before = memory.bytes;
    memory.peak          = before;
    REFUSED(fgti_picture_decode(ctx, (const unsigned char *)b->data, b->size, &white, &p), want, words);
    fgti_picture_done(ctx, &p);
    return memory.peak - before;
}

/* ---- PNG ---- */

typedef struct writer {
    png_structp png;
    png_infop   info;
    FILE       *f;
} writer;

static const char *const name = "p.png";

static void begin(writer *w, int side, int depth, int type)
{
    w->f    = fopen(in_directory(name), "wb");
    w->png  = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    w->info = png_create_info_struct(w->png);
    assert_non_null(w->f);
    png_init_io(w->png, w->f);
    png_set_IHDR(w->png, w->info, (png_uint_32)side, (png_uint_32)side, depth, type, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(w->png, 9);
    png_set_text_compression_level(w->png, 9);
}

/* Rows of zeros; with pixels == false none. */
static test_block end(writer *w, int side, bool pixels)
{
    png_byte *row = calloc((size_t)side, 8);
    for (int i = 0; pixels && i < side; i++) png_write_row(w->png, row);
    if (pixels) png_write_end(w->png, NULL);
    free(row);
    png_destroy_write_struct(&w->png, &w->info);
    fclose(w->f);
    return test_read(in_directory(name));
}

/* Texts, and a profile, that are a thousand times as long as their chunks. */
static void test_texts(void **state)
{
    (void)state;
    enum { LENGTH = 8000000 };
    char *text = malloc(LENGTH + 1);
    memset(text, 'a', LENGTH);
    text[LENGTH] = 0;
    for (int kind = 0; kind < 3; kind++) {
        writer   w;
        png_text t = {.compression = kind ? PNG_ITXT_COMPRESSION_zTXt : PNG_TEXT_COMPRESSION_zTXt, .key = "k",
                      .text = text, .text_length = LENGTH, .lang = "", .lang_key = ""};
        begin(&w, 8, 8, PNG_COLOR_TYPE_GRAY);
        for (int i = 0; kind < 2 && i < 3; i++) png_set_text(w.png, w.info, &t, 1);
        png_write_info(w.png, w.info);
        for (int i = 0; kind == 2 && i < 3; i++) /* a profile that libpng would not write */
            png_write_chunk(w.png, (png_const_bytep) "tEXt", (png_const_bytep)text, LENGTH);
        const test_block b = end(&w, 8, true);
        assert_true(cost(&b, FGT_OK, "") < FIXED);
        free(b.data);
    }
    free(text);
}

/* EXIF data are kept, but no more of them than there are. */
static void test_claims(void **state)
{
    (void)state;
    static const char *const types[] = {"eXIf", "tEXt", "zTXt", "iTXt", "iCCP", "sPLT", "hIST", "teSt"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (uint32_t claim = 1000; claim < UINT32_C(1) << 31; claim *= 10) {
            writer        w;
            unsigned char head[8];
            begin(&w, 8, 8, PNG_COLOR_TYPE_GRAY);
            png_write_info(w.png, w.info);
            png_write_flush(w.png);
            put_big(head, claim);
            memcpy(head + 4, types[i], 4);
            fwrite(head, 1, 8, w.f);
            const test_block b = end(&w, 8, false);
            assert_true(cost(&b, FGT_E_FORMAT, "the PNG data ") < FIXED);
            free(b.data);
        }
}

/* 8256 pixels for each byte, of which one takes at most three bytes; a few pixels more are refused. */
static void test_png_pixels(void **state)
{
    (void)state;
    for (int paletted = 0; paletted < 2; paletted++) {
        writer    w;
        png_color two[2]  = {{0}};
        const int type    = paletted ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_GRAY, side = 4096;
        begin(&w, side, 1, type);
        if (paletted) png_set_PLTE(w.png, w.info, two, 2);
        png_write_info(w.png, w.info);
        const test_block b = end(&w, side, true);
        assert_true(b.size < 8192); /* 2^24 pixels */
        assert_true(cost(&b, FGT_OK, "") <= (paletted ? 3 : 1) * (int64_t)side * side + side * 8 + FIXED);
        put_big((unsigned char *)b.data + 16, 16384);
        put_big((unsigned char *)b.data + 20, 2048);
        assert_true(cost(&b, FGT_E_FORMAT, "the PNG ") < FIXED); /* the checksum of the head is wrong */
        free(b.data);
    }
}

/* ---- JPEG ---- */

/* One colour, of so many pixels a side, and then another height and width in the frame. */
static test_block jpeg(bool arithmetic, bool progressive, int pixels, int side)
{
    FILE                       *f = fopen(in_directory("p.jpg"), "wb");
    struct jpeg_compress_struct j;
    struct jpeg_error_mgr       errors;
    static unsigned char        line[3 * 1024];
    JSAMPROW                    row = line;
    assert_non_null(f);
    j.err = jpeg_std_error(&errors);
    jpeg_create_compress(&j);
    jpeg_stdio_dest(&j, f);
    j.image_width = j.image_height = (JDIMENSION)pixels;
    j.input_components             = 3;
    j.in_color_space               = JCS_RGB;
    jpeg_set_defaults(&j);
    j.arith_code = arithmetic;
    if (progressive) jpeg_simple_progression(&j);
    jpeg_start_compress(&j, TRUE);
    for (int i = 0; i < pixels; i++) jpeg_write_scanlines(&j, &row, 1);
    jpeg_finish_compress(&j);
    jpeg_destroy_compress(&j);
    fclose(f);
    const test_block     b = test_read(in_directory("p.jpg"));
    unsigned char *const d = (unsigned char *)b.data;
    int64_t              at = 0;
    const int            frame = arithmetic ? progressive ? 0xca : 0xc9 : progressive ? 0xc2 : 0xc0;
    while (d[at] != 0xff || d[at + 1] != frame) at++;
    for (int i = 0; i < 2; i++) {
        d[at + 5 + 2 * i] = (unsigned char)(side >> 8);
        d[at + 6 + 2 * i] = (unsigned char)side;
    }
    return b;
}

/* 8256 pixels a byte with arithmetic coding, otherwise 512. A picture of one colour is within that bound. */
static void test_jpeg_pixels(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const bool    arithmetic = k & 1, progressive = k & 2;
        const int64_t ratio = arithmetic ? 8256 : 512;
        const int     side  = 1024;
        test_block    b     = jpeg(arithmetic, progressive, side, side);
        assert_true(side * side / ratio <= b.size);
        assert_true(cost(&b, FGT_OK, "") < 3 * side * side + FIXED);
        free(b.data);
        b              = jpeg(arithmetic, progressive, 8, 8);
        int64_t beyond = 1; /* the first side that the bytes do not allow */
        while (beyond * beyond / ratio <= b.size) beyond++;
        free(b.data);
        b = jpeg(arithmetic, progressive, 8, (int)beyond);
        assert_true(cost(&b, FGT_E_FORMAT, "pixels, more than") < FIXED);
        free(b.data);
    }
}

/* ---- IDX ---- */

/* Of an image that a header claims nothing is in memory before its bytes are. */
static void test_idx(void **state)
{
    (void)state;
    static unsigned char bytes[16 + 70000];
    const uint32_t       shape[] = {3, 4096, 8192};
    fgt_images          *m;
    memcpy(bytes, "\0\0\x08\x03", 4);
    for (int i = 0; i < 3; i++) put_big(bytes + 4 + 4 * i, shape[i]);
    for (size_t n = 16; n <= sizeof bytes; n += 69999) {
        const char *path = put_bytes("i.idx", bytes, n);
        memory.peak      = memory.bytes;
        REFUSED(fgt_images_load(ctx, path, &FGT_OPTS(fgt_images_opts, .no_classes = 1), &m), FGT_E_FORMAT,
                "ends too early");
        assert_true(memory.peak - memory.bytes < 4 * (int64_t)n + (1 << 18)); /* blocks of the reader */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_texts),       WITH_CONTEXT(test_claims), WITH_CONTEXT(test_png_pixels),
        WITH_CONTEXT(test_jpeg_pixels), WITH_CONTEXT(test_idx),
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
