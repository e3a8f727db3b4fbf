/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_IMAGES_H
#define FGTI_IMAGES_H

#include <fighter/image.h>

#include "core/context.h"
#include "data/strings/words.h"

#define FGTI_SIDE_MAX   16384                /* pixels of a side */
#define FGTI_PIXELS_MAX (INT64_C(1) << 25)   /* of a picture in a file: 96 MiB with three colours */
#define FGTI_CHANNELS   3

/* A colour of one's own choice behind pixels that are not opaque. */
typedef struct fgti_colour {
    unsigned char rgb[FGTI_CHANNELS];
} fgti_colour;

struct fgt_images {
    fgt_context    *ctx;
    fgt_images_info info;
    unsigned char  *pixels; /* [count,H,W,C] */
    int64_t         pixel_capacity;
    int32_t        *label; /* [count]; -1: none */
    int64_t         label_capacity;
    fgti_strings    names;   /* [count], or none */
    fgti_words      classes; /* names, and how many images have each */
    fgti_colour     background;
};

/* A picture as it is in its file. */
typedef struct fgti_picture {
    int64_t        height, width, channels;
    unsigned char *pixels;      /* [height,width,channels] */
    int            orientation; /* 1 .. 8 as in EXIF: how it must be turned to stand upright; 0 is 1 */
} fgti_picture;

/* ---- images_build.c: image by image ---- */

typedef struct fgti_images_builder {
    fgt_context    *ctx;
    fgt_images     *images;
    fgt_images_opts opts;
    bool            fixed; /* the classes were known before the first image */
} fgti_images_builder;

fgt_status fgti_images_opts_read(fgti_error *err, const fgt_images_opts *in, fgt_images_opts *out);
/* opts have been checked. fgti_images_build_done() must be called even after an error. */
fgt_status fgti_images_build(fgt_context *ctx, const fgt_images_opts *opts, fgti_images_builder *b);
/* Sets the size of the set unless it is known, and refuses another one where nothing is resampled. */
fgt_status fgti_images_size(fgti_images_builder *b, int64_t height, int64_t width, int64_t channels);
/* Adds an image in the form of the set, converted and resampled. */
fgt_status fgti_images_add(fgti_images_builder *b, const fgti_picture *picture);
/* Its class, by name or by number. To be called after fgti_images_add(), for each image or for none. */
fgt_status fgti_images_set_class(fgti_images_builder *b, int64_t row, const char *name, int64_t size);
fgt_status fgti_images_set_label(fgti_images_builder *b, int64_t row, int64_t label);
/* Orders the classes. On success the caller owns *images. */
fgt_status fgti_images_finish(fgti_images_builder *b, fgt_images **images);
void       fgti_images_build_done(fgti_images_builder *b);

/* ---- where images come from; errors name the file ---- */

fgt_status fgti_images_read_idx(fgti_images_builder *b, const char *path);
/* Adds the picture of a file under a name. */
fgt_status fgti_images_read_picture(fgti_images_builder *b, const char *path, const char *name);

/* ---- images_folder.c ---- */

/* *is: path is a folder, which has then been read. */
fgt_status fgti_images_read_folder(fgti_images_builder *b, const char *path, bool *is);
/* By the end of the name. */
bool fgti_is_picture(const char *name);
/* "folder/name" into buf; name, if the folder is "". FGT_E_IO: too long. */
#define FGTI_PATH_MAX 4096
fgt_status fgti_path_join(fgt_context *ctx, const char *folder, const char *name, char buf[FGTI_PATH_MAX]);

/* ---- pictures ---- */

/* Refuses what is beyond the limits. */
fgt_status fgti_picture_check(fgt_context *ctx, int64_t height, int64_t width);
/* The same, and then allocates the pixels, which are not set. */
fgt_status fgti_picture_new(fgt_context *ctx, int64_t height, int64_t width, int64_t channels,
                            fgti_picture *picture);
void       fgti_picture_done(fgt_context *ctx, fgti_picture *picture);
/* Turns and mirrors it as its orientation says. On error it is as before. */
fgt_status fgti_picture_turn(fgt_context *ctx, fgti_picture *picture);

/* Decode a file in memory. Sentences do not name the file. On error *picture has no pixels. */
fgt_status fgti_picture_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                               const fgti_colour *background, fgti_picture *picture);
fgt_status fgti_png_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                           const fgti_colour *background, fgti_picture *picture);
fgt_status fgti_jpeg_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                            fgti_picture *picture);
/* Kind of a picture by its first bytes: "PNG", "JPEG", "WebP" ...; NULL: no picture that is known. */
const char *fgti_picture_kind(const void *data, int64_t bytes);
/* The orientation in EXIF data, which begin with their TIFF header; 1: there is none, or they are damaged. */
int fgti_exif_orientation(const unsigned char *tiff, int64_t bytes);

/* Writes a picture as [height,width,channels] to out. */
fgt_status fgti_picture_fit(fgt_context *ctx, const fgti_picture *picture, int64_t height, int64_t width,
                            int64_t channels, unsigned char *out);

/* Of all pixels and classes. */
uint64_t fgti_images_hash(const fgt_images *images);

#endif
