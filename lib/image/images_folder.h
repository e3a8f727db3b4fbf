/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_IMAGES_FOLDER_H
#define FGTI_IMAGES_FOLDER_H

#include "image/images_build.h"

/* Reads the folder `path`; *is becomes false if it is not a folder. */
fgt_status fgti_images_read_folder(fgti_images_builder *b, const char *path, bool *is);
/* Whether a file is a picture, by the end of its name. */
bool fgti_is_picture(const char *name);
/* Writes "folder/name" to buf; only "name" if the folder is "". FGT_E_IO: too long. */
#define FGTI_PATH_MAX 4096
fgt_status fgti_path_join(fgt_context *ctx, const char *folder, const char *name, char buf[FGTI_PATH_MAX]);

#endif
