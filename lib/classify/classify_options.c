/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of options for programs and other languages. */
#include <fighter/experimental/options.h>

#include "blocks/option_table.h"
#include "classify/classifier_impl.h"
#include "image/images.h"
#include "nn/rows.h"

#define OPTION(name, field, kind, min, max, standard, words, trait, word, value, help)                    \
    FGTI_OPTION(fgt_classifier_opts, name, field, kind, min, max, standard, words, trait, 0, word, value, \
                help)
#define SWITCHED(name, field, kind, min, max, standard, words, trait, word, value, help)                  \
    FGTI_OPTION(fgt_classifier_opts, name, field, kind, min, max, standard, words, trait, 1, word, value, \
                help)
#define PASSED OPTION
static const fgt_option options[] = {
#include "classify/classify_options.h"
};
#undef OPTION
#undef SWITCHED

#define OPTION(name, field, kind, min, max, standard, words, word, value, help)                             \
    FGTI_OPTION(fgt_classifier_fit_opts, name, field, kind, min, max, standard, words, ANY, 0, word, value, \
                help)
#define SWITCHED(name, field, kind, min, max, standard, words, word, value, help)                           \
    FGTI_OPTION(fgt_classifier_fit_opts, name, field, kind, min, max, standard, words, ANY, 1, word, value, \
                help)
static const fgt_option fit_options[] = {
#include "classify/classify_fit_options.h"
};

const fgt_option *fgt_classifier_get_option(int64_t i)
{
    return i >= 0 && i < (int64_t)(sizeof options / sizeof *options) ? &options[i] : NULL;
}

const fgt_option *fgt_classifier_get_fit_option(int64_t i)
{
    return i >= 0 && i < (int64_t)(sizeof fit_options / sizeof *fit_options) ? &fit_options[i] : NULL;
}
