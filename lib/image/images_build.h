/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_IMAGES_BUILD_H
#define FGTI_IMAGES_BUILD_H

/* Makes a set of images, image by image. */

#include "image/images.h"

typedef struct fgti_images_builder {
    fgt_context    *ctx;
    fgt_images     *images;
    fgt_images_opts opts;
    bool            fixed; /* the classes were known before the first image */
} fgti_images_builder;

fgt_status fgti_images_opts_read(fgti_error *err, const fgt_images_opts *in, fgt_images_opts *out);
/* The caller has checked opts. Call fgti_images_build_done() even after an error. */
fgt_status fgti_images_build(fgt_context *ctx, const fgt_images_opts *opts, fgti_images_builder *b);
/* Sets the size of the images if it is not known yet. If the images are not resampled, another size is an
 * error. */
fgt_status fgti_images_size(fgti_images_builder *b, int64_t height, int64_t width, int64_t channels);
/* Adds an image, converted and resampled to the size and the channels of the others. */
fgt_status fgti_images_add(fgti_images_builder *b, const fgti_picture *picture);
/* Sets the class of an image, by name or by number. Call it after fgti_images_add(), either for all images or
 * for no image. */
fgt_status fgti_images_set_class(fgti_images_builder *b, int64_t row, const char *name, int64_t size);
fgt_status fgti_images_set_label(fgti_images_builder *b, int64_t row, int64_t label);
/* Orders the classes. On success the caller owns *images. */
fgt_status fgti_images_finish(fgti_images_builder *b, fgt_images **images);
void       fgti_images_build_done(fgti_images_builder *b);

#endif
