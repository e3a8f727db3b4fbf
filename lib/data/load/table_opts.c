/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the options for reading files. */
#include "data/load/table_opts.h"

#include <string.h>

#include "core/opts.h"
#include "data/load/loader.h"
#include "data/load/zone_file.h"

/* Number of values of each enumeration. */
enum { DATES = 3, MISSINGS = 4, FORMS = 3 };
_Static_assert(FGT_TABLE_DATE_LABELS == DATES - 1 && FGT_TABLE_MISSING_ZERO == MISSINGS - 1 &&
                   FGT_TABLE_FORM_LONG == FORMS - 1,
               "counts of enumerators");

static fgt_status table_check_opts(fgti_error *err, fgt_csv_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_csv_opts, column_count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_csv_opts, category_count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_csv_opts, max_rows, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_csv_opts, has_marker, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_csv_opts, decimal_comma, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_csv_opts, no_header, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_csv_opts, date, ENUM, 0, DATES - 1, 0),
        FGTI_FIELD(fgt_csv_opts, time_form, ENUM, 0, FGTI_TIME_FORMS - 1, 0),
        FGTI_FIELD(fgt_csv_opts, repair, ENUM, 0, FGT_TABLE_REPAIR_ALL, 0),
        FGTI_FIELD(fgt_csv_opts, missing, ENUM, 0, MISSINGS - 1, 0),
        FGTI_FIELD(fgt_csv_opts, form, ENUM, 0, FORMS - 1, 0),
        FGTI_FIELD(fgt_csv_opts, decimal_point, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_csv_opts, skip, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_csv_opts, spreadsheet, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_csv_opts, units, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_csv_opts, apart_count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        {0},
    };
    FGTI_TRY(fgti_opts_check(err, "fgt_csv_opts", table, o));
    FGTI_TRY(fgti_clock_check_round(err, "fgt_csv_opts", o->round));
    if (!o->categories != !o->category_count)
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_csv_opts: categories and category_count do not go together (got one of them, "
                         "need both or neither)");
    if (!o->columns != !o->column_count)
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_csv_opts: columns and column_count do not go together (got one of them, need "
                         "both or neither)");
    if (!o->apart != !o->apart_count)
        return fgti_fail(
            err, FGT_E_ARG,
            "fgt_csv_opts: apart and apart_count do not go together (got one of them, need both or neither)");
    if (o->time && o->date == FGT_TABLE_DATE_NONE)
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_csv_opts: time names a column, but date says that no column has times");
    if ((o->id || o->value) && o->form == FGT_TABLE_FORM_WIDE)
        return fgti_fail(err, FGT_E_ARG, "fgt_csv_opts: id and value are for files in long form");
    if ((o->id || o->form == FGT_TABLE_FORM_LONG) && o->date != FGT_TABLE_DATE_AUTO)
        return fgti_fail(err, FGT_E_ARG, "fgt_csv_opts: a file in long form needs times, date is %d",
                         (int)o->date);
    const char *fault = fgti_csv_comment_fault(o->comment);
    if (fault) return fgti_fail(err, FGT_E_ARG, "fgt_csv_opts: %s", fault);
    if (o->decimal_comma && o->decimal_point)
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_csv_opts: decimal_comma and decimal_point exclude each other");
    if (o->units && o->no_header)
        return fgti_fail(err, FGT_E_ARG, "fgt_csv_opts: units stand below the header, but no_header is set");
    if (!o->delimiter) return FGT_OK;
    /* characters that numbers or quotes contain cannot be delimiters */
    const bool fit = o->delimiter == '\t' || (o->delimiter >= ' ' && o->delimiter <= '~');
    if (!fit || strchr("\"+-.0123456789eE", o->delimiter) || (o->delimiter == ',' && o->decimal_comma))
        return fgti_fail(err, FGT_E_ARG, "fgt_csv_opts: character %d cannot be the delimiter", o->delimiter);
    return FGT_OK;
}

/* Lists the names in opts. In an entry "a=b=c" the column may be "a" or "a=b", so both are listed. */
static fgt_status list_names(fgti_loader *l)
{
    const fgt_csv_opts *o = &l->opts;
    int64_t             ignored;
    for (int64_t i = 0; i < o->column_count; i++)
        if (o->columns[i])
            FGTI_TRY(
                fgti_words_add(l->ctx, &l->listed, o->columns[i], (int64_t)strlen(o->columns[i]), &ignored));
    for (int64_t i = 0; i < o->category_count; i++) {
        const char *entry = o->categories[i];
        if (!entry) continue;
        FGTI_TRY(fgti_words_add(l->ctx, &l->listed, entry, (int64_t)strlen(entry), &ignored));
        for (const char *equals = strchr(entry, '='); equals; equals = strchr(equals + 1, '='))
            if (equals > entry) FGTI_TRY(fgti_words_add(l->ctx, &l->listed, entry, equals - entry, &ignored));
    }
    return FGT_OK;
}

fgt_status fgti_loader_init(fgt_context *ctx, const fgt_csv_opts *opts, fgti_loader *l)
{
    *l = (fgti_loader){.ctx = ctx};
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_csv_opts", opts, &l->opts, sizeof l->opts));
    FGTI_TRY(table_check_opts(&ctx->error, &l->opts));
    if (l->opts.zone) FGTI_TRY(fgti_zone_load(ctx, l->opts.zone, &l->zone));
    FGTI_TRY(list_names(l));
    l->special = l->opts.missing_text || l->opts.decimal_comma || l->opts.spreadsheet;
    l->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (l->locale != (locale_t)0) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_NOMEM, "no memory for the locale \"C\"");
}

void fgti_loader_done(fgti_loader *l)
{
    fgti_words_done(l->ctx, &l->listed);
    if (l->locale != (locale_t)0) freelocale(l->locale);
    fgti_zone_done(l->ctx, &l->zone);
}
