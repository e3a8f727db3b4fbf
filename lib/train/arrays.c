/* SPDX-License-Identifier: BSD-3-Clause */
#include <fighter/experimental/arrays.h>

#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/tensor.h"

typedef struct layer_value {
    struct layer_value *next;
    fgt_view            view;
    char                layer[]; /* name of the layer */
} layer_value;

struct fgt_arrays {
    fgt_context *ctx;
    fgt_view     x, target;
    layer_value *values; /* a list */
};

/* samples: -1 any number */
static fgt_status arrays_check(fgti_error *err, const char *what, const fgt_view *v, int64_t samples)
{
    if (!v) return fgti_fail(err, FGT_E_ARG, "arrays: %s is NULL", what);
    if (fgt_view_count(v) < 0 || v->rank < 1)
        return fgti_fail(err, FGT_E_SHAPE, "arrays: %s has a malformed shape, or no axis of samples", what);
    if (!fgti_dtype_size(v->dtype))
        return fgti_fail(err, FGT_E_SHAPE, "arrays: %s has an unknown type (got %d)", what, (int)v->dtype);
    if (!v->data && fgt_view_count(v)) return fgti_fail(err, FGT_E_ARG, "arrays: %s has no data", what);
    if (samples >= 0 && v->shape[0] != samples)
        return fgti_fail(err, FGT_E_SHAPE,
                         "arrays: %s has another number of samples than x (got %lld, need %lld)", what,
                         (long long)v->shape[0], (long long)samples);
    return FGT_OK;
}

fgt_status fgt_arrays_create(fgt_context *ctx, const fgt_view *x, const fgt_view *target, fgt_arrays **arrays)
{
    if (arrays) *arrays = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!arrays) return fgti_fail(&ctx->error, FGT_E_ARG, "arrays: the result pointer is NULL");
    FGTI_TRY(arrays_check(&ctx->error, "x", x, -1));
    FGTI_TRY(arrays_check(&ctx->error, "target", target, x->shape[0]));
    FGTI_TRY(FGTI_NEW(ctx, 1, "arrays", arrays));
    **arrays = (fgt_arrays){.ctx = ctx, .x = *x, .target = *target};
    return FGT_OK;
}

void fgt_arrays_destroy(fgt_arrays **arrays)
{
    if (!arrays || !*arrays) return;
    fgt_context *ctx = (*arrays)->ctx;
    for (layer_value *v = (*arrays)->values, *next; v; v = next) {
        next = v->next;
        fgti_free(ctx, v);
    }
    fgti_free(ctx, *arrays);
    *arrays = NULL;
}

static const layer_value *arrays_find(const fgt_arrays *a, const char *layer)
{
    const layer_value *v = a->values;
    while (v && strcmp(v->layer, layer) != 0) v = v->next;
    return v;
}

fgt_status fgt_arrays_add_value(fgt_arrays *arrays, const char *layer, const fgt_view *value)
{
    if (!arrays) return FGT_E_ARG;
    fgti_error  *err = &arrays->ctx->error;
    layer_value *v;
    if (!layer) return fgti_fail(err, FGT_E_ARG, "arrays: layer is NULL");
    if (arrays_find(arrays, layer))
        return fgti_fail(err, FGT_E_NAME, "arrays: the layer \"%.60s\" already has values", layer);
    FGTI_TRY(arrays_check(err, layer, value, arrays->x.shape[0]));
    const size_t bytes = strlen(layer) + 1;
    FGTI_TRY(fgti_alloc(arrays->ctx, 1, sizeof *v + bytes, "arrays", (void **)&v));
    v->next = arrays->values;
    v->view = *value;
    memcpy(v->layer, layer, bytes);
    arrays->values = v;
    return FGT_OK;
}

/* ---- batches ---- */

/* First axis from `axis` on whose length is not 1; the rank if there is no such axis. */
static int32_t next_axis(const fgt_view *v, int32_t axis)
{
    while (axis < v->rank && v->shape[axis] == 1) axis++;
    return axis;
}

/* Whether the samples of two arrays have the same axes, apart from axes of length 1. */
static bool is_same_shape(const fgt_view *a, const fgt_view *b)
{
    int32_t i = next_axis(a, 1), k = next_axis(b, 1);
    while (i < a->rank && k < b->rank && a->shape[i] == b->shape[k]) {
        i = next_axis(a, i + 1);
        k = next_axis(b, k + 1);
    }
    return i == a->rank && k == b->rank;
}

static fgt_status batch_check(fgti_error *err, const char *what, const fgt_view *from, int64_t count,
                              const fgt_view *to)
{
    char have[FGTI_SHAPE_TEXT], want[FGTI_SHAPE_TEXT];
    FGTI_TRY(arrays_check(err, what, to, -1));
    if (to->shape[0] != count)
        return fgti_fail(err, FGT_E_SHAPE, "arrays: the batch of %s has another size (got %lld, need %lld)",
                         what, (long long)to->shape[0], (long long)count);
    const bool widened = from->dtype == FGT_DTYPE_I32 && to->dtype == FGT_DTYPE_I64;
    if ((from->dtype != to->dtype && !widened) || !is_same_shape(from, to))
        return fgti_fail(err, FGT_E_SHAPE,
                         "arrays: samples of %s do not fit the batch (got %s %s, need %s %s)", what,
                         fgti_dtype_name(from->dtype), fgti_shape_text(from->rank, from->shape, have),
                         fgti_dtype_name(to->dtype), fgti_shape_text(to->rank, to->shape, want));
    return FGT_OK;
}

static fgt_status index_check(const fgt_arrays *a, const int64_t *index, int64_t count)
{
    fgti_error *err = &a->ctx->error;
    if (!index || count < 0) return fgti_fail(err, FGT_E_ARG, "arrays: index is NULL, or count is negative");
    for (int64_t b = 0; b < count; b++)
        if (index[b] < 0 || index[b] >= a->x.shape[0])
            return fgti_fail(err, FGT_E_ARG, "arrays: sample is out of range (got %lld, need 0 .. %lld)",
                             (long long)index[b], (long long)a->x.shape[0] - 1);
    return FGT_OK;
}

static void arrays_copy(const fgt_view *from, const int64_t *index, int64_t count, const fgt_view *to)
{
    const int64_t numbers = count ? fgt_view_count(to) / count : 0;
    const size_t  size    = fgti_dtype_size(from->dtype);
    for (int64_t b = 0; numbers && b < count; b++) {
        const char   *row  = (const char *)from->data + (size_t)(index[b] * numbers) * size;
        const int64_t into = b * numbers;
        if (from->dtype == to->dtype)
            memcpy((char *)to->data + (size_t)into * size, row, (size_t)numbers * size);
        else
            for (int64_t i = 0; i < numbers; i++) ((int64_t *)to->data)[into + i] = ((const int32_t *)row)[i];
    }
}

fgt_status fgt_arrays_copy_samples(void *arrays, const int64_t *index, int64_t count, const fgt_view *x,
                                   const fgt_view *target)
{
    const fgt_arrays *a = arrays;
    if (!a) return FGT_E_ARG;
    FGTI_TRY(index_check(a, index, count));
    FGTI_TRY(batch_check(&a->ctx->error, "x", &a->x, count, x));
    if (target) FGTI_TRY(batch_check(&a->ctx->error, "target", &a->target, count, target));
    arrays_copy(&a->x, index, count, x);
    if (target) arrays_copy(&a->target, index, count, target);
    return FGT_OK;
}

fgt_status fgt_arrays_copy_value(void *arrays, const int64_t *index, int64_t count, const char *layer,
                                 const fgt_view *value)
{
    const fgt_arrays *a = arrays;
    if (!a) return FGT_E_ARG;
    if (!layer) return fgti_fail(&a->ctx->error, FGT_E_ARG, "arrays: layer is NULL");
    const layer_value *v = arrays_find(a, layer);
    if (!v) return fgti_fail(&a->ctx->error, FGT_E_NAME, "arrays: the layer \"%.60s\" has no values", layer);
    FGTI_TRY(index_check(a, index, count));
    FGTI_TRY(batch_check(&a->ctx->error, layer, &v->view, count, value));
    arrays_copy(&v->view, index, count, value);
    return FGT_OK;
}
