/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_EXIF_H
#define FGTI_EXIF_H

#include <stdint.h>

/* The orientation in EXIF data, which begin with the TIFF header; 1 if it is missing or damaged. */
int fgti_exif_orientation(const unsigned char *tiff, int64_t bytes);

#endif
