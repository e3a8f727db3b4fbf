/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WINDOWS_H
#define FGTI_WINDOWS_H

#include <fighter/windows.h>

/* The first row that window i predicts. */
int64_t fgti_windows_row(const fgt_windows *windows, int64_t i);
/* Makes windows that have no values and no targets. They serve only fgt_windows_count_samples() and
 * fgti_windows_row(). Errors as in fgt_windows_create(). */
fgt_status fgti_windows_place(fgt_context *ctx, int64_t rows, const fgt_windows_opts *opts,
                              fgt_windows **windows);

#endif
