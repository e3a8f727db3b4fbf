/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads IDX files. A file begins with the bytes 0, 0, the type, and the rank r. Then come r sizes of 4 bytes
 * each, most significant byte first, and then the elements. Type 8 means unsigned bytes. */
#include "image/idx.h"

#include <string.h>

#include "data/csv/reader.h"

#define BYTES 8
#define RANKS 4

typedef struct idx {
    fgt_context *ctx;
    const char  *path;
    fgti_reader *reader;
    const char  *next, *end;
    int64_t      at; /* bytes read so far */
    int64_t      rank, shape[RANKS];
} idx;

static fgt_status idx_fail(const idx *f, fgt_status s, const char *text)
{
    return fgti_fail(&f->ctx->error, s, "%.300s: byte %lld: %s", f->path, (long long)f->at, text);
}

/* Reads the next n bytes. */
static fgt_status idx_take(idx *f, unsigned char *to, int64_t n)
{
    while (n) {
        if (f->next == f->end) {
            size_t more;
            FGTI_TRY(fgti_reader_read(f->reader, &f->next, &more));
            f->end = f->next + more;
            if (!more) return idx_fail(f, FGT_E_FORMAT, "the IDX file ends too early");
        }
        const int64_t have = f->end - f->next, k = have < n ? have : n;
        memcpy(to, f->next, (size_t)k);
        to += k;
        f->next += k;
        f->at += k;
        n -= k;
    }
    return FGT_OK;
}

static fgt_status open_idx(fgt_context *ctx, const char *path, idx *f)
{
    unsigned char head[4];
    *f = (idx){.ctx = ctx, .path = path};
    FGTI_TRY(fgti_reader_open(ctx, path, &f->reader));
    FGTI_TRY(idx_take(f, head, sizeof head));
    if (head[0] || head[1])
        return idx_fail(f, FGT_E_FORMAT, "the file does not begin with 0 0, as IDX files do");
    if (head[2] != BYTES)
        return fgti_fail(&ctx->error, FGT_E_FORMAT,
                         "%.300s: wrong type of elements of the IDX file (got %d, need %d, bytes)", path,
                         head[2], BYTES);
    f->rank = head[3];
    if (f->rank < 1 || f->rank > RANKS)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "%.300s: the IDX file has %d axes", path, head[3]);
    for (int64_t i = 0; i < f->rank; i++) {
        FGTI_TRY(idx_take(f, head, sizeof head));
        f->shape[i] = (int64_t)head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
    }
    return FGT_OK;
}

static fgt_status idx_at_end(idx *f)
{
    size_t      more = 0;
    const char *next;
    if (f->next == f->end) FGTI_TRY(fgti_reader_read(f->reader, &next, &more));
    return f->next == f->end && !more ? FGT_OK
                                      : idx_fail(f, FGT_E_FORMAT, "there are bytes after the last element");
}

/* ---- images ---- */

#define PIECE (INT64_C(1) << 16)

/* Takes the next image. Memory grows only with the bytes that were read, because the sizes in the header may
 * be false. */
static fgt_status take_image(idx *f, fgti_picture *picture, int64_t *capacity)
{
    const int64_t all = picture->height * picture->width * picture->channels;
    for (int64_t have = 0; have < all;) {
        const int64_t n = all - have < PIECE ? all - have : PIECE;
        FGTI_TRY(fgti_grow(f->ctx, "image", 1, have, have + n, 2 * have, capacity,
                           (void **)&picture->pixels));
        FGTI_TRY(idx_take(f, picture->pixels + have, n));
        have += n;
    }
    return FGT_OK;
}

static fgt_status read_images(fgti_images_builder *b, idx *f, fgti_picture *picture)
{
    const int64_t channels = f->rank == 4 ? f->shape[3] : 1;
    int64_t       capacity = 0;
    if (f->rank < 3 || (channels != 1 && channels != FGTI_CHANNELS))
        return fgti_fail(&b->ctx->error, FGT_E_FORMAT,
                         "%.300s: wrong shape of the IDX file (got %lld axes, the last one of %lld, "
                         "need [images,rows,columns] or [images,rows,columns,1 or 3])",
                         f->path, (long long)f->rank, (long long)f->shape[f->rank - 1]);
    const fgt_status s = fgti_images_size(b, f->shape[1], f->shape[2], channels);
    if (s != FGT_OK && s != FGT_E_NOMEM) fgti_error_prefix(&b->ctx->error, "%.300s", f->path);
    FGTI_TRY(s);
    *picture = (fgti_picture){.height = f->shape[1], .width = f->shape[2], .channels = channels};
    for (int64_t i = 0; i < f->shape[0]; i++) {
        FGTI_TRY(take_image(f, picture, &capacity));
        FGTI_TRY(fgti_images_add(b, picture));
    }
    return idx_at_end(f);
}

static fgt_status idx_read_labels(fgti_images_builder *b, idx *f, const char *images)
{
    const int64_t n = b->images->info.count;
    if (f->rank != 1) return idx_fail(f, FGT_E_FORMAT, "the labels have the wrong rank (need one axis)");
    if (f->shape[0] != n)
        return fgti_fail(&b->ctx->error, FGT_E_DATA,
                         "%.200s: wrong number of labels (got %lld, need %lld, the images of %.200s)",
                         f->path, (long long)f->shape[0], (long long)n, images);
    for (int64_t i = 0; i < n; i++) {
        unsigned char label;
        FGTI_TRY(idx_take(f, &label, 1));
        const fgt_status s = fgti_images_set_label(b, i, label);
        if (s == FGT_E_DATA) fgti_error_prefix(&b->ctx->error, "%.300s: image %lld", f->path, (long long)i);
        FGTI_TRY(s);
    }
    return idx_at_end(f);
}

fgt_status fgti_images_read_idx(fgti_images_builder *b, const char *path)
{
    idx          f;
    fgti_picture picture = {0};
    if (!b->opts.labels && !b->opts.no_classes)
        return fgti_fail(&b->ctx->error, FGT_E_ARG,
                         "%.300s: is an IDX file; the file of its labels is missing",
                         path);
    fgt_status s = open_idx(b->ctx, path, &f);
    if (s == FGT_OK) s = read_images(b, &f, &picture);
    fgti_picture_done(b->ctx, &picture);
    fgti_reader_close(&f.reader);
    if (s != FGT_OK || !b->opts.labels) return s;
    s = open_idx(b->ctx, b->opts.labels, &f);
    if (s == FGT_OK) s = idx_read_labels(b, &f, path);
    fgti_reader_close(&f.reader);
    return s;
}
