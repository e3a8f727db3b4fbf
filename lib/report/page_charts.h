/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PAGE_CHARTS_H
#define FGTI_PAGE_CHARTS_H

#include "report/sheet.h"

/* The curves of the host, and the statistics of the matrices by epoch and by power of A. */
void fgti_page_charts(fgti_page *p);

#endif
