/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_IMPORTANCE_H
#define FGTI_REPORT_IMPORTANCE_H

#include "report/report_data.h"

/* Adds the importance of the tokens in the model's last pass, for each Fighter layer with two hops or more
 * whose matrices these passes have added. dy: as in fgt_importance_compute(). */
fgt_status fgti_report_importance(fgt_report *r, fgt_model *model, const fgt_view *dy,
                                  const fgt_report_pass *pass, int64_t passes);

#endif
