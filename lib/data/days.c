/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/days.h"

#include <string.h>

#include "core/context.h"
#include "core/sort.h"
#include "core/strings/words.h"
#include "data/time/time.h"

static int compare_days(const void *a, const void *b, const void *arg)
{
    const fgti_day_entry *x = a, *y = b;
    (void)arg;
    return x->day != y->day ? (x->day > y->day) - (x->day < y->day)
                            : (x->name > y->name) - (x->name < y->name);
}

/* Sorts the days and drops repeated entries. */
static void days_sort(fgt_days *d)
{
    int64_t k = 0;
    fgti_sort(d->entry, d->count, sizeof *d->entry, compare_days, NULL);
    for (int64_t i = 0; i < d->count; i++)
        if (!k || compare_days(&d->entry[k - 1], &d->entry[i], NULL)) d->entry[k++] = d->entry[i];
    d->count = k;
}

static fgt_status new_days(fgt_context *ctx, int64_t count, fgt_days **out)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "days", out));
    fgt_days *d        = *out;
    d->ctx             = ctx;
    d->count           = count;
    const fgt_status s = FGTI_NEW(ctx, count, "days", &d->entry);
    if (s != FGT_OK) fgt_days_destroy(out);
    return s;
}

void fgt_days_destroy(fgt_days **days)
{
    if (!days || !*days) return;
    fgt_days    *d   = *days;
    fgt_context *ctx = d->ctx;
    fgti_strings_done(ctx, &d->names);
    fgti_free(ctx, d->entry);
    fgti_free(ctx, d);
    *days = NULL;
}

static fgt_status days_fill(fgt_days *d, const int64_t *times, const char *const *names)
{
    fgti_words words = {0};
    fgt_status s     = FGT_OK;
    for (int64_t i = 0; s == FGT_OK && i < d->count; i++) {
        const char *name = names && names[i] && *names[i] ? names[i] : NULL;
        if (!fgti_time_in_range(times[i])) {
            s = fgti_fail(&d->ctx->error, FGT_E_DATA,
                          "days: time %lld of day %lld is not in the years 1 to 9999", (long long)times[i],
                          (long long)i);
            break;
        }
        d->entry[i] = (fgti_day_entry){fgti_day_number(fgti_day_of_time(times[i], NULL)), -1};
        if (name) s = fgti_words_add(d->ctx, &words, name, (int64_t)strlen(name), &d->entry[i].name);
    }
    if (s == FGT_OK) {
        d->names    = words.texts;
        words.texts = (fgti_strings){0};
        days_sort(d);
    }
    fgti_words_done(d->ctx, &words);
    return s;
}

fgt_status fgt_days_create(fgt_context *ctx, const int64_t *times, const char *const *names, int64_t count,
                           fgt_days **days)
{
    if (days) *days = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!times || !days || count < 1)
        return fgti_fail(&ctx->error, FGT_E_ARG, "days: times or result pointer is NULL, or count is %lld",
                         (long long)count);
    FGTI_TRY(new_days(ctx, count, days));
    const fgt_status s = days_fill(*days, times, names);
    if (s != FGT_OK) fgt_days_destroy(days);
    return s;
}

fgt_status fgti_days_copy(fgt_context *ctx, const fgt_days *from, const fgti_strings *names, fgt_days **out)
{
    FGTI_TRY(new_days(ctx, from->count, out));
    fgt_days        *d = *out;
    const fgt_status s = fgti_strings_append(ctx, &d->names, names);
    if (s != FGT_OK) {
        fgt_days_destroy(out);
        return s;
    }
    for (int64_t i = 0; i < d->count; i++) {
        const char *name = fgti_days_get_name(from, i);
        d->entry[i]      = (fgti_day_entry){from->entry[i].day, -1};
        for (int64_t k = 0; name && k < names->count; k++)
            if (!strcmp(fgti_strings_get(names, k), name)) d->entry[i].name = k;
    }
    days_sort(d);
    return FGT_OK;
}

fgt_status fgti_days_restore(fgt_context *ctx, const int64_t *entries, int64_t count, fgti_strings *names,
                             fgt_days **out)
{
    FGTI_TRY(new_days(ctx, count, out));
    fgt_days *d = *out;
    for (int64_t i = 0; i < count; i++) {
        const fgti_day_entry e = {entries[2 * i], entries[2 * i + 1]};
        d->entry[i]            = e;
        if (e.day > -INT64_C(4000000) && e.day < INT64_C(4000000) && fgti_time_in_range(e.day * FGTI_DAY) &&
            e.name >= -1 && e.name < names->count && (!i || compare_days(&d->entry[i - 1], &e, NULL) < 0))
            continue;
        fgt_days_destroy(out);
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "day %lld of %lld is out of order or does not exist",
                         (long long)i, (long long)count);
    }
    d->names = *names;
    *names   = (fgti_strings){0};
    return FGT_OK;
}

int64_t fgti_days_find(const fgt_days *days, int64_t day)
{
    int64_t low = 0, high = days->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (days->entry[middle].day < day)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t fgt_days_count_entries(const fgt_days *days)
{
    return days ? days->count : 0;
}

const char *fgti_days_get_name(const fgt_days *days, int64_t i)
{
    const int64_t name = days->entry[i].name;
    return name < 0 ? NULL : fgti_strings_get(&days->names, name);
}

fgt_status fgt_days_get_entry(const fgt_days *days, int64_t i, int64_t *time, const char **name)
{
    if (!days) return FGT_E_ARG;
    if (i < 0 || i >= days->count)
        return fgti_fail(&days->ctx->error, FGT_E_ARG,
                         "days: entry is out of range (got %lld, need 0 .. %lld)", (long long)i,
                         (long long)days->count - 1);
    if (time) *time = days->entry[i].day * FGTI_DAY;
    if (name) *name = fgti_days_get_name(days, i);
    return FGT_OK;
}
