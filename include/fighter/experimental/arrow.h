/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_ARROW_H
#define FIGHTER_EXPERIMENTAL_ARROW_H

/** @file arrow.h
 *  Tables from columns in memory, which come in the two structs of the Arrow C data interface. Dataframe
 *  libraries can export these structs. No part of Arrow is needed to compile or to link.
 *
 *      struct ArrowSchema schema;
 *      struct ArrowArray  array;
 *      host_export(frame, &schema, &array);
 *      fgt_table_create_arrow(ctx, &schema, &array, NULL, &table);
 *      array.release(&array);
 *      schema.release(&schema);
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The definitions of the Arrow C data interface. They are inside the include guard that the interface
 * prescribes, so that a host may also have them: https://arrow.apache.org/docs/format/CDataInterface.html */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char          *format;
    const char          *name;
    const char          *metadata;
    int64_t              flags;
    int64_t              n_children;
    struct ArrowSchema **children;
    struct ArrowSchema  *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t             length;
    int64_t             null_count;
    int64_t             offset;
    int64_t             n_buffers;
    int64_t             n_children;
    const void        **buffers;
    struct ArrowArray **children;
    struct ArrowArray  *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

typedef struct fgt_arrow_opts {
    size_t             size;
    const char        *time;           /**< name of the column of times; NULL: the first column of timestamps
                                            or dates */
    const char *const *columns;        /**< names of the columns to read, in the table's order; NULL: all
                                            columns of numbers */
    int64_t            column_count;   /**< 0 with columns NULL */
    const char *const *categories;     /**< as in fgt_csv_opts */
    int64_t            category_count; /**< 0 with categories NULL */
    int32_t            no_times;       /**< 1: rows have no times and keep their order */
    int32_t            repair;         /**< a sum of fgt_table_repair */
    int32_t            missing;        /**< an fgt_table_missing */
    int32_t            skip;           /**< 1: columns of unsupported types are left out; 0: refused */
    const char        *id;             /**< long form: name of the column that names the series, of texts or
                                            integers; NULL: wide form */
    const char        *value;          /**< long form: name of the column of values; NULL: all columns are
                                            covariates, as in a file of future rows */
    int64_t            round;          /**< as in fgt_csv_opts */
} fgt_arrow_opts;

/** Makes a table from a struct array (a record batch), whose children are the columns.
 *  Numbers are integers of 8 to 64 bits, with sign and without, floats of 16, 32 and 64 bits, and booleans
 *  as 0 and 1; integers beyond 2^53 are rounded. Times are timestamps of any unit, with a zone or without
 *  (fractions of milliseconds are cut off), date32 and date64. Texts are utf8, large_utf8, utf8_view, and
 *  dictionaries of them. A value is missing if the validity bitmap says so, if it is NaN, or if the type of
 *  the column is null. As in fgt_table_load(), columns of texts are left out or are categories, and times are
 *  checked and repaired; FGT_TABLE_NAME_IGNORED names the columns left out. The name of a column without a
 *  name is its number.
 *
 *  With `id` the rows are in long form, a row for each time of each series. Then the table has a column for
 *  each series and its covariates, as fgt_table_load_files() makes it from a long file. The options repair
 *  and missing are about the rows of each series.
 *  Source   The Arrow C data interface, versions 1.0 and later
 *  Shapes   length R -> values [R,C]; long form: N series over R' times -> [R',N + covariates]
 *  Units    as the columns; times: milliseconds since 1970
 *  Cost     one pass over each column
 *  Owner    everything is copied. Schema and array stay the caller's, who must release them; *table is the
 *           caller's
 *  Errors   FGT_E_ARG NULL, opts, a schema or an array that was released; FGT_E_FORMAT schema and array that
 *           do not fit together, a negative length, a missing buffer, an index or offset out of range;
 *           FGT_E_UNSUPPORTED a column of another type (name, format), not a struct; FGT_E_NAME no column of
 *           a name in opts; FGT_E_DATA infinity, a missing value that opts do not allow (row, column), no
 *           row, no column of numbers, more than 64 values of a category, times as for fgt_table_load(), long
 *           form without times, a row without a series, rows as for fgt_table_load_files();
 *           FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error *table is NULL */
FGT_API FGT_MUST fgt_status fgt_table_create_arrow(fgt_context *ctx, const struct ArrowSchema *schema,
                                                   const struct ArrowArray *array, const fgt_arrow_opts *opts,
                                                   fgt_table **table);

#ifdef __cplusplus
}
#endif
#endif
