/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a file of texts: their names, and which of them hold the class and the text. */
#include "text/load/corpus_shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "text/load/corpus_hints.h"
#include "text/load/corpus_loader.h"

/* Usual names of columns of classes. */
static const char *const class_names[] = {"class",    "label",     "labels",      "category",   "target",
                                          "topic",    "sentiment", "intent",      "y",          "tag",
                                          "class_id", "label_id",  "class index", "class_name", NULL};
static const char *const text_names[]  = {
     "text",    "title",    "description", "body",     "sentence", "review",  "content",  "message",
     "comment", "document", "headline",    "question", "tweet",    "subject", "abstract", NULL};

static bool corpus_shape_is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcasecmp(name, *list)) return true;
    return false;
}

bool fgti_corpus_names_class(const char *cell)
{
    return corpus_shape_is_one_of(cell, class_names);
}

bool fgti_corpus_names_text(const char *cell)
{
    return corpus_shape_is_one_of(cell, text_names);
}

/* ---- the header ---- */

static int64_t corpus_shape_find_name(const fgti_corpus_loader *l, const char *name)
{
    for (int64_t i = 0; i < l->first.count; i++)
        if (!strcmp(fgti_strings_get(&l->first, i), name)) return i;
    return -1;
}

/* The first column with a usual name. */
static int64_t find_usual(const fgti_corpus_loader *l, const char *const *list)
{
    for (int64_t i = 0; i < l->first.count; i++)
        if (corpus_shape_is_one_of(fgti_strings_get(&l->first, i), list)) return i;
    return -1;
}

/* Whether options name columns by name, not by number, so that the file needs a header. */
static bool asks_for_names(const fgt_corpus_opts *o)
{
    bool names = o->class_column && !fgti_is_column_number(o->class_column);
    for (int64_t i = 0; i < o->text_column_count; i++) names |= !fgti_is_column_number(o->text_columns[i]);
    return names;
}

/* Returns the column names of `like`: first the name of the class (may be empty), then the names of the
 * texts. NULL: `like` has no names. */
static const fgti_strings *known_columns(const fgti_corpus_loader *l)
{
    const fgt_corpus *like = l->rows.opts.like;
    return like && like->columns.count ? &like->columns : NULL;
}

static bool has_known_column(const fgti_corpus_loader *l)
{
    const fgti_strings *known = known_columns(l);
    for (int64_t i = 0; known && i < known->count; i++)
        if (*fgti_strings_get(known, i) && corpus_shape_find_name(l, fgti_strings_get(known, i)) >= 0)
            return true;
    return false;
}

static bool is_known_class(const fgti_corpus_loader *l, const char *s)
{
    const fgt_corpus *like = l->rows.opts.like;
    return like && fgti_words_find(&like->classes, s, (int64_t)strlen(s)) >= 0;
}

/* Guesses the column of the class. It is the last column if only there the first row has a class of `like`
 * or, failing that, if only there it has a number. Otherwise it is the first column. */
static int64_t guess_class(const fgti_corpus_loader *l, bool header)
{
    const int64_t last = l->first.count - 1;
    if (header && l->csv.count <= last) return 0;
    const char *a = header ? fgti_csv_cell(&l->csv, 0) : fgti_strings_get(&l->first, 0);
    const char *b = header ? fgti_csv_cell(&l->csv, last) : fgti_strings_get(&l->first, last);
    if (is_known_class(l, a) != is_known_class(l, b)) return is_known_class(l, b) ? last : 0;
    if (l->rows.opts.class_kind == FGT_CLASS_KIND_NAME) return 0;
    return !fgti_class_is_number(a) && fgti_class_is_number(b) ? last : 0;
}

/* Whether a column has a text in the first line and the number of a class in the second line. A number that
 * cannot be a class, because it is too large or has a sign, is not a column name, either. */
static bool is_name_above_number(const fgti_corpus_loader *l, int64_t column)
{
    if (column >= l->first.count || column >= l->csv.count) return false;
    const char *name = fgti_strings_get(&l->first, column);
    return name[strspn(name, "+-.0123456789")] && fgti_class_is_number(fgti_csv_cell(&l->csv, column));
}

bool fgti_corpus_guesses(const fgti_corpus_loader *l)
{
    const fgt_corpus_opts *o = &l->rows.opts;
    return o->header == FGT_CORPUS_HEADER_AUTO && !asks_for_names(o) && !has_known_column(l);
}

bool fgti_corpus_header(const fgti_corpus_loader *l, bool second)
{
    const fgt_corpus_opts *o = &l->rows.opts;
    if (o->header != FGT_CORPUS_HEADER_AUTO) return o->header == FGT_CORPUS_HEADER_YES;
    if (asks_for_names(o) || has_known_column(l) || find_usual(l, class_names) >= 0 ||
        find_usual(l, text_names) >= 0)
        return true;
    if (!second || o->class_kind == FGT_CLASS_KIND_NAME) return false;
    if (o->class_column) return is_name_above_number(l, strtoll(o->class_column, NULL, 10));
    if (o->no_classes) return false;
    return is_name_above_number(l, 0) || is_name_above_number(l, l->first.count - 1);
}

/* ---- columns ---- */

/* Finds a column by name or by number. */
static fgt_status corpus_shape_find_column(const fgti_corpus_loader *l, bool header, const char *name,
                                           int64_t *column)
{
    char show[FGTI_SHOW], list[360];
    *column = header ? corpus_shape_find_name(l, name) : -1;
    if (*column >= 0) return FGT_OK;
    const bool number = fgti_is_column_number(name);
    if (number) *column = strtoll(name, NULL, 10);
    if (number && *column < l->first.count) return FGT_OK;
    if (!header || number)
        return fgti_csv_fail(&l->csv, FGT_E_NAME, l->first_line,
                             "%lld cells, but column \"%s\" is asked for; they are counted from 0",
                             (long long)l->first.count, fgti_show(name, show));
    return fgti_csv_fail(&l->csv, FGT_E_NAME, l->first_line, "there is no column \"%s\"; the columns are %s",
                         fgti_show(name, show), fgti_strings_list(&l->first, 0, list, sizeof list));
}

/* Finds a column of the corpus `like`. */
static fgt_status corpus_shape_find_known(const fgti_corpus_loader *l, const char *name, const char *option,
                                          int64_t *column)
{
    char show[FGTI_SHOW], list[360];
    *column = corpus_shape_find_name(l, name);
    if (*column >= 0) return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_NAME, l->first_line,
                         "there is no column \"%s\", which the training texts have; the columns are %s; "
                         "the option `%s` can name another",
                         fgti_show(name, show), fgti_strings_list(&l->first, 0, list, sizeof list), option);
}

static fgt_status find_class_column(fgti_corpus_loader *l, bool header)
{
    const fgt_corpus_opts *o      = &l->rows.opts;
    const char            *column = o->class_column;
    fgt_status             s      = FGT_OK;
    if (l->files) return FGT_OK; /* later files must have the columns of the first file */
    l->class_column = header ? find_usual(l, class_names) : -1;
    /* if a file has only texts and no classes, column 0 is the text, even if column 0 was the class in other
     * files */
    if (o->no_classes && l->cells == 1 && column && fgti_is_column_number(column)) column = NULL;
    const fgti_strings *known = header ? known_columns(l) : NULL;
    if (column)
        s = corpus_shape_find_column(l, header, column, &l->class_column);
    else if (known && *fgti_strings_get(known, 0))
        s = corpus_shape_find_known(l, fgti_strings_get(known, 0), "class_column", &l->class_column);
    if (!o->no_classes) {
        if (l->class_column < 0) l->class_column = guess_class(l, header);
        return s;
    }
    if (s == FGT_OK) return FGT_OK;
    l->class_column            = -1; /* if no classes are read, the file may lack the column of the class */
    l->rows.ctx->error.text[0] = 0;
    return FGT_OK;
}

/* Whether a column has a name that is usual for row numbers, which are not texts. */
static bool is_row_number(const char *name)
{
    static const char *const usual[] = {"", "id", "index", "idx", "uuid", "guid", "unnamed: 0", NULL};
    const size_t             n       = strlen(name);
    if (corpus_shape_is_one_of(name, usual)) return true;
    if (n < 3) return false;
    return !strcasecmp(name + n - 3, "_id") || !strcasecmp(name + n - 3, " id") ||
           !strcmp(name + n - 2, "Id");
}

static void take_others(fgti_corpus_loader *l, bool header, bool numbers)
{
    for (int64_t i = 0; i < l->cells; i++)
        if (i != l->class_column && (numbers || !header || !is_row_number(fgti_strings_get(&l->first, i))))
            l->text[l->text_count++] = i;
}

static bool is_read(const fgti_corpus_loader *l, int64_t column)
{
    bool read =
        column == l->class_column || corpus_shape_is_one_of(fgti_strings_get(&l->first, column), class_names);
    for (int64_t i = 0; i < l->text_count; i++) read |= column == l->text[i];
    return read;
}

/* Warns about columns that are left out though no option says so. known: they are left out because the
 * training texts do not have them. */
static void say_left_out(const fgti_corpus_loader *l, bool known)
{
    char    show[FGTI_SHOW], list[400];
    size_t  at = 0;
    int64_t n  = 0;
    for (int64_t i = 0; i < l->cells; i++) {
        if (is_read(l, i)) continue;
        if (at + FGTI_SHOW + 8 < sizeof list)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s\"%s\"", n ? ", " : "",
                                   fgti_show(fgti_strings_get(&l->first, i), show));
        n++;
    }
    const char *why = known ? "as in training" : n == 1 ? "because it numbers the rows"
                                                         : "because they number the rows";
    if (n)
        fgti_log(l->rows.ctx, FGT_LOG_WARN, "%.200s: column%s %s %s left out of the texts, %s", l->csv.path,
                 n == 1 ? "" : "s", list, n == 1 ? "is" : "are", why);
}

/* Chooses the columns of the text if no option names them: the columns of the training texts or, without
 * these, all columns. */
static fgt_status find_text_columns(fgti_corpus_loader *l, bool header)
{
    const fgti_strings *known = header ? known_columns(l) : NULL;
    for (int64_t i = 1; known && i < known->count; i++)
        FGTI_TRY(corpus_shape_find_known(l, fgti_strings_get(known, i), "text_columns",
                                         &l->text[l->text_count++]));
    if (known) {
        say_left_out(l, true);
        return FGT_OK;
    }
    take_others(l, header, false);
    if (!l->text_count)
        take_others(l, header, true);
    else if (header)
        say_left_out(l, false);
    return FGT_OK;
}

/* Refuses a column that another column has the name of, unless an option gives its number. */
static fgt_status check_name(const fgti_corpus_loader *l, int64_t column, const char *given,
                             const char *option)
{
    char        show[FGTI_SHOW];
    const char *name = fgti_strings_get(&l->first, column);
    int64_t     same = 0;
    for (int64_t i = 0; i < l->first.count; i++) same += !strcmp(fgti_strings_get(&l->first, i), name);
    if (same == 1 || (given && fgti_is_column_number(given))) return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_NAME, l->first_line,
                         "columns have the same name (got %lld called \"%s\", need 1); the option "
                         "`%s` can give the number of one, from 0",
                         (long long)same, fgti_show(name, show), option);
}

/* Checks that names say which columns are the class and the text, and that these are not the same. */
static fgt_status check_chosen(const fgti_corpus_loader *l, bool header)
{
    const fgt_corpus_opts *o   = &l->rows.opts;
    const int64_t          own = o->no_classes && !o->class_column ? -1 : l->class_column;
    char                   show[FGTI_SHOW];
    if (header && own >= 0) FGTI_TRY(check_name(l, own, o->class_column, "class_column"));
    for (int64_t i = 0; i < l->text_count; i++) {
        const char *given = i < o->text_column_count ? o->text_columns[i] : NULL;
        if (l->text[i] == own)
            return fgti_csv_fail(&l->csv, FGT_E_NAME, l->first_line,
                                 "column \"%s\" is of the class and of the text (need two columns; the "
                                 "options `class_column` and `text_columns` name them)",
                                 fgti_show(header ? fgti_strings_get(&l->first, own) : given, show));
        if (header) FGTI_TRY(check_name(l, l->text[i], given, "text_columns"));
    }
    return FGT_OK;
}

fgt_status fgti_corpus_columns(fgti_corpus_loader *l, bool header)
{
    const fgt_corpus_opts *o     = &l->rows.opts;
    const fgti_strings    *known = known_columns(l);
    char                   hint[FGTI_CORPUS_HINT];
    FGTI_TRY(find_class_column(l, header));
    FGTI_TRY(FGTI_NEW(l->rows.ctx, o->text_column_count + l->cells + (known ? known->count : 0),
                      "columns of a text", &l->text));
    for (int64_t i = 0; i < o->text_column_count; i++)
        FGTI_TRY(corpus_shape_find_column(l, header, o->text_columns[i], &l->text[l->text_count++]));
    if (!o->text_column_count) FGTI_TRY(find_text_columns(l, header));
    if (l->text_count) return check_chosen(l, header);
    return fgti_csv_fail(&l->csv, FGT_E_FORMAT, l->first_line, "wrong number of cells (got 1, need %s)%s",
                         o->no_classes ? "a text beside the class" : "2, a class and a text",
                         fgti_corpus_hint(l, l->first_line, fgti_strings_get(&l->first, 0), hint));
}

static fgt_status corpus_shape_add_name(fgti_corpus_loader *l, const char *name)
{
    const int64_t size = (int64_t)strlen(name);
    return fgti_strings_add(l->rows.ctx, &l->rows.corpus->columns, name, size);
}

fgt_status fgti_corpus_name_columns(fgti_corpus_loader *l)
{
    const fgti_strings *first = &l->first;
    for (int64_t i = 0; i < first->count; i++) /* other names could not be saved in a model's file */
        if (!fgti_utf8_is_text(fgti_strings_get(first, i), fgti_strings_size(first, i))) return FGT_OK;
    FGTI_TRY(corpus_shape_add_name(l, l->class_column < 0 ? "" : fgti_strings_get(first, l->class_column)));
    for (int64_t i = 0; i < l->text_count; i++)
        FGTI_TRY(corpus_shape_add_name(l, fgti_strings_get(first, l->text[i])));
    return FGT_OK;
}
