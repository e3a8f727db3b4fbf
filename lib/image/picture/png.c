/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes PNG through libpng, with our allocator and limits. libpng reports errors by longjmp(). So
 * everything that is freed after an error is in a struct that belongs to the caller of the function with
 * setjmp(). */
#include "image/picture/png.h"

#include "core/context.h"

#ifdef FGTI_HAVE_PNG
#include <png.h>
#include <string.h>

#include "image/picture/exif.h"

#define RATIO_MAX 1032 /* most bytes that a byte of deflate expands to: 258 by a code of 2 bits */

typedef struct decoder {
    fgt_context         *ctx;
    const unsigned char *data;
    int64_t              bytes, at;
    png_structp          png;
    png_infop            info;
    fgti_picture        *out;
    const fgti_colour   *background;
    png_bytep           *rows; /* [height] */
    fgt_status           status;
    fgt_status           memory; /* status of the last failed allocation; libpng may continue after it */
} decoder;

static png_voidp png_alloc(png_structp png, png_alloc_size_t size)
{
    void    *p;
    decoder *d = png_get_mem_ptr(png);
    if (size > SIZE_MAX / 4) return NULL;
    const fgt_status s = fgti_alloc(d->ctx, (int64_t)size, 1, "PNG", &p);
    if (s != FGT_OK) d->memory = s;
    return s == FGT_OK ? p : NULL;
}

static void png_release(png_structp png, png_voidp p)
{
    decoder *d = png_get_mem_ptr(png);
    fgti_free(d->ctx, p);
}

static void png_on_error(png_structp png, png_const_charp text)
{
    decoder *d = png_get_error_ptr(png);
    if (d->status == FGT_OK && d->memory == FGT_OK)
        d->status = fgti_fail(&d->ctx->error, FGT_E_FORMAT, "the PNG data are damaged near byte %lld (%.80s)",
                              (long long)d->at, text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void on_read(png_structp png, png_bytep to, size_t n)
{
    decoder *d = png_get_io_ptr(png);
    if ((int64_t)n > d->bytes - d->at) {
        if (d->memory != FGT_OK) png_longjmp(png, 1); /* its error text is kept */
        d->status = fgti_fail(&d->ctx->error, FGT_E_FORMAT, "the PNG data end too early, after %lld bytes",
                              (long long)d->bytes);
        png_longjmp(png, 1);
    }
    memcpy(to, d->data + d->at, n);
    d->at += (int64_t)n;
}

/* ---- steps; libpng may leave them by longjmp() ---- */

/* Checks that the file has enough bytes for its size, before memory is allocated for it. */
static fgt_status png_check_size(decoder *d)
{
    const int64_t height = png_get_image_height(d->png, d->info), width = png_get_image_width(d->png,
                                                                                              d->info);
    FGTI_TRY(fgti_picture_check(d->ctx, height, width));
    if (height * (int64_t)png_get_rowbytes(d->png, d->info) / RATIO_MAX <= d->bytes) return FGT_OK;
    return fgti_fail(&d->ctx->error, FGT_E_FORMAT,
                     "the PNG claims %lld x %lld pixels, more than %lld bytes hold", (long long)height,
                     (long long)width, (long long)d->bytes);
}

/* Sets the format in which libpng gives the rows: gray or colours of 8 bits, with an alpha channel if the
 * file has one. Of palettes the indices are asked for, because libpng makes invalid indices black. Gray that
 * is blended into a coloured background becomes RGB. */
static void png_convert(decoder *d)
{
    const int            type  = png_get_color_type(d->png, d->info);
    const bool           clear = png_get_valid(d->png, d->info, PNG_INFO_tRNS);
    const unsigned char *rgb   = d->background->rgb;
    if (png_get_bit_depth(d->png, d->info) == 16) png_set_scale_16(d->png);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_packing(d->png);
    if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(d->png);
    if (type != PNG_COLOR_TYPE_PALETTE && clear) png_set_tRNS_to_alpha(d->png);
    if (!(type & PNG_COLOR_MASK_COLOR) && (clear || type & PNG_COLOR_MASK_ALPHA) &&
        (rgb[0] != rgb[1] || rgb[1] != rgb[2]))
        png_set_gray_to_rgb(d->png);
    (void)png_set_interlace_handling(d->png);
    png_read_update_info(d->png, d->info);
}

/* Allocates rows. If the file has a palette, the indices of a row are stored at its end, so that their
 * colours can be written from the start of the row. */
static fgt_status make_rows(decoder *d)
{
    const int64_t height = png_get_image_height(d->png, d->info), width = png_get_image_width(d->png,
                                                                                              d->info);
    const bool    palette  = png_get_color_type(d->png, d->info) == PNG_COLOR_TYPE_PALETTE;
    const int64_t channels = palette ? FGTI_CHANNELS : png_get_channels(d->png, d->info);
    const int64_t bytes    = palette ? width : width * channels;
    FGTI_TRY(fgti_picture_new(d->ctx, height, width, channels, d->out));
    if ((int64_t)png_get_rowbytes(d->png, d->info) != bytes)
        return fgti_fail(&d->ctx->error, FGT_E_FORMAT, "the PNG has rows of an unknown form");
    FGTI_TRY(FGTI_NEW(d->ctx, height, "PNG", &d->rows));
    for (int64_t i = 0; i < height; i++) d->rows[i] = d->out->pixels + (i + 1) * width * channels - bytes;
    return FGT_OK;
}

static unsigned char blend_channel(unsigned char front, unsigned char back, int alpha)
{
    return (unsigned char)((alpha * front + (255 - alpha) * back + 127) / 255);
}

static fgt_status look_up_colours(decoder *d)
{
    const fgti_picture *p      = d->out;
    unsigned char      *to     = p->pixels;
    png_colorp          colour = NULL;
    png_bytep           alpha   = NULL; /* opacity of the first palette entries; the others are opaque */
    int                 colours = 0, alphas = 0;
    (void)png_get_PLTE(d->png, d->info, &colour, &colours);
    (void)png_get_tRNS(d->png, d->info, &alpha, &alphas, NULL);
    for (int64_t i = 0; i < p->height; i++)
        for (int64_t j = 0; j < p->width; j++, to += FGTI_CHANNELS) {
            const int k = d->rows[i][j];
            if (k >= colours)
                return fgti_fail(&d->ctx->error, FGT_E_FORMAT,
                                 "the pixel in row %lld, column %lld has the colour %d of a palette of %d",
                                 (long long)i, (long long)j, k, colours);
            const int            a    = k < alphas ? alpha[k] : 255;
            const unsigned char *back = d->background->rgb;
            to[0]                     = blend_channel(colour[k].red, back[0], a);
            to[1]                     = blend_channel(colour[k].green, back[1], a);
            to[2]                     = blend_channel(colour[k].blue, back[2], a);
        }
    return FGT_OK;
}

/* Whether the file is long enough for its EXIF data. libpng allocates memory for EXIF data by the length that
 * the file gives. */
static bool exif_is_there(const decoder *d)
{
    enum { SIGNATURE = 8, HEAD = 8 /* bytes of the length and the type of a chunk */, CHECKSUM = 4 };
    for (int64_t at = SIGNATURE; at + HEAD <= d->bytes;) {
        const unsigned char *p    = d->data + at;
        const int64_t        size = (int64_t)png_get_uint_32(p);
        if (!memcmp(p + 4, "IEND", 4)) return true;
        if (size > d->bytes - at - HEAD) return memcmp(p + 4, "eXIf", 4) != 0;
        at += HEAD + size + CHECKSUM;
    }
    return true;
}

/* Keeps only the chunks that change pixels, because texts and profiles may expand to a thousand times their
 * size. */
static void choose_chunks(decoder *d)
{
    png_set_chunk_malloc_max(d->png, 0); /* no limit: the size of the file bounds these chunks */
    png_set_keep_unknown_chunks(d->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    if (exif_is_there(d))
        png_set_keep_unknown_chunks(d->png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep) "eXIf", 1);
}

static int png_orientation(const decoder *d)
{
    png_bytep   exif  = NULL;
    png_uint_32 bytes = 0;
#ifdef PNG_eXIf_SUPPORTED
    (void)png_get_eXIf_1(d->png, d->info, &bytes, &exif);
#endif
    return exif ? fgti_exif_orientation(exif, bytes) : 1;
}

static void png_read(decoder *d)
{
    png_set_user_limits(d->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* off: our own limits apply */
    choose_chunks(d);
    png_set_read_fn(d->png, d, on_read);
    png_read_info(d->png, d->info);
    if (d->memory != FGT_OK) return;
    d->status = png_check_size(d);
    if (d->status != FGT_OK) return;
    png_convert(d);
    d->status = make_rows(d);
    if (d->status != FGT_OK) return;
    png_read_image(d->png, d->rows);
    png_read_end(d->png, d->info);
    if (d->memory != FGT_OK) return;
    d->out->orientation = png_orientation(d);
    if (png_get_color_type(d->png, d->info) == PNG_COLOR_TYPE_PALETTE) d->status = look_up_colours(d);
}

/* Blends a picture with an alpha channel into the background. */
static void png_blend(fgti_picture *p, const fgti_colour *background)
{
    if (p->channels % 2) return;
    const int64_t        colours = p->channels - 1;
    const unsigned char *from    = p->pixels;
    unsigned char       *to      = p->pixels;
    for (int64_t i = 0; i < p->height * p->width; i++, from += p->channels, to += colours) {
        const int alpha = from[colours];
        for (int64_t c = 0; c < colours; c++) to[c] = blend_channel(from[c], background->rgb[c], alpha);
    }
    p->channels = colours;
}

static void png_run(decoder *d)
{
    d->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, d, png_on_error, on_warning, d, png_alloc,
                                      png_release);
    if (!d->png || setjmp(png_jmpbuf(d->png))) return; /* the error has been reported */
    d->info = png_create_info_struct(d->png);
    if (d->info) png_read(d);
}

fgt_status fgti_png_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                           const fgti_colour *background, fgti_picture *picture)
{
    decoder d = {.ctx = ctx, .data = data, .bytes = bytes, .out = picture, .background = background};
    *picture  = (fgti_picture){0};
    png_run(&d);
    if (d.png) png_destroy_read_struct(&d.png, &d.info, NULL);
    fgti_free(ctx, d.rows);
    if (d.memory != FGT_OK) d.status = d.memory;
    if (d.status == FGT_OK) png_blend(picture, background);
    if (d.status != FGT_OK) fgti_picture_done(ctx, picture);
    return d.status;
}
#else
fgt_status fgti_png_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                           const fgti_colour *background, fgti_picture *picture)
{
    (void)data;
    (void)bytes;
    (void)background;
    *picture = (fgti_picture){0};
    return fgti_fail(&ctx->error, FGT_E_UNSUPPORTED, "a PNG file, and this library was built without libpng");
}
#endif
