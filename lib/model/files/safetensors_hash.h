/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SAFETENSORS_HASH_H
#define FGTI_SAFETENSORS_HASH_H

#include "model/files/safetensors.h"

/* Computes the hash of tensors and pairs in memory or, with `st`, in that file. FGT_E_IO, FGT_E_FORMAT. */
fgt_status fgti_st_hash(const fgti_st *st, int64_t count, const fgti_st_tensor *tensors, int64_t meta_count,
                        const fgti_st_pair *meta, char text[FGTI_ST_HASH_TEXT]);
/* Checks the hash of a file, if it has one. FGT_E_FORMAT: the hash does not fit the contents. */
fgt_status fgti_st_verify(fgt_context *ctx, const fgti_st *st);

#endif
