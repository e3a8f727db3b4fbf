/* SPDX-License-Identifier: BSD-3-Clause */
/* IDX files. The first byte chooses options, the second one says where the file of the images ends and
 * that of the labels begins; or the rest is a list of pictures, none of which exists. */
#include <stdlib.h>

#include <fighter/image.h>

#include "../samples_info.h"
#include "fuzz.h"

static void check(const fgt_images *m)
{
    fgt_images_info info = {.size = sizeof info};
    int64_t         sum  = 0;
    if (fgt_images_get_info(m, &info) != FGT_OK || info.count < 1 || info.height < 1 ||
        info.width < 1) abort();
    if (info.channels != 1 && info.channels != 3) abort();
    for (int64_t i = 0; i < info.classes; i++) sum += info.class_rows[i];
    if (sum != (info.classes ? info.count : 0)) abort();
    for (int64_t i = 0; i < info.count; i++) {
        const int64_t label = images_class(m, i);
        if (info.classes ? label < 0 || label >= info.classes : label != -1) abort();
    }
    double         mean[3], deviation[3];
    const fgt_view a = {mean, {info.channels}, 1, FGT_DTYPE_F64},
                   b = {deviation, {info.channels}, 1, FGT_DTYPE_F64};
    if (fgt_images_compute_moments(m, &a, &b) != FGT_OK || !(mean[0] >= 0 && mean[0] <= 255)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const int    bits = data[0];
    const size_t left = size - 2, cut = (size_t)data[1] < left ? data[1] : left;
    const char  *path = fuzz_file_number(0, data + 2, cut), *labels = fuzz_file_number(1, data + 2 + cut,
                                                                                       left - cut);
    fgt_context *ctx  = fuzz_context();
    if (!path || !labels || !ctx) return 0;
    fgt_images          *m = NULL;
    const fgt_images_opts o = {.size       = sizeof o,
                               .labels     = bits & 1 ? NULL : labels,
                               .no_classes = bits & 1,
                               .resize     = bits >> 1 & 1,
                               .height     = bits & 4 ? 3 : 0,
                               .width      = bits & 4 ? 5 : 0,
                               .channels   = bits >> 3 & 3,
                               .classes    = bits & 32 ? 4 : 0};
    const fgt_status s = fgt_images_load(ctx, path, &o, &m);
    if (s == FGT_OK) check(m);
    fuzz_count(s == FGT_OK);
    fgt_images_destroy(&m);
    return 0;
}
