/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_DECODE_H
#define FGTI_DECODE_H

#include "image/picture/picture.h"

/* Decodes a file in memory. Error texts do not name the file. On error *picture has no pixels. */
fgt_status fgti_picture_decode(fgt_context *ctx, const unsigned char *data, int64_t bytes,
                               const fgti_colour *background, fgti_picture *picture);
/* The kind of a picture by its first bytes: "PNG", "JPEG", "WebP" ...; NULL: no known kind. */
const char *fgti_picture_kind(const void *data, int64_t bytes);

#endif
