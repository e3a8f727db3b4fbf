/* SPDX-License-Identifier: BSD-3-Clause */
#include "text/corpus_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "core/opts.h"
#include "core/sort.h"
#include "data/csv/csv.h"

#define CLASSES_MAX 1000000 /* limit, so that a typing error in `classes` does not use up the memory */

/* Number of values of each enumeration, for the table below. */
enum { FORMS = 4, CLASS_KINDS = 3, HEADERS = 3 };
_Static_assert(FGT_CORPUS_FORM_LABELS == FORMS - 1 && FGT_CLASS_KIND_NAME == CLASS_KINDS - 1 &&
                   FGT_CORPUS_HEADER_NO == HEADERS - 1,
               "counts of enumerators");

fgt_status fgti_corpus_opts_read(fgti_error *err, const fgt_corpus_opts *in, fgt_corpus_opts *out)
{
    static const fgti_opt table[] = {
        {"text_column_count", offsetof(fgt_corpus_opts, text_column_count), FGTI_OPT_I64, 0,
         FGTI_OPT_SIZE_MAX, 0},
        {"classes", offsetof(fgt_corpus_opts, classes), FGTI_OPT_I64, 0, CLASSES_MAX, 0},
        {"skip", offsetof(fgt_corpus_opts, skip), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
        {"max_rows", offsetof(fgt_corpus_opts, max_rows), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
        {"form", offsetof(fgt_corpus_opts, form), FGTI_OPT_ENUM, 0, FORMS - 1, 0},
        {"class_kind", offsetof(fgt_corpus_opts, class_kind), FGTI_OPT_ENUM, 0, CLASS_KINDS - 1, 0},
        {"zero_based", offsetof(fgt_corpus_opts, zero_based), FGTI_OPT_BOOL, 0, 1, 0},
        {"header", offsetof(fgt_corpus_opts, header), FGTI_OPT_ENUM, 0, HEADERS - 1, 0},
        {"no_classes", offsetof(fgt_corpus_opts, no_classes), FGTI_OPT_BOOL, 0, 1, 0},
        {"no_quotes", offsetof(fgt_corpus_opts, no_quotes), FGTI_OPT_BOOL, 0, 1, 0},
        {"keep_escapes", offsetof(fgt_corpus_opts, keep_escapes), FGTI_OPT_BOOL, 0, 1, 0},
        {0},
    };
    FGTI_TRY(fgti_opts_read(err, "fgt_corpus_opts", in, out, sizeof *out));
    FGTI_TRY(fgti_opts_check(err, "fgt_corpus_opts", table, out));
    if (!out->text_columns != !out->text_column_count)
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_corpus_opts: text_columns and text_column_count do not go together (got one of "
                         "them, need both or neither)");
    for (int64_t i = 0; i < out->text_column_count; i++)
        if (!out->text_columns[i])
            return fgti_fail(err, FGT_E_ARG, "fgt_corpus_opts: name %lld of text_columns is NULL",
                             (long long)i);
    if (out->classes && (out->like || out->no_classes))
        return fgti_fail(err, FGT_E_ARG, "fgt_corpus_opts: classes cannot be given with like or no_classes");
    const char *fault = fgti_csv_comment_fault(out->comment);
    if (fault) return fgti_fail(err, FGT_E_ARG, "fgt_corpus_opts: %s", fault);
    if (!out->delimiter) return FGT_OK;
    if (out->delimiter == '\t' || (out->delimiter >= ' ' && out->delimiter <= '~' && out->delimiter != '"'))
        return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "fgt_corpus_opts: character %d cannot be the delimiter", out->delimiter);
}

/* ---- classes ---- */

static fgt_status corpus_rows_add_class(fgt_corpus *c, const char *name, int64_t size)
{
    int64_t number;
    return fgti_words_add(c->ctx, &c->classes, name, size, &number);
}

static fgt_status corpus_rows_add_number(fgt_corpus *c, int64_t i)
{
    char text[24];
    return corpus_rows_add_class(c, text, snprintf(text, sizeof text, "%lld", (long long)i));
}

fgt_status fgti_text_rows_init(fgt_context *ctx, const fgt_corpus_opts *opts, fgti_text_rows *r)
{
    const fgt_corpus *like = opts->like;
    *r       = (fgti_text_rows){.ctx = ctx, .opts = *opts};
    r->fixed = like || opts->classes || opts->no_classes;
    FGTI_TRY(FGTI_NEW(ctx, 1, "corpus", &r->corpus));
    fgt_corpus *c = r->corpus;
    c->ctx        = ctx;
    c->unlabeled  = opts->no_classes;
    r->numbers    = opts->class_kind == FGT_CLASS_KIND_NUMBER ||
                 (!opts->class_kind && (opts->classes || (like && like->parsed)));
    c->parsed     = r->numbers;
    c->numbers    = like ? like->numbers : r->numbers;
    if (opts->classes && opts->class_kind == FGT_CLASS_KIND_NAME)
        return fgti_fail(&ctx->error, FGT_E_ARG, "fgt_corpus_opts: classes needs classes that are numbers");
    for (int64_t i = 0; like && !opts->no_classes && i < like->classes.texts.count; i++)
        FGTI_TRY(corpus_rows_add_class(c, fgti_strings_get(&like->classes.texts, i),
                                       fgti_strings_size(&like->classes.texts, i)));
    for (int64_t i = 0; i < opts->classes; i++) FGTI_TRY(corpus_rows_add_number(c, i + !opts->zero_based));
    return FGT_OK;
}

bool fgti_is_column_number(const char *s)
{
    int64_t v = 0;
    if (!*s) return false;
    for (; *s >= '0' && *s <= '9' && v < INT32_MAX; s++) v = 10 * v + (*s - '0');
    return !*s && v < INT32_MAX;
}

bool fgti_class_is_number(const char *s)
{
    return fgti_is_column_number(s + (*s == '-' || *s == '+'));
}

/* Whether s is the shortest text of its number. Then no other class name in this form is the same number. */
static bool is_shortest(const char *s)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", strtoll(s, NULL, 10));
    return fgti_class_is_number(s) && !strcmp(s, text);
}

static bool corpus_rows_is_missing(const char *s)
{
    static const char *const words[] = {"na",      "n/a",  "n.a.", "#n/a", "<na>", "nan", "null", "none",
                                        "missing", "nil",  "-",    "--",   "?",    ".",   "\\n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(s, words[i])) return true;
    return false;
}

/* Writes a number in its shortest form, so that 1 and 01 are the same class. */
static fgt_status corpus_rows_read_number(const fgti_text_rows *r, fgti_bytes *label)
{
    char show[FGTI_SHOW], text[24];
    if (!fgti_class_is_number(label->s))
        return fgti_fail(&r->ctx->error, FGT_E_DATA,
                         "class \"%s\" is not a whole number below 2^31-1, as the option `class_kind` asks",
                         fgti_show(label->s, show));
    label->used = 0;
    return fgti_bytes_add(r->ctx, label, text,
                          1 + snprintf(text, sizeof text, "%lld", strtoll(label->s, NULL, 10)));
}

/* "1, 2, 3, 4", cut off by "..." where the list is longer than LIST_LONG. */
#define LIST_LONG 120                          /* no name is added after this number of characters */
#define LIST_MAX  (LIST_LONG + FGTI_SHOW + 10) /* space for the last name, commas and dots */
static const char *list_classes(const fgt_corpus *c, char buf[LIST_MAX])
{
    const fgti_strings *names = &c->classes.texts;
    size_t            n     = 0;
    buf[0]                  = 0;
    for (int64_t i = 0; i < names->count && n < LIST_LONG; i++) {
        char show[FGTI_SHOW];
        n += (size_t)snprintf(buf + n, LIST_MAX - n, i ? ", %s" : "%s",
                              fgti_show(fgti_strings_get(names, i), show));
        if (n >= LIST_LONG && i + 1 < names->count) snprintf(buf + n, LIST_MAX - n, ", ...");
    }
    return buf;
}

static fgt_status refuse_unseen(const fgti_text_rows *r)
{
    char        show[FGTI_SHOW], list[LIST_MAX];
    fgt_corpus *c    = r->corpus;
    const char *name = fgti_show(r->label.s, show);
    if (r->opts.classes)
        return fgti_fail(&c->ctx->error, FGT_E_DATA, "class is out of range (got %s, need %d .. %lld)", name,
                         !r->opts.zero_based, (long long)r->opts.classes - r->opts.zero_based);
    return fgti_fail(&c->ctx->error, FGT_E_DATA, "class \"%s\" is not one of the training classes: %s", name,
                     list_classes(c, list));
}

/* Adds the class of the row. Counts the classes that are numbers, and remembers the first one that is not a
 * number. */
static fgt_status add_open(fgti_text_rows *r, int64_t *number)
{
    fgt_corpus   *c      = r->corpus;
    const int64_t before = c->classes.texts.count;
    FGTI_TRY(fgti_words_add(c->ctx, &c->classes, r->label.s, r->label.used - 1, number));
    if (!r->open || c->classes.texts.count == before) return FGT_OK;
    const char *name = fgti_strings_get(&c->classes.texts, *number);
    r->at.class_id   = (int32_t)*number;
    if (fgti_class_is_number(name))
        r->whole++;
    else if (corpus_rows_is_missing(name) && !r->missing++)
        r->first_missing = r->at;
    else if (!corpus_rows_is_missing(name) && !r->others++)
        r->first_other = r->at;
    return FGT_OK;
}

/* "PATH: line 3: class "x"" */
#define CLASS_SHOWN 320
static const char *show_class(const fgti_text_rows *r, const fgti_class_row *at, char buf[CLASS_SHOWN])
{
    char  name[FGTI_SHOW];
    fgti_show(fgti_strings_get(&r->corpus->classes.texts, at->class_id), name);
    if (at->path)
        snprintf(buf, CLASS_SHOWN, "%.200s: line %lld: class \"%s\"", at->path, (long long)at->number, name);
    else
        snprintf(buf, CLASS_SHOWN, "corpus: row %lld: class \"%s\"", (long long)at->number, name);
    return buf;
}

/* Checks the classes of files that have both numbers and names as classes. */
static fgt_status check_kinds(const fgti_text_rows *r)
{
    char buf[CLASS_SHOWN];
    if (!r->whole || !(r->others + r->missing)) return FGT_OK;
    if (!r->others)
        return fgti_fail(&r->ctx->error, FGT_E_DATA,
                         "%s stands for a missing value, and all other classes are numbers; leave such rows "
                         "out, or let the option `class_kind` say that classes are names",
                         show_class(r, &r->first_missing, buf));
    fgti_log(r->ctx, FGT_LOG_WARN, "%s is not a whole number, as %lld other class%s; all are taken for names",
             show_class(r, &r->first_other, buf), (long long)r->whole, r->whole == 1 ? " is" : "es are");
    return FGT_OK;
}

static bool all_shortest(const fgti_strings *names)
{
    for (int64_t i = 0; i < names->count; i++)
        if (!is_shortest(fgti_strings_get(names, i))) return false;
    return true;
}

/* Finds the class of the row, or adds it. r->label has its name. */
static fgt_status find_class(fgti_text_rows *r, const char *s, int64_t size, int64_t *number)
{
    fgt_corpus *c = r->corpus;
    for (; size && fgti_blank(s[size - 1]); size--) {
    }
    for (; size && fgti_blank(*s); size--) s++;
    r->label.used = 0;
    FGTI_TRY(fgti_utf8_add(c->ctx, &r->label, s, size, &c->replaced));
    FGTI_TRY(fgti_bytes_add(c->ctx, &r->label, "", 1));
    if (!size) return fgti_fail(&c->ctx->error, FGT_E_DATA, "the class is empty");
    if (r->numbers) FGTI_TRY(corpus_rows_read_number(r, &r->label));
    if (!r->fixed) return add_open(r, number);
    *number = fgti_words_find(&c->classes, r->label.s, r->label.used - 1);
    return *number < 0 ? refuse_unseen(r) : FGT_OK;
}

/* ---- rows ---- */

void fgti_text_rows_begin(fgti_text_rows *r)
{
    r->text.used = 0;
}

/* Replaces escaped line breaks by blanks; see keep_escapes of fgt_corpus_opts. */
static void unescape(fgti_bytes *b, int64_t from)
{
    int64_t to = from;
    for (int64_t i = from; i < b->used; i++) {
        const bool escape = b->s[i] == '\\';
        b->s[to++]        = escape ? ' ' : b->s[i];
        if (!escape || i + 1 >= b->used || b->s[i + 1] != 'n') continue;
        const bool word = i + 2 < b->used && b->s[i + 2] >= 'a' && b->s[i + 2] <= 'z';
        i += !word;
    }
    b->used = to;
}

fgt_status fgti_text_rows_text(fgti_text_rows *r, const char *s, int64_t size)
{
    fgt_corpus *c = r->corpus;
    if (r->text.used) FGTI_TRY(fgti_bytes_add(c->ctx, &r->text, " ", 1));
    const int64_t from = r->text.used;
    FGTI_TRY(fgti_utf8_add(c->ctx, &r->text, s, size, &c->replaced));
    if (!r->opts.keep_escapes) unescape(&r->text, from);
    return FGT_OK;
}

static fgt_status keep_row(fgti_text_rows *r, int64_t number)
{
    fgt_corpus   *c   = r->corpus;
    const int64_t row = c->texts.count; /* less than c->rows if the host was given earlier texts */
    FGTI_TRY(fgti_grow(c->ctx, "classes of the rows", sizeof *c->label, row, row + 1, 2 * row + 64,
                       &c->label_capacity, (void **)&c->label));
    FGTI_TRY(fgti_strings_add(c->ctx, &c->texts, r->text.used ? r->text.s : "", r->text.used));
    c->label[row] = (int32_t)number;
    return FGT_OK;
}

fgt_status fgti_text_rows_end(fgti_text_rows *r, const char *label, int64_t size)
{
    fgt_corpus *c = r->corpus;
    int64_t     number = -1, at = 0;
    if (label) FGTI_TRY(find_class(r, label, size, &number));
    while (at < r->text.used && fgti_blank(r->text.s[at])) at++;
    if (at == r->text.used && label) return fgti_fail(&c->ctx->error, FGT_E_DATA, "the text is empty");
    FGTI_TRY(r->writer ? fgti_text_writer_add(r->writer, r->text.s, r->text.used, number)
                       : keep_row(r, number));
    c->rows++;
    if (label) c->classes.count[number]++;
    return FGT_OK;
}

static int corpus_rows_by_name(const void *a, const void *b, const void *texts)
{
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return strcmp(fgti_strings_get(texts, i), fgti_strings_get(texts, j));
}

static int corpus_rows_by_number(const void *a, const void *b, const void *texts)
{
    const long long i = strtoll(fgti_strings_get(texts, *(const int32_t *)a), NULL, 10);
    const long long j = strtoll(fgti_strings_get(texts, *(const int32_t *)b), NULL, 10);
    return (i > j) - (i < j);
}

/* Renumbers the classes. order [classes]: the numbers of the classes in sorted order. */
static fgt_status corpus_rows_renumber(fgt_corpus *c, const int32_t *order)
{
    const fgti_strings *old    = &c->classes.texts;
    fgti_words          sorted = {0};
    fgt_status          s      = FGT_OK;
    int64_t             number = 0;
    for (int64_t i = 0; i < old->count && s == FGT_OK; i++) {
        s = fgti_words_add(c->ctx, &sorted, fgti_strings_get(old, order[i]), fgti_strings_size(old, order[i]),
                           &number);
        if (s == FGT_OK) sorted.count[number] = c->classes.count[order[i]];
    }
    fgti_words_done(c->ctx, s == FGT_OK ? &c->classes : &sorted);
    if (s == FGT_OK) c->classes = sorted;
    return s;
}

fgt_status fgti_text_rows_sort(fgti_text_rows *r, int32_t *order)
{
    fgt_corpus *c = r->corpus;
    for (int64_t i = 0; i < c->classes.texts.count; i++) order[i] = (int32_t)i;
    if (r->fixed) return FGT_OK;
    FGTI_TRY(check_kinds(r));
    if (r->open) c->numbers = all_shortest(&c->classes.texts);
    fgti_sort(order, c->classes.texts.count, sizeof *order,
              c->numbers ? corpus_rows_by_number : corpus_rows_by_name, &c->classes.texts);
    return corpus_rows_renumber(c, order);
}

/* Sorts the classes. both [2,classes] gets the order and the inverse of the order. */
static fgt_status sort_labels(fgti_text_rows *r, int32_t *both)
{
    fgt_corpus   *c     = r->corpus;
    const int64_t n     = c->classes.texts.count;
    int32_t      *place = both + n;
    FGTI_TRY(fgti_text_rows_sort(r, both));
    for (int64_t i = 0; i < n; i++) place[both[i]] = (int32_t)i;
    for (int64_t i = 0; i < c->rows; i++) c->label[i] = place[c->label[i]];
    return FGT_OK;
}

fgt_status fgti_text_rows_finish(fgti_text_rows *r, fgt_corpus **corpus)
{
    fgt_corpus *c = r->corpus;
    if (!r->fixed) {
        int32_t *both;
        FGTI_TRY(FGTI_NEW(c->ctx, 2 * c->classes.texts.count, "classes", &both));
        const fgt_status s = sort_labels(r, both);
        fgti_free(c->ctx, both);
        FGTI_TRY(s);
    }
    *corpus   = c;
    r->corpus = NULL;
    return FGT_OK;
}

void fgti_text_rows_done(fgti_text_rows *r)
{
    fgt_corpus_destroy(&r->corpus);
    fgti_bytes_done(r->ctx, &r->text);
    fgti_bytes_done(r->ctx, &r->label);
}
