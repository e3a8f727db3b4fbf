/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/load/loader.h"

#include <stdio.h>
#include <string.h>

#include "data/csv/shown.h"

/* Reads a cell that is not a plain number. It may be a word for a missing value or, if the option is set, a
 * number as spreadsheets show it. */
static fgti_number read_other(fgti_loader *l, const char *text, fgti_number plain, double *value)
{
    if (plain != FGTI_NUMBER_TEXT) return plain;
    if (fgti_number_is_gap(text)) return FGTI_NUMBER_MISSING;
    return l->opts.spreadsheet && fgti_shown_parse(l->locale, text, l->opts.decimal_comma, value, l->unit)
               ? FGTI_NUMBER
               : FGTI_NUMBER_TEXT;
}

/* Reads a cell if the options change the notation. With decimal commas a point is a separator of thousands or
 * an error, so 1.500 is not read as a plain number. */
static fgti_number read_special(fgti_loader *l, char *text, int64_t size, double *value)
{
    char *comma = NULL;
    *l->unit    = 0;
    if (l->opts.missing_text && !strcmp(text, l->opts.missing_text)) return FGTI_NUMBER_MISSING;
    if (l->opts.decimal_comma) {
        if (strchr(text, '.')) return read_other(l, text, FGTI_NUMBER_TEXT, value);
        comma = strchr(text, ',');
    }
    if (comma) *comma = '.';
    const fgti_number n = fgti_number_parse(l->locale, text, size, value);
    if (comma) *comma = ',';
    return read_other(l, text, n, value);
}

fgti_number fgti_loader_number(fgti_loader *l, int64_t cell, double *value)
{
    char         *text = fgti_csv_cell(&l->csv, cell);
    const int64_t size = l->csv.cells[cell].size;
    if (l->special) return read_special(l, text, size, value);
    const fgti_number n = fgti_number_parse(l->locale, text, size, value);
    return n == FGTI_NUMBER_TEXT ? read_other(l, text, n, value) : n;
}

const char *fgti_loader_header_name(const fgti_loader *l, int64_t cell)
{
    return cell < l->header.count ? fgti_strings_get(&l->header, cell) : "";
}

/* Whether the options list this column among the columns or the categories. */
bool fgti_loader_is_listed(const fgti_loader *l, const char *name)
{
    return fgti_words_find(&l->listed, name, (int64_t)strlen(name)) >= 0;
}

const char *fgti_loader_name(const fgti_loader *l, int64_t cell, char buf[24])
{
    const char   *own    = fgti_loader_header_name(l, cell);
    const int64_t number = l->source ? l->source[cell].number : cell;
    if (*own || number < 0) return own;
    snprintf(buf, 24, "%lld", (long long)number);
    return buf;
}

int64_t fgti_loader_find_cell(const void *loader, const char *name, int64_t size)
{
    const fgti_loader *l  = loader;
    const int64_t      at = fgti_words_find(&l->names, name, size);
    return at < 0 ? -1 : l->named[at];
}

/* Shows an entry as its column, "promo" for "promo=flyer", if the column has other entries too. */
static const char *show_entry(const fgti_loader *l, const char *name, char show[FGTI_SHOW])
{
    const char *end = strchr(name, '=');
    int64_t     n = end ? end - name : 0, like = 0;
    for (int64_t i = 0; n && i < l->opts.category_count; i++)
        like += !strncmp(l->opts.categories[i], name, (size_t)n + 1);
    fgti_show(name, show);
    if (like > 1 && n < FGTI_SHOW - 4) show[n] = 0;
    return show;
}

/* Reports that a column does not exist. In a file without a header, columns are named by numbers. */
static fgt_status refuse_name(const fgti_loader *l, const char *name)
{
    char show[FGTI_SHOW], list[360] = "";
    if (l->header.count) fgti_strings_list(&l->header, 0, list, sizeof list);
    return fgti_fail(&l->ctx->error, FGT_E_NAME, "%.200s: there is no column \"%s\"%s%s", l->csv.path,
                     show_entry(l, name, show), *list ? "; the columns are " : "", list);
}

fgt_status fgti_loader_find(const fgti_loader *l, const char *name, int64_t *cell)
{
    *cell = fgti_loader_find_cell(l, name, (int64_t)strlen(name));
    return *cell >= 0 ? FGT_OK : refuse_name(l, name);
}

bool fgti_loader_is_key(const fgti_loader *l, int64_t cell)
{
    for (int i = 0; i < l->keys; i++)
        if (l->key[i] == cell) return true;
    return false;
}
