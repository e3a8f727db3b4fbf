/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_JPEG_H
#define FGTI_JPEG_H

#include "image/picture/picture.h"

/* As fgti_picture_decode(); a JPEG file has no background. */
fgt_status fgti_jpeg_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                            fgti_picture *picture);

#endif
