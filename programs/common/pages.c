/* SPDX-License-Identifier: BSD-3-Clause */

/* A program of the build. It writes the man page of a program, or the completion of its options for a shell,
 * from the table of options. Usage: pages man|bash|zsh */

#include <fighter/base.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"

/* Option n of a program, counted over all groups; NULL: the program has fewer options. */
static const opt *option_number(const command *c, size_t n)
{
    for (size_t g = 0; g < c->count; n -= c->groups[g++].count)
        if (n < c->groups[g].count) return &c->groups[g].rows[n];
    return NULL;
}

static bool names_file(const opt *t)
{
    return t->value && strstr(t->value, "FILE");
}

/* ---- man page ---- */

/* Writes text for troff. Each hyphen is meant as a minus, so it is written \-. A line that begins with a dot
 * or a quote would be a command, so \& is written before it. */
static void put_troff(const char *s, FILE *out)
{
    for (bool begin = true; *s; begin = *s == '\n', s++) {
        if (begin && (*s == '.' || *s == '\'')) fputs("\\&", out);
        if (*s == '-')
            fputs("\\-", out);
        else if (*s == '\\')
            fputs("\\e", out);
        else
            fputc(*s, out);
    }
}

/* Writes lines that troff must not fill. `before` comes before each line: the program's name, or "". */
static void put_lines(const char *before, const char *s, FILE *out)
{
    fputs(".nf\n", out);
    while (*s) {
        char         line[512];
        const size_t n = strcspn(s, "\n");
        snprintf(line, sizeof line, "%s%.*s", before, (int)n, s);
        put_troff(line, out);
        fputc('\n', out);
        s += n + (s[n] == '\n');
    }
    fputs(".fi\n", out);
}

static void put_man(const command *c, FILE *out)
{
    char before[80];
    snprintf(before, sizeof before, "%s ", c->name);
    fprintf(out, ".TH %s 1 \"\" \"fighter %d.%d.%d\" \"User Commands\"\n.SH NAME\n", c->name,
            FGT_VERSION_MAJOR, FGT_VERSION_MINOR, FGT_VERSION_PATCH);
    fprintf(out, "%s \\- %s\n.SH SYNOPSIS\n", c->name, c->purpose);
    put_lines(before, c->usage, out);
    fputs(".SH DESCRIPTION\n", out);
    put_troff(c->about, out);
    fputs("\n.PP\n", out);
    put_troff(c->more, out);
    fputs("\n.SH OPTIONS\n", out);
    for (size_t g = 0; g < c->count; g++) {
        fprintf(out, ".SS %s\n", c->groups[g].title);
        for (size_t i = 0; i < c->groups[g].count; i++) {
            const opt *t = &c->groups[g].rows[i];
            fputs(".TP\n.BR \\-\\-", out);
            put_troff(t->name, out);
            if (t->value) fprintf(out, " \" \" \\fI%s\\fR", t->value);
            fputc('\n', out);
            put_troff(t->help, out);
            fputc('\n', out);
        }
    }
    fputs(".SH EXIT STATUS\n"
          "0: all was done; 1: an error, of which a sentence was printed; 130: interrupted by the keyboard.\n"
          ".SH EXAMPLES\n",
          out);
    put_lines("", c->examples, out);
}

/* ---- completion ---- */

/* Writes a name in letters that a shell allows in the name of a function. */
static void put_function(const char *name, FILE *out)
{
    for (fputc('_', out); *name; name++) fputc(*name == '-' ? '_' : *name, out);
}

static void put_words(const opt *t, FILE *out)
{
    for (size_t i = 0; t->words[i]; i++) fprintf(out, "%s%s", i ? " " : "", t->words[i]);
}

static void put_bash(const command *c, FILE *out)
{
    const opt *t;
    put_function(c->name, out);
    fputs("()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    case $prev in\n",
          out);
    for (size_t n = 0; (t = option_number(c, n)); n++) {
        if (!t->value) continue; /* a flag */
        fprintf(out, "    --%s) ", t->name);
        if (opt_has_words(t)) {
            fputs("mapfile -t COMPREPLY < <(compgen -W '", out);
            put_words(t, out);
            fputs("' -- \"$cur\")", out);
        } else if (names_file(t)) {
            fputs("compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")", out);
        } else {
            fputs("COMPREPLY=()", out);
        }
        fputs("; return ;;\n", out);
    }
    fputs("    esac\n    mapfile -t COMPREPLY < <(compgen -W '", out);
    for (size_t n = 0; (t = option_number(c, n)); n++) fprintf(out, "--%s ", t->name);
    fputs("' -- \"$cur\")\n}\ncomplete -F ", out);
    put_function(c->name, out);
    fprintf(out, " %s\n", c->name);
}

/* Writes the help of an option, up to its first semicolon. The text will be inside brackets and single
 * quotes, so these characters are escaped. */
static void put_meaning(const char *help, FILE *out)
{
    for (; *help && *help != ';'; help++) {
        if (strchr("[]:\\", *help))
            fprintf(out, "\\%c", *help);
        else if (*help == '\'')
            fputs("'\\''", out);
        else
            fputc(*help == '\n' ? ' ' : *help, out);
    }
}

static void put_zsh(const command *c, FILE *out)
{
    const opt *t;
    fprintf(out, "#compdef %s\n_arguments", c->name);
    for (size_t n = 0; (t = option_number(c, n)); n++) {
        fprintf(out, " \\\n    '--%s[", t->name);
        put_meaning(t->help, out);
        fputc(']', out);
        if (t->value) fprintf(out, ":%s:", t->value);
        if (names_file(t)) fputs("_files", out);
        if (opt_has_words(t)) {
            fputc('(', out);
            put_words(t, out);
            fputc(')', out);
        }
        fputc('\'', out);
    }
    fputc('\n', out);
}

int main(int argc, char **argv)
{
    const command *c    = options_command();
    const char    *what = argc == 2 ? argv[1] : "";
    if (!strcmp(what, "man"))
        put_man(c, stdout);
    else if (!strcmp(what, "bash"))
        put_bash(c, stdout);
    else if (!strcmp(what, "zsh"))
        put_zsh(c, stdout);
    else
        return EXIT_FAILURE;
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
