/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_images and fuzz_picture, and one of fuzz_classifier. usage: fuzz_seeds_images
 * CORPUS_FOLDER */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <jpeglib.h>
#include <png.h>

#include <fighter/classify.h>

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

static void jpeg(const char *name, int channels, boolean progressive)
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
    if (progressive) jpeg_simple_progression(&j);
    jpeg_start_compress(&j, TRUE);
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
    const fgt_image_classifier_opts o   = {.size = sizeof o, .vit = &vit, .batch = 1};
    float                           x[8] = {0, 255, 7, 9, 20, 30, 40, 50};
    char                            path[1024];
    fgt_context                    *ctx;
    fgt_images                     *images;
    fgt_classifier                 *c;
    must(fgt_context_create(NULL, &ctx));
    must(fgt_images_create(ctx, NULL, FGT_VIEW(x, 2, 2, 2, 1), FGT_VIEW_OF(FGT_I64, ((int64_t[]){0, 1}), 2),
                           &images));
    must(fgt_classifier_create_images(ctx, &o, images, &c));
    snprintf(path, sizeof path, "%s/fuzz_classifier/images", corpus);
    must(fgt_classifier_save(c, path));
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
    list();
    png("gray", PNG_COLOR_TYPE_GRAY, 8, PNG_INTERLACE_NONE);
    png("gray_1", PNG_COLOR_TYPE_GRAY, 1, PNG_INTERLACE_NONE);
    png("gray_16_adam7", PNG_COLOR_TYPE_GRAY, 16, PNG_INTERLACE_ADAM7);
    png("rgba", PNG_COLOR_TYPE_RGBA, 8, PNG_INTERLACE_NONE);
    png("palette", PNG_COLOR_TYPE_PALETTE, 1, PNG_INTERLACE_NONE);
    jpeg("jpeg_gray", 1, FALSE);
    jpeg("jpeg_rgb", 3, FALSE);
    jpeg("jpeg_progressive", 3, TRUE);
    jpeg("jpeg_cmyk", 4, FALSE);
    classifier();
    return 0;
}
