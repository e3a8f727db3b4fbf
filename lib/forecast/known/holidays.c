/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/known/holidays.h"

#include <string.h>

#include "core/text.h"
#include "data/time/time.h"
#include "forecast/known/calendar.h"

static int64_t day_of(int64_t time)
{
    return fgti_day_number(fgti_day_of_time(time, NULL));
}

static bool holidays_has_name(const fgti_strings *names, const char *name)
{
    for (int64_t i = 0; i < names->count; i++)
        if (!strcmp(fgti_strings_get(names, i), name)) return true;
    return false;
}

static fgt_status holidays_find_names(fgt_context *ctx, const fgt_days *days, int64_t first, int64_t last,
                                      fgti_strings *names)
{
    const int64_t most = FGTI_HOLIDAYS_MOST - FGTI_HOLIDAYS_PLAIN;
    for (int64_t i = fgti_days_find(days, first); i < days->count && days->entry[i].day <= last; i++) {
        const char *name = fgti_days_get_name(days, i);
        char        show[FGTI_SHOW];
        if (!name || names->count == most || holidays_has_name(names, name)) continue;
        if (!fgti_is_utf8(name)) /* such a name could not be saved */
            return fgti_fail(&ctx->error, FGT_E_NAME, "the name of a holiday, \"%s\", is not UTF-8",
                             fgti_show(name, show));
        FGTI_TRY(fgti_strings_add(ctx, names, name, (int64_t)strlen(name)));
    }
    return FGT_OK;
}

fgt_status fgti_holidays_choose(fgt_context *ctx, const fgt_days *days, int64_t first, int64_t last,
                                fgt_days **own)
{
    fgti_strings       names = {0};
    const fgti_strings none  = {0};
    fgt_status         s     = holidays_find_names(ctx, days, day_of(first), day_of(last), &names);
    if (s == FGT_OK) s = fgti_days_copy(ctx, days, names.count > 1 ? &names : &none, own);
    fgti_strings_done(ctx, &names);
    return s;
}

int64_t fgti_holidays_width(const fgt_days *days)
{
    return days ? FGTI_HOLIDAYS_PLAIN + days->names.count : 0;
}

/* Writes the features of a row. The row covers one step, which starts at its time. */
static void write_holidays(const fgt_days *days, const fgt_time_step *step, int64_t time, float *out)
{
    const int64_t end = fgti_time_add(time, step, 1), first = day_of(time);
    const int64_t last = end > time && fgti_time_in_range(end - 1) ? day_of(end - 1) : first;
    for (int64_t i = 0; i < fgti_holidays_width(days); i++) out[i] = 0;
    int64_t seen = first - 1; /* the last day that was counted: a day may have several names */
    for (int64_t i = fgti_days_find(days, first - 1); i < days->count && days->entry[i].day <= last + 1;
         i++) {
        const fgti_day_entry *e      = &days->entry[i];
        const bool            inside = e->day >= first && e->day <= last;
        out[0] += inside && e->day > seen;
        if (inside) seen = e->day;
        if (e->day == last + 1) out[1] = 1;
        if (e->day == first - 1) out[2] = 1;
        if (inside && e->name >= 0) out[FGTI_HOLIDAYS_PLAIN + e->name] = 1;
    }
}

void fgti_forecaster_write_holidays(const fgt_forecaster *f, int64_t time, float *out)
{
    if (f->info.holidays) write_holidays(f->holidays, &f->info.step, time, out);
}

void fgti_forecaster_write_time(const fgt_forecaster *f, int64_t time, float *out)
{
    if (f->info.calendar) fgti_calendar_write(f->info.calendar, time, out);
    fgti_forecaster_write_holidays(f, time, out + fgti_calendar_width(f->info.calendar));
}

/* ---- for hosts ---- */

const fgt_days *fgt_forecaster_get_holidays(const fgt_forecaster *forecaster)
{
    return forecaster ? forecaster->holidays : NULL;
}

fgt_status fgt_forecaster_set_holidays(fgt_forecaster *forecaster, const fgt_days *days)
{
    fgt_forecaster *f = forecaster;
    fgt_days       *own;
    if (!f) return FGT_E_ARG;
    if (!days) return fgti_fail(&f->ctx->error, FGT_E_ARG, "forecaster: days is NULL");
    if (!f->holidays)
        return fgti_fail(&f->ctx->error, FGT_E_STATE, "forecaster: the model was made without holidays");
    FGTI_TRY(fgti_days_copy(f->ctx, days, &f->holidays->names, &own));
    fgt_days_destroy(&f->holidays);
    f->holidays = own;
    return FGT_OK;
}
