/* SPDX-License-Identifier: BSD-3-Clause */
/* Many files mark a missing value by a number such as -9999, without any other sign of it. */
#include <math.h>
#include <stdlib.h>

#include <fighter/experimental/table_file.h>

#include "markers.h"
#include "times.h"

#include "../common/numbers.h"
#include "../common/program.h"

/* Number of values of a table on disk that are read at a time. */
enum { PIECE = 4 << 20 };

/* The least distance of such a number from the other values of its column, in multiples of their range. */
#define FAR 3

static const double nines[] = {-999, -9999, -99999, -999999, 999, 9999, 99999, 999999};
enum { NINES = sizeof nines / sizeof *nines };

typedef struct column_values {
    double  low, high; /* least and greatest of the values that are not in `nines` */
    int64_t cells[NINES], first[NINES];
} column_values;

static int find_nines(double v)
{
    int k = 0;
    while (k < NINES && v != nines[k]) k++;
    return k;
}

/* Adds the values of rows in memory; the first one is row `first` of the table. */
static void add_values(column_values *all, const fgt_view *values, int64_t first)
{
    const double *v = values->data;
    for (int64_t i = 0; i < values->shape[0] * values->shape[1]; i++) {
        column_values *c = &all[i % values->shape[1]];
        const int      k = find_nines(v[i]);
        if (k < NINES) {
            if (!c->cells[k]++) c->first[k] = first + i / values->shape[1];
            continue;
        }
        if (v[i] < c->low) c->low = v[i];
        if (v[i] > c->high) c->high = v[i];
    }
}

/* Adds the rows from `first` on, piece by piece if the table is on disk. */
static fgt_status add_rows(column_values *all, const fgt_table *table, int64_t first)
{
    const int64_t rows = fgt_table_count_rows(table), most = 1 + PIECE / fgt_table_count_columns(table);
    fgt_view      values = fgt_table_get_values(table);
    if (!table_is_stored(table)) {
        add_values(all, &values, 0);
        return FGT_OK;
    }
    for (int64_t n; first < rows; first += n) {
        fgt_table *piece;
        n                  = rows - first < most ? rows - first : most;
        const fgt_status s = fgt_table_create_range(table, first, first + n, &piece);
        if (s != FGT_OK) return s;
        values = fgt_table_get_values(piece);
        add_values(all, &values, first);
        fgt_table_destroy(&piece);
    }
    return FGT_OK;
}

static bool is_far(const column_values *c, double v)
{
    const double span = c->high - c->low;
    return span >= 0 && fmax(v - c->high, c->low - v) > FAR * span; /* there are other values, perhaps all
                                                                     * equal */
}

/* Whether the least or the greatest value of a column is one of the nines; other numbers of them cannot be
 * far outside. For a table on disk this needs no reading. */
static bool may_be_far(const fgt_table *table)
{
    fgt_table_column_info info = {.size = sizeof info};
    for (int64_t c = 0; c < fgt_table_count_columns(table); c++)
        if (fgt_table_get_column_info(table, c, &info) != FGT_OK || find_nines(info.least) < NINES ||
            find_nines(info.most) < NINES)
            return true;
    return false;
}

static void warn_of_column(const char *path, const fgt_table *table, int64_t column, const column_values *c)
{
    const char *what = table_is_stored(table) ? "convert the data with" : "give";
    char        place[PLACE_MAX], nine[NUMBER_TEXT], low[NUMBER_TEXT], high[NUMBER_TEXT];
    number_text(c->low, low);
    number_text(c->high, high);
    for (int k = 0; k < NINES; k++) {
        if (!c->cells[k] || !is_far(c, nines[k])) continue;
        number_text(nines[k], nine);
        warn("%s: \"%s\" is %s in %lld row%s, first %s, and from %s to %s "
             "elsewhere; if values are missing there, %s --missing-value %s",
             path, fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, column), nine, (long long)c->cells[k],
             c->cells[k] == 1 ? "" : "s", row_place(table, c->first[k], place), low, high, what, nine);
    }
}

static column_values *new_values(int64_t columns)
{
    column_values *all = calloc((size_t)columns, sizeof *all);
    for (int64_t c = 0; all && c < columns; c++) all[c] = (column_values){.low = INFINITY, .high = -INFINITY};
    if (!all) complain("no memory");
    return all;
}

bool markers_find(const run *r, const char *path, const fgt_table *table, bool *has)
{
    const int64_t  columns = fgt_table_count_columns(table);
    column_values *all     = new_values(columns);
    if (!all) return false;
    const bool good = add_rows(all, table, 0) == FGT_OK || run_failed(r, path);
    for (int k = 0; good && k < NINES; k++) {
        bool many = false;
        for (int64_t c = 0; c < columns; c++)
            many |= all[c].cells[k] > FGT_LEFT_OUT && is_far(&all[c], nines[k]);
        for (int64_t c = 0; many && c < columns; c++) has[c] |= all[c].cells[k] > 0;
    }
    free(all);
    return good;
}

bool markers_warn(const run *r, const char *path, const fgt_table *table, int64_t first, const bool *said)
{
    const int64_t columns = fgt_table_count_columns(table);
    if (!first && table_is_stored(table) && !may_be_far(table)) return true;
    column_values *all = new_values(columns);
    if (!all) return false;
    const bool good = add_rows(all, table, first) == FGT_OK || run_failed(r, path);
    for (int64_t c = 0; good && c < columns; c++)
        if (!said || !said[c]) warn_of_column(path, table, c, &all[c]);
    free(all);
    return good;
}
