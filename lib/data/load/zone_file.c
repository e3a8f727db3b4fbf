/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/load/zone_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/context.h"
#include "core/strings/list.h"
#include "data/csv/reader.h"

enum { ZONE_MOST = 1 << 18 }; /* bytes; even the largest zone file has only a few thousand */

static fgt_status zone_file_read(fgt_context *ctx, const char *path, unsigned char *bytes, int64_t *size)
{
    fgti_reader *reader;
    const char  *data;
    size_t       n = 1;
    *size          = 0;
    FGTI_TRY(fgti_reader_open(ctx, path, &reader));
    fgt_status s = FGT_OK;
    while (s == FGT_OK && n) {
        s = fgti_reader_read(reader, &data, &n);
        if (s != FGT_OK) break;
        if (n > (size_t)(ZONE_MOST - *size))
            s = fgti_fail(&ctx->error, FGT_E_FORMAT, "%.300s: too large for a file of a time zone", path);
        else
            memcpy(bytes + *size, data, n);
        *size += (int64_t)n;
    }
    fgti_reader_close(&reader);
    return s;
}

/* Refuses a pipe, because opening a pipe that has no writer would block. The reader reports folders and
 * missing files. */
static fgt_status check_zone_file(fgt_context *ctx, const char *path)
{
    struct stat st;
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_IO, "%.300s: cannot read: not a regular file", path);
}

static fgt_status zone_file_load(fgt_context *ctx, const char *path, fgti_zone *zone)
{
    unsigned char *bytes;
    int64_t        size;
    FGTI_TRY(check_zone_file(ctx, path));
    FGTI_TRY(FGTI_NEW(ctx, ZONE_MOST, "file of a time zone", &bytes));
    fgt_status s = zone_file_read(ctx, path, bytes, &size);
    if (s == FGT_OK) s = fgti_zone_read(ctx, path, bytes, size, zone);
    fgti_free(ctx, bytes);
    return s;
}

static bool zone_is_plain(const char *name)
{
    return *name && *name != '/' && !strstr(name, "..") && strlen(name) < 100;
}

fgt_status fgti_zone_load(fgt_context *ctx, const char *name, fgti_zone *zone)
{
    static const char *const folders[] = {"/usr/share/zoneinfo", "/usr/lib/zoneinfo",
                                          "/usr/share/lib/zoneinfo"};
    char                     path[160], show[FGTI_SHOW];
    *zone = (fgti_zone){0};
    if (*name == '/' || *name == '.') return zone_file_load(ctx, name, zone);
    for (size_t i = 0; zone_is_plain(name) && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        const fgt_status s = zone_file_load(ctx, path, zone);
        if (s != FGT_E_IO) return s;
        fgti_zone_done(ctx, zone);
    }
    return fgti_fail(
        &ctx->error, FGT_E_NAME,
        "the option `zone`: there is no \"%s\" in %s, the folder of tzdata; names are such as Europe/Berlin, "
        "and the path to a file begins with / or .",
        fgti_show(name, show), folders[0]);
}
