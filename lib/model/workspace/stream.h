/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORKSPACE_STREAM_H
#define FGTI_WORKSPACE_STREAM_H

#include "model/model_impl.h"

/* FGT_E_UNSUPPORTED: a layer cannot be part of a stream with `room` tokens. */
fgt_status fgti_stream_check(const fgt_model *model, int64_t room);
/* FGT_E_SIZE: there is no room for the tokens of this pass; FGT_E_STATE: a past is missing. */
fgt_status fgti_stream_start(const fgt_workspace *ws);
/* Finds the past that has this name. */
bool       fgti_stream_find(const fgt_workspace *ws, const char *name, int64_t *layer, int32_t *k);
fgt_status fgti_stream_shape(const fgt_workspace *ws, const char *name, int64_t layer, int32_t k,
                             fgt_view *shape);
fgt_status fgti_stream_copy(const fgt_workspace *ws, const char *name, int64_t layer, int32_t k,
                            const fgt_view *out);
fgt_status fgti_stream_set(fgt_workspace *ws, const char *name, int64_t layer, int32_t k,
                           const fgt_view *value);

#endif
