/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_MATRIX_H
#define FGTI_REPORT_MATRIX_H

#include "report/report_data.h"

/* The statistics computed of each matrix, each an fgt_statistic. */
extern const int32_t fgti_report_statistics[FGTI_REPORT_STATISTICS];
/* *number gets the subject with this name and T tokens, which is added if there is no such subject. */
fgt_status fgti_report_subject(fgt_report *r, int64_t name, int64_t tokens, const char *const *names,
                               int64_t *number);
void       fgti_subject_done(fgt_context *ctx, fgti_subject *s);
/* The subject with this name; NULL: there is no such subject. */
fgti_subject *fgti_report_find(const fgt_report *r, int64_t name);

#endif
