/* SPDX-License-Identifier: BSD-3-Clause */

/* Reads one picture file into a set of images. */

#include "image/picture_file.h"

#include <string.h>
#include <sys/stat.h>

#include "data/csv/reader.h"
#include "image/picture/decode.h"

#define FILE_MAX_BYTES (INT64_C(256) << 20) /* largest picture file */

typedef struct contents {
    unsigned char *data;
    int64_t        used, capacity;
} contents;

/* Refuses files that are not regular. A list may name any file: reading from a pipe or a terminal would
 * block, and some devices never end. */
static fgt_status picture_check_kind(fgt_context *ctx, const char *path)
{
    struct stat st;
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) return FGT_OK; /* open() fails */
    return fgti_fail(&ctx->error, FGT_E_IO, "%.300s: a picture must be a regular file", path);
}

static fgt_status picture_read_file(fgt_context *ctx, const char *path, contents *c)
{
    fgti_reader *reader;
    FGTI_TRY(picture_check_kind(ctx, path));
    FGTI_TRY(fgti_reader_open(ctx, path, &reader));
    fgt_status s = FGT_OK;
    for (size_t n = 1; s == FGT_OK && n;) {
        const char *more;
        s = fgti_reader_read(reader, &more, &n);
        if (s != FGT_OK || !n) break;
        if ((int64_t)n > FILE_MAX_BYTES - c->used) {
            s = fgti_fail(&ctx->error, FGT_E_SIZE, "%.300s: a picture has at most 256 MiB", path);
            break;
        }
        s = fgti_grow(ctx, "picture file", 1, c->used, c->used + (int64_t)n, 2 * c->used, &c->capacity,
                      (void **)&c->data);
        if (s == FGT_OK) memcpy(c->data + c->used, more, n);
        if (s == FGT_OK) c->used += (int64_t)n;
    }
    fgti_reader_close(&reader);
    return s;
}

fgt_status fgti_images_read_picture(fgti_images_builder *b, const char *path, const char *name)
{
    contents     c       = {0};
    fgti_picture picture = {0};
    fgt_status   s       = picture_read_file(b->ctx, path, &c);
    if (s == FGT_OK) {
        s = fgti_picture_decode(b->ctx, c.data, c.used, &b->images->background, &picture);
        if (s == FGT_OK) s = fgti_images_add(b, &picture);
        if (s == FGT_OK) s = fgti_strings_add(b->ctx, &b->images->names, name, (int64_t)strlen(name));
        if (s != FGT_OK && s != FGT_E_NOMEM) fgti_error_prefix(&b->ctx->error, "%.300s", path);
    }
    fgti_picture_done(b->ctx, &picture);
    fgti_free(b->ctx, c.data);
    return s;
}
