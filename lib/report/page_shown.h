/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PAGE_SHOWN_H
#define FGTI_PAGE_SHOWN_H

#include "report/sheet.h"

void fgti_page_windows(fgti_page *p);
void fgti_page_texts(fgti_page *p);
void fgti_page_importance(fgti_page *p);

#endif
