/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/time_labels.h"

#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "data/time/scan/month_names.h"
#include "data/time/scan/scanner.h"
#include "data/time/scan/time_read.h"
#include "data/time/scan/time_scan.h"
#include "data/time/step.h"

/* ---- how labels are read ---- */

/* The order of day and month: DMY or MDY if a label shows it, otherwise AUTO. */
static int32_t time_labels_find_order(const fgti_strings *labels)
{
    for (int64_t r = 0; r < labels->count; r++) {
        const int32_t order = fgti_time_order(fgti_strings_get(labels, r));
        if (order > FGT_TIME_FORM_AUTO) return order;
    }
    return FGT_TIME_FORM_AUTO;
}

/* Whether most labels are times when read by this rule. If there are several labels, they must not all be
 * equal. */
static bool labels_fit(const fgti_strings *labels, fgti_time_number number)
{
    const fgti_time_rule rule   = {.number = number};
    fgti_stamp           first  = {0}, s;
    int64_t              found  = 0;
    bool                 differ = false;
    for (int64_t r = 0; r < labels->count; r++) {
        if (fgti_time_read_by(fgti_strings_get(labels, r), &rule, &s) != FGTI_TIME_FOUND) continue;
        if (!found++) first = s;
        differ |= s.time != first.time;
    }
    return (differ || labels->count == 1) && 2 * found > labels->count;
}

/* Number of digits of the first label that is a number; 0: most labels are not numbers. */
static size_t count_digits(const fgti_strings *labels)
{
    int64_t numbers = 0;
    size_t  digits  = 0;
    for (int64_t r = 0; r < labels->count; r++) {
        const char *s = fgti_strings_get(labels, r);
        if (!fgti_time_is_number(s)) continue;
        s += strspn(s, " -");
        if (!numbers++) digits = strspn(s, "0123456789");
    }
    return 2 * numbers > labels->count ? digits : 0;
}

/* Whether the labels are a month, a point and a year, as 01.2020. The form may exclude this. */
static bool are_months(const fgti_strings *labels, int32_t form, bool named)
{
    return named && form != FGT_TIME_FORM_ISO && form != FGT_TIME_FORM_UNIX &&
           labels_fit(labels, FGTI_READ_MONTHS);
}

/* Finds how numbers are read. Ten digits are read as 2024013123 if most of the column can be read so. For
 * Unix time of 2030 to 2039 this is not the case. */
static fgti_time_number find_number(const fgti_strings *labels, bool named)
{
    const size_t n = count_digits(labels);
    if (named && (n == 5 || n == 6) && labels_fit(labels, FGTI_READ_SERIAL)) return FGTI_READ_SERIAL;
    if (named && (n == 4 || n == 6) && labels_fit(labels, FGTI_READ_DIGITS)) return FGTI_READ_DIGITS;
    if (n != 10 && n != 12 && n != 14) return FGTI_READ_ALONE;
    if (labels->count == 1) return FGTI_READ_ALONE;
    return labels_fit(labels, FGTI_READ_DIGITS) ? FGTI_READ_DIGITS : FGTI_READ_UNIX;
}

/* Whether a text has four digits in a row, as a year has. */
static bool time_labels_has_year(const char *s)
{
    size_t n = 0;
    for (; *s && n < 4; s++) n = *s >= '0' && *s <= '9' ? n + 1 : 0;
    return n == 4;
}

/* The first language that has all names of months in the labels; 0: not found. The labels must have two
 * different names, or one name and a year of four digits. */
static int find_language(const fgti_strings *labels)
{
    uint32_t all = UINT32_MAX, one, months = 0;
    bool     year = false;
    for (int64_t r = 0; r < labels->count; r++) {
        const int month = fgti_time_find_month(fgti_strings_get(labels, r), &one);
        if (!month && !months && *fgti_strings_get(labels, r)) return 0;
        if (!month) continue;
        months |= UINT32_C(1) << month;
        all &= one;
        year |= time_labels_has_year(fgti_strings_get(labels, r));
    }
    int language = 1;
    while (language <= FGTI_LANGUAGES && !(all >> language & 1)) language++;
    return (year || (months & (months - 1))) && language <= FGTI_LANGUAGES ? language : 0;
}

fgti_time_rule fgti_labels_rule(const fgti_strings *labels, int32_t form, fgti_labels kind)
{
    const bool named = kind != FGTI_LABELS_ANY;
    return (fgti_time_rule){.form     = form,
                            .given    = form != FGT_TIME_FORM_AUTO,
                            .language = (uint8_t)find_language(labels),
                            .number   = are_months(labels, form, named) ? FGTI_READ_MONTHS
                                        : form == FGT_TIME_FORM_AUTO    ? find_number(labels, named)
                                                                        : FGTI_READ_ALONE};
}

/* Reads a label. If day and month may come in either order, searches the other labels for the order. */
static fgti_time_found read_by(const fgti_strings *labels, int64_t row, fgti_time_rule *rule, fgti_stamp *s)
{
    const char           *text  = fgti_strings_get(labels, row);
    const fgti_time_found found = fgti_time_read_by(text, rule, s);
    if (found != FGTI_TIME_UNCLEAR || rule->searched) return found;
    rule->form     = time_labels_find_order(labels);
    rule->searched = true;
    return fgti_time_read_by(text, rule, s);
}

bool fgti_labels_number_rows(const fgti_strings *labels)
{
    char          text[24];
    const int64_t first = labels->count && strcmp(fgti_strings_get(labels, 0), "0") != 0;
    int64_t       r     = 0;
    for (; r < labels->count; r++) {
        snprintf(text, sizeof text, "%lld", (long long)(r + first));
        if (strcmp(fgti_strings_get(labels, r), text) != 0) break;
    }
    return r == labels->count;
}

fgti_labels_fit fgti_labels_judge(const fgti_strings *labels, int32_t form, fgti_labels kind)
{
    fgti_time_rule  rule = fgti_labels_rule(labels, form, kind);
    fgti_labels_fit fit  = {0};
    fgti_stamp      s;
    for (int64_t r = 0, last = 0; r < labels->count; r++) {
        if (read_by(labels, r, &rule, &s) != FGTI_TIME_FOUND) continue;
        if (fit.found++) {
            fit.up += s.time > last;
            fit.down += s.time < last;
            fit.same += s.time == last;
        }
        last = s.time;
    }
    return fit;
}

/* ---- reading ---- */

bool fgti_label_is_note(const char *label)
{
    static const char *const begin[] = {
        "total",   "totals", "subtotal", "sum",    "summe",  "gesamt", "insgesamt", "average",    "avg",
        "mean",    "mittel", "media",    "somme",  "source", "quelle", "fuente",    "fonte",      "note",
        "notes",   "nota",   "remark",   "stand",  "grand",  "suma",   "totale",    "mittelwert", "updated",
        "moyenne", "legend", "data",     "durchschnitt", "anmerkung"};
    size_t n     = fgti_word_size(label);
    int    words = 0;
    if (!strpbrk(label, "0123456789") || strchr("*(", *label)) return true;
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strlen(begin[i]) == n && fgti_same_word(label, begin[i], n)) return true;
    for (const char *p = label; *p; p += n ? n : 1) {
        n = fgti_word_size(p);
        words += n > 1;
    }
    return words > 2; /* a weekday and a month are two words */
}

/* Writes the time that would fit at a label: even steps before the label, and the next label, show it. "": it
 * is not known. */
static const char *show_fit(fgt_context *ctx, const fgti_strings *labels, const int64_t *time, int64_t row,
                            fgti_time_form *f, char text[FGTI_FORM_TEXT])
{
    enum { EVEN = 3 };
    fgt_time_step step;
    fgti_stamp    next;
    bool good = row >= EVEN && fgti_step_rising(ctx, time, row, &step) == FGT_OK && fgti_step_known(&step);
    for (int64_t r = row - EVEN + 1; good && r < row; r++)
        good = fgti_step_count(&step, time[r - 1], time[r]) == 1;
    *text = 0;
    if (!good) return text;
    if (row + 1 < labels->count && read_by(labels, row + 1, &f->rule, &next) == FGTI_TIME_FOUND &&
        fgti_step_count(&step, time[row - 1], next.time) != 2)
        return text;
    fgti_time_form_show(f, fgti_time_add(time[row - 1], &step, 1), text);
    return text;
}

enum { HELP = 320 };

/* Writes a hint for texts among times. ends: no time follows the texts. */
static void hint_text(const fgti_strings *labels, int64_t row, bool ends, char help[HELP])
{
    const int64_t rows = labels->count;
    if (!ends || !row)
        snprintf(help, HELP, "; if the rows are to be taken as they are, `date` of fgt_csv_opts says so");
    else if (!fgti_label_is_note(fgti_strings_get(labels, row)))
        *help = 0;
    else if (row == rows - 1)
        snprintf(help, HELP,
                 "; if this last row has sums, it is no data: the option `max_rows` %lld reads the rows "
                 "before it, and `comment` leaves out lines that begin as it does",
                 (long long)row);
    else
        snprintf(help, HELP,
                 "; if the last %lld rows are no data, the option `max_rows` %lld reads the rows before them",
                 (long long)(rows - row), (long long)row);
}

static fgt_status refuse_label(fgt_context *ctx, const fgti_row_labels *l, int64_t row, fgti_time_found found,
                               fgti_labels kind, bool ends, const char *fit)
{
    static const char *const why[] = {
        [FGTI_TIME_TEXT]    = "is not a time stamp",
        [FGTI_TIME_RANGE]   = "is no day of the calendar, or no time of the day",
        [FGTI_TIME_UNCLEAR] = "could have the day or the month first, as all of the column; the option "
                              "`time_form` says which",
        [FGTI_TIME_CENTURY] =
            "has a year of two digits; the option `time_form` says whether the year, the day "
            "or the month comes first"};
    const char *label = fgti_strings_get(l->texts, row);
    char        show[FGTI_SHOW], place[FGTI_ROW_TEXT], help[HELP] = "", slip[FGTI_FORM_TEXT + 64] = "";
    if (kind != FGTI_LABELS_NEEDED && found == FGTI_TIME_TEXT) hint_text(l->texts, row, ends, help);
    if (found <= FGTI_TIME_RANGE && !fgti_label_is_note(label))
        snprintf(slip, sizeof slip, "; the label may be mistyped%s%s%s", *fit ? ": " : "", fit,
                 *fit ? " would fit there" : "");
    fgti_row_text(l->lines, row, NULL, place);
    return fgti_fail(&ctx->error, FGT_E_DATA, "%.280s: %s: \"%s\" %s%s%s", l->what, place,
                     fgti_show(label, show), why[found], slip, help);
}

/* Notes the clock of a label, and whether it differs from the labels before. */
static void note_clock(fgti_time_form *f, const char *label, int64_t row, const fgti_stamp *s)
{
    const fgti_label_clock clock = fgti_stamp_is_utc(s) ? FGTI_CLOCK_UTC : FGTI_CLOCK_LOCAL;
    const int              size  = s->zone.size;
    if (!f->clock) f->clock = clock;
    if (!f->mixed && clock != f->clock) f->mixed = row + 1;
    if (!size || size >= FGTI_FORM_TEXT || clock == FGTI_CLOCK_UTC) return;
    if (!*f->zone) snprintf(f->zone, sizeof f->zone, "%.*s", size, label + s->zone.begin);
    if (!f->moved && (f->zone[size] || strncmp(f->zone, label + s->zone.begin, (size_t)size) != 0))
        f->moved = row + 1;
}

static fgti_time_found read_label(const fgti_strings *labels, int64_t row, fgti_time_form *f, int64_t *time)
{
    fgti_stamp            s;
    const fgti_time_found found = read_by(labels, row, &f->rule, &s);
    if (found != FGTI_TIME_FOUND) return found;
    fgti_time_form_add(f, fgti_strings_get(labels, row), &s);
    note_clock(f, fgti_strings_get(labels, row), row, &s);
    *time = s.time;
    return FGTI_TIME_FOUND;
}

/* Whether all labels are names although some are times: most labels are not times, and the first label is
 * not. */
static bool are_names(const fgti_strings *labels, const int64_t *count, fgti_time_found first)
{
    return first == FGTI_TIME_TEXT && 2 * count[FGTI_TIME_TEXT] >= labels->count;
}

fgt_status fgti_labels_read(fgt_context *ctx, const fgti_row_labels *l, fgti_labels kind, fgti_time_form *f,
                            int64_t **time)
{
    const fgti_strings *labels = l->texts;
    int64_t        *t, count[FGTI_TIME_CENTURY + 1] = {0}, bad = -1, last = -1; /* index of the last time */
    fgti_time_found why = FGTI_TIME_FOUND, first = FGTI_TIME_FOUND;
    *time    = NULL;
    f->mixed = f->moved = 0;
    FGTI_TRY(FGTI_NEW(ctx, labels->count, "times of rows", &t));
    for (int64_t r = 0; r < labels->count; r++) {
        const fgti_time_found found = read_label(labels, r, f, &t[r]);
        count[found]++;
        if (!r) first = found;
        if (found == FGTI_TIME_FOUND) last = r;
        if (bad >= 0 || found == FGTI_TIME_FOUND) continue;
        bad = r;
        why = found;
    }
    if (bad >= 0) {
        char fit[FGTI_FORM_TEXT];
        show_fit(ctx, labels, t, bad, f, fit);
        fgti_free(ctx, t);
        if (kind <= FGTI_LABELS_NAMED && are_names(labels, count, first)) return FGT_OK;
        return refuse_label(ctx, l, bad, why, kind, last < bad, fit);
    }
    *time = t;
    return FGT_OK;
}

fgt_status fgti_axis_read(fgt_context *ctx, const fgti_row_labels *labels, int32_t form, fgti_labels kind,
                          fgti_time_form *f, int64_t **time)
{
    fgti_time_form own = {0};
    own.rule           = fgti_labels_rule(labels->texts, form, kind);
    FGTI_TRY(fgti_labels_read(ctx, labels, kind, &own, time));
    if (f) *f = own;
    return FGT_OK;
}
