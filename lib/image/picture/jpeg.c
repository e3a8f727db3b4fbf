/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes JPEG through libjpeg or libjpeg-turbo. The library's memory manager calls malloc() and cannot be
 * replaced. A failed allocation is returned as an error, and jpeg_destroy_decompress() frees everything. The
 * library reports errors by longjmp(), so everything that is freed after an error is in a struct of the
 * caller. */
#include "image/picture/jpeg.h"

#include "core/context.h"

#ifdef FGTI_HAVE_JPEG
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "image/picture/exif.h"

/* The most scans of a picture. A scan of few bytes can make libjpeg process all blocks. Cameras write at most
 * a dozen scans. */
#define SCANS_MAX 100

/* Upper bounds for the number of pixels that a byte of the file can hold. Huffman coding takes a bit for each
 * block of 8 x 8. Arithmetic coding has no such bound, as a picture of one colour takes 100 bytes at any
 * size. Its bound here is the bound of PNG: 1032 bytes of 8 pixels. */
#define PIXELS_OF_A_BYTE            512
#define PIXELS_OF_A_BYTE_ARITHMETIC (8 * 1032)

typedef struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr         errors;
    struct jpeg_progress_mgr      progress;
    jmp_buf                       jump;
    fgt_context                  *ctx;
    fgti_picture                 *out;
    fgt_status                    status;
} decoder;

static decoder *jpeg_decoder_of(j_common_ptr jpeg)
{
    return jpeg->client_data;
}

static void jpeg_on_error(j_common_ptr jpeg)
{
    decoder *d = jpeg_decoder_of(jpeg);
    char     text[JMSG_LENGTH_MAX];
    if (d->status == FGT_OK && jpeg->err->msg_code == JERR_OUT_OF_MEMORY) {
        d->status = fgti_fail(&d->ctx->error, FGT_E_NOMEM, "JPEG: no memory");
    } else if (d->status == FGT_OK) {
        jpeg->err->format_message(jpeg, text);
        d->status = fgti_fail(&d->ctx->error, FGT_E_FORMAT, "the JPEG data are damaged (%.120s)", text);
    }
    longjmp(d->jump, 1);
}

/* Handles a message. At level -1 the data are damaged, and libjpeg would continue with invented pixels. */
static void on_message(j_common_ptr jpeg, int level)
{
    if (level < 0) jpeg_on_error(jpeg);
}

static void on_output(j_common_ptr jpeg)
{
    (void)jpeg;
}

static void on_progress(j_common_ptr jpeg)
{
    decoder *d = jpeg_decoder_of(jpeg);
    if (d->jpeg.input_scan_number <= SCANS_MAX) return;
    d->status = fgti_fail(&d->ctx->error, FGT_E_FORMAT, "the JPEG has more than %d scans", SCANS_MAX);
    longjmp(d->jump, 1);
}

/* bytes: size of the file. */
static fgt_status jpeg_start(decoder *d, int64_t bytes)
{
    struct jpeg_decompress_struct *j = &d->jpeg;
    const int64_t height = j->image_height, width = j->image_width;
    FGTI_TRY(fgti_picture_check(d->ctx, height, width));
    if (height * width / (j->arith_code ? PIXELS_OF_A_BYTE_ARITHMETIC : PIXELS_OF_A_BYTE) > bytes)
        return fgti_fail(&d->ctx->error, FGT_E_FORMAT,
                         "the JPEG claims %lld x %lld pixels, more than %lld bytes hold", (long long)height,
                         (long long)width, (long long)bytes);
    if (j->num_components == 4)
        return fgti_fail(&d->ctx->error, FGT_E_UNSUPPORTED,
                         "wrong colours of the JPEG (got 4, CMYK, need 1 or 3); save it as RGB");
    if (j->num_components != 1 && j->num_components != 3)
        return fgti_fail(&d->ctx->error, FGT_E_UNSUPPORTED, "wrong colours of the JPEG (got %d, need 1 or 3)",
                         j->num_components);
    j->out_color_space = j->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    j->dct_method      = JDCT_ISLOW;
    return fgti_picture_new(d->ctx, height, width, j->num_components, d->out);
}

/* Returns the orientation in the first EXIF segment before the pixels. libjpeg is not asked, because it would
 * keep all segments, even empty ones. */
static int jpeg_orientation(const unsigned char *data, int64_t bytes)
{
    enum { START_OF_SCAN = 0xda, APP1 = 0xe1, FILL = 0xff };
    for (int64_t at = 2; at + 4 <= bytes && data[at] == 0xff && data[at + 1] != START_OF_SCAN;) {
        const unsigned char *p    = data + at;
        const int64_t        size = p[1] == FILL ? -1 : p[2] << 8 | p[3]; /* 0xff may be repeated */
        if (p[1] == APP1 && size >= 8 && at + 2 + size <= bytes && !memcmp(p + 4, "Exif\0", 6))
            return fgti_exif_orientation(p + 10, size - 8);
        at += 2 + size;
    }
    return 1;
}

static void jpeg_read(decoder *d, const unsigned char *data, int64_t bytes)
{
    struct jpeg_decompress_struct *j = &d->jpeg;
    if (setjmp(d->jump)) return; /* jpeg_on_error() has reported it */
    jpeg_create_decompress(j);
    j->client_data = d;
    j->progress    = &d->progress;
    jpeg_mem_src(j, data, (unsigned long)bytes);
    (void)jpeg_read_header(j, TRUE);
    d->status = jpeg_start(d, bytes);
    if (d->status != FGT_OK) return;
    (void)jpeg_start_decompress(j);
    while (j->output_scanline < j->output_height) {
        JSAMPROW row = d->out->pixels + (int64_t)j->output_scanline * d->out->width * d->out->channels;
        (void)jpeg_read_scanlines(j, &row, 1);
    }
    (void)jpeg_finish_decompress(j);
    d->out->orientation = jpeg_orientation(data, bytes);
}

fgt_status fgti_jpeg_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes, fgti_picture *picture)
{
    decoder *d;
    *picture = (fgti_picture){0};
    FGTI_TRY(FGTI_NEW(ctx, 1, "JPEG", &d));
    d->ctx                       = ctx;
    d->out                       = picture;
    d->jpeg.err                  = jpeg_std_error(&d->errors);
    d->jpeg.client_data          = d;
    d->errors.error_exit         = jpeg_on_error;
    d->errors.emit_message       = on_message;
    d->errors.output_message     = on_output;
    d->progress.progress_monitor = on_progress;
    jpeg_read(d, data, bytes);
    jpeg_destroy_decompress(&d->jpeg);
    const fgt_status s = d->status;
    fgti_free(ctx, d);
    if (s != FGT_OK) fgti_picture_done(ctx, picture);
    return s;
}
#else
fgt_status fgti_jpeg_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes, fgti_picture *picture)
{
    (void)data;
    (void)bytes;
    *picture = (fgti_picture){0};
    return fgti_fail(&ctx->error, FGT_E_UNSUPPORTED,
                     "a JPEG file, and this library was built without libjpeg");
}
#endif
