/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FORECAST_LOCAL_H
#define FGTI_FORECAST_LOCAL_H

#include <fighter/experimental/local.h>

/* Copies the options with their defaults, and checks them. */
fgt_status fgti_local_read_opts(fgt_context *ctx, const fgt_local_opts *opts, fgt_local_opts *o);

#endif
