/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the orientation of the camera. It is the only entry of EXIF data that changes a picture. The data are
 * a TIFF file, of which only the first directory is read. */
#include "image/picture/exif.h"

#include <stdbool.h>
#include <string.h>

enum { HEAD = 8, ENTRY = 12, ORIENTATION = 0x112, SHORT = 3, LONG = 4 };

static int64_t exif_number(const unsigned char *p, int bytes, bool little)
{
    int64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (int64_t)p[i] << 8 * (little ? i : bytes - 1 - i);
    return v;
}

int fgti_exif_orientation(const unsigned char *tiff, int64_t bytes)
{
    if (bytes < HEAD || (memcmp(tiff, "II*\0", 4) && memcmp(tiff, "MM\0*", 4))) return 1;
    const bool    little = *tiff == 'I';
    const int64_t at     = exif_number(tiff + 4, 4, little);
    if (at > bytes - 2) return 1;
    const int64_t entries = exif_number(tiff + at, 2, little), room = (bytes - at - 2) / ENTRY;
    for (int64_t i = 0; i < entries && i < room; i++) {
        const unsigned char *e    = tiff + at + 2 + i * ENTRY;
        const int64_t        type = exif_number(e + 2, 2, little);
        if (exif_number(e, 2, little) != ORIENTATION) continue;
        const int64_t v = exif_number(e + 8, type == SHORT ? 2 : 4, little);
        return (type == SHORT || type == LONG) && v >= 1 && v <= 8 ? (int)v : 1;
    }
    return 1;
}
