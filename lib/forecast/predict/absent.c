/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts for a table that lacks some targets. */
#include <stdio.h>

#include <fighter/experimental/absent.h>

#include "data/table.h"
#include "forecast/predict/predict.h"

static bool absent_is_missing(const fgt_table *t, const char *name)
{
    int64_t column;
    return fgti_table_find_part(NULL, t, name, &column) != FGT_OK;
}

/* Marks the targets that the table lacks in absent [D] and lists their names. */
static fgt_status absent_find(const fgt_forecaster *f, const fgt_table *t, bool *absent, fgti_strings *names)
{
    for (int64_t i = 0; i < f->info.columns; i++) {
        const char *name = fgti_strings_get(&f->names, i);
        absent[i]        = absent_is_missing(t, name);
        if (absent[i]) FGTI_TRY(fgti_strings_add(f->ctx, names, name, fgti_strings_size(&f->names, i)));
    }
    return FGT_OK;
}

/* Finds a missing covariate of a series, such as price[shop 1], which the model reads for all series; NULL:
 * no covariate is missing. */
static const char *find_covariate(const fgt_forecaster *f, const fgt_table *t)
{
    for (int64_t i = f->info.columns; i < f->names.count; i++)
        if (absent_is_missing(t, fgti_strings_get(&f->names, i))) return fgti_strings_get(&f->names, i);
    return NULL;
}

static fgt_status absent_refuse(const fgt_forecaster *f, const fgti_strings *names, const char *covariate)
{
    const bool one = names->count == 1;
    char       list[360], show[FGTI_SHOW], why[FGTI_SHOW + 80] = "looks at all series together";
    if (covariate)
        snprintf(why, sizeof why, "knows column \"%s\" for all series", fgti_show(covariate, show));
    return fgti_fail(&f->ctx->error, FGT_E_NAME,
                     "%lld of the model's %lld series %s absent: %s; the model %s, so that forecasts of the "
                     "others depend on %s: rows of %s must be there, or a model must be trained without %s",
                     (long long)names->count, (long long)f->info.columns, one ? "is" : "are",
                     fgti_strings_list(names, 0, list, sizeof list), why, one ? "it" : "them",
                     one ? "it" : "them", one ? "it" : "them");
}

static fgt_status absent_add(fgt_forecaster *f, fgt_table *table, const bool *absent,
                             const fgti_strings *names)
{
    int64_t column;
    bool    depend;
    if (names->count == f->info.columns || table->store)
        return fgti_table_find(&f->ctx->error, table, fgti_strings_get(names, 0), &column);
    const char *covariate = find_covariate(f, table);
    if (covariate) return absent_refuse(f, names, covariate);
    FGTI_TRY(fgti_forecaster_need_workspace(f));
    FGTI_TRY(fgti_predict_probe(f->own, absent, &depend));
    return depend ? absent_refuse(f, names, NULL) : fgti_table_add_absent(table, names);
}

fgt_status fgt_forecaster_add_absent(fgt_forecaster *forecaster, fgt_table *table, int64_t *count)
{
    fgt_forecaster *f = forecaster;
    if (!f) return FGT_E_ARG;
    if (!table || !count)
        return fgti_fail(&f->ctx->error, FGT_E_ARG, "forecaster: table or count is NULL");
    fgti_strings names = {0};
    bool        *absent;
    FGTI_TRY(FGTI_NEW(f->ctx, fgti_forecaster_inputs(f), "series", &absent));
    fgt_status s = absent_find(f, table, absent, &names);
    if (s == FGT_OK && names.count) s = absent_add(f, table, absent, &names);
    if (s == FGT_OK) *count = names.count;
    fgti_strings_done(f->ctx, &names);
    fgti_free(f->ctx, absent);
    return s;
}
