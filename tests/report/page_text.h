/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_REPORT_PAGE_TEXT_H
#define TESTS_REPORT_PAGE_TEXT_H

/* Pages as texts. Include it behind one_context.h. */

#include <fighter/experimental/report.h>

#include "../model_info.h"

/* To be freed. */
static inline char *page_of(const fgt_report *r)
{
    int64_t size, again;
    OK(fgt_report_save(r, FGT_TO_MEMORY(NULL, 0, &size)));
    char *page = calloc((size_t)size + 1, 1);
    assert_non_null(page);
    OK(fgt_report_save(r, FGT_TO_MEMORY(page, size, &again)));
    assert_int_equal(again, size);
    assert_int_equal(strlen(page), size);
    return page;
}

static inline int64_t count(const char *page, const char *what)
{
    int64_t n = 0;
    for (const char *p = page; (p = strstr(p, what)); p++) n++;
    return n;
}

static inline bool attends(const fgt_model *m)
{
    fgt_layer_info info = {.size = sizeof info};
    for (int64_t i = 0; i < model_info(m).layers; i++) {
        OK(fgt_model_get_layer(m, i, &info));
        if (info.adjacency == FGT_ADJACENCY_ATTENTION) return true;
    }
    return false;
}

#endif
