/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_IMAGES_H
#define FGTI_IMAGES_H

#include <fighter/image.h>

#include "core/context.h"
#include "core/strings/words.h"

#define FGTI_SIDE_MAX   16384                /* most pixels of a side */
#define FGTI_PIXELS_MAX (INT64_C(1) << 25)   /* most pixels of a picture: 96 MiB with three colours */
#define FGTI_CHANNELS   3

/* The caller's colour for the background of pixels that are not opaque. */
typedef struct fgti_colour {
    unsigned char rgb[FGTI_CHANNELS];
} fgti_colour;

struct fgt_images {
    fgt_context    *ctx;
    fgt_images_info info;
    unsigned char  *pixels; /* [count,H,W,C] */
    int64_t         pixel_capacity;
    int32_t        *label; /* [count]; -1: without a class */
    int64_t         label_capacity;
    fgti_strings    names;   /* [count], or empty */
    fgti_words      classes; /* names, and number of images of each */
    fgti_colour     background;
};

/* A picture in the size that it has in its file. */
typedef struct fgti_picture {
    int64_t        height, width, channels;
    unsigned char *pixels;      /* [height,width,channels] */
    int            orientation; /* 1 .. 8 of EXIF, how to turn the picture upright; 0: 1 */
} fgti_picture;

/* ---- images_build.c: image by image ---- */

typedef struct fgti_images_builder {
    fgt_context    *ctx;
    fgt_images     *images;
    fgt_images_opts opts;
    bool            fixed; /* the classes were known before the first image */
} fgti_images_builder;

fgt_status fgti_images_opts_read(fgti_error *err, const fgt_images_opts *in, fgt_images_opts *out);
/* opts must be checked already. Call fgti_images_build_done() even after an error. */
fgt_status fgti_images_build(fgt_context *ctx, const fgt_images_opts *opts, fgti_images_builder *b);
/* Sets the size of the images unless it is known. Without resampling another size is an error. */
fgt_status fgti_images_size(fgti_images_builder *b, int64_t height, int64_t width, int64_t channels);
/* Adds an image, converted and resampled to the size and the channels of the others. */
fgt_status fgti_images_add(fgti_images_builder *b, const fgti_picture *picture);
/* Sets an image's class, by name or by number. Call it after fgti_images_add(), for all images or for
 * none. */
fgt_status fgti_images_set_class(fgti_images_builder *b, int64_t row, const char *name, int64_t size);
fgt_status fgti_images_set_label(fgti_images_builder *b, int64_t row, int64_t label);
/* Orders the classes. On success the caller owns *images. */
fgt_status fgti_images_finish(fgti_images_builder *b, fgt_images **images);
void       fgti_images_build_done(fgti_images_builder *b);

/* ---- sources of images; error sentences name the file ---- */

fgt_status fgti_images_read_idx(fgti_images_builder *b, const char *path);
/* Adds the picture in a file under this name. */
fgt_status fgti_images_read_picture(fgti_images_builder *b, const char *path, const char *name);

/* ---- images_folder.c ---- */

/* Reads the folder `path`; *is becomes false if it is not a folder. */
fgt_status fgti_images_read_folder(fgti_images_builder *b, const char *path, bool *is);
/* Decides by the end of the name. */
bool fgti_is_picture(const char *name);
/* Writes "folder/name" to buf; only "name" if the folder is "". FGT_E_IO: too long. */
#define FGTI_PATH_MAX 4096
fgt_status fgti_path_join(fgt_context *ctx, const char *folder, const char *name, char buf[FGTI_PATH_MAX]);

/* ---- pictures ---- */

/* Refuses a picture that is larger than the limits. */
fgt_status fgti_picture_check(fgt_context *ctx, int64_t height, int64_t width);
/* Checks the size in the same way, then allocates the pixels without setting them. */
fgt_status fgti_picture_new(fgt_context *ctx, int64_t height, int64_t width, int64_t channels,
                            fgti_picture *picture);
void       fgti_picture_done(fgt_context *ctx, fgti_picture *picture);
/* Turns and mirrors the picture by its orientation. On error it is as before. */
fgt_status fgti_picture_turn(fgt_context *ctx, fgti_picture *picture);

/* Decode a file in memory. Error sentences do not name the file. On error *picture has no pixels. */
fgt_status fgti_picture_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                               const fgti_colour *background, fgti_picture *picture);
fgt_status fgti_png_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                           const fgti_colour *background, fgti_picture *picture);
fgt_status fgti_jpeg_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                            fgti_picture *picture);
/* The kind of a picture by its first bytes: "PNG", "JPEG", "WebP" ...; NULL: no known kind. */
const char *fgti_picture_kind(const void *data, int64_t bytes);
/* The orientation in EXIF data, which begin with the TIFF header; 1 if it is missing or damaged. */
int fgti_exif_orientation(const unsigned char *tiff, int64_t bytes);

/* Resamples a picture and writes it as [height,width,channels] to out. */
fgt_status fgti_picture_fit(fgt_context *ctx, const fgti_picture *picture, int64_t height, int64_t width,
                            int64_t channels, unsigned char *out);

/* A hash of all pixels and classes. */
uint64_t fgti_images_hash(const fgt_images *images);

#endif
