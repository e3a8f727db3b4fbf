/* SPDX-License-Identifier: BSD-3-Clause */
#include "image/images_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/opts.h"
#include "core/sort.h"
#include "core/tensor.h"
#include "core/text.h"

#define CLASSES_MAX 1000000 /* limit, so that a typing error in `classes` does not use up the memory */

static fgt_status images_check_names(fgti_error *err, const fgt_images_opts *o)
{
    if (!o->class_names != !o->class_name_count)
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_images_opts: class_names and class_name_count do not go together (got one of "
                         "them, need both or neither)");
    if (o->class_names && (o->like || o->no_classes || o->classes))
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_images_opts: class_names already sets the classes (got like, no_classes or "
                         "classes, too)");
    for (int64_t i = 0; i < o->class_name_count; i++)
        if (!o->class_names[i] || !*o->class_names[i] || !fgti_is_utf8(o->class_names[i]))
            return fgti_fail(err, FGT_E_ARG,
                             "fgt_images_opts: class_names has a wrong name %lld (need a text in UTF-8)",
                             (long long)i);
    return FGT_OK;
}

fgt_status fgti_images_opts_read(fgti_error *err, const fgt_images_opts *in, fgt_images_opts *out)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_images_opts, height, I64, 0, FGTI_SIDE_MAX, 0),
        FGTI_FIELD(fgt_images_opts, width, I64, 0, FGTI_SIDE_MAX, 0),
        FGTI_FIELD(fgt_images_opts, channels, I64, 0, FGTI_CHANNELS, 0),
        FGTI_FIELD(fgt_images_opts, classes, I64, 0, CLASSES_MAX, 0),
        FGTI_FIELD(fgt_images_opts, resize, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_images_opts, no_classes, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_images_opts, class_name_count, I64, 0, CLASSES_MAX, 0),
        {0},
    };
    FGTI_TRY(fgti_opts_read(err, "fgt_images_opts", in, out, sizeof *out));
    FGTI_TRY(fgti_opts_check(err, "fgt_images_opts", table, out));
    if (out->channels == 2)
        return fgti_fail(err, FGT_E_ARG, "fgt_images_opts: wrong channels (got 2, need 1 or 3)");
    if (!out->height != !out->width)
        return fgti_fail(
            err, FGT_E_ARG,
            "fgt_images_opts: height and width do not go together (got one of them, need both or neither)");
    if (out->like && (out->height || out->channels || out->classes))
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_images_opts: like already sets the size, the channels and the classes");
    if (out->no_classes && (out->classes || out->labels))
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_images_opts: labels and classes cannot be given with no_classes");
    return images_check_names(err, out);
}

/* Reads a colour. text NULL: the colour is white. */
static fgt_status read_colour(fgti_error *err, const char *text, fgti_colour *colour)
{
    static const struct {
        const char *name, *digits;
    } names[]              = {{"white", "#ffffff"}, {"black", "#000000"}, {"gray", "#808080"},
                              {"grey", "#808080"}};
    const char *digits     = text ? text : "white";
    const char *const hex  = "0123456789abcdef";
    char        show[FGTI_SHOW];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(digits, names[i].name)) digits = names[i].digits;
    bool right = strlen(digits) == 1 + 2 * FGTI_CHANNELS && *digits == '#';
    int  v     = 0;
    for (int i = 0; right && i < 2 * FGTI_CHANNELS; i++) {
        const char  c  = digits[1 + i];
        const char *at = strchr(hex, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
        right          = at;
        if (right) v = v << 4 | (int)(at - hex);
        colour->rgb[i / 2] = (unsigned char)v;
    }
    if (right) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG,
                     "wrong background (got \"%s\", need white, black, gray, or a colour such as #4080ff)",
                     fgti_show(text, show));
}

static fgt_status images_add_number(fgt_images *m, int64_t i, int64_t *number)
{
    char text[24];
    return fgti_words_add(m->ctx, &m->classes, text, snprintf(text, sizeof text, "%lld", (long long)i),
                          number);
}

static fgt_status images_add_names(fgt_images *m, const fgt_images_opts *o)
{
    int64_t number;
    for (int64_t i = 0; i < o->class_name_count; i++) {
        FGTI_TRY(fgti_words_add(m->ctx, &m->classes, o->class_names[i], (int64_t)strlen(o->class_names[i]),
                                &number));
        if (number != i)
            return fgti_fail(&m->ctx->error, FGT_E_ARG,
                             "fgt_images_opts: class_names has a name twice (got names %lld and %lld)",
                             (long long)number, (long long)i);
    }
    return FGT_OK;
}

fgt_status fgti_images_build(fgt_context *ctx, const fgt_images_opts *opts, fgti_images_builder *b)
{
    const fgt_images *like = opts->like;
    int64_t           number;
    *b =
        (fgti_images_builder){.ctx = ctx, .opts = *opts, .fixed = like || opts->classes || opts->class_names};
    FGTI_TRY(FGTI_NEW(ctx, 1, "images", &b->images));
    fgt_images *m = b->images;
    m->ctx        = ctx;
    if (like) m->background = like->background;
    if (!like || opts->background) FGTI_TRY(read_colour(&ctx->error, opts->background, &m->background));
    m->info       = (fgt_images_info){.size     = sizeof m->info,
                                      .height   = like ? like->info.height : opts->height,
                                      .width    = like ? like->info.width : opts->width,
                                      .channels = like ? like->info.channels : opts->channels};
    if (opts->no_classes) return FGT_OK;
    for (int64_t i = 0; like && i < like->classes.texts.count; i++)
        FGTI_TRY(fgti_words_add(ctx, &m->classes, fgti_strings_get(&like->classes.texts, i),
                                fgti_strings_size(&like->classes.texts, i), &number));
    for (int64_t i = 0; i < opts->classes; i++) FGTI_TRY(images_add_number(m, i, &number));
    return images_add_names(m, opts);
}

/* ---- pixels ---- */

fgt_status fgti_images_size(fgti_images_builder *b, int64_t height, int64_t width, int64_t channels)
{
    fgt_images_info *m = &b->images->info;
    FGTI_TRY(fgti_picture_check(b->ctx, height, width));
    if (!m->height) {
        m->height = height;
        m->width  = width;
    }
    if (!m->channels) m->channels = channels;
    if (b->opts.resize || (m->height == height && m->width == width)) return FGT_OK;
    return fgti_fail(&b->ctx->error, FGT_E_DATA,
                     "wrong size (got %lld x %lld pixels, need %lld x %lld); with the option `height` "
                     "pictures are resized",
                     (long long)height, (long long)width, (long long)m->height, (long long)m->width);
}

fgt_status fgti_images_add(fgti_images_builder *b, const fgti_picture *picture)
{
    fgt_images      *m    = b->images;
    fgt_images_info *info = &m->info;
    int64_t          need;
    FGTI_TRY(fgti_images_size(b, picture->height, picture->width, picture->channels));
    const int64_t size = info->height * info->width * info->channels;
    if (info->count >= INT32_MAX || !fgti_size_mul(info->count + 1, size, &need) || need > INT64_MAX / 4)
        return fgti_fail(&b->ctx->error, FGT_E_SIZE, "images: more than %lld are too many",
                         (long long)info->count);
    FGTI_TRY(fgti_grow(b->ctx, "images", 1, need - size, need, 2 * (need - size), &m->pixel_capacity,
                       (void **)&m->pixels));
    FGTI_TRY(fgti_grow(b->ctx, "classes of images", sizeof *m->label, info->count, info->count + 1,
                       2 * info->count + 64, &m->label_capacity, (void **)&m->label));
    FGTI_TRY(fgti_picture_fit(b->ctx, picture, info->height, info->width, info->channels,
                              m->pixels + need - size));
    m->label[info->count++] = -1;
    return FGT_OK;
}

/* ---- classes ---- */

static void count_class(fgt_images *m, int64_t row, int64_t number)
{
    m->label[row] = (int32_t)number;
    m->classes.count[number]++;
}

fgt_status fgti_images_set_class(fgti_images_builder *b, int64_t row, const char *name, int64_t size)
{
    fgt_images *m = b->images;
    char        show[FGTI_SHOW];
    int64_t     number = -1;
    if (!size) return fgti_fail(&b->ctx->error, FGT_E_DATA, "the class is empty");
    if (!fgti_is_utf8(name))
        return fgti_fail(&b->ctx->error, FGT_E_DATA, "the name of the class is not UTF-8: \"%s\"",
                         fgti_show(name, show));
    if (!b->fixed) FGTI_TRY(fgti_words_add(b->ctx, &m->classes, name, size, &number));
    if (b->fixed) number = fgti_words_find(&m->classes, name, size);
    if (number < 0)
        return fgti_fail(&b->ctx->error, FGT_E_DATA, "class \"%s\" is not one of the %lld classes",
                         fgti_show(name, show), (long long)m->classes.texts.count);
    count_class(m, row, number);
    return FGT_OK;
}

fgt_status fgti_images_set_label(fgti_images_builder *b, int64_t row, int64_t label)
{
    char          text[24];
    const int64_t classes = b->opts.class_names ? b->opts.class_name_count : b->opts.classes;
    if (classes && (label < 0 || label >= classes))
        return fgti_fail(&b->ctx->error, FGT_E_DATA, "label is out of range (got %lld, need 0 .. %lld)",
                         (long long)label, (long long)classes - 1);
    if (b->opts.class_names) {
        count_class(b->images, row, label);
        return FGT_OK;
    }
    if (label < 0 || label >= INT32_MAX)
        return fgti_fail(&b->ctx->error, FGT_E_DATA, "label is out of range (got %lld, need 0 .. 2^31-2)",
                         (long long)label);
    return fgti_images_set_class(b, row, text, snprintf(text, sizeof text, "%lld", (long long)label));
}

/* Whether s is a whole number in its shortest form. Of two numbers in this form, the longer text is the
 * greater number. */
static bool images_is_number(const char *s)
{
    if (*s == '0' && s[1]) return false;
    for (; *s; s++)
        if (*s < '0' || *s > '9') return false;
    return true;
}

static int images_by_name(const void *a, const void *b, const void *texts)
{
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return strcmp(fgti_strings_get(texts, i), fgti_strings_get(texts, j));
}

static int images_by_number(const void *a, const void *b, const void *texts)
{
    const int64_t ni = fgti_strings_size(texts, *(const int32_t *)a);
    const int64_t nj = fgti_strings_size(texts, *(const int32_t *)b);
    return ni != nj ? (ni < nj ? -1 : 1) : images_by_name(a, b, texts);
}

/* Numbers the classes in sorted order. `order` and `place` are memory with an element for each class. */
static fgt_status images_renumber(fgt_images *m, int32_t *order, int32_t *place)
{
    const fgti_strings *old     = &m->classes.texts;
    bool                numbers = true;
    fgti_words          sorted  = {0};
    fgt_status          s       = FGT_OK;
    int64_t             number  = 0;
    for (int64_t i = 0; i < old->count; i++) {
        order[i] = (int32_t)i;
        numbers  = numbers && images_is_number(fgti_strings_get(old, i));
    }
    fgti_sort(order, old->count, sizeof *order, numbers ? images_by_number : images_by_name, old);
    for (int64_t i = 0; i < old->count; i++) {
        s = fgti_words_add(m->ctx, &sorted, fgti_strings_get(old, order[i]), fgti_strings_size(old, order[i]),
                           &number);
        if (s != FGT_OK) break;
        sorted.count[number] = m->classes.count[order[i]];
        place[order[i]]      = (int32_t)number;
    }
    if (s != FGT_OK) {
        fgti_words_done(m->ctx, &sorted);
        return s;
    }
    for (int64_t i = 0; i < m->info.count; i++) m->label[i] = place[m->label[i]];
    fgti_words_done(m->ctx, &m->classes);
    m->classes = sorted;
    return FGT_OK;
}

fgt_status fgti_images_finish(fgti_images_builder *b, fgt_images **images)
{
    fgt_images   *m = b->images;
    const int64_t n = m->classes.texts.count;
    if (!m->info.count) return fgti_fail(&b->ctx->error, FGT_E_DATA, "there is no image");
    if (!b->fixed && n) {
        int32_t *both;
        FGTI_TRY(FGTI_NEW(b->ctx, 2 * n, "classes", &both));
        const fgt_status s = images_renumber(m, both, both + n);
        fgti_free(b->ctx, both);
        FGTI_TRY(s);
    }
    m->info.classes = n;
    *images         = m;
    b->images       = NULL;
    return FGT_OK;
}

void fgti_images_build_done(fgti_images_builder *b)
{
    fgt_images_destroy(&b->images);
}

/* ---- from memory ---- */

/* Writes image i to picture->pixels. */
static fgt_status images_read_view(fgt_context *ctx, const fgt_view *pixels, int64_t i,
                                   const fgti_picture *picture)
{
    const int64_t n = picture->height * picture->width * picture->channels;
    const float  *x = (const float *)pixels->data + i * n;
    for (int64_t k = 0; k < n; k++) {
        if (!(x[k] >= 0 && x[k] <= 255) || x[k] != floorf(x[k]))
            return fgti_fail(&ctx->error, FGT_E_DATA,
                             "images: image %lld has a wrong pixel (got %g, need a whole number "
                             "from 0 to 255)",
                             (long long)i, (double)x[k]);
        picture->pixels[k] = (unsigned char)x[k];
    }
    return FGT_OK;
}

static fgt_status add_views(fgti_images_builder *b, const fgt_view *pixels, const fgt_view *labels,
                            fgti_picture *picture)
{
    const int64_t *shape = pixels->shape, *label = labels ? labels->data : NULL;
    FGTI_TRY(fgti_picture_new(b->ctx, shape[1], shape[2], shape[3], picture));
    for (int64_t i = 0; i < shape[0]; i++) {
        FGTI_TRY(images_read_view(b->ctx, pixels, i, picture));
        fgt_status s = fgti_images_add(b, picture);
        if (s == FGT_OK && label) s = fgti_images_set_label(b, i, label[i]);
        if (s == FGT_E_DATA) fgti_error_prefix(&b->ctx->error, "images: image %lld", (long long)i);
        FGTI_TRY(s);
    }
    return FGT_OK;
}

static fgt_status images_check_views(fgti_error *err, const fgt_images_opts *o, const fgt_view *pixels,
                                     const fgt_view *labels)
{
    FGTI_TRY(fgti_view_check(err, "pixels", pixels, FGT_DTYPE_F32, 4, (int64_t[]){-1, -1, -1, -1}));
    const int64_t *shape = pixels->shape;
    if (shape[0] < 1 || (shape[3] != 1 && shape[3] != FGTI_CHANNELS))
        return fgti_fail(err, FGT_E_SHAPE,
                         "pixels: wrong shape (got %lld images of %lld channels, need one or more of 1 or 3)",
                         (long long)shape[0], (long long)shape[3]);
    if (!labels != !!o->no_classes)
        return fgti_fail(err, FGT_E_ARG, "images: wrong labels and no_classes (need one of them)");
    return labels ? fgti_view_check(err, "labels", labels, FGT_DTYPE_I64, 1, shape) : FGT_OK;
}

fgt_status fgt_images_create(fgt_context *ctx, const fgt_view *pixels, const fgt_view *labels,
                             const fgt_images_opts *opts, fgt_images **images)
{
    fgt_images_opts     o;
    fgti_images_builder b;
    fgti_picture        picture = {0};
    if (images) *images = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!images) return fgti_fail(&ctx->error, FGT_E_ARG, "images: result pointer is NULL");
    FGTI_TRY(fgti_images_opts_read(&ctx->error, opts, &o));
    FGTI_TRY(images_check_views(&ctx->error, &o, pixels, labels));
    fgt_status s = fgti_images_build(ctx, &o, &b);
    if (s == FGT_OK) s = add_views(&b, pixels, labels, &picture);
    if (s == FGT_OK) s = fgti_images_finish(&b, images);
    fgti_picture_done(ctx, &picture);
    fgti_images_build_done(&b);
    return s;
}
