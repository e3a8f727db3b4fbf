/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PICTURE_FILE_H
#define FGTI_PICTURE_FILE_H

#include "image/images_build.h"

/* Adds the picture in a file under this name. Error texts name the file. */
fgt_status fgti_images_read_picture(fgti_images_builder *b, const char *path, const char *name);

#endif
