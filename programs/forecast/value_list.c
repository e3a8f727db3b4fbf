/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that name values far from the rows around them. */
#include <string.h>

#include "value_list.h"

#include "../common/numbers.h"

void value_list_add_series(value_list *l, const char *name, const char *what, const char *place)
{
    char         plain[PLAIN_TEXT];
    const size_t n = strlen(l->text);
    if (l->count++ < VALUE_LIST_MOST)
        snprintf(l->text + n, sizeof l->text - n, "%s\"%s\" %s%s", n ? ", " : "",
                 plain_text(name, plain, sizeof plain), what, place);
}

void value_list_add(value_list *l, const char *name, double value, const char *place)
{
    char number[NUMBER_TEXT], what[NUMBER_TEXT + 8];
    snprintf(what, sizeof what, "is %s ", number_text(value, number));
    value_list_add_series(l, name, what, place);
}

const char *value_list_rest(const value_list *l, char text[40])
{
    *text = 0;
    if (l->count > VALUE_LIST_MOST)
        snprintf(text, 40, " and %lld more", (long long)l->count - VALUE_LIST_MOST);
    return text;
}

void value_list_warn(const char *path, const value_list *l, const char *where, const char *one,
                     const char *several)
{
    char rest[40];
    if (l->count == 1)
        warn("%s: %s, far from all rows around it%s; %s", path, l->text, where, one);
    else if (l->count)
        warn("%s: %lld values are far from all rows around them%s: %s%s; %s", path, (long long)l->count,
             where, l->text, value_list_rest(l, rest), several);
}

void value_list_warn_left_out(const char *path, const value_list *l)
{
    value_list_warn(path, l, " and from other seasons",
                    "it counts as missing, also where errors are measured; --keep-outliers keeps it",
                    "they count as missing, also where errors are measured; --keep-outliers keeps them");
}
