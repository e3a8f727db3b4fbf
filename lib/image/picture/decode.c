/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes a picture file. Its content decides the format, not its name. */
#include "image/picture/decode.h"

#include <string.h>

#include "core/context.h"
#include "image/picture/jpeg.h"
#include "image/picture/png.h"

/* First bytes of picture formats: `head`, and `more` at an offset after it. */
static const struct {
    const char *name, *head;
    size_t      head_size, at;
    const char *more;
    size_t      more_size;
} kinds[] = {
    {"PNG", "\x89PNG\r\n\x1a\n", 8, 0, "", 0},
    {"JPEG", "\xff\xd8\xff", 3, 0, "", 0},
    {"WebP", "RIFF", 4, 8, "WEBP", 4},
    {"GIF", "GIF8", 4, 0, "", 0},
    {"BMP", "BM", 2, 6, "\0\0\0\0", 4},
    {"TIFF", "II*\0", 4, 0, "", 0},
    {"TIFF", "MM\0*", 4, 0, "", 0},
    {"AVIF", "", 0, 4, "ftypavif", 8},
    {"HEIC", "", 0, 4, "ftyphei", 7},
};

const char *fgti_picture_kind(const void *data, int64_t bytes)
{
    const char *p = data;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((size_t)bytes >= kinds[i].at + kinds[i].more_size && (size_t)bytes >= kinds[i].head_size &&
            !memcmp(p, kinds[i].head, kinds[i].head_size) &&
            !memcmp(p + kinds[i].at, kinds[i].more, kinds[i].more_size))
            return kinds[i].name;
    return NULL;
}

fgt_status fgti_picture_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                               const fgti_colour *background, fgti_picture *picture)
{
    const char *kind = fgti_picture_kind(data, bytes);
    *picture         = (fgti_picture){0};
    if (!bytes) return fgti_fail(&ctx->error, FGT_E_FORMAT, "the file is empty");
    if (!kind) return fgti_fail(&ctx->error, FGT_E_FORMAT, "the file is neither PNG nor JPEG");
    if (!strcmp(kind, "PNG"))
        FGTI_TRY(fgti_png_decode(ctx, data, bytes, background, picture));
    else if (!strcmp(kind, "JPEG"))
        FGTI_TRY(fgti_jpeg_decode(ctx, data, bytes, picture));
    else
        return fgti_fail(&ctx->error, FGT_E_FORMAT,
                         "the file is %s, which is not read; convert it to PNG or JPEG", kind);
    const fgt_status s = fgti_picture_turn(ctx, picture);
    if (s != FGT_OK) fgti_picture_done(ctx, picture);
    return s;
}
