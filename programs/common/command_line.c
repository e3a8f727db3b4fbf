/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_line.h"
#include "near.h"
#include "program.h"

/* ---- values ---- */

/* Suggests the option whose name differs only by an s at the end: for a value that --interval refuses, writes
 * "; did you mean --intervals 80?". Writes "" if there is no such option. */
static const char *twin_text(const opt *t, const char *value, char meant[NEAR_TEXT])
{
    const opt_group *group;
    const size_t     n = strlen(t->name);
    char             name[64];
    snprintf(name, sizeof name, "%ss", t->name);
    const opt *twin = option_find(option_get_command(), name, n + 1, &group);
    if (!twin && t->name[n - 1] == 's') twin = option_find(option_get_command(), t->name, n - 1, &group);
    *meant = 0;
    if (twin) snprintf(meant, NEAR_TEXT, "; did you mean --%s %s?", twin->name, value);
    return meant;
}

static bool read_count(const opt *t, const char *text, int64_t *out)
{
    char *end, meant[NEAR_TEXT];
    errno             = 0;
    const long long n = strtoll(text, &end, 10);
    if (!*text || *text == ' ' || *end || errno || (double)n < t->min || (double)n > t->max)
        return t->max < BIG
                   ? complain("--%s takes a whole number from %.0f to %.0f, not \"%s\"%s", t->name, t->min,
                              t->max, text, twin_text(t, text, meant))
                   : complain("--%s takes a whole number, %.0f or more, not \"%s\"%s", t->name, t->min, text,
                              twin_text(t, text, meant));
    *out = n;
    return true;
}

static bool read_real(const opt *t, const char *text, double *out)
{
    char        *end, meant[NEAR_TEXT];
    const double v    = strtod(text, &end);
    const bool   good = *text && *text != ' ' && !*end && isfinite(v);
    if (!good && isinf(t->max)) return complain("--%s takes a number, not \"%s\"", t->name, text);
    if (!good || v < t->min || v > t->max)
        return complain("--%s takes a number from %g to %g, not \"%s\"%s", t->name, t->min, t->max, text,
                        twin_text(t, text, meant));
    *out = v;
    return true;
}

static bool read_word(const opt *t, const char *text, int64_t *out)
{
    for (int64_t i = 0; t->words[i]; i++)
        if (*t->words[i] && !strcmp(t->words[i], text)) {
            *out = i;
            return true;
        }
    near n = {.name = text};
    char meant[NEAR_TEXT], words[WORDS_TEXT];
    for (int64_t i = 0; t->words[i]; i++) near_try(&n, t->words[i]);
    return complain("--%s is \"%s\", must be one of %s%s", t->name, text, option_list_words(t->words, words),
                    n.best ? near_text(&n, "", meant) : twin_text(t, text, meant));
}

static bool read_real32(const opt *t, const char *text, float *out)
{
    double v;
    if (!read_real(t, text, &v)) return false;
    *out = (float)v;
    return true;
}

static bool read_word32(const opt *t, const char *text, int32_t *out)
{
    int64_t word = 0;
    if (!read_word(t, text, &word)) return false;
    *out = (int32_t)word;
    return true;
}

static bool apply(const opt_group *g, const opt *t, const char *value, void *fields)
{
    char *base = (char *)fields + g->at;
    void *at   = base + t->at;
    if (t->given) *(bool *)(base + t->given) = true;
    switch (t->kind) {
    case FLAG: *(bool *)at = true; return true;
    case FLAG32: *(int32_t *)at = 1; return true;
    case MAYBE:
        if (!value) return true;
        /* fall through */
    case TEXT:
        if (!*value) return complain("--%s is empty", t->name);
        *(const char **)at = value;
        return true;
    case WORD: return read_word(t, value, at);
    case WORD32: return read_word32(t, value, at);
    case REAL: return read_real(t, value, at);
    case REAL32: return read_real32(t, value, at);
    case COUNT: return read_count(t, value, at);
    default: return g->read_own(t->kind, value, base);
    }
}

/* ---- words ---- */

/* The most different options on one command line; no program has so many options. */
#define OPTIONS_MOST 256

/* The options that were on the command line, each of them once. */
static const opt *seen[OPTIONS_MOST];
static size_t     seen_count;

/* Refuses an option with a value that is given twice, because one of the two values would be ignored
 * silently. A flag, or an OWN_LIST, may be given several times. */
static bool is_new(const opt *t)
{
    for (size_t i = 0; i < seen_count; i++) {
        if (seen[i] != t) continue;
        return opt_is_flag(t) || t->kind >= OWN_LIST || complain("--%s is given twice", t->name);
    }
    if (seen_count < OPTIONS_MOST) seen[seen_count++] = t;
    return true;
}

const char *command_line_given(const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; i < seen_count; i++)
            if (!strcmp(seen[i]->name, *names)) return *names;
    return NULL;
}

bool command_line_has(const char *name)
{
    return command_line_given((const char *const[]){name, NULL});
}

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0) names++;
    return *names;
}

const char *command_line_given_other(const char *const *names, const char *const *more)
{
    for (size_t i = 0; i < seen_count; i++)
        if (!is_among(seen[i]->name, names) && !(more && is_among(seen[i]->name, more))) return seen[i]->name;
    return NULL;
}

/* Refuses a word that is not an option. Suggests the option with the most similar name. If the word is the
 * name of a file, suggests the option that takes such a file. */
static bool refuse_word(const command *c, const char *word)
{
    const size_t dashes = strspn(word, "-");
    if (!dashes && !access(word, R_OK))
        return complain("\"%s\" is not an option; did you mean --%s %s?", word, c->first[0], word);
    char         name[64], meant[NEAR_TEXT];
    near         n = {.name = name};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + dashes, "="), word + dashes);
    for (size_t g = 0; g < c->count; g++)
        for (size_t i = 0; i < c->groups[g].count; i++) near_try(&n, c->groups[g].rows[i].name);
    near_text(&n, "--", meant);
    return complain(strncmp(word, "--", 2) ? "\"%s\" is not an option%s" : "unknown option %s%s", word,
                    *meant ? meant : "; see --help");
}

/* Number of dashes before the name of an option; 0: the word does not look like an option. */
static size_t count_dashes(const command *c, const char *word)
{
    const char letter = word[0] == '-' ? (char)(word[1] | 0x20) : 0;
    if (!strncmp(word, "--", 2)) return 2;
    return c->one_dash && letter >= 'a' && letter <= 'z';
}

/* Whether a word is an option of the program. Such a word is not taken for the value of the option before it;
 * a file with such a name can still be given as --option=FILE. */
static bool is_option(const command *c, const char *word)
{
    const opt_group *group;
    const size_t     dashes = count_dashes(c, word);
    return dashes && option_find(c, word + dashes, strcspn(word + dashes, "="), &group);
}

static bool refuse_missing(const opt *t)
{
    char words[WORDS_TEXT];
    return complain("--%s %s: the value is missing%s%s", t->name, t->value, t->words ? "; it takes " : "",
                    t->words ? option_list_words(t->words, words) : "");
}

bool command_line_read(const command *c, int argc, char **argv, void *base)
{
    seen_count = 0;
    option_set_command(c);
    for (int i = 1; i < argc;) {
        const opt_group *g;
        const char      *word   = argv[i++];
        const size_t     dashes = count_dashes(c, word);
        if (!dashes) return refuse_word(c, word);
        const char *name = word + dashes, *equals = strchr(name, '=');
        const opt  *t = option_find(c, name, equals ? (size_t)(equals - name) : strlen(name), &g);
        if (!t) return refuse_word(c, word);
        if (opt_is_flag(t) && equals) return complain("--%s takes no value", t->name);
        const char *value = equals ? equals + 1 : NULL;
        const bool  last =
            i >= argc || is_option(c, argv[i]) || (t->kind == MAYBE && count_dashes(c, argv[i]));
        if (!opt_is_flag(t) && t->kind != MAYBE && !value && last) return refuse_missing(t);
        if (!opt_is_flag(t) && !value && !last) value = argv[i++];
        if (!is_new(t) || !apply(g, t, value, base)) return false;
    }
    return true;
}

/* ---- help ---- */

/* Prints a help text from column HELP_BEGIN on, in lines that end before column HELP_END. */
#define HELP_BEGIN 24
#define HELP_END   92

static void print_paragraphs(const char *help, FILE *out)
{
    size_t column = HELP_BEGIN;
    while (*help) {
        const size_t n = strcspn(help, " \n");
        if (column > HELP_BEGIN && column + 1 + n > HELP_END)
            column = (size_t)fprintf(out, "\n%*s", HELP_BEGIN, "") - 1;
        if (column > HELP_BEGIN) column += (size_t)fprintf(out, " ");
        column += (size_t)fprintf(out, "%.*s", (int)n, help);
        help += n;
        if (*help == '\n') column = (size_t)fprintf(out, "\n%*s", HELP_BEGIN, "") - 1;
        if (*help) help++;
    }
    fputc('\n', out);
}

/* Prints one line for each form of the call. */
static void print_usage(const char *usage, FILE *out)
{
    for (const char *line = usage; *line;) {
        const size_t n = strcspn(line, "\n");
        fprintf(out, "%s %s %.*s\n", line == usage ? "usage:" : "      ", program_name, (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static void print_option(const opt *t, FILE *out)
{
    char left[40];
    snprintf(left, sizeof left, "--%s%s%s", t->name, t->value ? " " : "", t->value ? t->value : "");
    fprintf(out, "  %-20s  ", left);
    print_paragraphs(t->help, out);
}

static void print_group(const opt_group *g, FILE *out)
{
    fprintf(out, "\n%s\n", g->title);
    for (size_t i = 0; i < g->count; i++) print_option(&g->rows[i], out);
}

/* Prints a text in two columns. Each line of the text ends with a line feed and has a tab between the
 * columns. */
static void print_columns(const char *s, FILE *out)
{
    size_t width = 0;
    for (const char *line = s; *line; line += strcspn(line, "\n") + 1) {
        const size_t left = strcspn(line, "\t");
        if (left > width) width = left;
    }
    for (const char *line = s; *line; line += strcspn(line, "\n") + 1) {
        const size_t n = strcspn(line, "\n"), left = strcspn(line, "\t");
        fprintf(out, "  %-*.*s  %.*s\n", (int)width, (int)left, line, (int)(n - left - 1), line + left + 1);
    }
}

static void print_first(const command *c, FILE *out)
{
    const opt_group *group;
    fprintf(out, "%s\n\nTo begin with\n", c->about);
    for (const char *const *name = c->first; *name; name++)
        print_option(option_find(c, *name, strlen(*name), &group), out);
    fputs("\nWhich options for which data\n", out);
    print_columns(c->by_data, out);
    fprintf(out, "\nAll options, by topic: %s --help TOPIC\n", program_name);
    for (size_t g = 0; g < c->count; g++)
        fprintf(out, "  %-20s  %s\n", c->groups[g].topic, c->groups[g].title);
    fprintf(out, "  %-20s  all of them\n  %-20s  only this option, such as --help %s\n", "all", "OPTION",
            c->first[1]);
}

bool command_line_help(const command *c, const char *topic, FILE *out)
{
    const opt_group *group = NULL;
    const opt       *one   = NULL;
    const bool       all   = topic && !strcmp(topic, "all");
    for (size_t g = 0; topic && !group && g < c->count; g++)
        if (!strcmp(c->groups[g].topic, topic)) group = &c->groups[g];
    if (topic && !group) one = option_find(c, topic, strlen(topic), &group);
    if (topic && !all && !group)
        return complain("--help %s: there is no such topic or option; --help lists the topics", topic);
    if (one) {
        print_option(one, out);
        return true;
    }
    print_usage(c->usage, out);
    if (!topic) print_first(c, out);
    if (all) fprintf(out, "%s\n%s\n", c->about, c->more);
    for (size_t g = 0; g < c->count; g++)
        if (all || group == &c->groups[g]) print_group(&c->groups[g], out);
    return true;
}
