/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_ARRAYS_H
#define FIGHTER_EXPERIMENTAL_ARRAYS_H

/** @file arrays.h
 *  Samples that are in memory as arrays, for fgt_model_fit() and fgt_model_evaluate().
 *
 *      fgt_arrays_create(ctx, FGT_VIEW(x, count, T, D), FGT_VIEW(y, count, out), &arrays);
 *      fgt_source source = {.size = sizeof source, .count = count,
 *                           .get = fgt_arrays_copy_samples, .user = arrays};
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Arrays whose first axis counts samples: inputs, targets, and values of fgt_value() layers. */
typedef struct fgt_arrays fgt_arrays;

/** Describes samples: sample i is the input x[i] with the target target[i]. Other arrays are added by
 *  fgt_arrays_add_value().
 *  Shapes   x [S,...], target [S,...], of any types; S samples
 *  Owner    the memory of both is borrowed until fgt_arrays_destroy(); *arrays is the caller's
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE no axis, an unknown type, or another number of samples; FGT_E_NOMEM.
 *           On error *arrays is NULL */
FGT_API FGT_MUST fgt_status fgt_arrays_create(fgt_context *ctx, const fgt_view *x, const fgt_view *target,
                                              fgt_arrays **arrays);

/** Destroys arrays and sets *arrays to NULL.
 *  Owner    takes *arrays */
FGT_API void fgt_arrays_destroy(fgt_arrays **arrays);

/** Adds the values of an fgt_value() layer: real numbers, ids or key padding of each sample. The source then
 *  needs fgt_arrays_copy_value().
 *  Shapes   value [S,...], of any type
 *  Owner    the memory of value is borrowed until fgt_arrays_destroy(); layer is copied
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME the layer already has values; FGT_E_SHAPE as fgt_arrays_create();
 *           FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_arrays_add_value(fgt_arrays *arrays, const char *layer,
                                                 const fgt_view *value);

/** Copies a batch of samples: x_b = x[index_b], target_b = target[index_b]. `arrays` is an fgt_arrays *,
 *  passed as void * so that this function can be fgt_source.get.
 *  Shapes   index: n numbers of samples, n = count; x and target [n,...], with the types and the other axes
 *           of the arrays. Axes of length 1 may be left out or added, and numbers of I32 become I64 if the
 *           batch has that type. target may be NULL
 *  Cost     one copy; nothing is allocated
 *  Errors   FGT_E_ARG NULL, an index out of range; FGT_E_SHAPE. On error x and target are untouched */
FGT_API FGT_MUST fgt_status fgt_arrays_copy_samples(void *arrays, const int64_t *index, int64_t count,
                                                    const fgt_view *x, const fgt_view *target);

/** Copies the values of a layer for a batch of samples: value_b = value[index_b]. This function can be
 *  fgt_source.get_value.
 *  Shapes   index: n numbers of samples, n = count; value [n,...], as in fgt_arrays_copy_samples()
 *  Cost     one copy; nothing is allocated
 *  Errors   FGT_E_ARG NULL, an index out of range; FGT_E_NAME no values of this layer; FGT_E_SHAPE. On error
 *           value is untouched */
FGT_API FGT_MUST fgt_status fgt_arrays_copy_value(void *arrays, const int64_t *index, int64_t count,
                                                  const char *layer, const fgt_view *value);

#ifdef __cplusplus
}
#endif

#endif
