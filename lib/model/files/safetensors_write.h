/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SAFETENSORS_WRITE_H
#define FGTI_SAFETENSORS_WRITE_H

#include "model/files/safetensors.h"

/* Writes a file to `out`. A path is written through atomic_file.h, so the old file stays whole on any error.
 * The bytes depend only on the contents. Keys of the metadata are ordered by name. Tensors are ordered by
 * alignment, the widest first, then by name. The data begin at a multiple of 8. The hash is added, and
 * replaces a hash in `meta`. FGT_E_ARG: a name occurs twice, is not UTF-8 or is "__metadata__", or a rank or
 * dtype is not allowed; FGT_E_SIZE; FGT_E_IO; FGT_E_NOMEM. */
fgt_status fgti_st_save_to(fgt_context *ctx, fgti_output *out, int64_t count, const fgti_st_tensor *tensors,
                           int64_t meta_count, const fgti_st_pair *meta);
fgt_status fgti_st_save(fgt_context *ctx, const char *path, int64_t count, const fgti_st_tensor *tensors,
                        int64_t meta_count, const fgti_st_pair *meta);

#endif
