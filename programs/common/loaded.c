/* SPDX-License-Identifier: BSD-3-Clause */
#include "loaded.h"

#include <sys/stat.h>
#include <unistd.h>

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

/* Refuses a folder. The message says so if it is the folder of an adapter. */
static bool check_file(const char *file)
{
    struct stat st;
    char        config[4096];
    if (stat(file, &st) || !S_ISDIR(st.st_mode)) return true;
    snprintf(config, sizeof config, "%s/adapter_config.json", file);
    return complain("--load %s: it is a folder%s; --load takes a file that --save has written", file,
                    access(config, F_OK) ? "" : " of an adapter, which --adapter takes");
}

bool loaded_failed(fgt_status s, const char *sentence)
{
    return complain("%s%s", sentence,
                    s == FGT_E_FORMAT ? "; --load takes a file that --save has written" : "");
}

bool loaded_check(const char *file, bool trains, const char *const *of_model, const char *const *of_training)
{
    const char *given = command_line_given(of_model);
    if (!check_file(file)) return false;
    if (given) return complain("--load %s says what the model is, so --%s cannot be given", file, given);
    if (trains) return true;
    given = command_line_given(of_training);
    if (!given) given = loaded_given_selection();
    return !given || complain("--load %s: a loaded model is not trained, so --%s is not for it", file, given);
}
