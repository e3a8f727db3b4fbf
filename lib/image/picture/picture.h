/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PICTURE_H
#define FGTI_PICTURE_H

#include <stdint.h>

#include "core/alloc.h"

#define FGTI_SIDE_MAX   16384              /* most pixels of a side */
#define FGTI_PIXELS_MAX (INT64_C(1) << 25) /* most pixels of a picture: 96 MiB with three colours */
#define FGTI_CHANNELS   3

/* The caller's colour for the background of pixels that are not opaque. */
typedef struct fgti_colour {
    unsigned char rgb[FGTI_CHANNELS];
} fgti_colour;

/* A picture, in the size of the picture in its file. */
typedef struct fgti_picture {
    int64_t        height, width, channels;
    unsigned char *pixels;      /* [height,width,channels] */
    int            orientation; /* EXIF orientation 1 .. 8, which says how to turn the picture upright; 0: not
                                   given, which counts as 1 */
} fgti_picture;

/* Refuses a picture that is larger than the limits. */
fgt_status fgti_picture_check(fgt_context *ctx, int64_t height, int64_t width);
/* Checks the size as fgti_picture_check() does, then allocates the pixels without setting them. */
fgt_status fgti_picture_new(fgt_context *ctx, int64_t height, int64_t width, int64_t channels,
                            fgti_picture *picture);
void       fgti_picture_done(fgt_context *ctx, fgti_picture *picture);
/* Turns and mirrors the picture by its orientation. On error it is as before. */
fgt_status fgti_picture_turn(fgt_context *ctx, fgti_picture *picture);

/* Resamples a picture and writes it as [height,width,channels] to out. */
fgt_status fgti_picture_fit(fgt_context *ctx, const fgti_picture *picture, int64_t height, int64_t width,
                            int64_t channels, unsigned char *out);

#endif
