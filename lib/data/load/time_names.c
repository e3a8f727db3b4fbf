/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/load/time_names.h"

#include <string.h>

#include "data/time/scan/scanner.h"

/* Names of columns that surely have times. */
static const char *const sure_names[] = {"date", "time", "datetime", "date_time", "timestamp", "ds", NULL};
static const char *const weak_names[] = {"day",
                                         "month",
                                         "period",
                                         "quarter",
                                         "week",
                                         "year",
                                         "yyyymm",
                                         "yearmonth",
                                         "year_month",
                                         "datum",
                                         "monat",
                                         "jahr",
                                         "mois",
                                         "annee",
                                         "fecha",
                                         "mes",
                                         "ano",
                                         "mese",
                                         "anno",
                                         "maand",
                                         "jaar",
                                         "m\xc3\xaa"
                                         "s",
                                         "a\xc3\xb1o",
                                         "ann\xc3\xa9"
                                         "e",
                                         NULL};

bool fgti_name_is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (fgti_same_word(name, *list, strlen(*list) + 1)) return true;
    return false;
}

bool fgti_name_is_sure_time(const char *name)
{
    return fgti_name_is_one_of(name, sure_names);
}

bool fgti_loader_is_time_name(const char *text, size_t n)
{
    const char *const *const lists[] = {sure_names, weak_names};
    for (size_t i = 0; i < 2; i++)
        for (const char *const *name = lists[i]; *name; name++)
            if (strlen(*name) == n && fgti_same_word(text, *name, n)) return true;
    return false;
}

fgti_labels fgti_loader_label_kind(const fgti_loader *l)
{
    const char *name = fgti_strings_get(&l->t->names, 0);
    if (l->opts.time || l->opts.time_form) return FGTI_LABELS_TIMES;
    return l->joined || fgti_loader_is_time_name(name, strlen(name)) ? FGTI_LABELS_NAMED : FGTI_LABELS_ANY;
}
