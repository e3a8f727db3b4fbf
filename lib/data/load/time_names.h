/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_NAMES_H
#define FGTI_TIME_NAMES_H

/* Usual names of columns of times. */

#include "data/load/loader.h"
#include "data/time/time_labels.h"

/* Whether a name is in a list that ends with NULL. Capital and small letters are equal. */
bool fgti_name_is_one_of(const char *name, const char *const *list);
/* Whether a column with this name surely has times, as "date". The name "day" is not sure, because it may
 * also be a number. */
bool fgti_name_is_sure_time(const char *name);
/* Whether a text is a usual name of a column of times. */
bool fgti_loader_is_time_name(const char *text, size_t n);
/* The kind of the row labels, which follows from the options and from the name of the labels. */
fgti_labels fgti_loader_label_kind(const fgti_loader *l);

#endif
