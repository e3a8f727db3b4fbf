/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_SHOWN_H
#define FGTI_REPORT_SHOWN_H

#include "report/report_data.h"

/* Frees the arrays of a window. */
void fgti_shown_window_done(fgt_context *ctx, fgti_shown_window *w);

#endif
