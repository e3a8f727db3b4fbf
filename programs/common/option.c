/* SPDX-License-Identifier: BSD-3-Clause */
#include "option.h"

#include <stdio.h>
#include <string.h>

const opt *option_find(const command *c, const char *name, size_t n, const opt_group **group)
{
    for (size_t g = 0; g < c->count; g++)
        for (size_t i = 0; i < c->groups[g].count; i++) {
            const opt *t = &c->groups[g].rows[i];
            if (strlen(t->name) != n || strncmp(t->name, name, n)) continue;
            *group = &c->groups[g];
            return t;
        }
    return NULL;
}

const char *option_list_words(const char *const *words, char text[WORDS_TEXT])
{
    size_t n = 0;
    *text    = 0;
    for (; *words; words++)
        if (**words && n < WORDS_TEXT)
            n += (size_t)snprintf(text + n, WORDS_TEXT - n, "%s%s", n ? ", " : "", *words);
    return text;
}

static const command *current;

void option_set_command(const command *c)
{
    current = c;
}

const command *option_get_command(void)
{
    return current;
}

/* ---- sentences of the library ---- */

/* Fields of the library whose options have other names than the field. */
static const struct {
    const char *field, *option;
} fields[] = {{"date", "--time none or --repair ignore"},
              {"pred_len", "--pred"},
              {"input_len", "--input"},
              {"marker", "--missing-value"},
              {"missing_text", "--missing-value"},
              {"id", "--long"},
              {"value", "--long"},
              {"form", "--long"},
              {"form", "--format"},
              {"class_kind", "--label-kind"},
              {"class_column", "--label"},
              {"text_columns", "--text"},
              {"layer_len", "--layer-input"},
              {"height", "--resize"},
              {"width", "--resize"}};

/* Finds the option that sets a field of the library; n is the number of letters of its name. Returns false if
 * no option sets the field. */
static bool name_option(const char *field, size_t n, char *option, size_t size)
{
    const opt_group *g;
    char             name[32];
    if (!current || n >= sizeof name) return false;
    for (size_t i = 0; i <= n; i++) name[i] = i == n ? 0 : field[i] == '_' ? '-' : field[i];
    snprintf(option, size, "--%s", name);
    if (option_find(current, name, n, &g)) return true;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strlen(fields[i].field) != n || strncmp(fields[i].field, field, n) != 0) continue;
        snprintf(option, size, "%s", fields[i].option);
        if (option_find(current, option + 2, strcspn(option + 2, " "), &g)) return true;
    }
    return false;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyz_"

/* Length of the beginning of a clause that only names a part of the library: "scaler: " or "fgt_images_opts:
 * ". After the name of a struct, as in the second example, comes the name of a field: then *field is true. */
static size_t measure_part(const char *text, bool *field)
{
    static const char *const parts[] = {
        "forecaster: ", "classifier: ", "scaler: ", "fit: ", "images: ", "corpus: ", "masked: "};
    const size_t n = strspn(text, LETTERS);
    *field         = !strncmp(text, "fgt_", 4) && n > 5 && !strncmp(text + n - 5, "_opts: ", 7);
    if (*field) return n + 2;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strncmp(text, parts[i], strlen(parts[i]))) return strlen(parts[i]);
    return 0;
}

void option_words(const char *text, char *out, size_t size)
{
    static const char *const before[] = {"the option ", "the options "}, after[] = " of fgt_csv_opts";
    size_t                   used = 0;
    char                     option[40];
    for (const char *p = text; *p && used + 1 < size;) {
        const bool begins = !used || (used > 1 && !strncmp(out + used - 2, ": ", 2));
        bool       field  = false;
        if (begins) p += measure_part(p, &field);
        const bool   quoted = *p == '`';
        const size_t n      = quoted || field ? strspn(p + quoted, LETTERS) : 0;
        if (!n || (quoted && p[n + 1] != '`') || !name_option(p + quoted, n, option, sizeof option)) {
            if (*p) out[used++] = *p++;
            continue;
        }
        p += n + 2 * quoted;
        if (!strncmp(p, after, sizeof after - 1)) p += sizeof after - 1;
        for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
            const size_t length = strlen(before[i]);
            if (used >= length && !strncmp(out + used - length, before[i], length)) used -= length;
        }
        used += (size_t)snprintf(out + used, size - used, "%s", option);
        if (used >= size) used = size - 1;
    }
    out[used] = 0;
}
