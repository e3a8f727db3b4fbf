/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORKSPACE_OPTS_H
#define FGTI_WORKSPACE_OPTS_H

#include <fighter/model.h>

#include "core/status.h"

/* Reads and checks the options of a workspace. batch: the value that is used if the option is 0. */
fgt_status fgti_workspace_opts_read(fgti_error *err, const fgt_workspace_opts *opts, int64_t batch,
                                    fgt_workspace_opts *out);

#endif
