/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_COMMA_LOCALE_H
#define TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets a locale in which numbers have a decimal comma: its name, NULL where there is none. */
static inline const char *set_comma_locale(const char *directory)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    const char              *name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((name = setlocale(LC_ALL, names[i])) != NULL) return name;
    /* none installed: glibc can make one, and looks for it in LOCPATH */
    char command[256];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null", directory);
    if (system(command) || setenv("LOCPATH", directory, 1)) return NULL;
    return setlocale(LC_ALL, "de_DE.UTF-8");
}

#endif
