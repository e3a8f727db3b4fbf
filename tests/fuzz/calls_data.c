/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on graphs, tables, times, scalers and windows. */
#include <string.h>

#include <fighter/experimental/arrow.h>
#include <fighter/experimental/graph_data.h>
#include <fighter/experimental/table_file.h>

#include "../data/arrow_frame.h"
#include "../model_info.h"
#include "../scaler_info.h"
#include "calls.h"

enum { ROWS = 40, SERIES = 2 };

/* ---- graphs ---- */

static void graph_dense(world *w)
{
    const int64_t  n      = 1 + pick(w, 6);
    const fgt_view square = {.rank = 2, .shape = {n, n}};
    fgt_view       v      = draw_view(w, &square, false);
    fgt_graph_destroy(&w->graph);
    SAY(w->ctx, fgt_graph_create_dense(w->ctx, draw_null(w, &v), &w->graph));
}

/* Rows of one edge each, of which one number may be wrong. */
static void graph_csr(world *w)
{
    int64_t       first[8] = {0, 1, 2, 3, 4, 5, 6, 7}, to[8] = {1, 0, 2, 1, 0, 3, 2, 1};
    const int64_t n = 1 + pick(w, 6);
    if (pick(w, 4) == 0) first[pick(w, 8)] = draw_size(w);
    if (pick(w, 4) == 0) to[pick(w, 8)] = draw_size(w);
    fgt_graph_destroy(&w->graph);
    SAY(w->ctx, fgt_graph_create_csr(w->ctx, FGT_VIEW_OF(FGT_DTYPE_I64, first, n + 1),
                                     FGT_VIEW_OF(FGT_DTYPE_I64, to, n), NULL, &w->graph));
}

static void graph_correlation(world *w)
{
    const fgt_view rows  = {.rank = 2, .shape = {ROWS, 1 + pick(w, 6)}};
    fgt_view       v     = draw_view(w, &rows, false);
    const int64_t  begin = draw_size(w), end = draw_size(w) / 2 + 5;
    fgt_graph_destroy(&w->graph);
    SAY(w->ctx, fgt_graph_create_correlation(w->ctx, draw_null(w, &v), begin, end, draw_real(w), &w->graph));
}

static void graph_normalize(world *w)
{
    const int32_t norm = pick(w, 5) - 1, loops = pick(w, 3);
    fgt_graph    *normal;
    SAY(w->graph, fgt_graph_create_normalised(w->graph, norm, loops, &normal));
    if (!normal) return;
    fgt_graph_destroy(&w->graph);
    w->graph = normal;
}

static void graph_get(world *w)
{
    const int64_t  n      = graph_nodes(w->graph);
    const fgt_view square = {.rank = 2, .shape = {n, n}};
    fgt_view       v      = draw_view(w, &square, true);
    SAY(w->graph, fgt_graph_copy_weights(w->graph, draw_null(w, &v)));
}

static void graph_destroy(world *w)
{
    fgt_graph_destroy(&w->graph);
}

/* ---- tables ---- */

static void table_create(world *w)
{
    static const char *const all[] = {"a", "\xc3\xb6l", "c", "a", "\xff", ""};
    const char              *names[8];
    const fgt_view           rows = {.rank = 2, .shape = {ROWS, SERIES}, .dtype = pick(w, 2)};
    fgt_view                 v    = draw_view(w, &rows, false);
    for (int i = 0; i < 8; i++) names[i] = pick(w, 8) ? all[i % 3] : all[pick(w, 6)];
    if (v.rank == 2 && v.shape[1] > 8) return; /* so many names there are not */
    fgt_table_destroy(&w->table);
    SAY(w->ctx, fgt_table_create(w->ctx, names, draw_null(w, &v), &w->table));
}

static void table_subset(world *w)
{
    const int64_t columns[2] = {draw_size(w), draw_size(w)};
    fgt_table    *subset;
    SAY(w->table, fgt_table_create_subset(w->table, columns, pick(w, 3), &subset));
    if (!subset) return;
    fgt_table_destroy(&w->table);
    w->table = subset;
}

static void table_column(world *w)
{
    int64_t column;
    SAY(w->table, fgt_table_get_column(w->table, draw_name(w, NULL), &column));
    fgt_table_get_name(w->table, FGT_TABLE_NAME_COLUMN, draw_size(w));
    fgt_table_get_name(w->table, FGT_TABLE_NAME_ROW, draw_size(w));
}

/* On error *sum stays. */
static void time_sum(int64_t time, const fgt_time_step *step, int64_t n, int64_t *sum)
{
    const int64_t before = *sum;
    if (fgt_time_add(time, step, n, sum) != FGT_OK && *sum != before) abort();
}

/* A row whose time mostly is one step after the last. */
static void append_rows(world *w)
{
    const fgt_view times = fgt_table_get_times(w->table),
                   right = {
                       .rank = 2, .shape = {1, fgt_table_count_columns(w->table)}, .dtype = FGT_DTYPE_F64};
    fgt_table_info info = {.size = sizeof info};
    fgt_view       v    = draw_view(w, &right, false);
    int64_t        time = draw_size(w);
    SAY(w->table, fgt_table_get_info(w->table, &info));
    if (times.shape[0] && pick(w, 8))
        time_sum(((const int64_t *)times.data)[times.shape[0] - 1], &info.step, 1, &time);
    const fgt_view *t = times.shape[0] ? FGT_VIEW_OF(FGT_DTYPE_I64, &time, 1) : NULL;
    SAY(w->table, fgt_table_append(w->table, draw_null(w, &v), pick(w, 8) ? t : NULL));
}

/* Times that mostly are one step apart. */
static void table_times(world *w)
{
    static const int64_t steps[] = {1, 3600000, 86400000};
    int64_t              times[ROWS], out[FGT_LEFT_OUT], step = steps[pick(w, 3)];
    double               values[FGT_LEFT_OUT];
    const int64_t        n     = fgt_table_count_rows(w->table);
    const fgt_view        right = {.rank = 1, .shape = {n < ROWS ? n : ROWS}, .dtype = FGT_DTYPE_I64};
    fgt_view             v     = draw_view(w, &right, false);
    fgt_table_info       info  = {.size = pick(w, 8) ? sizeof info : (size_t)pick(w, 100)};
    char                 text[64];
    fgt_table_row_info    row    = {.size = sizeof row};
    fgt_table_column_info column = {.size = pick(w, 8) ? sizeof column : (size_t)pick(w, sizeof column)};
    for (int64_t r = 0; r < ROWS; r++) times[r] = INT64_C(1500000000000) + r * step;
    if (!pick(w, 4)) times[pick(w, ROWS)] = pick(w, 2) ? times[pick(w, ROWS)] : draw_size(w);
    if (v.data && v.dtype == FGT_DTYPE_I64 && fgt_view_count(&v) <= ROWS) v.data = times;
    SAY(w->table, fgt_table_set_times(w->table, draw_null(w, &v), pick(w, 10) - 1));
    SAY(w->table, fgt_table_get_info(w->table, pick(w, 16) ? &info : NULL));
    append_rows(w);
    SAY(w->table, fgt_table_leave_out(w->table, pick(w, 4), draw_size(w), draw_size(w),
                                      pick(w, 2) ? out : NULL, pick(w, 2) ? values : NULL,
                                      pick(w, 8) ? &(int64_t){0} : NULL));
    fgt_table_get_name(w->table, FGT_TABLE_NAME_IGNORED, draw_size(w));
    fgt_table_get_name(w->table, pick(w, 8) - 1, draw_size(w));
    SAY(w->table,
        fgt_table_format_time(w->table, draw_size(w), pick(w, 8) ? text : NULL, pick(w, sizeof text + 1)));
    SAY(w->table, fgt_table_get_row_info(w->table, draw_size(w), pick(w, 8) ? &row : NULL));
    SAY(w->table, fgt_table_get_column_info(w->table, pick(w, 4), pick(w, 8) ? &column : NULL));
    v = fgt_table_get_times(w->table);
    touch(&v);
}

static void table_arrow(world *w)
{
    static const char *const formats[] = {"g", "f", "i", "u", "tsm:", "z"}, *const names[] = {"a", "b", "t"};
    static const int32_t     offsets[] = {0, 1, 3, 4, 6, 7};
    static const double      values[]  = {0, 1, 2, 3, 4, 5};
    const fgt_arrow_opts     o         = {.size    = sizeof o,
                                          .missing = pick(w, 4),
                                          .repair  = pick(w, 8),
                                          .skip    = pick(w, 2),
                                          .columns = names,
                                          .column_count = pick(w, 3)};
    frame                    f;
    frame_begin(&f, pick(w, 6));
    for (int i = 0; i < 3; i++) {
        const char *format = formats[pick(w, 6)];
        const bool  text   = *format == 'u';
        const void *data   = text ? (const void *)offsets : values;
        frame_add(&f, names[i], format, NULL, data, text ? "rainsun" : NULL);
    }
    if (!pick(w, 4)) f.column[pick(w, 3)].length = draw_size(w);
    fgt_table_destroy(&w->table);
    SAY(w->ctx, fgt_table_create_arrow(w->ctx, &f.schema, &f.array, pick(w, 4) ? &o : NULL, &w->table));
}

static void time_stamps(world *w)
{
    static const char *const texts[] = {"2020-01-31", "31.12.2020 23:59", "1/2/2020", "1500000000", "", NULL};
    const fgt_time_step      step    = {pick(w, 2) ? draw_size(w) : 0, pick(w, 2) ? draw_size(w) : 1,
                                        pick(w, 2) ? pick(w, 128) : 0, pick(w, 2) ? pick(w, 25) : 0,
                                        pick(w, 2) ? draw_size(w) : 0};
    int64_t                  time    = 0;
    char                     text[24];
    SAY(w->ctx, fgt_time_parse(w->ctx, texts[pick(w, 6)], pick(w, 7) - 1, pick(w, 16) ? &time : NULL));
    time_sum(pick(w, 2) ? time : draw_size(w), pick(w, 8) ? &step : NULL, draw_size(w), &time);
    if (fgt_time_format(time, text, pick(w, 2) ? (int64_t)sizeof text : pick(w, 24)) == FGT_OK && !*text)
        abort();
}

static void split_init(world *w)
{
    const fgt_split_opts o = {.size  = sizeof o,
                              .rows  = {draw_size(w), draw_size(w), draw_size(w)},
                              .ratio = {draw_real(w), draw_real(w), draw_real(w)},
                              .kind  = pick(w, 4) - 1};
    fgt_split            s;
    SAY(w->ctx, fgt_split_compute(w->ctx, draw_size(w), pick(w, 4) ? &o : NULL, &s));
}

/* ---- scalers and windows ---- */

static void scaler_create(world *w)
{
    fgt_scaler_destroy(&w->scaler);
    SAY(w->ctx, fgt_scaler_create(w->ctx, pick(w, 4) ? SERIES : draw_size(w), &w->scaler));
}

static fgt_view rows_view(world *w, bool out)
{
    const fgt_view rows = {.rank = 2, .shape = {ROWS, scaler_mean(w->scaler).shape[0]}, .dtype = pick(w, 2)};
    return draw_view(w, &rows, out);
}

static void scaler_fit(world *w)
{
    fgt_view v = rows_view(w, false);
    SAY(w->scaler, fgt_scaler_fit(w->scaler, draw_null(w, &v), draw_size(w), draw_size(w) / 2 + 6));
}

static void scaler_transform(world *w)
{
    fgt_view in = rows_view(w, false), out = rows_view(w, true);
    SAY(w->scaler, pick(w, 2) ? fgt_scaler_transform(w->scaler, &in, draw_null(w, &out))
                              : fgt_scaler_inverse_transform(w->scaler, draw_null(w, &in), &out));
}

static void scaler_set(world *w)
{
    const fgt_view row  = {.rank = 1, .shape = {scaler_mean(w->scaler).shape[0]}, .dtype = FGT_DTYPE_F64};
    fgt_view       mean = draw_view(w, &row, false), scale = draw_view(w, &row, false);
    SAY(w->scaler, fgt_scaler_set_moments(w->scaler, draw_null(w, &mean), draw_null(w, &scale)));
}

static void windows_create(world *w)
{
    const fgt_view         rows   = {.rank = 2, .shape = {ROWS, SERIES}, .dtype = pick(w, 2)};
    fgt_view               v      = draw_view(w, &rows, false);
    const int64_t          target = draw_size(w);
    const fgt_windows_opts o      = {.size         = sizeof o,
                                     .targets      = &target,
                                     .target_count = pick(w, 2),
                                     .input_len    = draw_size(w),
                                     .pred_len     = draw_size(w),
                                     .stride       = draw_size(w),
                                     .begin        = draw_size(w),
                                     .end          = pick(w, 2) ? 0 : draw_size(w) / 2 + 9,
                                     .reach_back   = pick(w, 2)};
    fgt_windows_destroy(&w->windows);
    SAY(w->ctx, fgt_windows_create(w->ctx, draw_null(w, &v), &o, &w->windows));
}

static void windows_get(world *w)
{
    const int64_t  index[3] = {0, draw_size(w), 1};
    const fgt_view in       = {.rank = 3, .shape = {2, 1 + pick(w, 4), SERIES}};
    fgt_view       x = draw_view(w, &in, true), y = draw_view(w, &in, true);
    SAY(w->windows, fgt_windows_copy_samples(w->windows, index, pick(w, 4), &x, pick(w, 2) ? &y : NULL));
}

static const operation list[] = {
    {"fgt_graph_create_dense", graph_dense, false, false},
    {"fgt_graph_create_csr", graph_csr, false, false},
    {"fgt_graph_create_correlation", graph_correlation, false, false},
    {"fgt_graph_create_normalised", graph_normalize, false, false},
    {"fgt_graph_copy_weights", graph_get, true, false},
    {"fgt_graph_destroy", graph_destroy, false, false},
    {"fgt_table_create", table_create, false, false},
    {"fgt_table_create_subset", table_subset, false, false},
    {"fgt_table_get_column", table_column, true, false},
    {"fgt_table_set_times", table_times, false, false},
    {"fgt_table_create_arrow", table_arrow, false, false},
    {"fgt_time_parse", time_stamps, true, false},
    {"fgt_split_compute", split_init, true, false},
    {"fgt_scaler_create", scaler_create, false, false},
    {"fgt_scaler_fit", scaler_fit, true, false},
    {"fgt_scaler_transform", scaler_transform, true, false},
    {"fgt_scaler_set_moments", scaler_set, true, false},
    {"fgt_windows_create", windows_create, false, false},
    {"fgt_windows_copy_samples", windows_get, true, false},
};
const operations calls_of_data = {list, sizeof list / sizeof *list};
