/* SPDX-License-Identifier: BSD-3-Clause */
#include "loaded.h"

#include "cluster.h"
#include "program.h"
#include "selection.h"

const char *loaded_given_selection(void)
{
    const char *given = NULL;
    for (int i = 0; i < SELECTION_OPTIONS && !given; i++)
        given = command_line_given((const char *const[]){selection_options[i].name, NULL});
    return given;
}

bool loaded_check(const char *file, bool trains, const char *const *of_model, const char *const *of_training)
{
    const char *given = command_line_given(of_model);
    if (given) return complain("--load %s says what the model is, so --%s cannot be given", file, given);
    if (trains) return true;
    given = command_line_given(of_training);
    if (!given) given = loaded_given_selection();
    return !given || complain("--load %s: a loaded model is not trained, so --%s is not for it", file, given);
}
