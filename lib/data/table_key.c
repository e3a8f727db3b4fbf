/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns that only name the source of the rows. */
#include <fighter/experimental/series.h>
#include <math.h>
#include <strings.h>

#include "data/table.h"

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_of_word(char c)
{
    return is_lower(c) || is_upper(c) || (c >= '0' && c <= '9');
}

/* The last word of a name such as store_nbr or shopId. */
static const char *last_word(const char *name)
{
    const char *word = name;
    for (const char *p = name; *p; p++) {
        const bool begins = p == name || !is_of_word(p[-1]) || (is_upper(*p) && is_lower(p[-1]));
        if (begins && is_of_word(*p)) word = p;
    }
    return word;
}

/* Whether all values of a column are one whole number, and there are at least two. */
static bool is_one_number(const fgt_table *t, int64_t column)
{
    double  value = NAN;
    int64_t count = 0;
    for (int64_t row = 0; row < t->rows; row++) {
        const double x = t->values[row * t->columns + column];
        if (isnan(x)) continue;
        if (count++ && x != value) return false;
        value = x;
    }
    return count > 1 && value == floor(value);
}

int32_t fgt_table_is_key(const fgt_table *table, int64_t column)
{
    static const char *const words[] = {"id",      "key",      "code",      "nr",     "nbr",      "shop",
                                        "store",   "item",     "product",   "sku",    "series",   "station",
                                        "site",    "branch",   "region",    "market", "brand",    "family",
                                        "dept",    "customer", "warehouse", "city",   "country",  "category",
                                        "filiale", "laden",    "artikel",   "kunde",  "standort", NULL};
    if (!table || !table->values || table->form.count || column < 0 || column >= table->columns) return 0;
    const char        *word = last_word(fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, column));
    const char *const *w    = words;
    while (*w && strcasecmp(*w, word) != 0) w++;
    return *w && is_one_number(table, column);
}
