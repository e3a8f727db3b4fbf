/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/files/safetensors_read.h"

#include <string.h>

#include "core/context.h"
#include "core/file_kind.h"
#include "core/sort.h"
#include "model/files/file_input.h"
#include "model/files/json.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_hash.h"

/* Bytes before the header, which are a number: the length of the header. */
#define PREFIX 8
/* Most bytes of the header that are read at first from an fgt_reader. The claimed length may be wrong, so
 * more memory is allocated only after these bytes have arrived. */
#define FIRST_READ 65536

/* A walk through the header. There are two: the first checks and counts everything, the second stores it in
 * memory of exactly that size. Both read the same private copy of the header. */
struct walk {
    fgti_error *err;
    fgti_st    *st; /* in the first walk, the arrays st->tensors and st->meta are NULL */
    fgti_json   json;
    int64_t     data_bytes;          /* bytes after the header; -1: not known */
    int64_t     tensors, meta, text; /* counted so far; text: bytes of all strings */
    bool        meta_seen;
};

static fgt_status fail_json(const struct walk *w)
{
    return fgti_fail(w->err, FGT_E_FORMAT, "byte %zu: %s", PREFIX + w->json.at, w->json.reason);
}

/* Stores a string in st->text, which is as large as the header. In the header every string also has two
 * quotes, so all strings fit. */
static const char *st_keep(struct walk *w, fgti_json_text t)
{
    char *s = w->st->text + w->text;
    w->text = fgti_json_decode(t, s) - w->st->text;
    return s;
}

static fgt_status st_read_meta(struct walk *w)
{
    fgti_json     *j = &w->json;
    fgti_json_text key, value;
    if (w->meta_seen)
        return fgti_fail(w->err, FGT_E_FORMAT, "byte %zu: __metadata__ occurs twice", PREFIX + j->at);
    w->meta_seen = true;
    fgti_json_open(j, '{');
    for (int64_t n = 0; fgti_json_next(j, '}', &n); w->meta++) {
        if (!fgti_json_key(j, &key) || !fgti_json_string(j, &value)) break;
        const char *k = st_keep(w, key), *v = st_keep(w, value);
        if (w->st->meta) w->st->meta[w->meta] = (fgti_st_pair){k, v};
    }
    return j->reason ? fail_json(w) : FGT_OK;
}

static fgt_status read_dtype(struct walk *w, fgti_st_tensor *t)
{
    char           name[16] = "", label[FGTI_ST_LABEL]; /* the names of types are shorter */
    fgti_json_text s;
    if (!fgti_json_string(&w->json, &s)) return fail_json(w);
    if (s.size < sizeof name) fgti_json_decode(s, name);
    if (fgti_st_dtype_find(name, &t->dtype)) return FGT_OK;
    return fgti_fail(w->err, FGT_E_FORMAT, "dtype \"%s\" is not supported", fgti_st_label(name, label));
}

static fgt_status st_read_shape(struct walk *w, fgti_st_tensor *t)
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

/* Sets offset and bytes of t from the range [begin, end), counted from the end of the header. */
static fgt_status st_read_offsets(struct walk *w, fgti_st_tensor *t)
{
    fgti_json *j     = &w->json;
    int64_t    at[2] = {0}, n = 0, end;
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
    if (w->data_bytes >= 0 && at[1] > w->data_bytes)
        return fgti_fail(w->err, FGT_E_FORMAT, "data end at %lld, but the file has %lld bytes of data",
                         (long long)at[1], (long long)w->data_bytes);
    if (!fgti_size_add(w->st->data, at[1], &end))
        return fgti_fail(w->err, FGT_E_FORMAT, "data end at %lld, more than any file has", (long long)at[1]);
    t->offset = w->st->data + at[0];
    t->bytes  = at[1] - at[0];
    return FGT_OK;
}

static fgt_status st_check_size(const struct walk *w, const fgti_st_tensor *t)
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
    } fields[] = {{"dtype", read_dtype}, {"shape", st_read_shape}, {"data_offsets", st_read_offsets}};
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
            return fgti_fail(w->err, FGT_E_FORMAT, "byte %zu: unknown key (need dtype, shape, data_offsets)",
                             PREFIX + j->at);
        if (seen[i]) return fgti_fail(w->err, FGT_E_FORMAT, "%s occurs twice", fields[i].name);
        seen[i] = true;
        FGTI_TRY(fields[i].read(w, t));
    }
    if (j->reason) return fail_json(w);
    for (int i = 0; i < FIELDS; i++)
        if (!seen[i]) return fgti_fail(w->err, FGT_E_FORMAT, "%s is missing", fields[i].name);
    return st_check_size(w, t);
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
            FGTI_TRY(st_read_meta(w));
            continue;
        }
        fgti_st_tensor t = {.name = st_keep(w, key)};
        FGTI_TRY(name_tensor(w, t.name, read_tensor(w, &t)));
        if (w->st->tensors) w->st->tensors[w->tensors] = t;
        w->tensors++;
    }
    return fgti_json_end(j) ? FGT_OK : fail_json(w);
}

static int by_place(const void *a, const void *b, const void *unused)
{
    (void)unused;
    const fgti_st_tensor *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes); /* so that empty tensors come first */
}

static int st_by_name(const void *a, const void *b, const void *unused)
{
    (void)unused;
    return strcmp(((const fgti_st_tensor *)a)->name, ((const fgti_st_tensor *)b)->name);
}

static int st_by_key(const void *a, const void *b, const void *unused)
{
    (void)unused;
    return strcmp(((const fgti_st_pair *)a)->key, ((const fgti_st_pair *)b)->key);
}

static fgt_status check_places(const struct walk *w)
{
    fgti_st *st  = w->st;
    int64_t  end = 0;
    fgti_sort(st->tensors, st->count, sizeof *st->tensors, by_place, NULL);
    for (int64_t i = 0; i < st->count; i++) {
        const fgti_st_tensor *t     = &st->tensors[i];
        const int64_t         begin = t->offset - st->data;
        if (begin != end)
            return name_tensor(w, t->name,
                               fgti_fail(w->err, FGT_E_FORMAT,
                                         "data begin at %lld, but the data before end at %lld: %s",
                                         (long long)begin, (long long)end, begin < end ? "overlap" : "hole"));
        end += t->bytes;
    }
    st->size = st->data + end;
    if (w->data_bytes < 0 || end == w->data_bytes) return FGT_OK;
    return fgti_fail(w->err, FGT_E_FORMAT, "byte %lld: %lld bytes belong to no tensor", (long long)st->size,
                     (long long)(w->data_bytes - end));
}

static fgt_status st_check_names(const struct walk *w)
{
    const fgti_st *st = w->st;
    char           label[FGTI_ST_LABEL];
    fgti_sort(st->tensors, st->count, sizeof *st->tensors, st_by_name, NULL);
    fgti_sort(st->meta, st->meta_count, sizeof *st->meta, st_by_key, NULL);
    for (int64_t i = 1; i < st->count; i++)
        if (strcmp(st->tensors[i - 1].name, st->tensors[i].name) == 0)
            return name_tensor(w, st->tensors[i].name, fgti_fail(w->err, FGT_E_FORMAT, "occurs twice"));
    for (int64_t i = 1; i < st->meta_count; i++)
        if (strcmp(st->meta[i - 1].key, st->meta[i].key) == 0)
            return fgti_fail(w->err, FGT_E_FORMAT, "metadata key \"%s\" occurs twice",
                             fgti_st_label(st->meta[i].key, label));
    return FGT_OK;
}

/* Checks the number before the header. *header: this number, the length of the header. */
static fgt_status read_prefix(fgti_error *err, const fgti_st *st, int64_t *header)
{
    unsigned char bytes[PREFIX];
    int64_t       got;
    uint64_t      n = 0;
    FGTI_TRY(fgti_input_get(&st->input, 0, PREFIX, bytes, &got));
    for (int i = 0; i < got; i++) n |= (uint64_t)bytes[i] << 8 * i;
    const bool  large  = n > FGTI_ST_HEADER_MAX;
    const bool  beyond = !large && st->input.size >= 0 && (int64_t)n > st->input.size - PREFIX;
    const char *kind   = got < PREFIX || large || beyond ? fgti_file_kind_name(bytes, (size_t)got) : NULL;
    if (kind) return fgti_fail(err, FGT_E_FORMAT, "not a safetensors file but %s", kind);
    if (got < PREFIX)
        return fgti_fail(err, FGT_E_FORMAT, "not a safetensors file: %lld bytes are too few", (long long)got);
    if (large)
        return fgti_fail(err, FGT_E_FORMAT,
                         "not a safetensors file, the format of models: its first 8 bytes would mean a "
                         "header of %llu bytes, at most %d are allowed",
                         (unsigned long long)n, FGTI_ST_HEADER_MAX);
    if (beyond)
        return fgti_fail(err, FGT_E_FORMAT, "byte 0: truncated: a header of %llu bytes in a file of %lld",
                         (unsigned long long)n, (long long)st->input.size);
    *header = (int64_t)n;
    return FGT_OK;
}

/* Reads the header into new memory. The caller frees the memory. */
static fgt_status read_header(fgt_context *ctx, const fgti_st *st, int64_t size, char **out)
{
    int64_t have = 0;
    *out         = NULL;
    for (int64_t capacity = fgti_input_doubtful(&st->input) ? FIRST_READ : size; have < size; capacity *= 2) {
        char *bigger;
        if (capacity > size) capacity = size;
        FGTI_TRY(fgti_alloc_dirty(ctx, capacity, 1, "header", (void **)&bigger));
        if (have) memcpy(bigger, *out, (size_t)have);
        fgti_free(ctx, *out);
        *out = bigger;
        FGTI_TRY(fgti_input_read(&st->input, PREFIX + have, capacity - have, bigger + have));
        have = capacity;
    }
    if (size == 0 || (*out)[0] != '{')
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "byte %d: the header does not begin with '{'", PREFIX);
    return FGT_OK;
}

static fgt_status parse(fgt_context *ctx, fgti_st *st, const char *header, int64_t size)
{
    st->data                = PREFIX + size;
    const int64_t     known = st->input.size;
    const struct walk start = {.err        = &ctx->error,
                               .st         = st,
                               .json       = {.text = header, .size = (size_t)size},
                               .data_bytes = known < 0 ? -1 : known - st->data};
    struct walk       w     = start;
    FGTI_TRY(FGTI_NEW(ctx, size, "names of tensors", &st->text));
    FGTI_TRY(walk_header(&w));
    FGTI_TRY(FGTI_NEW(ctx, w.tensors, "list of tensors", &st->tensors));
    FGTI_TRY(FGTI_NEW(ctx, w.meta, "list of metadata", &st->meta));
    w = start;
    FGTI_TRY(walk_header(&w));
    st->count      = w.tensors;
    st->meta_count = w.meta;
    FGTI_TRY(check_places(&w));
    return st_check_names(&w);
}

/* Checks where the input ends. The size of a path or of memory is known. If a reader tells a size, its last
 * byte is read before memory of this size is allocated. If a reader tells no size, no byte may follow the
 * data. */
static fgt_status check_end(fgt_context *ctx, fgti_st *st)
{
    char    byte;
    int64_t got;
    if (!fgti_input_doubtful(&st->input)) return FGT_OK;
    if (st->input.reader.sequential)
        FGTI_TRY(fgti_st_hold(st));
    else if (st->size > st->data)
        FGTI_TRY(fgti_input_read(&st->input, st->size - 1, 1, &byte));
    if (st->input.size >= 0) return FGT_OK;
    FGTI_TRY(fgti_input_get(&st->input, st->size, 1, &byte, &got));
    if (got)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "byte %lld: bytes after the last tensor",
                         (long long)st->size);
    return FGT_OK;
}

static fgt_status st_load(fgt_context *ctx, fgti_st *st)
{
    char   *header = NULL;
    int64_t size   = 0;
    FGTI_TRY(fgti_input_open(ctx, &st->input));
    FGTI_TRY(read_prefix(&ctx->error, st, &size));
    fgt_status s = read_header(ctx, st, size, &header);
    if (s == FGT_OK) s = parse(ctx, st, header, size);
    fgti_free(ctx, header);
    if (s == FGT_OK) s = check_end(ctx, st);
    return s == FGT_OK && !st->input.trusted ? fgti_st_verify(ctx, st) : s;
}

fgt_status fgti_st_open_input(fgt_context *ctx, const fgti_input *in, fgti_st **out)
{
    fgti_st *st;
    *out = NULL;
    FGTI_TRY(FGTI_NEW(ctx, 1, "safetensors file", &st));
    st->input    = *in;
    fgt_status s = fgti_strdup(ctx, in->name, &st->path);
    if (s == FGT_OK) {
        st->input.name = st->path;
        if (in->path) st->input.path = st->path;
        s = st_load(ctx, st);
    }
    if (s == FGT_OK) {
        *out = st;
        return FGT_OK;
    }
    fgti_st_close(ctx, &st);
    if (!fgti_st_names(&ctx->error, in->name)) fgti_error_prefix(&ctx->error, "%.200s", in->name);
    return s;
}

fgt_status fgti_st_open_memory(fgt_context *ctx, const char *name, const void *bytes, size_t size,
                               fgti_st **out)
{
    fgti_input in;
    *out = NULL;
    FGTI_TRY(fgti_input_memory(&ctx->error, bytes, (int64_t)size, &in));
    in.name = name;
    return fgti_st_open_input(ctx, &in, out);
}

fgt_status fgti_st_open(fgt_context *ctx, const char *path, fgti_st **out)
{
    fgti_input in;
    fgti_input_path(path, &in);
    return fgti_st_open_input(ctx, &in, out);
}

fgt_status fgti_st_hold(fgti_st *st)
{
    return st->input.pieces ? FGT_OK : fgti_input_hold(&st->input, st->data, st->size - st->data);
}

void fgti_st_close(fgt_context *ctx, fgti_st **p)
{
    fgti_st *st = *p;
    if (!st) return;
    fgti_input_close(&st->input);
    fgti_free(ctx, st->text);
    fgti_free(ctx, st->tensors);
    fgti_free(ctx, st->meta);
    fgti_free(ctx, st->path);
    fgti_free(ctx, st);
    *p = NULL;
}
