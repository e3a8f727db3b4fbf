/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_OPTS_H
#define FGTI_TABLE_OPTS_H

#include "data/load/loader.h"

/* Copies and checks the options. Call fgti_loader_done() even after an error. */
fgt_status fgti_loader_init(fgt_context *ctx, const fgt_csv_opts *opts, fgti_loader *l);
void       fgti_loader_done(fgti_loader *l);

#endif
