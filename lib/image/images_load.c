/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of images from folders and lists of pictures, and the choice among all forms. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/atomic_file.h"
#include "core/sort.h"
#include "data/csv/csv.h"
#include "data/csv/reader.h"
#include "image/images.h"

#define FILE_MAX_BYTES (INT64_C(256) << 20) /* of one picture */
#define PATH_MAX_BYTES 4096

/* "%s/%s" into buf, or FGT_E_IO. */
static fgt_status join(fgt_context *ctx, const char *folder, const char *name, char buf[PATH_MAX_BYTES])
{
    const int n = snprintf(buf, PATH_MAX_BYTES, "%s/%s", folder, name);
    if (n > 0 && n < PATH_MAX_BYTES) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_IO, "%.200s/...: the name is too long", folder);
}

/* ---- one picture ---- */

bool fgti_is_picture(const char *name)
{
    static const char *const ends[] = {".png", ".jpg", ".jpeg"};
    const size_t             n      = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t k = strlen(ends[i]);
        size_t       j = 0;
        if (n <= k) continue;
        while (j < k && ((unsigned char)name[n - k + j] | 0x20) == (unsigned char)ends[i][j]) j++;
        if (j == k) return true;
    }
    return false;
}

typedef struct contents {
    unsigned char *data;
    int64_t        used, capacity;
} contents;

/* A list may name anything. A pipe or a terminal would keep us waiting, and some devices never end. */
static fgt_status check_kind(fgt_context *ctx, const char *path)
{
    struct stat st;
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) return FGT_OK; /* open() says more */
    return fgti_fail(&ctx->error, FGT_E_IO, "%.300s: a picture must be a regular file", path);
}

static fgt_status read_file(fgt_context *ctx, const char *path, contents *c)
{
    fgti_reader *reader;
    FGTI_TRY(check_kind(ctx, path));
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

/* By its first bytes, whatever its name is. */
static fgt_status decode(fgt_context *ctx, const contents *c, fgti_picture *picture)
{
    if (c->used >= 8 && !memcmp(c->data, "\x89PNG\r\n\x1a\n", 8))
        return fgti_png_decode(ctx, c->data, c->used, picture);
    if (c->used >= 3 && !memcmp(c->data, "\xff\xd8\xff", 3))
        return fgti_jpeg_decode(ctx, c->data, c->used, picture);
    return fgti_fail(&ctx->error, FGT_E_FORMAT, "the file is neither PNG nor JPEG");
}

fgt_status fgti_images_read_picture(fgti_images_builder *b, const char *path, const char *name)
{
    contents     c       = {0};
    fgti_picture picture = {0};
    fgt_status   s       = read_file(b->ctx, path, &c);
    if (s == FGT_OK) {
        s = decode(b->ctx, &c, &picture);
        if (s == FGT_OK) s = fgti_images_add(b, &picture);
        if (s == FGT_OK) s = fgti_strings_add(b->ctx, &b->images->names, name, (int64_t)strlen(name));
        if (s != FGT_OK && s != FGT_E_NOMEM) fgti_error_prefix(&b->ctx->error, "%.300s", path);
    }
    fgti_picture_done(b->ctx, &picture);
    fgti_free(b->ctx, c.data);
    return s;
}

/* ---- folders ---- */

static int by_bytes(const void *a, const void *b, const void *texts)
{
    const char *x = fgti_strings_get(texts, *(const int32_t *)a);
    return strcmp(x, fgti_strings_get(texts, *(const int32_t *)b));
}

typedef struct listing {
    fgti_strings names;
    int32_t     *order; /* [names.count], by their bytes */
} listing;

static void listing_done(fgt_context *ctx, listing *l)
{
    fgti_strings_done(ctx, &l->names);
    fgti_free(ctx, l->order);
}

/* The names in a folder but those with a dot at the start. *is: path is a folder. What cannot be opened for
 * another reason than that it is none may be one, and is an error. listing_done() must be called even after
 * an error. */
static fgt_status list_folder(fgt_context *ctx, const char *path, bool *is, listing *l)
{
    fgt_status s = FGT_OK;
    DIR       *d = opendir(path);
    *is          = d;
    if (!d && errno == ENOMEM) return fgti_fail(&ctx->error, FGT_E_NOMEM, "%.300s: no memory", path);
    if (!d && errno != ENOTDIR && errno != ENOENT)
        return fgti_fail_errno(&ctx->error, path, "cannot open", errno);
    if (!d) return FGT_OK;
    for (const struct dirent *e; s == FGT_OK;) {
        errno = 0;
        e     = readdir(d);
        if (!e && errno) s = fgti_fail(&ctx->error, FGT_E_IO, "%.300s: cannot be read", path);
        if (!e) break;
        if (e->d_name[0] != '.')
            s = fgti_strings_add(ctx, &l->names, e->d_name, (int64_t)strlen(e->d_name));
    }
    closedir(d);
    FGTI_TRY(s);
    FGTI_TRY(FGTI_NEW(ctx, l->names.count, "names of files", &l->order));
    for (int64_t i = 0; i < l->names.count; i++) l->order[i] = (int32_t)i;
    fgti_sort(l->order, l->names.count, sizeof *l->order, by_bytes, &l->names);
    return FGT_OK;
}

/* The pictures of a folder, all of one class; NULL: of none. */
static fgt_status add_pictures(fgti_images_builder *b, const char *folder, const listing *l,
                               const char *label)
{
    const int64_t before  = b->images->info.count;
    int64_t       skipped = 0;
    for (int64_t i = 0; i < l->names.count; i++) {
        char        path[PATH_MAX_BYTES], joined[PATH_MAX_BYTES];
        const char *name = fgti_strings_get(&l->names, l->order[i]);
        if (!fgti_is_picture(name)) {
            skipped++;
            continue;
        }
        FGTI_TRY(join(b->ctx, folder, name, path));
        if (label) FGTI_TRY(join(b->ctx, label, name, joined));
        FGTI_TRY(fgti_images_read_picture(b, path, label ? joined : name));
        if (!label) continue;
        const fgt_status s = fgti_images_set_class(b, b->images->info.count - 1, label,
                                                   (int64_t)strlen(label));
        if (s == FGT_E_DATA) fgti_error_prefix(&b->ctx->error, "%.200s", folder);
        FGTI_TRY(s);
    }
    if (b->images->info.count == before)
        return fgti_fail(&b->ctx->error, FGT_E_DATA, "%.300s: the folder has no .png, .jpg or .jpeg file",
                         folder);
    if (skipped)
        fgti_log(b->ctx, FGT_LOG_WARN,
                 "%.200s: %lld names do not end in .png, .jpg or .jpeg and were skipped",
                 folder, (long long)skipped);
    return FGT_OK;
}

static fgt_status add_class(fgti_images_builder *b, const char *folder, const char *name, bool *is)
{
    char    path[PATH_MAX_BYTES];
    listing l = {0};
    FGTI_TRY(join(b->ctx, folder, name, path));
    fgt_status s = list_folder(b->ctx, path, is, &l);
    if (s == FGT_OK && *is) s = add_pictures(b, path, &l, name);
    listing_done(b->ctx, &l);
    return s;
}

static fgt_status add_classes(fgti_images_builder *b, const char *path, const listing *l)
{
    int64_t folders = 0, skipped = 0;
    for (int64_t i = 0; i < l->names.count; i++) {
        const char *name = fgti_strings_get(&l->names, l->order[i]);
        bool        is;
        FGTI_TRY(add_class(b, path, name, &is));
        folders += is;
        if (!is && fgti_is_picture(name))
            return fgti_fail(&b->ctx->error, FGT_E_DATA,
                             "%.200s/%.60s is in no subfolder, and so has no class", path, name);
        skipped += !is;
    }
    if (!folders)
        return fgti_fail(&b->ctx->error, FGT_E_DATA,
                         "%.300s: the folder has no subfolders, one for each class",
                         path);
    if (skipped)
        fgti_log(b->ctx, FGT_LOG_WARN, "%.200s: %lld names are no folders and were skipped", path,
                 (long long)skipped);
    return FGT_OK;
}

fgt_status fgti_images_read_folder(fgti_images_builder *b, const char *path, bool *is)
{
    listing    l = {0};
    fgt_status s = list_folder(b->ctx, path, is, &l);
    if (s == FGT_OK && *is)
        s = b->opts.no_classes ? add_pictures(b, path, &l, NULL) : add_classes(b, path, &l);
    listing_done(b->ctx, &l);
    return s;
}

/* ---- lists ---- */

static fgt_status add_line(fgti_images_builder *b, const fgti_csv *csv, const char *folder)
{
    char        path[PATH_MAX_BYTES];
    const char *name = fgti_csv_cell(csv, 0);
    const bool  bare = b->opts.no_classes;
    if (csv->count > 2 || (csv->count < 2 && !bare))
        return fgti_csv_fail(csv, FGT_E_FORMAT, csv->line, "%lld cells, expected a file and its class",
                             (long long)csv->count);
    if (!*name) return fgti_csv_fail(csv, FGT_E_DATA, csv->line, "the name of the file is empty");
    if (*name == '/' || !*folder)
        FGTI_TRY(snprintf(path, sizeof path, "%s", name) < (int)sizeof path
                     ? FGT_OK
                     : fgti_csv_fail(csv, FGT_E_IO, csv->line, "the name of the file is too long"));
    else
        FGTI_TRY(join(b->ctx, folder, name, path));
    fgt_status s = fgti_images_read_picture(b, path, name);
    if (s == FGT_OK && !bare)
        s = fgti_images_set_class(b, b->images->info.count - 1, fgti_csv_cell(csv, 1), csv->cells[1].size);
    if (s != FGT_OK && s != FGT_E_NOMEM)
        fgti_error_prefix(&b->ctx->error, "%.150s: line %lld", csv->path, (long long)csv->line);
    return s;
}

static fgt_status read_lines(fgti_images_builder *b, fgti_csv *csv, const char *folder)
{
    bool more;
    fgti_csv_detect(csv, ",;\t");
    for (bool first = true;; first = false) {
        FGTI_TRY(fgti_csv_next_filled(csv, &more));
        if (!more) return FGT_OK;
        if (!first || fgti_is_picture(fgti_csv_cell(csv, 0))) FGTI_TRY(add_line(b, csv, folder));
    }
}

fgt_status fgti_images_read_list(fgti_images_builder *b, const char *path)
{
    fgti_csv    csv;
    const char *slash = strrchr(path, '/');
    char        folder[PATH_MAX_BYTES];
    if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 0, path) >= (int)sizeof folder)
        return fgti_fail(&b->ctx->error, FGT_E_IO, "%.200s...: the name is too long", path);
    if (slash == path) snprintf(folder, sizeof folder, "/.");
    fgt_status s = fgti_csv_open(b->ctx, path, 0, &csv);
    if (s == FGT_OK) s = read_lines(b, &csv, folder);
    fgti_csv_close(&csv);
    return s;
}

/* ---- any form ---- */

static fgt_status read_any(fgti_images_builder *b, const char *path)
{
    fgti_reader *reader;
    const char  *first;
    size_t       n;
    bool         folder;
    FGTI_TRY(fgti_images_read_folder(b, path, &folder));
    if (folder && b->opts.labels)
        return fgti_fail(&b->ctx->error, FGT_E_ARG, "%.300s: is a folder, whose labels are in no file", path);
    if (folder) return FGT_OK;
    FGTI_TRY(fgti_reader_open(b->ctx, path, &reader));
    const fgt_status s = fgti_reader_read(reader, &first, &n);
    const bool idx = s == FGT_OK && n >= 2 && !first[0] && !first[1];
    const bool picture = s == FGT_OK && n >= 3 && (!memcmp(first, "\x89PN", 3) || !memcmp(first,
                                                                                          "\xff\xd8\xff", 3));
    fgti_reader_close(&reader);
    FGTI_TRY(s);
    if (picture)
        return fgti_fail(&b->ctx->error, FGT_E_FORMAT, "%.300s: is one picture; name its folder, or a list",
                         path);
    if (idx) return fgti_images_read_idx(b, path);
    if (b->opts.labels)
        return fgti_fail(&b->ctx->error, FGT_E_FORMAT, "%.300s: is no IDX file, and so has no file of labels",
                         path);
    return fgti_images_read_list(b, path);
}

fgt_status fgt_images_load(fgt_context *ctx, const char *path, const fgt_images_opts *opts,
                           fgt_images **images)
{
    fgt_images_opts     o;
    fgti_images_builder b;
    if (images) *images = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!images || !path) return fgti_fail(&ctx->error, FGT_E_ARG, "images: path or result pointer is NULL");
    FGTI_TRY(fgti_images_opts_read(&ctx->error, opts, &o));
    fgt_status s = fgti_images_build(ctx, &o, &b);
    if (s == FGT_OK) s = read_any(&b, path);
    if (s == FGT_OK) {
        s = fgti_images_finish(&b, images);
        if (s == FGT_E_DATA) fgti_error_prefix(&ctx->error, "%.300s", path);
    }
    fgti_images_build_done(&b);
    return s;
}
