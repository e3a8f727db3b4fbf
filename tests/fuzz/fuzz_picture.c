/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG and JPEG files. The first byte chooses the reader and the size that the picture is brought to. */
#include <stdlib.h>

#include "fuzz.h"
#include "image/images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const int    bits = data[0];
    fgt_context *ctx  = fuzz_context();
    fgti_picture p;
    unsigned char out[16 * 16 * 3];
    if (!ctx) return 0;
    const fgt_status s = (bits & 1 ? fgti_jpeg_decode : fgti_png_decode)(ctx, data + 1, (int64_t)size - 1,
                                                                         &p);
    fuzz_count(s == FGT_OK);
    if (s != FGT_OK && p.pixels) abort();
    if (s != FGT_OK) return 0;
    if (p.channels != 1 && p.channels != 3) abort();
    const int64_t h = 1 + (bits >> 1 & 15), w = 1 + (bits >> 2 & 15);
    (void)fgti_picture_fit(ctx, &p, h, w, bits & 128 ? 1 : 3, out);
    fgti_picture_done(ctx, &p);
    return 0;
}
