/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRID_H
#define FGTI_GRID_H

/* Windows of an image, for layers that cut the image into windows. */

#include <fighter/experimental/vision.h>

#include "nn/windows.h"

typedef struct fgti_grid {
    int64_t kernel[2], stride[2], padding[2]; /* for the rows, then for the columns of the image */
} fgti_grid;

/* Sets *out to the shape {H',W',C} of the windows [H',W'] of an image [H,W,C]. FGT_E_SHAPE: no window
 * fits. */
fgt_status fgti_grid_shape(fgti_error *err, const fgti_grid *g, fgti_shape in, fgti_shape *out);
/* Returns the windows of a batch of images. The caller sets x, rows and dx. */
fgti_windows fgti_grid_windows(const fgti_grid *g, int64_t batch, fgti_shape in);

#endif
