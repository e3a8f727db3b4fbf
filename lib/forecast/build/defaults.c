/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults of single options. */
#include "forecast/build/defaults.h"

#include "core/size.h"
#include "data/table.h"
#include "forecast/known/calendar.h"

/* The most rows that the layers read beside a linear map. Older rows have little influence on the forecast.
 * This influence is close to linear, so the map covers it. The time of the layers is proportional to their
 * rows. */
#define LAYER_ROWS 336

bool fgti_recipe_has_linear(const fgt_forecaster_opts *o)
{
    return !o->output.no_linear;
}

/* Least squares cannot fit a map if a function makes the forecasts positive. So beside a map, forecasts below
 * 0 are only raised to 0 at the end. */
bool fgti_recipe_is_positive(const fgt_forecaster_opts *o)
{
    return o->output.non_negative && o->output.no_linear;
}

int64_t fgti_default_layer_len(const fgt_forecaster_opts *o)
{
    return fgti_recipe_has_linear(o) ? fgti_least(o->input_len, LAYER_ROWS) : o->input_len;
}

/* A long window costs little if only a linear map reads all of it. With known columns the default is shorter,
 * because the effect of known columns is learned for each row of the window. */
int64_t fgti_default_input(const fgt_table *table, const fgt_forecaster_opts *o)
{
    enum { PERIODS = 14, MORE_PERIODS = 30, LEAST = 96, MOST = 336, MORE = 720, SHARE = 12 };
    if (!table) return LEAST;
    const int64_t period = fgti_calendar_season(&table->info.step), rows = fgt_table_count_rows(table);
    const bool    more = fgti_recipe_has_linear(o) && !o->inputs.known_count;
    const int64_t span = period * (more ? MORE_PERIODS : PERIODS);
    const int64_t want = fgti_least(span > LEAST ? span : LEAST, more ? MORE : MOST);
    const int64_t few  = fgti_least(LEAST, 2 * rows / SHARE);
    const int64_t have = fgti_least(want, rows / SHARE > few ? rows / SHARE : few);
    return have > 1 ? have : 1;
}
