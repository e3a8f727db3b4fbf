/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads a list of pictures, and chooses between the forms of image sets. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "data/csv/csv.h"
#include "data/csv/first_block.h"
#include "data/csv/reader.h"
#include "image/idx.h"
#include "image/images_build.h"
#include "image/images_folder.h"
#include "image/picture/decode.h"
#include "image/picture_file.h"

/* ---- lists ---- */

static fgt_status add_line(fgti_images_builder *b, const fgti_csv *csv, const char *folder)
{
    char        path[FGTI_PATH_MAX];
    const char *name = fgti_csv_cell(csv, 0);
    const bool  bare = b->opts.no_classes;
    if (csv->count > 2 || (csv->count < 2 && !bare))
        return fgti_csv_fail(csv, FGT_E_FORMAT, csv->line,
                             "wrong number of cells (got %lld, need 2, a file and its class)",
                             (long long)csv->count);
    if (!*name) return fgti_csv_fail(csv, FGT_E_DATA, csv->line, "the name of the file is empty");
    if (*name == '/' || !*folder)
        FGTI_TRY(snprintf(path, sizeof path, "%s", name) < (int)sizeof path
                     ? FGT_OK
                     : fgti_csv_fail(csv, FGT_E_IO, csv->line, "the name of the file is too long"));
    else
        FGTI_TRY(fgti_path_join(b->ctx, folder, name, path));
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

static fgt_status read_list(fgti_images_builder *b, const char *path)
{
    fgti_csv    csv;
    const char *slash = strrchr(path, '/');
    char        folder[FGTI_PATH_MAX];
    if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 0, path) >= (int)sizeof folder)
        return fgti_fail(&b->ctx->error, FGT_E_IO, "%.200s...: the name is too long", path);
    if (slash == path) snprintf(folder, sizeof folder, "/.");
    fgt_status s = fgti_csv_open(b->ctx, path, 0, &csv);
    if (s == FGT_OK) s = read_lines(b, &csv, folder);
    fgti_csv_close(&csv);
    return s;
}

/* ---- any form ---- */

static fgt_status images_read_any(fgti_images_builder *b, const char *path)
{
    fgti_reader *reader;
    const char  *first;
    size_t       n;
    bool         folder;
    FGTI_TRY(fgti_images_read_folder(b, path, &folder));
    if (folder && b->opts.labels)
        return fgti_fail(
            &b->ctx->error, FGT_E_ARG,
            "%.300s: is a folder, whose subfolders are the classes, so the option `labels` cannot be given",
            path);
    if (folder) return FGT_OK;
    FGTI_TRY(fgti_reader_open(b->ctx, path, &reader));
    const fgt_status s = fgti_reader_read(reader, &first, &n);
    const bool idx = s == FGT_OK && n >= 2 && !first[0] && !first[1];
    const bool picture = s == FGT_OK && fgti_picture_kind(first, (int64_t)n);
    fgti_reader_close(&reader);
    FGTI_TRY(s);
    if (picture)
        return fgti_fail(&b->ctx->error, FGT_E_FORMAT, "%.300s: is one picture; give its folder, or a list",
                         path);
    if (idx) return fgti_images_read_idx(b, path);
    if (b->opts.labels)
        return fgti_fail(&b->ctx->error, FGT_E_FORMAT,
                         "%.300s: is not an IDX file, so the option `labels` cannot be given",
                         path);
    return read_list(b, path);
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
    if (s == FGT_OK) s = images_read_any(&b, path);
    if (s == FGT_OK) {
        s = fgti_images_finish(&b, images);
        if (s == FGT_E_DATA) fgti_error_prefix(&ctx->error, "%.300s", path);
    }
    fgti_images_build_done(&b);
    return s;
}
