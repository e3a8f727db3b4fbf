/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OPTION_TABLE_H
#define FGTI_OPTION_TABLE_H

/* Rows of the public tables of options (forecast_options.c, classify_options.c). */

#include <fighter/experimental/options.h>

#include "blocks/blocks.h"
#include "core/opts.h"

#define FGT_BLOCK_TRAIT_ANY 0 /* no trait is needed */

#define FGTI_OPTION(type, name, field, kind, min, max, standard, words, trait, off, word, value, help) \
    {#name,    word,                                                                                   \
     value,    help,                                                                                   \
     words,    offsetof(type, field),                                                                  \
     min,      max,                                                                                    \
     standard, FGT_OPTION_##kind,                                                                      \
     off,      FGT_BLOCK_TRAIT_##trait,                                                                \
     0},

#endif
