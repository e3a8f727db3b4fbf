/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_NAMES_H
#define FGTI_REPORT_NAMES_H

#include "report/report_data.h"

/* Adds a name to a list in the form that can be shown: UTF-8 without control characters, at most `most`
 * characters. */
fgt_status fgti_shown_add(fgt_context *ctx, fgti_strings *list, const char *name, int64_t most);
/* Adds the name to list->given, and its shown form to list->shown. */
fgt_status fgti_names_add(fgt_context *ctx, fgti_names *list, const char *name, int64_t most);
/* Takes back all names that were added after `was` was copied. */
void fgti_names_restore(fgti_names *list, const fgti_names *was);
void fgti_names_done(fgt_context *ctx, fgti_names *list);
/* *number gets the number of a name, which is added if the report does not have it. NULL: -1. */
fgt_status fgti_report_name(fgt_report *r, fgti_names *list, const char *name, int64_t most, int64_t *number);
/* Whether name number `number` is `name`; NULL stands for the only subject. */
bool fgti_report_is_subject(const fgt_report *r, int64_t number, const char *name);

#endif
