/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_images and fuzz_picture, and one of fuzz_classifier. usage: fuzz_seeds_images
 * CORPUS_FOLDER */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jpeglib.h>
#include <png.h>

#include <fighter/classify.h>
#include <fighter/experimental/vit.h>

static const char *corpus;

/* A new seed that begins with its byte of options. */
static FILE *begin(const char *folder, const char *name, int bits)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", corpus, folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", corpus, folder, name);
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        exit(1);
    }
    putc(bits, f);
    return f;
}

/* n images [3,2] or [3,2,3], and their labels. */
static void idx(const char *name, int bits, int n, int colours)
{
    FILE     *f    = begin("fuzz_images", name, bits);
    const int rank = colours ? 4 : 3, pixels = n * 6 * (colours ? 3 : 1);
    putc(4 + 4 * rank + pixels, f);
    const int shape[] = {n, 3, 2, 3};
    fwrite("\0\0\x08", 1, 3, f);
    putc(rank, f);
    for (int i = 0; i < rank; i++) fwrite((const char[]){0, 0, 0, (char)shape[i]}, 1, 4, f);
    for (int i = 0; i < pixels; i++) putc(i * 41 % 256, f);
    fwrite("\0\0\x08\x01\0\0\0", 1, 7, f);
    putc(n, f);
    for (int i = 0; i < n; i++) putc(i % 3, f);
    fclose(f);
}

/* A header that claims n images [rows,columns], of which none is there. */
static void huge(const char *name, int n, int side)
{
    FILE *f = begin("fuzz_images", name, 1);
    putc(255, f);
    fwrite("\0\0\x08\x03", 1, 4, f);
    for (int i = 0; i < 3; i++) {
        const int v = i ? side : n;
        for (int k = 24; k >= 0; k -= 8) putc(v >> k & 255, f);
    }
    fclose(f);
}

static void list(void)
{
    FILE *f = begin("fuzz_images", "list", 1);
    putc(255, f);
    fputs("file,class\n\"a.png\",cat\nb.jpg,dog\n", f);
    fclose(f);
}

static void png(const char *name, int type, int depth, int interlace)
{
    FILE       *f    = begin("fuzz_picture", name, 0);
    png_structp png  = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop   info = png_create_info_struct(png);
    png_init_io(png, f);
    png_set_IHDR(png, info, 5, 4, depth, type, interlace, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_color palette[2] = {{1, 2, 3}, {200, 100, 50}};
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette, 2);
    png_write_info(png, info);
    png_byte row[5 * 8];
    for (int i = 0; i < (int)sizeof row; i++) row[i] = (png_byte)(type & PNG_COLOR_MASK_ALPHA ? 255 : i * 37);
    png_bytep rows[4] = {row, row, row, row};
    png_write_image(png, rows);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(f);
}

/* ---- pictures whose checksums fuzz_picture makes ---- */

static void number(FILE *f, uint32_t v)
{
    for (int i = 24; i >= 0; i -= 8) putc((int)(v >> i & 255), f);
}

static void chunk(FILE *f, const char *type, const void *data, size_t n)
{
    number(f, (uint32_t)n);
    fputs(type, f);
    fwrite(data, 1, n, f);
    number(f, 0);
}

/* Bytes of the rows, each behind the number of its filter, of width x height pixels. */
static size_t rows(unsigned char *to, uint32_t width, uint32_t height, int bits)
{
    const size_t bytes = ((size_t)width * (size_t)bits + 7) / 8;
    size_t       n     = 0;
    for (uint32_t y = 0; width && y < height; y++) {
        to[n++] = (unsigned char)(y % 5);
        for (size_t i = 0; i < bytes; i++, n++) to[n] = (unsigned char)(n * 29);
    }
    return n;
}

/* The seven images of an interlaced one: where their pixels begin, and how far they are apart. */
static const int adam7[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

static size_t all_rows(unsigned char *to, uint32_t width, uint32_t height, int bits, bool interlaced)
{
    if (!interlaced) return rows(to, width, height, bits);
    size_t n = 0;
    for (int i = 0; i < 7; i++) {
        const int *a = adam7[i];
        n += rows(to + n, (width + (uint32_t)(a[2] - a[0] - 1)) / (uint32_t)a[2],
                  (height + (uint32_t)(a[3] - a[1] - 1)) / (uint32_t)a[3], bits);
    }
    return n;
}

/* EXIF data: one entry, which says that the picture must be turned by a quarter. */
static const char exif[] = "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";

/* A picture of 5 x 7 pixels, of which the header says that they are width x height; bits: of a pixel. */
static void plain(const char *name, uint32_t width, uint32_t height, int type, int depth, int bits,
                  bool interlaced)
{
    unsigned char pixels[1024];
    FILE         *f = begin("fuzz_picture", name, 64);
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, f);
    number(f, 13);
    fputs("IHDR", f);
    number(f, width);
    number(f, height);
    fwrite((const char[]){(char)depth, (char)type, 0, 0, interlaced}, 1, 5, f);
    number(f, 0);
    if (type == PNG_COLOR_TYPE_PALETTE) chunk(f, "PLTE", "abcdefghijkl", 12);
    if (type == PNG_COLOR_TYPE_PALETTE) chunk(f, "tRNS", "\xff\xff\xff", 3);
    if (type == PNG_COLOR_TYPE_GRAY) chunk(f, "tRNS", "\0\x01", 2);
    if (interlaced) chunk(f, "eXIf", exif, sizeof exif - 1);
    chunk(f, "IDAT", pixels, all_rows(pixels, 5, 7, bits, interlaced));
    if (!interlaced) chunk(f, "eXIf", exif, sizeof exif - 1);
    chunk(f, "IEND", "", 0);
    fclose(f);
}

static void plain_pictures(void)
{
    plain("plain_gray", 5, 7, PNG_COLOR_TYPE_GRAY, 8, 8, false);
    plain("plain_gray_2_adam7", 5, 7, PNG_COLOR_TYPE_GRAY, 2, 2, true);
    plain("plain_rgb_16_adam7", 5, 7, PNG_COLOR_TYPE_RGB, 16, 48, true);
    plain("plain_gray_alpha", 5, 7, PNG_COLOR_TYPE_GRAY_ALPHA, 8, 16, false);
    plain("plain_palette", 5, 7, PNG_COLOR_TYPE_PALETTE, 2, 2, false);
    plain("plain_huge", 16384, 2048, PNG_COLOR_TYPE_RGB, 8, 24, false);
    plain("plain_beyond", UINT32_C(0x7fffffff), UINT32_C(0x7fffffff), PNG_COLOR_TYPE_GRAY, 16, 16, true);
}

/* A gray pixel and three texts of 100,000 letters. */
static void texts(void)
{
    FILE       *f    = begin("fuzz_picture", "texts", 0);
    png_structp png  = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop   info = png_create_info_struct(png);
    char       *text = malloc(100001);
    png_byte    row  = 7;
    memset(text, 'a', 100000);
    text[100000] = 0;
    png_text t = {.compression = PNG_TEXT_COMPRESSION_zTXt, .key = "k", .text = text,
                  .text_length = 100000};
    png_init_io(png, f);
    png_set_IHDR(png, info, 1, 1, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    for (int i = 0; i < 3; i++) png_set_text(png, info, &t, 1);
    png_write_info(png, info);
    png_write_row(png, &row);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    free(text);
    fclose(f);
}

enum { PLAIN, PROGRESSIVE, ARITHMETIC, TURNED };

static void jpeg(const char *name, int channels, int kind)
{
    FILE                       *f = begin("fuzz_picture", name, 1);
    struct jpeg_compress_struct j;
    struct jpeg_error_mgr       errors;
    JSAMPLE                     line[9 * 4];
    JSAMPROW                    row = line;
    j.err = jpeg_std_error(&errors);
    jpeg_create_compress(&j);
    jpeg_stdio_dest(&j, f);
    j.image_width      = 9;
    j.image_height     = 5;
    j.input_components = channels;
    j.in_color_space   = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&j);
    if (kind == PROGRESSIVE) jpeg_simple_progression(&j);
    j.arith_code = kind == ARITHMETIC;
    jpeg_start_compress(&j, TRUE);
    if (kind == TURNED) {
        unsigned char segment[6 + sizeof exif] = "Exif\0";
        memcpy(segment + 6, exif, sizeof exif - 1);
        jpeg_write_marker(&j, JPEG_APP0 + 1, segment, 6 + sizeof exif - 1);
    }
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 9 * channels; k++) line[k] = (JSAMPLE)(i * 50 + k * 7);
        jpeg_write_scanlines(&j, &row, 1);
    }
    jpeg_finish_compress(&j);
    jpeg_destroy_compress(&j);
    fclose(f);
}

static void must(fgt_status s)
{
    if (s == FGT_OK) return;
    fprintf(stderr, "%s\n", fgt_status_get_name(s));
    exit(1);
}

static void classifier(void)
{
    const fgt_vit_opts              vit = {.size = sizeof vit, .patch_height = 2, .dim = 4, .layers = 1,
                                           .ff = 4};
    const fgt_classifier_opts       o    = {.size = sizeof o, .vit = &vit, .batch = 1};
    float                           x[8] = {0, 255, 7, 9, 20, 30, 40, 50};
    char                            path[1024];
    fgt_context                    *ctx;
    fgt_images                     *images;
    fgt_classifier                 *c;
    must(fgt_context_create(NULL, &ctx));
    must(fgt_images_create(ctx, FGT_VIEW(x, 2, 2, 2, 1), FGT_VIEW_OF(FGT_DTYPE_I64, ((int64_t[]){0, 1}), 2),
                           NULL, &images));
    must(fgt_classifier_create(ctx, FGT_IMAGES(images), &o, &c));
    snprintf(path, sizeof path, "%s/fuzz_classifier/images", corpus);
    must(fgt_classifier_save(c, FGT_TO_FILE(path)));
    fgt_classifier_destroy(&c);
    fgt_images_destroy(&images);
    fgt_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    corpus = argv[1];
    idx("gray", 0, 4, 0);
    idx("colours", 32, 3, 1);
    idx("resized", 6, 2, 0);
    huge("huge_count", 0x7fffffff, 1);
    huge("huge_side", 1, 16384);
    huge("huge_picture", 3, 5792);
    list();
    png("gray", PNG_COLOR_TYPE_GRAY, 8, PNG_INTERLACE_NONE);
    png("gray_1", PNG_COLOR_TYPE_GRAY, 1, PNG_INTERLACE_NONE);
    png("gray_16_adam7", PNG_COLOR_TYPE_GRAY, 16, PNG_INTERLACE_ADAM7);
    png("rgba", PNG_COLOR_TYPE_RGBA, 8, PNG_INTERLACE_NONE);
    png("palette", PNG_COLOR_TYPE_PALETTE, 1, PNG_INTERLACE_NONE);
    jpeg("jpeg_gray", 1, PLAIN);
    jpeg("jpeg_rgb", 3, PLAIN);
    jpeg("jpeg_progressive", 3, PROGRESSIVE);
    jpeg("jpeg_arithmetic", 3, ARITHMETIC);
    jpeg("jpeg_turned", 1, TURNED);
    jpeg("jpeg_cmyk", 4, PLAIN);
    texts();
    plain_pictures();
    classifier();
    return 0;
}
