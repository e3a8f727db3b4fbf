/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SAFETENSORS_READ_H
#define FGTI_SAFETENSORS_READ_H

#include "model/files/safetensors.h"

/* Reads the header into the library's own memory, and checks all of it. The data are read later, on request.
 * If another process shortens the file in between, such a read gives FGT_E_FORMAT. If it rewrites the file,
 * the read gives other values, so data are checked after they are copied. `in` is copied. If `in` is not
 * `trusted`, the data are read once for the hash. FGT_E_IO, FGT_E_FORMAT, FGT_E_NOMEM; *out is NULL on
 * error. */
fgt_status fgti_st_open_input(fgt_context *ctx, const fgti_input *in, fgti_st **out);
fgt_status fgti_st_open(fgt_context *ctx, const char *path, fgti_st **out);
/* Opens a file in memory. `name` is for error texts. */
fgt_status fgti_st_open_memory(fgt_context *ctx, const char *name, const void *bytes, size_t size,
                               fgti_st **out);
/* Copies all data into memory. Later reads cannot fail, and they see the same bytes that were checked. Use it
 * before replacing data that must not be lost. FGT_E_IO, FGT_E_FORMAT, FGT_E_NOMEM. */
fgt_status fgti_st_hold(fgti_st *st);
/* Closes the file and sets *st to NULL. *st may be NULL. */
void fgti_st_close(fgt_context *ctx, fgti_st **st);

#endif
