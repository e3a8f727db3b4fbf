/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/files/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"
#include "model/files/atomic_file.h"
#include "model/files/json.h"

/* Bytes of the header's length, which stands before it. */
#define PREFIX 8

/* The header is walked twice: first everything in it is checked and counted, then, with memory for
 * just that, stored. */
struct walk {
    fgti_error *err;
    fgti_st    *st; /* st->tensors and st->meta are NULL in the first walk */
    fgti_json   json;
    const char *data; /* behind the header */
    int64_t     data_bytes;
    int64_t     tensors, meta, text; /* so many of each until now; text in bytes */
    bool        meta_seen;
};

static fgt_status fail_json(const struct walk *w)
{
    return fgti_fail(w->err, FGT_E_FORMAT, "byte %zu: %s", PREFIX + w->json.at, w->json.reason);
}

/* st->text is as long as the header, which holds every string with two quotes: there is room. */
static const char *keep(struct walk *w, fgti_json_text t)
{
    char *s = w->st->text + w->text;
    w->text = fgti_json_decode(t, s) - w->st->text;
    return s;
}

static fgt_status read_meta(struct walk *w)
{
    fgti_json     *j = &w->json;
    fgti_json_text key, value;
    if (w->meta_seen)
        return fgti_fail(w->err, FGT_E_FORMAT, "byte %zu: __metadata__ occurs twice", PREFIX + j->at);
    w->meta_seen = true;
    fgti_json_open(j, '{');
    for (int64_t n = 0; fgti_json_next(j, '}', &n); w->meta++) {
        if (!fgti_json_key(j, &key) || !fgti_json_string(j, &value)) break;
        const char *k = keep(w, key), *v = keep(w, value);
        if (w->st->meta) w->st->meta[w->meta] = (fgti_st_pair){k, v};
    }
    return j->reason ? fail_json(w) : FGT_OK;
}

static fgt_status read_dtype(struct walk *w, fgti_st_tensor *t)
{
    char           name[16] = "", label[FGTI_ST_LABEL]; /* no type has so long a name */
    fgti_json_text s;
    if (!fgti_json_string(&w->json, &s)) return fail_json(w);
    if (s.size < sizeof name) fgti_json_decode(s, name);
    if (fgti_st_dtype_find(name, &t->dtype)) return FGT_OK;
    return fgti_fail(w->err, FGT_E_FORMAT, "dtype \"%s\" is not supported", fgti_st_label(name, label));
}

static fgt_status read_shape(struct walk *w, fgti_st_tensor *t)
{
    fgti_json *j = &w->json;
    fgti_json_open(j, '[');
    for (int64_t n = 0; fgti_json_next(j, ']', &n); t->rank++) {
        if (t->rank == FGTI_ST_RANK)
            return fgti_fail(w->err, FGT_E_FORMAT, "shape has more than %d axes", FGTI_ST_RANK);
        if (!fgti_json_count(j, &t->shape[t->rank])) break;
    }
    return j->reason ? fail_json(w) : FGT_OK;
}

/* data and bytes of t from [begin, end], both counted from the end of the header. */
static fgt_status read_offsets(struct walk *w, fgti_st_tensor *t)
{
    fgti_json *j     = &w->json;
    int64_t    at[2] = {0}, n = 0;
    fgti_json_open(j, '[');
    while (fgti_json_next(j, ']', &n)) {
        if (n > 2) break;
        if (!fgti_json_count(j, &at[n - 1])) break;
    }
    if (j->reason) return fail_json(w);
    if (n != 2) return fgti_fail(w->err, FGT_E_FORMAT, "data_offsets are not two numbers");
    if (at[0] > at[1])
        return fgti_fail(w->err, FGT_E_FORMAT, "data begin at %lld, after their end at %lld",
                         (long long)at[0], (long long)at[1]);
    if (at[1] > w->data_bytes)
        return fgti_fail(w->err, FGT_E_FORMAT, "data end at %lld, but the file has %lld bytes of data",
                         (long long)at[1], (long long)w->data_bytes);
    t->data  = w->data + at[0];
    t->bytes = at[1] - at[0];
    return FGT_OK;
}

static fgt_status check_size(const struct walk *w, const fgti_st_tensor *t)
{
    char    shape[FGTI_SHAPE_TEXT];
    int64_t bytes;
    fgti_shape_text(t->rank, t->shape, shape);
    if (!fgti_st_bytes(t->dtype, t->rank, t->shape, &bytes))
        return fgti_fail(w->err, FGT_E_FORMAT, "the size of %s %s overflows", fgti_st_dtype_name(t->dtype),
                         shape);
    if (bytes != t->bytes)
        return fgti_fail(w->err, FGT_E_FORMAT, "%lld bytes of data, but %s %s takes %lld",
                         (long long)t->bytes, fgti_st_dtype_name(t->dtype), shape, (long long)bytes);
    return FGT_OK;
}

static fgt_status read_tensor(struct walk *w, fgti_st_tensor *t)
{
    static const struct {
        const char *name;
        fgt_status (*read)(struct walk *w, fgti_st_tensor *t);
    } fields[] = {{"dtype", read_dtype}, {"shape", read_shape}, {"data_offsets", read_offsets}};
    enum { FIELDS = sizeof fields / sizeof *fields };
    bool           seen[FIELDS] = {false};
    fgti_json     *j            = &w->json;
    fgti_json_text key;
    fgti_json_open(j, '{');
    for (int64_t n = 0; fgti_json_next(j, '}', &n);) {
        int i = 0;
        if (!fgti_json_key(j, &key)) break;
        while (i < FIELDS && !fgti_json_equal(key, fields[i].name)) i++;
        if (i == FIELDS)
            return fgti_fail(w->err, FGT_E_FORMAT, "byte %zu: a key besides dtype, shape and data_offsets",
                             PREFIX + j->at);
        if (seen[i]) return fgti_fail(w->err, FGT_E_FORMAT, "%s occurs twice", fields[i].name);
        seen[i] = true;
        FGTI_TRY(fields[i].read(w, t));
    }
    if (j->reason) return fail_json(w);
    for (int i = 0; i < FIELDS; i++)
        if (!seen[i]) return fgti_fail(w->err, FGT_E_FORMAT, "%s is missing", fields[i].name);
    return check_size(w, t);
}

static fgt_status name_tensor(const struct walk *w, const char *name, fgt_status s)
{
    char label[FGTI_ST_LABEL];
    if (s != FGT_OK) fgti_error_prefix(w->err, "tensor \"%s\"", fgti_st_label(name, label));
    return s;
}

static fgt_status walk_header(struct walk *w)
{
    fgti_json     *j = &w->json;
    fgti_json_text key;
    fgti_json_open(j, '{');
    for (int64_t n = 0; fgti_json_next(j, '}', &n);) {
        if (!fgti_json_key(j, &key)) break;
        if (fgti_json_equal(key, "__metadata__")) {
            FGTI_TRY(read_meta(w));
            continue;
        }
        fgti_st_tensor t = {.name = keep(w, key)};
        FGTI_TRY(name_tensor(w, t.name, read_tensor(w, &t)));
        if (w->st->tensors) w->st->tensors[w->tensors] = t;
        w->tensors++;
    }
    return fgti_json_end(j) ? FGT_OK : fail_json(w);
}

static int by_place(const void *a, const void *b)
{
    const fgti_st_tensor *x = a, *y = b;
    if (x->data != y->data) return (const char *)x->data < (const char *)y->data ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes); /* an empty one before its neighbour */
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const fgti_st_tensor *)a)->name, ((const fgti_st_tensor *)b)->name);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const fgti_st_pair *)a)->key, ((const fgti_st_pair *)b)->key);
}

static fgt_status check_places(const struct walk *w)
{
    fgti_st *st  = w->st;
    int64_t  end = 0;
    qsort(st->tensors, (size_t)st->count, sizeof *st->tensors, by_place);
    for (int64_t i = 0; i < st->count; i++) {
        const fgti_st_tensor *t     = &st->tensors[i];
        const int64_t         begin = (const char *)t->data - w->data;
        if (begin != end)
            return name_tensor(w, t->name,
                               fgti_fail(w->err, FGT_E_FORMAT,
                                         "data begin at %lld, those before end at %lld: %s", (long long)begin,
                                         (long long)end, begin < end ? "overlap" : "hole"));
        end += t->bytes;
    }
    if (end != w->data_bytes)
        return fgti_fail(w->err, FGT_E_FORMAT, "byte %lld: %lld bytes that belong to no tensor",
                         (long long)(w->data - st->bytes + end), (long long)(w->data_bytes - end));
    return FGT_OK;
}

static fgt_status check_names(const struct walk *w)
{
    const fgti_st *st = w->st;
    char           label[FGTI_ST_LABEL];
    qsort(st->tensors, (size_t)st->count, sizeof *st->tensors, by_name);
    qsort(st->meta, (size_t)st->meta_count, sizeof *st->meta, by_key);
    for (int64_t i = 1; i < st->count; i++)
        if (strcmp(st->tensors[i - 1].name, st->tensors[i].name) == 0)
            return name_tensor(w, st->tensors[i].name, fgti_fail(w->err, FGT_E_FORMAT, "occurs twice"));
    for (int64_t i = 1; i < st->meta_count; i++)
        if (strcmp(st->meta[i - 1].key, st->meta[i].key) == 0)
            return fgti_fail(w->err, FGT_E_FORMAT, "metadata key \"%s\" occurs twice",
                             fgti_st_label(st->meta[i].key, label));
    return FGT_OK;
}

/* Length of the header, after the checks of what stands before it. */
static fgt_status check_prefix(fgti_error *err, const fgti_st *st, size_t *header)
{
    uint64_t n = 0;
    if (st->size < PREFIX)
        return fgti_fail(err, FGT_E_FORMAT, "not a safetensors file: %zu bytes are too few", st->size);
    for (int i = 0; i < PREFIX; i++) n |= (uint64_t)(unsigned char)st->bytes[i] << 8 * i;
    if (n > FGTI_ST_HEADER_MAX)
        return fgti_fail(err, FGT_E_FORMAT,
                         "not a safetensors file: byte 0: a header of %llu bytes, %d are allowed",
                         (unsigned long long)n, FGTI_ST_HEADER_MAX);
    if (n > st->size - PREFIX)
        return fgti_fail(err, FGT_E_FORMAT, "byte 0: a header of %llu bytes in a file of %zu",
                         (unsigned long long)n, st->size);
    if (n == 0 || st->bytes[PREFIX] != '{')
        return fgti_fail(err, FGT_E_FORMAT, "byte %d: the header does not begin with '{'", PREFIX);
    *header = (size_t)n;
    return FGT_OK;
}

static fgt_status load(fgt_context *ctx, fgti_st *st)
{
    size_t header = 0;
    FGTI_TRY(check_prefix(&ctx->error, st, &header));
    FGTI_TRY(FGTI_NEW(ctx, (int64_t)header, "names of tensors", &st->text));
    const struct walk start = {.err        = &ctx->error,
                               .st         = st,
                               .json       = {.text = st->bytes + PREFIX, .size = header},
                               .data       = st->bytes + PREFIX + header,
                               .data_bytes = (int64_t)(st->size - PREFIX - header)};
    struct walk       w     = start;
    FGTI_TRY(walk_header(&w));
    FGTI_TRY(FGTI_NEW(ctx, w.tensors, "list of tensors", &st->tensors));
    FGTI_TRY(FGTI_NEW(ctx, w.meta, "list of metadata", &st->meta));
    w = start;
    FGTI_TRY(walk_header(&w));
    st->count      = w.tensors;
    st->meta_count = w.meta;
    FGTI_TRY(check_places(&w));
    return check_names(&w);
}

fgt_status fgti_st_open_memory(fgt_context *ctx, const char *name, const void *bytes, size_t size,
                               fgti_st **out)
{
    fgti_st *st;
    *out = NULL;
    FGTI_TRY(FGTI_NEW(ctx, 1, "safetensors file", &st));
    st->bytes    = bytes;
    st->size     = size;
    fgt_status s = fgti_strdup(ctx, name, &st->path);
    if (s == FGT_OK) s = load(ctx, st);
    if (s == FGT_OK) {
        *out = st;
        return FGT_OK;
    }
    fgti_st_close(ctx, &st);
    fgti_error_prefix(&ctx->error, "%.200s", name);
    return s;
}

fgt_status fgti_st_open(fgt_context *ctx, const char *path, fgti_st **out)
{
    struct stat info;
    void       *map = MAP_FAILED;
    *out            = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without writer must not block */
    if (fd < 0) return fgti_fail_errno(&ctx->error, path, "cannot open", errno);
    fgt_status s = FGT_OK;
    if (fstat(fd, &info))
        s = fgti_fail_errno(&ctx->error, path, "cannot read", errno);
    else if (S_ISDIR(info.st_mode))
        s = fgti_fail_errno(&ctx->error, path, "cannot read", EISDIR);
    else if (!S_ISREG(info.st_mode))
        s = fgti_fail(&ctx->error, FGT_E_IO, "%.300s: cannot read: not a regular file", path);
    else if ((uint64_t)info.st_size > SIZE_MAX / 2)
        s = fgti_fail(&ctx->error, FGT_E_SIZE, "%.300s: too large for this address space", path);
    const size_t size = s == FGT_OK ? (size_t)info.st_size : 0;
    if (size > 0 && (map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
        s = fgti_fail_errno(&ctx->error, path, "cannot read", errno);
    close(fd);
    if (s != FGT_OK) return s;
    s = fgti_st_open_memory(ctx, path, size > 0 ? map : NULL, size, out);
    if (s == FGT_OK)
        (*out)->mapped = true;
    else if (size > 0)
        munmap(map, size);
    return s;
}

void fgti_st_close(fgt_context *ctx, fgti_st **p)
{
    fgti_st *st = *p;
    if (!st) return;
    if (st->mapped) munmap((void *)(uintptr_t)st->bytes, st->size);
    fgti_free(ctx, st->text);
    fgti_free(ctx, st->tensors);
    fgti_free(ctx, st->meta);
    fgti_free(ctx, st->path);
    fgti_free(ctx, st);
    *p = NULL;
}
