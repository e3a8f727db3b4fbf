/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds series that the options do not mention. If columns distinguish rows of the same time, they name
 * series. In a long file they must distinguish rows of the same time and series. Cells are compared by
 * hashes, in a set that grows with the rows. */
#include "data/load/table_series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/sort.h"
#include "data/load/loader.h"
#include "data/load/time_names.h"
#include "data/table_repeats.h"
#include "data/time/time_axis.h"

/* The largest number of columns that are tried, on their own or combined. Hardly any file has more columns
 * that name series. */
enum { TRIED = 8 };

typedef struct search {
    fgti_loader        *l;
    int64_t             rows;
    const fgti_strings *labels; /* [rows]: the times; NULL: the numbers in cell `time` are the times */
    const fgti_strings *texts;  /* [rows]: the texts of cell `of`, if that cell is not a column of the table;
                                 * NULL: there is no such cell */
    int64_t             of, time;
    fgti_hash_key       key;
    uint64_t           *base;          /* [rows]: hash of the time and, in a long file, of the series */
    uint64_t           *spare;         /* [rows] */
    uint64_t           *slot;          /* [slots]: a set of hashes; 0: the slot is empty */
    int64_t             slots, times;  /* slots: length of `slot`; times: number of different hashes in
                                        * `base` */
    int64_t             repeats, most; /* repeats: number of rows with the base of an earlier row; most: most
                                        * rows with the same base */
    int64_t             row, before;   /* row: the first row that repeats a base; before: the earlier row with
                                        * that base */
    int64_t             tried[TRIED], chosen[FGTI_KEYS];
    int                 count, keys;
} search;

/* ---- hashes of rows ---- */

/* The number of each row's series in a long file; NULL: the file is wide. */
static const int32_t *table_series_of(const fgti_loader *l)
{
    return l->id >= 0 ? l->rows.of + l->rows.count - l->t->rows : NULL;
}

static uint64_t hash_pair(const search *s, uint64_t a, uint64_t b)
{
    return fgti_keyed_hash(&s->key, (const uint64_t[]){a, b}, 16);
}

static uint64_t hash_text(const search *s, const fgti_strings *texts, int64_t row)
{
    return fgti_keyed_hash(&s->key, fgti_strings_get(texts, row), fgti_strings_size(texts, row));
}

static double series_number_of(const search *s, int64_t cell, int64_t row)
{
    return s->l->t->values[row * s->l->t->columns + s->l->source[cell].column];
}

/* The value of a cell in a row. For a text it is the text's hash, or the number that stands for the text in
 * the table. */
static uint64_t value_of(const search *s, int64_t cell, int64_t row)
{
    const double v = s->texts && cell == s->of ? 0 : series_number_of(s, cell, row);
    uint64_t     bits;
    if (s->texts && cell == s->of) return hash_text(s, s->texts, row);
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Hash of n cells of a row. With `base` it also covers the row's base. */
static uint64_t hash_cells(const search *s, bool base, const int64_t *cell, int n, int64_t row)
{
    uint64_t h = base ? s->base[row] : 0;
    for (int i = 0; i < n; i++) h = hash_pair(s, h, value_of(s, cell[i], row));
    return h ? h : 1;
}

/* Adds a hash to the set. Returns false if the set already has it. */
static bool add_hash(const search *s, uint64_t h)
{
    int64_t at = (int64_t)(h & (uint64_t)(s->slots - 1));
    while (s->slot[at] && s->slot[at] != h) at = (at + 1) & (s->slots - 1);
    if (s->slot[at]) return false;
    s->slot[at] = h;
    return true;
}

static void clear_set(const search *s)
{
    memset(s->slot, 0, (size_t)s->slots * sizeof *s->slot);
}

/* Counts the rows whose cells equal the cells of an earlier row. With `base`, the bases must also be equal.
 * Stops at `most`. */
static int64_t series_count_alike(const search *s, bool base, const int64_t *cell, int n, int64_t most)
{
    int64_t alike = 0;
    clear_set(s);
    for (int64_t r = 0; r < s->rows && alike < most; r++)
        alike += !add_hash(s, hash_cells(s, base, cell, n, r));
    return alike;
}

static int64_t count_values(const search *s, const int64_t *cell, int n)
{
    return s->rows - series_count_alike(s, false, cell, n, s->rows);
}

/* ---- repeated times ---- */

static int compare_hashes(const void *a, const void *b, const void *arg)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    (void)arg;
    return (x > y) - (x < y);
}

static void find_first(search *s)
{
    clear_set(s);
    while (add_hash(s, s->base[s->row])) s->row++;
    while (s->base[s->before] != s->base[s->row]) s->before++;
}

static void find_repeats(search *s)
{
    const int32_t *of = table_series_of(s->l);
    for (int64_t r = 0; r < s->rows; r++) {
        const uint64_t time = s->labels ? hash_text(s, s->labels, r) : value_of(s, s->time, r);
        s->base[r]          = hash_pair(s, time, of ? (uint64_t)of[r] : 0);
    }
    s->repeats = series_count_alike(s, true, NULL, 0, s->rows);
    s->times   = s->rows - s->repeats;
    if (!fgti_repeats_many(s->repeats, s->rows)) return;
    find_first(s);
    memcpy(s->spare, s->base, (size_t)s->rows * sizeof *s->spare);
    fgti_sort(s->spare, s->rows, sizeof *s->spare, compare_hashes, NULL);
    for (int64_t r = 0, end; r < s->rows; r = end) {
        for (end = r + 1; end < s->rows && s->spare[end] == s->spare[r];) end++;
        if (end - r > s->most) s->most = end - r;
    }
}

/* ---- columns that distinguish repeated times ---- */

static bool series_is_time(const search *s, int64_t cell)
{
    const fgti_loader *l = s->l;
    for (int i = 0; i < l->parts; i++)
        if (l->part[i] == cell) return true;
    return cell == s->time || fgti_loader_is_key(l, cell) || (l->id >= 0 && cell == l->value);
}

static bool series_is_whole(const fgt_table *t, int64_t column)
{
    for (int64_t r = 0; r < t->rows; r++) {
        const double v = t->values[r * t->columns + column];
        if (isnan(v) || v != floor(v)) return false;
    }
    return true;
}

static void try_cell(search *s, int64_t cell, bool text)
{
    if (s->count == TRIED || series_is_time(s, cell)) return;
    const int64_t n = count_values(s, &cell, 1);
    if (n > 1 && 2 * n <= s->rows && (text || n <= 2 * s->most)) s->tried[s->count++] = cell;
}

/* Finds columns that may name series. First come columns of texts in which a text has several rows on
 * average. Then come columns of whole numbers in which a number has several rows on average, if the number
 * of different values is at most twice the largest number of rows with the same time. */
static void find_candidates(search *s)
{
    const fgti_loader *l = s->l;
    for (int text = 1; text >= 0; text--)
        for (int64_t i = 0; i < l->cells; i++) {
            const fgti_source *source = &l->source[i];
            if (text && s->texts && i == s->of)
                try_cell(s, i, true);
            else if (source->column >= 0 &&
                     (text ? source->holds == FGTI_HOLDS_TEXTS
                           : source->holds == FGTI_HOLDS_NUMBERS && series_is_whole(l->t, source->column)))
                try_cell(s, i, text);
        }
}

/* Picks the next combination of n of the tried cells, in rising order. Returns false after the last
 * combination. */
static bool next_cells(const search *s, int *pick, int n)
{
    int i = n - 1;
    while (i >= 0 && pick[i] == s->count - n + i) i--;
    if (i < 0) return false;
    for (pick[i++]++; i < n; i++) pick[i] = pick[i - 1] + 1;
    return true;
}

/* Chooses the n cells that leave the fewest rows alike, if only few rows are alike. Of equally good
 * combinations the first is chosen. */
static void choose_best(search *s, int n)
{
    int     pick[FGTI_KEYS];
    int64_t cell[FGTI_KEYS], least = s->rows / 20 + 1; /* the limit of fgti_repeats_many() */
    if (least < 3) least = 3;
    for (int i = 0; i < n; i++) pick[i] = i;
    do {
        for (int i = 0; i < n; i++) cell[i] = s->tried[pick[i]];
        const int64_t alike = series_count_alike(s, true, cell, n, least);
        if (alike >= least) continue;
        least   = alike;
        s->keys = n;
        memcpy(s->chosen, cell, sizeof cell);
    } while (least && next_cells(s, pick, n));
}

static int64_t count_series(const search *s)
{
    return count_values(s, s->chosen, s->keys);
}

static fgt_status search_begin(search *s)
{
    fgt_context *ctx = s->l->ctx;
    s->rows          = s->l->t->rows;
    s->key           = fgti_hash_key_draw();
    for (s->slots = 64; s->slots < 2 * s->rows;) s->slots *= 2;
    FGTI_TRY(FGTI_NEW(ctx, s->slots, "hashes of rows", &s->slot));
    FGTI_TRY(FGTI_NEW(ctx, s->rows, "hashes of rows", &s->base));
    return FGTI_NEW(ctx, s->rows, "hashes of rows", &s->spare);
}

static void series_search_done(search *s)
{
    fgti_free(s->l->ctx, s->slot);
    fgti_free(s->l->ctx, s->base);
    fgti_free(s->l->ctx, s->spare);
}

/* Finds the columns that name series. s->keys is 0 if rows do not repeat or if no columns distinguish them.
 * Call series_search_done() afterwards. */
static fgt_status series_find_keys(search *s)
{
    FGTI_TRY(search_begin(s));
    find_repeats(s);
    if (!fgti_repeats_many(s->repeats, s->rows)) return FGT_OK;
    find_candidates(s);
    for (int n = 1; !s->keys && n <= s->count && n <= FGTI_KEYS - s->l->keys; n++) choose_best(s, n);
    fgti_sort(s->chosen, s->keys, sizeof *s->chosen, compare_hashes, NULL);
    if (s->keys && 2 * count_series(s) > s->rows) s->keys = 0;
    return FGT_OK;
}

/* ---- names ---- */

static bool is_clock(const search *s)
{
    static const char *const names[] = {"time",   "hour", "hours", "hr",   "he",  "clock", "uhrzeit",
                                        "stunde", "zeit", "heure", "hora", "ora", NULL};
    char                     number[24];
    const char              *own = fgti_loader_name(s->l, s->chosen[0], number);
    for (const char *const *name = names; s->keys == 1 && *name; name++)
        if (!strcasecmp(own, *name)) return true;
    return false;
}

static bool has_word(const char *name, const char *word)
{
    const size_t n = strlen(word);
    while (*name && strncasecmp(name, word, n) != 0) name++;
    return *name;
}

/* Whether a chosen column is named like a part of the date or of the time of day. Such a column distinguishes
 * rows but does not name series. */
static bool is_calendar(const search *s)
{
    static const char *const words[] = {"day",     "doy",    "week",    "month",  "quarter", "season",
                                        "hour",    "minute", "period",  "julian", "woche",   "monat",
                                        "quartal", "saison", "stunde",  "zeit",   "jour",    "semaine",
                                        "mois",    "heure",  "trimest", "clock",  "time",    NULL};
    char                     number[24];
    for (int i = 0; i < s->keys; i++)
        for (const char *const *word = words; *word; word++)
            if (has_word(fgti_loader_name(s->l, s->chosen[i], number), *word)) return true;
    return false;
}

/* Whether numbers that may be years are the years of several series. Then most series have most of these
 * years. */
static bool is_panel(const search *s)
{
    return s->keys && !is_calendar(s) && s->times <= 3 * s->rows / count_series(s);
}

/* Appends the name of a column to the text of the option. Returns false if the option cannot contain this
 * name. */
static bool series_add_name(char *text, size_t size, const char *name, const char *after)
{
    const size_t n     = strlen(text);
    const bool   comma = strchr(name, ',') != NULL;
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < ' ' || *p == '\'' || *p == '"' || *p == 0x7f) return false;
    if (n + strlen(name) + strlen(after) + 4 > size) return false;
    snprintf(text + n, size - n, "%s%s%s%s", comma ? "\"" : "", name, comma ? "\"" : "", after);
    return *name;
}

static const char *series_name_of(const search *s, int64_t cell, char number[24])
{
    if (!s->l->header.count) snprintf(number, 24, "%lld", (long long)cell);
    return s->l->header.count ? fgti_loader_header_name(s->l, cell) : number;
}

/* Whether a cell has numbers, and is neither a time nor a key of series. */
static bool may_be_value(const search *s, int64_t cell)
{
    const fgti_source *source = &s->l->source[cell];
    bool free = source->column >= 0 && source->holds == FGTI_HOLDS_NUMBERS && !series_is_time(s, cell);
    for (int k = 0; k < s->keys; k++) free &= s->chosen[k] != cell;
    return free;
}

/* The first column whose numbers depend on more than the time or the series; without such a column, the first
 * column of numbers. */
static int64_t series_find_value(const search *s)
{
    const fgti_loader *l     = s->l;
    int64_t            first = -1, cell[FGTI_KEYS + 1];
    if (l->id >= 0 && l->value >= 0) return l->value;
    const int64_t series = count_series(s);
    memcpy(cell, s->chosen, sizeof s->chosen);
    for (int64_t i = 0; i < l->cells; i++) {
        if (!may_be_value(s, i)) continue;
        if (first < 0) first = i;
        cell[s->keys] = i;
        if (count_values(s, cell, s->keys + 1) > series &&
            series_count_alike(s, true, &i, 1, s->repeats) < s->repeats)
            return i;
    }
    return first;
}

/* Writes the text of the option, such as store+product,date,qty. It is in quotes if a shell needs quotes. "":
 * the file has no value, or the option cannot contain a name. */
static void write_form(const search *s, char *text, size_t size)
{
    const fgti_loader *l         = s->l;
    char               form[224] = "", number[24];
    const int64_t      value = series_find_value(s), time = s->labels ? l->label : s->time;
    bool               good = value >= 0;
    int                k    = 0;
    for (int64_t i = 0, n = 0; good && i < l->cells; i++) {
        const bool mine = k < s->keys && s->chosen[k] == i;
        if (!mine && !fgti_loader_is_key(l, i)) continue;
        k += mine;
        good = series_add_name(form, sizeof form, series_name_of(s, i, number),
                               ++n < s->keys + l->keys ? "+" : ",");
    }
    good             = good && series_add_name(form, sizeof form,
                                   s->labels && l->parts > 1 ? "auto" : series_name_of(s, time, number), ",");
    good             = good && series_add_name(form, sizeof form, series_name_of(s, value, number), "");
    const bool plain = !form[strcspn(form, " ()&;<>|$`\\\"*?[]#~!{}=%")];
    snprintf(text, size, plain ? "%s" : "'%s'", form);
    if (!good) *text = 0;
}

/* ---- error texts ---- */

/* Describes a row by its line and its time. */
static const char *show_row(const search *s, int64_t row, char text[FGTI_ROW_TEXT])
{
    char time[24];
    if (!s->labels) snprintf(time, sizeof time, "%.0f", series_number_of(s, s->time, row));
    return fgti_row_text(&s->l->t->lines, row, s->labels ? fgti_strings_get(s->labels, row) : time, text);
}

enum { NAMED = 3, REST = (NAMED + 1) * FGTI_SHOW + 100 };

/* Writes how the other columns of numbers are used: "; in long form "sales" is forecast, and ...". */
static void write_rest(const search *s, char text[REST])
{
    const int64_t value = series_find_value(s);
    char          show[FGTI_SHOW], number[24];
    int64_t       rest = 0;
    fgti_show(series_name_of(s, value, number), show);
    int n = snprintf(text, REST, "; in long form \"%s\" is forecast, and ", show);
    for (int64_t i = 0; i < s->l->cells; i++)
        if (i != value && may_be_value(s, i) && rest++ < NAMED)
            n += snprintf(text + n, (size_t)(REST - n), "%s\"%s\"", rest > 1 ? ", " : "",
                          fgti_show(series_name_of(s, i, number), show));
    snprintf(text + n, (size_t)(REST - n), "%s %s used only with `known` or `past`",
             rest > NAMED ? " and others" : "", rest > 1 ? "are" : "is");
    if (!rest) *text = 0;
}

/* Writes which options to set for the columns that were found. */
static void write_remedy(const search *s, char *why, size_t size)
{
    const bool several = s->l->id >= 0;
    char       form[256], id[FGTI_SHOW], number[24], rest[REST];
    write_form(s, form, sizeof form);
    fgti_show(fgti_loader_name(s->l, s->chosen[0], number), id);
    if (!several && is_clock(s))
        snprintf(why, size,
                 "the column \"%s\" has the time of the day; one column must have both, as 2016-07-31 13:00",
                 id);
    else if (!*form)
        snprintf(why, size, "column \"%s\" %s", id,
                 several ? "names the series, too" : "tells them apart: it looks like long form");
    else if (several)
        snprintf(why, size, "the option `form` %s (id, time, value) names the series by these columns", form);
    else {
        write_rest(s, rest);
        snprintf(why, size,
                 "it looks like long form: the option `form` %s (id, time, value) would say so, and `form` "
                 "none that it is not%s",
                 form, rest);
    }
}

static fgt_status refuse_series(const search *s)
{
    const fgti_loader *l = s->l;
    char               why[700], here[FGTI_ROW_TEXT], there[FGTI_ROW_TEXT], show[FGTI_SHOW], number[24];
    const char        *name =
        s->labels ? fgt_table_get_name(l->t, FGT_TABLE_NAME_LABELS, 0) : series_name_of(s, s->time, number);
    write_remedy(s, why, sizeof why);
    return fgti_fail(&l->ctx->error, FGT_E_DATA,
                     "%.160s: column \"%s\": %lld of %lld rows %s the same %stime as another row, such as %s "
                     "and %s: %s",
                     l->csv.path, fgti_show(name, show), (long long)s->repeats, (long long)s->rows,
                     s->repeats == 1 ? "has" : "have", l->id >= 0 ? "series and " : "",
                     show_row(s, s->before, there), show_row(s, s->row, here), why);
}

/* ---- for the loader ---- */

/* Whether rows may repeat. Rows do not repeat if they rise by series and label, or by label and series.
 * Labels are compared as texts. */
static bool may_repeat(const fgti_loader *l)
{
    const fgti_strings *labels    = &l->t->dates;
    const int32_t      *of        = table_series_of(l);
    bool                by_series = true, by_label = true;
    for (int64_t r = 1; r < labels->count && (by_series || by_label); r++) {
        const int label  = strcmp(fgti_strings_get(labels, r), fgti_strings_get(labels, r - 1));
        const int series = of ? (of[r] > of[r - 1]) - (of[r] < of[r - 1]) : 0;
        by_series &= series > 0 || (series == 0 && label > 0);
        by_label &= label > 0 || (label == 0 && series > 0);
    }
    return !by_series && !by_label;
}

static bool series_are_times(const fgti_loader *l)
{
    const fgti_strings *dates = &l->t->dates;
    return 2 * fgti_labels_judge(dates, l->opts.time_form, fgti_loader_label_kind(l)).found > dates->count;
}

fgt_status fgti_loader_find_panel(fgti_loader *l, bool *panel)
{
    const bool texts = l->t->labels && l->t->dates.count == l->t->rows;
    search     s     = {.l = l, .labels = &l->labels, .time = -1, .of = l->label};
    *panel           = false;
    if (l->opts.form == FGT_TABLE_FORM_WIDE || l->labels.count != l->t->rows) return FGT_OK;
    if (texts) s.texts = &l->t->dates;
    const fgt_status e = series_find_keys(&s);
    if (e == FGT_OK) *panel = is_panel(&s);
    series_search_done(&s);
    return e;
}

static fgt_status series_check_labels(fgti_loader *l)
{
    search s = {.l = l, .labels = &l->t->dates, .time = l->label, .of = l->given_cell};
    if (!may_repeat(l)) return FGT_OK;
    if (l->given.count == l->t->rows) s.texts = &l->given;
    fgt_status e = series_find_keys(&s);
    if (e == FGT_OK && s.keys && series_are_times(l)) e = refuse_series(&s);
    series_search_done(&s);
    return e;
}

/* Whether all numbers of a column may be consecutive years, or months such as 201201. */
static bool has_years(const fgt_table *t, int64_t column)
{
    double low = HUGE_VAL, high = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        const double v     = t->values[r * t->columns + column];
        const bool   month = v >= 100000;
        const double year = month ? floor(v / 100) : v, m = month ? v - 100 * year : 1;
        if (!(year >= 1500 && year < 2200) || v != floor(v) || m < 1 || m > 12) return false;
        low  = fmin(low, year);
        high = fmax(high, year);
    }
    return high - low < (double)t->rows / 2;
}

/* Checks columns that may be years, each with all other columns. Only the first few of them are tried. */
static fgt_status check_years(fgti_loader *l)
{
    const fgt_table *t     = l->t;
    int              tried = 0;
    for (int64_t i = 0; i < l->cells && tried < TRIED; i++) {
        const fgti_source *source = &l->source[i];
        search             s      = {.l = l, .time = i, .of = l->label};
        if (source->column < 0 || source->holds != FGTI_HOLDS_NUMBERS || !has_years(t, source->column))
            continue;
        tried++;
        if (t->labels && t->dates.count == t->rows) s.texts = &t->dates;
        fgt_status e = series_find_keys(&s);
        if (e == FGT_OK && is_panel(&s) && !(t->labels && series_are_times(l))) e = refuse_series(&s);
        series_search_done(&s);
        if (e != FGT_OK) return e;
    }
    return FGT_OK;
}

fgt_status fgti_loader_check_series(fgti_loader *l)
{
    fgt_table *t = l->t;
    fgt_status s = FGT_OK;
    if (l->opts.date != FGT_TABLE_DATE_AUTO || (l->opts.form == FGT_TABLE_FORM_WIDE && l->id < 0))
        return FGT_OK;
    if (t->labels && t->dates.count == t->rows) s = series_check_labels(l);
    if (s == FGT_OK && l->id < 0 && !l->joined && !l->opts.time) s = check_years(l);
    fgti_strings_done(l->ctx, &l->given);
    return s;
}
