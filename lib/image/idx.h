/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_IDX_H
#define FGTI_IDX_H

#include "image/images_build.h"

/* Adds the images of an IDX file. Error texts name the file. */
fgt_status fgti_images_read_idx(fgti_images_builder *b, const char *path);

#endif
