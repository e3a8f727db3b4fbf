/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_IMAGES_H
#define FGTI_IMAGES_H

#include <fighter/image.h>

#include "core/context.h"
#include "core/strings/words.h"
#include "image/picture/picture.h"

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

/* A hash of all pixels and classes. */
uint64_t fgti_images_hash(const fgt_images *images);

#endif
