/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_VALUE_LIST_H
#define PROGRAMS_FORECAST_VALUE_LIST_H

/* Messages that name values far from the rows around them. */

#include "times.h"

#include "../common/program.h"

/* At most so many values are named. */
enum { VALUE_LIST_MOST = 8 };

/* Values or series of one kind; the text has the first ones, as `"a" is 99999 in line 7`. */
typedef struct value_list {
    int64_t count;
    char    text[VALUE_LIST_MOST * (PLACE_MAX + PLAIN_TEXT)];
} value_list;

void value_list_add(value_list *l, const char *name, double value, const char *place);
/* what: the sentence between the name of the series and the place. */
void value_list_add_series(value_list *l, const char *name, const char *what, const char *place);
/* " and 3 more": the number of values or series that are not named. */
const char *value_list_rest(const value_list *l, char text[40]);
/* Warns of values far from the rows around them. one, several: the end of the sentence for a single value,
 * and for several. */
void value_list_warn(const char *path, const value_list *l, const char *where, const char *one,
                     const char *several);
/* Warns of values that count as missing. */
void value_list_warn_left_out(const char *path, const value_list *l);

#endif
