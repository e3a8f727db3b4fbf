/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: contexts, views, tables, splits, scalers, windows, graphs. */
#include <math.h>
#include <string.h>

#include <fighter/experimental/arrow.h>
#include <fighter/experimental/graph_data.h>
#include <fighter/experimental/table_file.h>

#include "../data/arrow_frame.h"
#include "../model_info.h"
#include "../scaler_info.h"
#include "entries.h"

/* ---- contexts ---- */

static fgt_status context(world *w)
{
    fgt_build_info info = {.size = sizeof info};
    MAKE(context, fgt_context_create(&w->opts, &w->made.context));
    TRY(fgt_context_get_info(w->made.context, &info));
    see_text(w, info.version);
    see_text(w, fgt_context_get_error(w->made.context));
    return FGT_OK;
}

static fgt_status names(world *w)
{
    int32_t block = -1;
    SEE(w, (int32_t){fgt_version()});
    SEE(w, (int64_t){fgt_view_count(FGT_VIEW(sample_x, B, T, D))});
    see_text(w, fgt_status_get_name(FGT_E_NOMEM));
    TRY(fgt_block_find("gru", &block));
    see_text(w, fgt_block_get_name(block));
    SEE(w, (uint32_t){fgt_block_get_traits(block)});
    return FGT_OK;
}

/* ---- tables ---- */

static void see_table(world *w, const fgt_table *t)
{
    const fgt_view v = fgt_table_get_values(t);
    SEE(w, (int64_t){fgt_table_count_rows(t)});
    SEE(w, (int64_t){fgt_table_count_columns(t)});
    see_view(w, &v);
    see_text(w, fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0));
}

static fgt_status table_load(world *w)
{
    MAKE(table, fgt_table_load(w->ctx, in(w, "table.csv"), NULL, &w->made.table));
    see_table(w, w->made.table);
    return FGT_OK;
}

/* Rows in long form beside those of another file. */
static fgt_status table_load_files(world *w)
{
    const char *paths[2] = {in(w, "long.csv"), in(w, "beside.csv")};
    MAKE(table, fgt_table_load_files(w->ctx, paths, 2, NULL, &w->made.table));
    see_table(w, w->made.table);
    see_text(w, fgt_table_get_name(w->made.table, FGT_TABLE_NAME_ID, 0));
    see_text(w, fgt_table_get_name(w->made.table, FGT_TABLE_NAME_VALUE, 0));
    return FGT_OK;
}

/* Opens a table file and reads its rows. */
static fgt_status table_open(world *w)
{
    fgt_table *stored;
    TRY(fgt_table_open(w->ctx, in(w, "table.fgt"), NULL, &stored));
    fgt_table_column_info column = {.size = sizeof column};
    fgt_table_row_info    row    = {.size = sizeof row};
    if (fgt_table_get_column_info(stored, 0, &column) == FGT_OK) SEE(w, column);
    if (fgt_table_get_row_info(stored, 1, &row) == FGT_OK) SEE(w, row);
    const fgt_status s = fgt_table_create_range(stored, 1, ROWS, &w->made.table);
    fgt_table_destroy(&stored);
    TRY(s);
    see_table(w, w->made.table);
    return FGT_OK;
}

static fgt_status table_save(world *w)
{
    return fgt_table_save(w->all.table, in(w, "out"));
}

static fgt_status table_convert(world *w)
{
    const char    *path = in(w, "table.csv");
    fgt_table_info info = {.size = sizeof info};
    TRY(fgt_table_convert(w->ctx, &path, 1, NULL, in(w, "out"), &info));
    see(w, &info, sizeof info);
    return FGT_OK;
}

/* Trains on a table file, of which a few blocks are in memory. */
static fgt_status table_train(world *w)
{
    fgt_table       *stored;
    const fgt_split split = {0, 30, 30, 40, 40, ROWS};
    TRY(fgt_table_open(w->ctx, in(w, "table.fgt"), NULL, &stored));
    const fgt_status s = fgt_forecaster_fit(w->fresh.forecaster, stored, &split,
                                            &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1), NULL);
    fgt_table_destroy(&stored);
    return s;
}

#ifdef HAVE_ZLIB
static fgt_status table_load_gzip(world *w)
{
    MAKE(table, fgt_table_load(w->ctx, in(w, "table.gz"), NULL, &w->made.table));
    see_table(w, w->made.table);
    return FGT_OK;
}
#endif

static fgt_status table_create(world *w)
{
    MAKE(table, fgt_table_create(w->ctx, (const char *[]){"a", "b", "c"}, FGT_VIEW(sample_x, B *T, D),
                                 &w->made.table));
    see_table(w, w->made.table);
    return FGT_OK;
}

static fgt_status table_arrow(world *w)
{
    static const int64_t     times[] = {3, 2, 1, 1};
    static const int32_t     offsets[] = {0, 3, 6, 9, 12};
    static const char *const sky[]     = {"sky"};
    const fgt_arrow_opts     o         = {
                    .size = sizeof o, .categories = sky, .category_count = 1, .repair = FGT_TABLE_REPAIR_ALL};
    frame f;
    frame_begin(&f, 4);
    frame_add(&f, "t", "tss:", NULL, times, NULL);
    frame_add(&f, "a", "f", NULL, sample_x, NULL);
    frame_add(&f, "sky", "u", NULL, offsets, "sunfogsunfog");
    MAKE(table, fgt_table_create_arrow(w->ctx, &f.schema, &f.array, &o, &w->made.table));
    see_table(w, w->made.table);
    return FGT_OK;
}

static fgt_status table_arrow_long(world *w)
{
    static const int64_t times[]   = {1, 2, 1, 2};
    static const int32_t offsets[] = {0, 3, 6, 9, 12};
    frame                f;
    frame_begin(&f, 4);
    frame_add(&f, "t", "tss:", NULL, times, NULL);
    frame_add(&f, "id", "u", NULL, offsets, "sunsunfogfog");
    frame_add(&f, "y", "f", NULL, sample_x, NULL);
    MAKE(table, fgt_table_create_arrow(w->ctx, &f.schema, &f.array,
                                       &FGT_OPTS(fgt_arrow_opts, .id = "id", .value = "y"), &w->made.table));
    see_table(w, w->made.table);
    return FGT_OK;
}

static fgt_status table_subset(world *w)
{
    MAKE(table, fgt_table_create_subset(w->all.table, (const int64_t[]){2, 0}, 2, &w->made.table));
    see_table(w, w->made.table);
    return FGT_OK;
}

static fgt_status table_looks(world *w)
{
    int64_t column;
    see_table(w, w->all.table);
    see_text(w, fgt_table_get_name(w->all.table, FGT_TABLE_NAME_LABELS, 0));
    see_text(w, fgt_table_get_name(w->all.table, FGT_TABLE_NAME_ROW, 3));
    if (fgt_table_get_name(w->all.table, FGT_TABLE_NAME_IGNORED, 0)) broken("a column was left out");
    TRY(fgt_table_get_column(w->all.table, "b", &column));
    SEE(w, column);
    return FGT_OK;
}

static fgt_status table_times(world *w)
{
    static const int64_t falling[] = {5000, 3000, 2000, 1000}, next = 6000;
    fgt_table_info       info      = {.size = sizeof info};
    fgt_table_row_info    row       = {.size = sizeof row};
    fgt_table_column_info column    = {.size = sizeof column};
    int64_t              left_out  = 0;
    MAKE(table, fgt_table_create(w->ctx, NULL, FGT_VIEW(sample_x, 4, 2), &w->made.table));
    TRY(fgt_table_set_times(w->made.table, FGT_VIEW_OF(FGT_DTYPE_I64, falling, 4), FGT_TABLE_REPAIR_ALL));
    TRY(fgt_table_append(w->made.table, FGT_VIEW(sample_x, 1, 2), FGT_VIEW_OF(FGT_DTYPE_I64, &next, 1)));
    TRY(fgt_table_leave_out(w->made.table, 0, 1, 0, NULL, NULL, &left_out));
    TRY(fgt_table_get_info(w->made.table, &info));
    SEE(w, info);
    SEE(w, left_out);
    const fgt_view times = fgt_table_get_times(w->made.table);
    char           text[64];
    see_view(w, &times);
    TRY(fgt_table_format_time(w->made.table, 6000, text, sizeof text));
    see_text(w, text);
    TRY(fgt_table_get_row_info(w->made.table, 0, &row));
    SEE(w, row);
    TRY(fgt_table_get_column_info(w->made.table, 0, &column));
    SEE(w, column);
    return FGT_OK;
}

static fgt_status time_stamps(world *w)
{
    const fgt_time_step month = {.months = 1};
    int64_t             t     = 0;
    char                text[24];
    TRY(fgt_time_parse(w->ctx, "2016-01-31T10:00:00+01:00", FGT_TIME_FORM_AUTO, &t));
    TRY(fgt_time_add(t, &month, 1, &t));
    TRY(fgt_time_format(t, text, sizeof text));
    see_text(w, text);
    return FGT_OK;
}

static fgt_status days(world *w)
{
    static const int64_t     times[] = {86400000, 0};
    static const char *const names[] = {"x", NULL};
    fgt_days                *d;
    TRY(fgt_days_create(w->ctx, times, names, 2, &d));
    const char      *name = NULL;
    int64_t          time = 0;
    const fgt_status s    = fgt_days_get_entry(d, 1, &time, &name);
    SEE(w, time);
    see_text(w, name);
    fgt_days_destroy(&d);
    TRY(s);
    TRY(fgt_days_load(w->ctx, in(w, "beside.csv"), FGT_TIME_FORM_AUTO, &d));
    SEE(w, (int64_t){fgt_days_count_entries(d)});
    fgt_days_destroy(&d);
    return FGT_OK;
}

/* ---- splits, scalers, windows ---- */

static fgt_status split(world *w)
{
    fgt_split s;
    TRY(fgt_split_compute(w->ctx, ROWS, NULL, &s));
    SEE(w, s);
    return FGT_OK;
}

static void see_scaler(world *w, const fgt_scaler *s)
{
    const fgt_view mean = scaler_mean(s), scale = scaler_scale(s);
    see_view(w, &mean);
    see_view(w, &scale);
}

static fgt_status scaler(world *w)
{
    MAKE(scaler, fgt_scaler_create(w->ctx, D, &w->made.scaler));
    TRY(fgt_scaler_fit(w->made.scaler, FGT_VIEW(sample_x, B * T, D), 0, B * T));
    see_scaler(w, w->made.scaler);
    return FGT_OK;
}

static fgt_status scaler_looks(world *w)
{
    float          z[B * T * D];
    const fgt_view mean = scaler_mean(w->all.scaler), scale = scaler_scale(w->all.scaler);
    see_scaler(w, w->all.scaler);
    TRY(fgt_scaler_set_moments(w->all.scaler, &mean, &scale));
    TRY(fgt_scaler_transform(w->all.scaler, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(z, B, T, D)));
    SEE(w, z);
    TRY(fgt_scaler_inverse_transform(w->all.scaler, FGT_VIEW(z, B, T, D), FGT_VIEW(z, B, T, D)));
    SEE(w, z);
    return FGT_OK;
}

static fgt_status windows_looks_at(world *w, const fgt_windows *windows)
{
    float         x[T * COLUMNS], y[2 * COLUMNS];
    const int64_t first = 0;
    SEE(w, (int64_t){fgt_windows_count_samples(windows)});
    TRY(fgt_windows_copy_samples(windows, &first, 1, FGT_VIEW(x, 1, T, COLUMNS), FGT_VIEW(y, 1, 2, COLUMNS)));
    SEE(w, x);
    SEE(w, y);
    return FGT_OK;
}

static fgt_status windows(world *w)
{
    const fgt_view values = fgt_table_get_values(w->all.table);
    MAKE(windows, fgt_windows_create(w->ctx, &values,
                                     &FGT_OPTS(fgt_windows_opts, .input_len = T, .pred_len = 2),
                                     &w->made.windows));
    return windows_looks_at(w, w->made.windows);
}

static fgt_status windows_looks(world *w)
{
    return windows_looks_at(w, w->all.windows);
}

/* ---- graphs ---- */

static fgt_status graph_looks_at(world *w, const fgt_graph *g)
{
    double        a[9];
    const int64_t n = graph_nodes(g);
    if (n != 3) broken("the graph has %lld nodes", (long long)n);
    SEE(w, (int64_t){graph_edges(g)});
    TRY(fgt_graph_copy_weights(g, FGT_VIEW_OF(FGT_DTYPE_F64, a, n, n)));
    SEE(w, a);
    return FGT_OK;
}

static fgt_status graph_load(world *w)
{
    MAKE(graph, fgt_graph_load(w->ctx, in(w, "graph.csv"), NULL, &w->made.graph));
    return graph_looks_at(w, w->made.graph);
}

static fgt_status graph_load_names(world *w, const char *file)
{
    const char *const         names[] = {"a", "b", "c"};
    const fgt_graph_load_opts o       = {.size = sizeof o, .names = names, .count = 3, .no_negative = 1};
    MAKE(graph, fgt_graph_load(w->ctx, in(w, file), &o, &w->made.graph));
    return graph_looks_at(w, w->made.graph);
}

static fgt_status graph_load_named(world *w)
{
    return graph_load_names(w, "named.csv");
}

static fgt_status graph_load_list(world *w)
{
    return graph_load_names(w, "edges.csv");
}

static fgt_status graph_dense(world *w)
{
    MAKE(graph, fgt_graph_create_dense(w->ctx, FGT_VIEW(sample_x, 3, 3), &w->made.graph));
    return graph_looks_at(w, w->made.graph);
}

static fgt_status graph_csr(world *w)
{
    static const int64_t start[] = {0, 1, 2, 3}, to[] = {1, 2, 0};
    MAKE(graph, fgt_graph_create_csr(w->ctx, FGT_VIEW_OF(FGT_DTYPE_I64, start, 4),
                                     FGT_VIEW_OF(FGT_DTYPE_I64, to, 3), NULL, &w->made.graph));
    return graph_looks_at(w, w->made.graph);
}

static fgt_status graph_correlation(world *w)
{
    const fgt_view values = fgt_table_get_values(w->all.table);
    MAKE(graph, fgt_graph_create_correlation(w->ctx, &values, 0, ROWS, 0.1, &w->made.graph));
    return graph_looks_at(w, w->made.graph);
}

static fgt_status graph_normalize(world *w)
{
    MAKE(graph, fgt_graph_create_normalised(w->all.graph, FGT_GRAPH_NORM_SYMMETRIC, 1, &w->made.graph));
    return graph_looks_at(w, w->made.graph);
}

static fgt_status graph_looks(world *w)
{
    return graph_looks_at(w, w->all.graph);
}

static fgt_status forecast_series(world *w)
{
    int64_t          seasons[FGT_SEASONS], columns[] = {0, 2}, time = 0;
    double           forecast[2 * 4];
    fgt_series_info  info  = {.size = sizeof info};
    fgt_series_group group = {.size = sizeof group};
    fgt_table       *own;
    MAKE(series, fgt_series_create(w->all.table, columns, 2, &w->made.series));
    TRY(fgt_table_create_own_step(w->all.table, 0, &own));
    if (own) broken("an own step");
    TRY(fgt_series_get_info(w->made.series, 1, &info));
    TRY(fgt_series_get_group(w->made.series, 0, &group));
    SEE(w, (int64_t){fgt_series_count(w->made.series)});
    SEE(w, (int64_t){fgt_series_count_groups(w->made.series)});
    SEE(w, (int64_t){fgt_table_find_seasons(w->all.table, seasons)});
    SEE(w, (int64_t){fgt_table_find_horizon(w->all.table, 2)});
    SEE(w, (int32_t){fgt_table_is_key(w->all.table, 0)});
    SEE(w, seasons);
    see_text(w, info.name);
    SEE(w, info.rows);
    SEE(w, group.count);
    TRY(fgt_series_forecast(w->made.series, 0,
                            &FGT_OPTS(fgt_local_opts, .horizon = 4, .forecast = forecast)));
    SEE(w, forecast);
    TRY(fgt_table_compute_time(w->all.table, 0, 1, &time));
    SEE(w, time);
    return FGT_OK;
}

static const entry entries[] = {
    {"fgt_context_create fgt_context_get_info fgt_context_destroy fgt_context_get_error", context, NO_TEXT},
    {"fgt_version fgt_view_count fgt_status_get_name fgt_block_find fgt_block_get_name "
     "fgt_block_get_traits",
     names, QUIET},
    {"fgt_table_load fgt_table_destroy", table_load, READS},
    {"fgt_table_load_files fgt_table_get_name", table_load_files, READS},
    {"fgt_table_open fgt_table_get_column_info fgt_table_get_row_info fgt_table_create_range", table_open,
     READS},
    {"fgt_table_save", table_save, WRITES},
    {"fgt_table_convert", table_convert, READS | WRITES},
    {"fgt_forecaster_fit", table_train, FORECASTER | READS},
#ifdef HAVE_ZLIB
    {"fgt_table_load", table_load_gzip, READS},
#endif
    {"fgt_table_create", table_create, 0},
    {"fgt_table_create_arrow", table_arrow, 0},
    {"fgt_table_create_arrow", table_arrow_long, 0},
    {"fgt_series_create fgt_series_destroy fgt_series_count fgt_series_count_groups fgt_series_get_info "
     "fgt_series_get_group fgt_series_forecast fgt_table_create_own_step fgt_table_find_seasons "
     "fgt_table_find_horizon fgt_table_compute_time fgt_table_is_key",
     forecast_series, 0},
    {"fgt_table_create_subset", table_subset, 0},
    {"fgt_table_count_rows fgt_table_count_columns fgt_table_get_values fgt_table_get_name "
     "fgt_table_get_column",
     table_looks, QUIET},
    {"fgt_days_create fgt_days_load fgt_days_destroy fgt_days_count_entries fgt_days_get_entry", days, READS},
    {"fgt_table_set_times fgt_table_append fgt_table_leave_out fgt_table_get_times "
     "fgt_table_format_time fgt_table_get_row_info fgt_table_get_column_info fgt_table_get_info",
     table_times, 0},
    {"fgt_time_parse fgt_time_format fgt_time_add", time_stamps, QUIET},
    {"fgt_split_compute", split, QUIET},
    {"fgt_scaler_create fgt_scaler_fit fgt_scaler_destroy", scaler, 0},
    {"fgt_scaler_get_moments fgt_scaler_set_moments "
     "fgt_scaler_transform fgt_scaler_inverse_transform",
     scaler_looks, QUIET},
    {"fgt_windows_create fgt_windows_destroy", windows, 0},
    {"fgt_windows_count_samples fgt_windows_copy_samples", windows_looks, QUIET},
    {"fgt_graph_load fgt_graph_destroy", graph_load, READS},
    {"fgt_graph_load", graph_load_named, READS},
    {"fgt_graph_load", graph_load_list, READS},
    {"fgt_graph_create_dense", graph_dense, 0},
    {"fgt_graph_create_csr", graph_csr, 0},
    {"fgt_graph_create_correlation", graph_correlation, 0},
    {"fgt_graph_create_normalised", graph_normalize, 0},
    {"fgt_graph_get_size fgt_graph_copy_weights", graph_looks, QUIET},
};

const entry_table data_entries = {entries, LENGTH(entries)};
