/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_NAMES_H
#define FGTI_TIME_NAMES_H

/* Usual names of columns of times. */

#include "data/load/loader.h"
#include "data/time/time_labels.h"

/* Whether a name is in a list, which ends with NULL, in any case of its letters. */
bool fgti_name_is_one_of(const char *name, const char *const *list);
/* Whether a column of this name has times, such as "date"; "day" may also be a number. */
bool fgti_name_is_sure_time(const char *name);
/* Whether a text is a usual name of a column of times. */
bool fgti_loader_is_time_name(const char *text, size_t n);
/* Kind of the row labels, by the options and their name. */
fgti_labels fgti_loader_label_kind(const fgti_loader *l);

#endif
