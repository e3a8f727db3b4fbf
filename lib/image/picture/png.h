/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PNG_H
#define FGTI_PNG_H

#include "image/picture/picture.h"

/* As fgti_picture_decode(). */
fgt_status fgti_png_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                           const fgti_colour *background, fgti_picture *picture);

#endif
