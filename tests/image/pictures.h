/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PICTURES_H
#define TESTS_PICTURES_H

/* Small IDX, PNG and JPEG files, written here so that no picture of anybody is in the repository. */

#include <fighter/image.h>

#include "../directory.h"
#include "../one_context.h"

/* A pattern: sample c of the pixel at (i,j) of picture k. */
static inline unsigned char test_pixel(int k, int i, int j, int c)
{
    return (unsigned char)(k * 37 + i * 11 + j * 5 + c * 71);
}

static inline void put_big(unsigned char *to, uint32_t v)
{
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* The images [n,h,w] or, with channels, [n,h,w,channels] of an IDX file; its size. */
static inline size_t make_idx(unsigned char *to, int n, int h, int w, int channels)
{
    const int      rank     = channels ? 4 : 3;
    const uint32_t shape[4] = {(uint32_t)n, (uint32_t)h, (uint32_t)w, (uint32_t)channels};
    unsigned char *p        = to;
    memcpy(p, (unsigned char[]){0, 0, 8, (unsigned char)rank}, 4);
    for (int i = 0; i < rank; i++) put_big(p + 4 + 4 * i, shape[i]);
    p += 4 + 4 * rank;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++)
                for (int c = 0; c < (channels ? channels : 1); c++) *p++ = test_pixel(k, i, j, c);
    return (size_t)(p - to);
}

static inline size_t make_labels(unsigned char *to, int n, const unsigned char *labels)
{
    memcpy(to, (unsigned char[]){0, 0, 8, 1}, 4);
    put_big(to + 4, (uint32_t)n);
    memcpy(to + 8, labels, (size_t)n);
    return 8 + (size_t)n;
}

static inline const char *put_bytes(const char *name, const void *bytes, size_t size)
{
    const char *path = in_directory(name);
    test_write(path, bytes, size);
    return path;
}

#ifdef FGTI_HAVE_PNG
#include <png.h>

/* type: PNG_COLOR_TYPE_...; depth 8 or 16. alpha: that of the last pixel, of all others 255. */
static inline const char *put_png(const char *name, int k, int h, int w, int type, int depth, int interlaced,
                                  unsigned char alpha)
{
    const char *path     = in_directory(name);
    FILE       *f        = fopen(path, "wb");
    const int   colours  = type & PNG_COLOR_MASK_COLOR ? 3 : 1;
    const int   channels = colours + (type & PNG_COLOR_MASK_ALPHA ? 1 : 0);
    png_structp png      = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop   info     = png_create_info_struct(png);
    png_bytep   row[64];
    unsigned char pixels[64][64 * 8];
    assert_non_null(f);
    for (int i = 0; i < h; i++) {
        unsigned char *p = row[i] = pixels[i];
        for (int j = 0; j < w; j++)
            for (int c = 0; c < channels; c++) {
                const bool last = i == h - 1 && j == w - 1;
                const unsigned char v = c < colours ? test_pixel(k, i, j, c) : last ? alpha : 255;
                for (int b = 0; b < depth / 8; b++) *p++ = v;
            }
    }
    png_init_io(png, f);
    png_set_IHDR(png, info, (png_uint_32)w, (png_uint_32)h, depth, type,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_write_image(png, row);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(f);
    return path;
}
#endif

#ifdef FGTI_HAVE_JPEG
#include <jpeglib.h>

/* A picture of one colour, so that the loss of the format is known to be small. */
static inline const char *put_jpeg(const char *name, int h, int w, int channels, const unsigned char *colour,
                                   bool progressive)
{
    const char                 *path = in_directory(name);
    FILE                       *f    = fopen(path, "wb");
    struct jpeg_compress_struct j;
    struct jpeg_error_mgr       errors;
    unsigned char               line[64 * 4];
    JSAMPROW                    row = line;
    assert_non_null(f);
    for (int i = 0; i < w * channels; i++) line[i] = colour[i % channels];
    j.err = jpeg_std_error(&errors);
    jpeg_create_compress(&j);
    jpeg_stdio_dest(&j, f);
    j.image_width      = (JDIMENSION)w;
    j.image_height     = (JDIMENSION)h;
    j.input_components = channels;
    j.in_color_space   = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&j);
    if (progressive) jpeg_simple_progression(&j);
    jpeg_start_compress(&j, TRUE);
    for (int i = 0; i < h; i++) jpeg_write_scanlines(&j, &row, 1);
    jpeg_finish_compress(&j);
    jpeg_destroy_compress(&j);
    fclose(f);
    return path;
}
#endif

#endif
