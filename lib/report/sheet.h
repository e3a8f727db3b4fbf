/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHEET_H
#define FGTI_SHEET_H

/* Writes a report as HTML. Each part of the report is written twice: as tables, which everybody can read, and
 * into one JSON object, from which the script draws the pictures. */

#include "core/text.h"
#include "report/report_data.h"

/* A text that grows. The first error stays in status, and after it nothing is written. */
typedef struct fgti_sheet {
    fgti_text  text;
    fgt_status status;
} fgti_sheet;

typedef struct fgti_page {
    const fgt_report *r;
    fgti_sheet        html, json;
    int64_t           every;  /* epochs that are a multiple of this are kept */
    int64_t           layers; /* number of layers that are kept */
    int64_t           charts; /* number of charts so far */
} fgti_page;

#endif
