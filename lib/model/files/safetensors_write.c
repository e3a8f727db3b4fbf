/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/files/safetensors_write.h"

#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/sort.h"
#include "core/text.h"
#include "model/files/file_output.h"
#include "model/files/json.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_hash.h"

/* The size of the header is a multiple of PAD. So the data after it are aligned for every type. */
#define PAD 8
/* Bytes that are swapped at a time, on a machine whose byte order is not the one of the file. It is a
 * multiple of the size of every type. */
#define CHUNK 4096

/* The tensors and the metadata to be written, in the order in which the file has them. */
struct plan {
    const fgti_st_tensor **tensors;
    int64_t                count;
    const fgti_st_pair   **meta;
    int64_t                meta_count;
};

/* Takes the text of the header. out NULL: its bytes are only counted. */
struct sink {
    char  *out;
    size_t at;
};

static int st_write_by_name(const void *a, const void *b, const void *unused)
{
    (void)unused;
    return strcmp((*(const fgti_st_tensor *const *)a)->name, (*(const fgti_st_tensor *const *)b)->name);
}

static int by_alignment(const void *a, const void *b, const void *unused)
{
    (void)unused;
    const size_t x = fgti_st_dtype_size((*(const fgti_st_tensor *const *)a)->dtype);
    const size_t y = fgti_st_dtype_size((*(const fgti_st_tensor *const *)b)->dtype);
    return x != y ? (x > y ? -1 : 1) : st_write_by_name(a, b, NULL);
}

static int st_write_by_key(const void *a, const void *b, const void *unused)
{
    (void)unused;
    return strcmp((*(const fgti_st_pair *const *)a)->key, (*(const fgti_st_pair *const *)b)->key);
}

static fgt_status check_tensor(fgt_context *ctx, const fgti_st_tensor *t)
{
    char    label[FGTI_ST_LABEL];
    int64_t bytes;
    fgti_st_label(t->name, label);
    if (!fgti_is_utf8(t->name) || strcmp(t->name, "__metadata__") == 0)
        return fgti_fail(&ctx->error, FGT_E_ARG, "\"%s\" is not a valid name of a tensor", label);
    if ((unsigned)t->dtype >= FGTI_ST_DTYPES || t->rank < 0 || t->rank > FGTI_ST_RANK)
        return fgti_fail(&ctx->error, FGT_E_ARG, "tensor \"%s\": type or rank is not valid", label);
    if (!fgti_st_bytes(t->dtype, t->rank, t->shape, &bytes))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "tensor \"%s\": its size overflows", label);
    if (bytes > 0 && !t->data) return fgti_fail(&ctx->error, FGT_E_ARG, "tensor \"%s\" has no data", label);
    return FGT_OK;
}

static fgt_status check_plan(fgt_context *ctx, const struct plan *p)
{
    char label[FGTI_ST_LABEL];
    for (int64_t i = 0; i < p->count; i++) FGTI_TRY(check_tensor(ctx, p->tensors[i]));
    for (int64_t i = 0; i < p->meta_count; i++)
        if (!fgti_is_utf8(p->meta[i]->key) || !fgti_is_utf8(p->meta[i]->value))
            return fgti_fail(&ctx->error, FGT_E_ARG, "metadata \"%s\" is not UTF-8",
                             fgti_st_label(p->meta[i]->key, label));
    fgti_sort(p->tensors, p->count, sizeof *p->tensors, st_write_by_name, NULL);
    fgti_sort(p->meta, p->meta_count, sizeof *p->meta, st_write_by_key, NULL);
    for (int64_t i = 1; i < p->count; i++)
        if (st_write_by_name(&p->tensors[i - 1], &p->tensors[i], NULL) == 0)
            return fgti_fail(&ctx->error, FGT_E_ARG, "two tensors are called \"%s\"",
                             fgti_st_label(p->tensors[i]->name, label));
    for (int64_t i = 1; i < p->meta_count; i++)
        if (st_write_by_key(&p->meta[i - 1], &p->meta[i], NULL) == 0)
            return fgti_fail(&ctx->error, FGT_E_ARG, "metadata \"%s\" is given twice",
                             fgti_st_label(p->meta[i]->key, label));
    fgti_sort(p->tensors, p->count, sizeof *p->tensors, by_alignment, NULL);
    return FGT_OK;
}

static void st_put(struct sink *s, const char *text)
{
    const size_t n = strlen(text);
    if (s->out) memcpy(s->out + s->at, text, n);
    s->at += n;
}

static void put_string(struct sink *s, const char *text)
{
    s->at += fgti_json_quote(text, s->out ? s->out + s->at : NULL);
}

static void st_put_number(struct sink *s, int64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)v);
    st_put(s, text);
}

/* Writes the entry of a tensor. Returns false if the data exceed INT64_MAX bytes. */
static bool st_put_tensor(struct sink *s, const fgti_st_tensor *t, int64_t *offset)
{
    int64_t bytes, end;
    if (!fgti_st_bytes(t->dtype, t->rank, t->shape, &bytes) || !fgti_size_add(*offset, bytes, &end))
        return false;
    put_string(s, t->name);
    st_put(s, ":{\"dtype\":");
    put_string(s, fgti_st_dtype_name(t->dtype));
    st_put(s, ",\"shape\":[");
    for (int32_t i = 0; i < t->rank; i++) {
        if (i > 0) st_put(s, ",");
        st_put_number(s, t->shape[i]);
    }
    st_put(s, "],\"data_offsets\":[");
    st_put_number(s, *offset);
    st_put(s, ",");
    st_put_number(s, end);
    st_put(s, "]}");
    *offset = end;
    return true;
}

static bool st_put_header(struct sink *s, const struct plan *p)
{
    const char *comma  = "";
    int64_t     offset = 0;
    st_put(s, "{");
    if (p->meta_count > 0) {
        st_put(s, "\"__metadata__\":{");
        for (int64_t i = 0; i < p->meta_count; i++) {
            if (i > 0) st_put(s, ",");
            put_string(s, p->meta[i]->key);
            st_put(s, ":");
            put_string(s, p->meta[i]->value);
        }
        st_put(s, "}");
        comma = ",";
    }
    for (int64_t i = 0; i < p->count; i++, comma = ",") {
        st_put(s, comma);
        if (!st_put_tensor(s, p->tensors[i], &offset)) return false;
    }
    st_put(s, "}");
    while (s->at % PAD) st_put(s, " ");
    return true;
}

/* Computes the size of the header. FGT_E_SIZE: there are too many data. */
static fgt_status measure_header(fgt_context *ctx, const struct plan *p, size_t *size)
{
    struct sink s = {0};
    if (!st_put_header(&s, p) || s.at > FGTI_ST_HEADER_MAX)
        return fgti_fail(&ctx->error, FGT_E_SIZE, "too many tensors or data for a safetensors file");
    *size = s.at;
    return FGT_OK;
}

/* Makes one block of PAD + n bytes: the length of the header, then the header. */
static fgt_status build_header(fgt_context *ctx, const struct plan *p, size_t n, char **out)
{
    FGTI_TRY(FGTI_NEW(ctx, (int64_t)(PAD + n), "header", out));
    for (int i = 0; i < PAD; i++) (*out)[i] = (char)((uint64_t)n >> 8 * i);
    struct sink s = {.out = *out + PAD};
    st_put_header(&s, p);
    return FGT_OK;
}

/* Bytes of all data, which follow the header. */
static int64_t data_size(const struct plan *p)
{
    int64_t total = 0, bytes = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const fgti_st_tensor *t = p->tensors[i];
        if (fgti_st_bytes(t->dtype, t->rank, t->shape, &bytes))
            total += bytes; /* cannot overflow, because st_put_tensor() has checked it */
    }
    return total;
}

static fgt_status st_write_all(fgti_output *out, const struct plan *p, const char *header, size_t size)
{
    char buf[CHUNK];
    FGTI_TRY(fgti_output_write(out, header, (int64_t)size));
    for (int64_t i = 0; i < p->count; i++) {
        const fgti_st_tensor *t     = p->tensors[i];
        int64_t               bytes = 0;
        fgti_st_bytes(t->dtype, t->rank, t->shape, &bytes);
        const int64_t most = fgti_st_host_little() ? bytes : CHUNK;
        for (int64_t at = 0, n; at < bytes; at += n) {
            n = bytes - at < most ? bytes - at : most;
            FGTI_TRY(fgti_output_write(out, fgti_st_to_file(t, at, n, buf), n));
        }
    }
    return FGT_OK;
}

static fgt_status write_to(fgt_context *ctx, fgti_output *out, const struct plan *p, const char *header,
                           size_t size)
{
    int64_t total;
    if (!fgti_size_add((int64_t)size, data_size(p), &total))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "%.200s: too many tensors or data", out->name);
    FGTI_TRY(fgti_output_open(ctx, out, total));
    fgt_status s = fgti_output_wants_bytes(out) ? st_write_all(out, p, header, size) : FGT_OK;
    if (s == FGT_OK) s = fgti_output_commit(out);
    fgti_output_abandon(out);
    return s;
}

fgt_status fgti_st_save_to(fgt_context *ctx, fgti_output *out, int64_t count, const fgti_st_tensor *tensors,
                           int64_t meta_count, const fgti_st_pair *meta)
{
    char         hash[FGTI_ST_HASH_TEXT] = "0000000000000000"; /* has the final length, so that the size of
                                                                * the file is known */
    fgti_st_pair own                     = {FGTI_ST_HASH, hash};
    struct plan  p                       = {.count = count};
    char        *header                  = NULL;
    size_t       size                    = 0;
    fgt_status   s                       = FGTI_NEW(ctx, count, "order of tensors", &p.tensors);
    if (s == FGT_OK) s = FGTI_NEW(ctx, meta_count + 1, "order of metadata", &p.meta);
    if (s != FGT_OK) goto done;
    for (int64_t i = 0; i < count; i++) p.tensors[i] = &tensors[i];
    for (int64_t i = 0; i < meta_count; i++)
        if (strcmp(meta[i].key, FGTI_ST_HASH) != 0) p.meta[p.meta_count++] = &meta[i];
    p.meta[p.meta_count++] = &own;
    s                      = check_plan(ctx, &p);
    if (s == FGT_OK) s = measure_header(ctx, &p, &size);
    if (s == FGT_OK && fgti_output_wants_bytes(out))
        s = fgti_st_hash(NULL, count, tensors, meta_count, meta, hash);
    if (s == FGT_OK) s = build_header(ctx, &p, size, &header);
    if (s != FGT_OK) {
        fgti_error_prefix(&ctx->error, "%.200s", out->name);
        goto done;
    }
    s = write_to(ctx, out, &p, header, PAD + size);
done:
    fgti_free(ctx, header);
    fgti_free(ctx, p.meta);
    fgti_free(ctx, p.tensors);
    return s;
}

fgt_status fgti_st_save(fgt_context *ctx, const char *path, int64_t count, const fgti_st_tensor *tensors,
                        int64_t meta_count, const fgti_st_pair *meta)
{
    fgti_output out;
    fgti_output_path(path, &out);
    return fgti_st_save_to(ctx, &out, count, tensors, meta_count, meta);
}
