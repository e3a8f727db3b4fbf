/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PAGE_MATRICES_H
#define FGTI_PAGE_MATRICES_H

#include "report/sheet.h"

/* Leaves out epochs, and then layers, until the page is small enough. */
void fgti_page_fit(fgti_page *p);
void fgti_page_matrices(fgti_page *p);

#endif
