/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates sets of images from folders of pictures. */
#include "image/images_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/atomic_file.h"
#include "core/sort.h"
#include "image/picture_file.h"

/* ---- names ---- */

fgt_status fgti_path_join(fgt_context *ctx, const char *folder, const char *name, char buf[FGTI_PATH_MAX])
{
    const int n = snprintf(buf, FGTI_PATH_MAX, "%s%s%s", folder, *folder ? "/" : "", name);
    if (n > 0 && n < FGTI_PATH_MAX) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_IO, "%.200s/...: the name is too long", folder);
}

/* end: in lower case. */
static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), k = strlen(end);
    size_t       j = 0;
    while (n > k && j < k && ((unsigned char)name[n - k + j] | 0x20) == (unsigned char)end[j]) j++;
    return j == k;
}

bool fgti_is_picture(const char *name)
{
    return ends_with(name, ".png") || ends_with(name, ".jpg") || ends_with(name, ".jpeg");
}

/* Extensions of picture files that are not supported. The last entry counts all other files. */
static const char *const others[] = {".webp", ".gif", ".bmp", ".tif", ".tiff", ".heic", ".avif",
                                     ".jfif", ".ppm", ".pgm", ".svg", ""};
enum { OTHERS = sizeof others / sizeof *others, OTHERS_TEXT = 300 };

typedef struct skipped {
    int64_t count[OTHERS], all;
} skipped;

static void note_skipped(skipped *s, const char *name)
{
    int i = 0;
    while (i < OTHERS - 1 && !ends_with(name, others[i])) i++;
    s->count[i]++;
    s->all++;
}

/* "2 .webp, 1 .gif, 3 others" */
static const char *skipped_text(const skipped *s, char buf[OTHERS_TEXT])
{
    size_t n = 0;
    *buf     = 0;
    for (int i = 0; i < OTHERS; i++)
        if (s->count[i])
            n += (size_t)snprintf(buf + n, OTHERS_TEXT - n, "%s%lld %s", n ? ", " : "",
                                  (long long)s->count[i], *others[i] ? others[i]
                                                          : s->count[i] == 1 ? "other" : "others");
    return buf;
}

static void say_skipped(fgt_context *ctx, const char *path, const skipped *s)
{
    char buf[OTHERS_TEXT];
    if (s->all)
        fgti_log(ctx, FGT_LOG_WARN, "%.200s: skipped files: %s; only .png, .jpg and .jpeg are read", path,
                 skipped_text(s, buf));
}

static int by_bytes(const void *a, const void *b, const void *texts)
{
    const char *x = fgti_strings_get(texts, *(const int32_t *)a);
    return strcmp(x, fgti_strings_get(texts, *(const int32_t *)b));
}

typedef struct listing {
    fgti_strings names;
    int32_t     *order; /* [names.count]: indices, ordered by the names' bytes */
} listing;

static void listing_done(fgt_context *ctx, listing *l)
{
    fgti_strings_done(ctx, &l->names);
    fgti_free(ctx, l->order);
}

static fgt_status listing_sort(fgt_context *ctx, listing *l)
{
    FGTI_TRY(FGTI_NEW(ctx, l->names.count, "names of files", &l->order));
    for (int64_t i = 0; i < l->names.count; i++) l->order[i] = (int32_t)i;
    fgti_sort(l->order, l->names.count, sizeof *l->order, by_bytes, &l->names);
    return FGT_OK;
}

static const char *listing_get(const listing *l, int64_t i)
{
    return fgti_strings_get(&l->names, l->order[i]);
}

/* ---- folders ---- */

/* Whether an entry is a folder. An entry that cannot be examined may be a folder, so this is an error, unless
 * the entry does not exist. */
static fgt_status is_folder(fgt_context *ctx, const char *path, bool *is, struct stat *st)
{
    const bool there = !stat(path, st);
    *is              = there && S_ISDIR(st->st_mode);
    return there || errno == ENOENT || errno == ENOTDIR
               ? FGT_OK
               : fgti_fail_errno(&ctx->error, path, "cannot open", errno);
}

/* Lists the names in a folder, except names that begin with a dot. listing_done() must be called even after
 * an error. */
static fgt_status list_folder(fgt_context *ctx, const char *path, listing *l)
{
    fgt_status s = FGT_OK;
    DIR       *d = opendir(path);
    if (!d && errno == ENOMEM) return fgti_fail(&ctx->error, FGT_E_NOMEM, "%.300s: no memory", path);
    if (!d) return fgti_fail_errno(&ctx->error, path, "cannot open", errno);
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
    return listing_sort(ctx, l);
}

/* The pictures in a folder and its subfolders. */
typedef struct search {
    fgt_context *ctx;
    const char  *path;
    fgti_strings folders;  /* paths relative to the folder; the first one is "" */
    listing      pictures; /* paths relative to the folder */
    fgti_words   seen;     /* device and inode of each folder, because links can form a cycle */
    skipped      skipped;
} search;

static void folder_search_done(search *s)
{
    fgti_strings_done(s->ctx, &s->folders);
    listing_done(s->ctx, &s->pictures);
    fgti_words_done(s->ctx, &s->seen);
}

static fgt_status add_folder(search *s, const char *path, const char *from_here, const struct stat *st)
{
    char          id[64];
    const int     n = snprintf(id, sizeof id, "%llu %llu", (unsigned long long)st->st_dev,
                               (unsigned long long)st->st_ino);
    const int64_t before = s->seen.texts.count;
    int64_t       number;
    FGTI_TRY(fgti_words_add(s->ctx, &s->seen, id, n, &number));
    if (s->seen.texts.count == before)
        return fgti_fail(&s->ctx->error, FGT_E_DATA,
                         "%.300s: the folder is found a second time; remove the link to it", path);
    return fgti_strings_add(s->ctx, &s->folders, from_here, (int64_t)strlen(from_here));
}

static fgt_status folder_add_name(search *s, const char *folder, const char *name)
{
    char        from_here[FGTI_PATH_MAX], path[FGTI_PATH_MAX];
    struct stat st;
    bool        is;
    FGTI_TRY(fgti_path_join(s->ctx, folder, name, from_here));
    if (fgti_is_picture(name))
        return fgti_strings_add(s->ctx, &s->pictures.names, from_here, (int64_t)strlen(from_here));
    FGTI_TRY(fgti_path_join(s->ctx, s->path, from_here, path));
    FGTI_TRY(is_folder(s->ctx, path, &is, &st));
    if (is) return add_folder(s, path, from_here, &st);
    note_skipped(&s->skipped, name);
    return FGT_OK;
}

static fgt_status search_folder(search *s, const char *folder)
{
    char    path[FGTI_PATH_MAX];
    listing l = {0};
    FGTI_TRY(fgti_path_join(s->ctx, s->path, folder, path));
    fgt_status status = list_folder(s->ctx, *folder ? path : s->path, &l);
    for (int64_t i = 0; status == FGT_OK && i < l.names.count; i++)
        status = folder_add_name(s, folder, listing_get(&l, i));
    listing_done(s->ctx, &l);
    return status;
}

/* Searches all folders. folder_search_done() must be called even after an error. */
static fgt_status search_all(search *s, const struct stat *st)
{
    char folder[FGTI_PATH_MAX];
    FGTI_TRY(add_folder(s, s->path, "", st));
    for (int64_t i = 0; i < s->folders.count; i++) {
        snprintf(folder, sizeof folder, "%s", fgti_strings_get(&s->folders, i)); /* the list may move */
        FGTI_TRY(search_folder(s, folder));
    }
    return listing_sort(s->ctx, &s->pictures);
}

/* ---- their pictures ---- */

static fgt_status add_picture(fgti_images_builder *b, const search *s, const char *from_here,
                              const char *label)
{
    char path[FGTI_PATH_MAX], name[FGTI_PATH_MAX];
    FGTI_TRY(fgti_path_join(b->ctx, s->path, from_here, path));
    FGTI_TRY(fgti_path_join(b->ctx, label, from_here, name));
    FGTI_TRY(fgti_images_read_picture(b, path, name));
    if (!*label) return FGT_OK;
    const fgt_status status = fgti_images_set_class(b, b->images->info.count - 1, label,
                                                    (int64_t)strlen(label));
    if (status == FGT_E_DATA) fgti_error_prefix(&b->ctx->error, "%.200s", s->path);
    return status;
}

/* Adds all pictures with one class; "": without a class. */
static fgt_status add_pictures(fgti_images_builder *b, const search *s, const char *label)
{
    char buf[OTHERS_TEXT];
    for (int64_t i = 0; i < s->pictures.names.count; i++)
        FGTI_TRY(add_picture(b, s, listing_get(&s->pictures, i), label));
    if (!s->pictures.names.count)
        return fgti_fail(&b->ctx->error, FGT_E_DATA, "%.300s: the folder has no .png, .jpg or .jpeg file%s%s",
                         s->path, s->skipped.all ? ", but " : "", skipped_text(&s->skipped, buf));
    say_skipped(b->ctx, s->path, &s->skipped);
    return FGT_OK;
}

static fgt_status folder_add_class(fgti_images_builder *b, const char *path, const char *label,
                                   const struct stat *st)
{
    search     s      = {.ctx = b->ctx, .path = path};
    fgt_status status = search_all(&s, st);
    if (status == FGT_OK) status = add_pictures(b, &s, label);
    folder_search_done(&s);
    return status;
}

static fgt_status folder_add_classes(fgti_images_builder *b, const char *path, const listing *l)
{
    skipped others_here = {0};
    for (int64_t i = 0; i < l->names.count; i++) {
        char        folder[FGTI_PATH_MAX];
        const char *name = listing_get(l, i);
        struct stat st;
        bool        is;
        FGTI_TRY(fgti_path_join(b->ctx, path, name, folder));
        FGTI_TRY(is_folder(b->ctx, folder, &is, &st));
        if (is) {
            FGTI_TRY(folder_add_class(b, folder, name, &st));
        } else if (fgti_is_picture(name)) {
            return fgti_fail(&b->ctx->error, FGT_E_DATA,
                             "%.200s/%.60s is in no subfolder, and so has no class", path, name);
        } else {
            note_skipped(&others_here, name);
        }
    }
    if (others_here.all == l->names.count)
        return fgti_fail(&b->ctx->error, FGT_E_DATA,
                         "%.300s: the folder has no subfolders, one for each class", path);
    say_skipped(b->ctx, path, &others_here);
    return FGT_OK;
}

static fgt_status folder_read_classes(fgti_images_builder *b, const char *path)
{
    listing    l = {0};
    fgt_status s = list_folder(b->ctx, path, &l);
    if (s == FGT_OK) s = folder_add_classes(b, path, &l);
    listing_done(b->ctx, &l);
    return s;
}

fgt_status fgti_images_read_folder(fgti_images_builder *b, const char *path, bool *is)
{
    struct stat st;
    FGTI_TRY(is_folder(b->ctx, path, is, &st));
    if (!*is) return FGT_OK;
    return b->opts.no_classes ? folder_add_class(b, path, "", &st) : folder_read_classes(b, path);
}
