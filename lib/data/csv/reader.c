/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/csv/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef FGTI_HAVE_ZLIB
#include <zlib.h>
#endif

#include "core/context.h"

/* The default capacity of a pipe on Linux. Larger blocks bring no measurable gain. */
#define BLOCK 65536

typedef struct gzip gzip;

/* Reads with read() and not with stdio, because stdio takes its buffers from malloc. */
struct fgti_reader {
    fgt_context *ctx;
    const char  *path;
    int          fd;
    gzip        *gzip;       /* NULL: the file is not compressed */
    bool         inside;     /* a gzip stream has begun and has not yet ended */
    int64_t      size, done; /* size: bytes of the file, 0: not known; done: bytes that were read */
    size_t       have, at;   /* have: bytes in `raw`; at: bytes of `raw` that are used up */
    char         raw[BLOCK]; /* not zeroed at first, because this would take longer than reading a small
                              * file */
};

#define SHOWN 300 /* most bytes of a path in an error text, so that there is still space for the reason */

/* strerror() is not used: its language depends on the host, and it is not thread-safe. */
static fgt_status fail_errno(fgt_context *ctx, const char *path, int number)
{
    static const struct {
        int         number;
        const char *words;
    } known[] = {
        {ENOENT, "no such file"},
        {EACCES, "permission denied"},
        {EISDIR, "is a directory, not a file"},
        {ENOTDIR, "no such directory"},
        {EMFILE, "too many open files"},
        {ENAMETOOLONG, "the name is too long"},
        {EIO, "the disk cannot be read"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number)
            return fgti_fail(&ctx->error, FGT_E_IO, "%.*s: %s", SHOWN, path, known[i].words);
    return fgti_fail(&ctx->error, FGT_E_IO, "%.*s: cannot be read (errno %d)", SHOWN, path, number);
}

/* Reads a full block, or the rest of the file. One read() of a pipe returns less than a block. */
static fgt_status reader_fill(fgti_reader *s)
{
    s->have = s->at = 0;
    while (s->have < sizeof s->raw) {
        const ssize_t n = read(s->fd, s->raw + s->have, sizeof s->raw - s->have);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(s->ctx, s->path, errno);
        if (n == 0) break;
        s->have += (size_t)n;
    }
    s->done += (int64_t)s->have;
    return FGT_OK;
}

#ifdef FGTI_HAVE_ZLIB
struct gzip {
    z_stream z;
    char     plain[2 * BLOCK]; /* uncompressed */
};

static void *zlib_alloc(void *ctx, unsigned count, unsigned size)
{
    void *p;
    return fgti_alloc(ctx, count, size, "gzip", &p) == FGT_OK ? p : NULL;
}

static void zlib_free(void *ctx, void *p)
{
    fgti_free(ctx, p);
}

static fgt_status gzip_open(fgti_reader *s)
{
    gzip *g;
    FGTI_TRY(fgti_alloc_dirty(s->ctx, 1, sizeof *g, "gzip", (void **)&g));
    g->z = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = s->ctx};
    /* 15 is the largest window; + 16 accepts only gzip headers */
    const int r = inflateInit2(&g->z, 15 + 16);
    if (r == Z_OK) {
        s->gzip = g;
        return FGT_OK;
    }
    fgti_free(s->ctx, g);
    if (r == Z_MEM_ERROR) return FGT_E_NOMEM; /* zlib_alloc() has set the error text */
    return fgti_fail(&s->ctx->error, FGT_E_UNSUPPORTED, "zlib %s does not start", zlibVersion());
}

static void gzip_close(fgti_reader *s)
{
    if (!s->gzip) return;
    inflateEnd(&s->gzip->z);
    fgti_free(s->ctx, s->gzip);
}

/* Decompresses the bytes of `raw` into `plain`. A file may hold several gzip streams, one after another. */
static fgt_status gzip_step(fgti_reader *s, size_t *size)
{
    gzip     *g = s->gzip;
    z_stream *z = &g->z;
    if (!s->inside) (void)inflateReset(z); /* cannot fail: the stream is ready */
    s->inside    = true;
    z->next_in   = (unsigned char *)s->raw + s->at;
    z->avail_in  = (unsigned)(s->have - s->at);
    z->next_out  = (unsigned char *)g->plain;
    z->avail_out = sizeof g->plain;
    const int r  = inflate(z, Z_NO_FLUSH);
    s->at        = s->have - z->avail_in;
    *size        = sizeof g->plain - z->avail_out;
    if (r == Z_STREAM_END) s->inside = false;
    if (r == Z_MEM_ERROR) return FGT_E_NOMEM;
    if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
        return fgti_fail(&s->ctx->error, FGT_E_FORMAT, "%.*s: the gzip data are damaged (%s)", SHOWN, s->path,
                         z->msg ? z->msg : "zlib gives no reason");
    return FGT_OK;
}

static fgt_status gzip_read(fgti_reader *s, const char **data, size_t *size)
{
    *data = s->gzip->plain;
    for (*size = 0; !*size;) {
        /* zlib may have more output even when no input is left */
        if (s->inside) FGTI_TRY(gzip_step(s, size));
        if (*size) break;
        if (s->at == s->have) FGTI_TRY(reader_fill(s));
        if (!s->have && s->inside)
            return fgti_fail(&s->ctx->error, FGT_E_FORMAT, "%.*s: the gzip data end too early", SHOWN,
                             s->path);
        if (!s->have) break;
        if (!s->inside) FGTI_TRY(gzip_step(s, size));
    }
    return FGT_OK;
}
#else
static fgt_status gzip_open(fgti_reader *s)
{
    return fgti_fail(&s->ctx->error, FGT_E_UNSUPPORTED,
                     "%.*s: is compressed by gzip, and this library was built without zlib", SHOWN, s->path);
}

static void gzip_close(fgti_reader *s)
{
    (void)s;
}

static fgt_status gzip_read(fgti_reader *s, const char **data, size_t *size)
{
    (void)s;
    (void)data;
    *size = 0;
    return FGT_E_UNSUPPORTED;
}
#endif

static fgt_status reader_open_file(fgti_reader *s)
{
    struct stat st;
    do s->fd = open(s->path, O_RDONLY | O_CLOEXEC);
    while (s->fd < 0 && errno == EINTR);
    if (s->fd < 0) return fail_errno(s->ctx, s->path, errno);
    if (fstat(s->fd, &st)) return fail_errno(s->ctx, s->path, errno);
    if (S_ISDIR(st.st_mode)) return fail_errno(s->ctx, s->path, EISDIR);
    if (S_ISREG(st.st_mode)) s->size = st.st_size;
    FGTI_TRY(reader_fill(s));
    return s->have >= 2 && !memcmp(s->raw, "\x1f\x8b", 2) ? gzip_open(s) : FGT_OK;
}

fgt_status fgti_reader_open(fgt_context *ctx, const char *path, fgti_reader **out)
{
    FGTI_TRY(fgti_alloc_dirty(ctx, 1, sizeof **out, "file buffer", (void **)out));
    memset(*out, 0, offsetof(fgti_reader, raw));
    (*out)->ctx        = ctx;
    (*out)->path       = path;
    const fgt_status s = reader_open_file(*out);
    if (s != FGT_OK) fgti_reader_close(out);
    return s;
}

fgt_status fgti_reader_read(fgti_reader *s, const char **data, size_t *size)
{
    if (s->gzip) return gzip_read(s, data, size);
    if (s->at == s->have) FGTI_TRY(reader_fill(s));
    *data = s->raw + s->at;
    *size = s->have - s->at;
    s->at = s->have;
    return FGT_OK;
}

double fgti_reader_progress(const fgti_reader *s)
{
    const int64_t used = s->done - (int64_t)(s->have - s->at);
    return s->size > 0 && used < s->size ? (double)used / (double)s->size : s->size > 0;
}

void fgti_reader_close(fgti_reader **reader)
{
    if (!reader || !*reader) return;
    fgti_reader *s = *reader;
    gzip_close(s);
    if (s->fd >= 0) close(s->fd);
    fgti_free(s->ctx, s);
    *reader = NULL;
}
