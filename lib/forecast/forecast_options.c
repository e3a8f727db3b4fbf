/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of options for programs and other languages. */
#include <fighter/experimental/options.h>

#include "blocks/option_table.h"
#include "forecast/forecaster_impl.h"
#include "nn/rows.h"

static const char *const token_words[] = {
    [FGT_TOKENS_PATCH]   = "patch",
    [FGT_TOKENS_TIME]    = "time",
    [FGT_TOKENS_VARIATE] = "variate",
    NULL,
};
static const char *const position_words[] = {
    [FGT_FORECAST_POSITIONS_AUTO] = "auto",       [FGT_FORECAST_POSITIONS_NONE] = "none",
    [FGT_FORECAST_POSITIONS_LEARNED] = "learned", [FGT_FORECAST_POSITIONS_SINUSOIDAL] = "sinusoidal",
    [FGT_FORECAST_POSITIONS_TAPE] = "tape",       NULL,
};
static const char *const space_words[] = {
    [FGT_FORECAST_SPACE_NONE] = "none",
    [FGT_FORECAST_SPACE_AND]  = "and",
    [FGT_FORECAST_SPACE_THEN] = "then",
    NULL,
};
/* Losses of numbers. */
static const char *const loss_words[] = {
    [FGT_LOSS_MSE]               = "mse",
    [FGT_LOSS_L1]                = "mae",
    [FGT_LOSS_SMOOTH_L1]         = "smooth-l1",
    [FGT_LOSS_HUBER]             = "huber",
    [FGT_LOSS_CROSS_ENTROPY]     = "",
    [FGT_LOSS_BCE]               = "",
    [FGT_LOSS_QUANTILE]          = "quantile",
    [FGT_LOSS_POISSON]           = "poisson",
    [FGT_LOSS_NEGATIVE_BINOMIAL] = "negative-binomial",
    NULL,
};

#define OPTION(name, field, kind, min, max, standard, words, trait, search, word, value, help)            \
    FGTI_OPTION(fgt_forecaster_opts, name, field, kind, min, max, standard, words, trait, 0, word, value, \
                help)
#define SWITCHED(name, field, kind, min, max, standard, words, trait, search, word, value, help)          \
    FGTI_OPTION(fgt_forecaster_opts, name, field, kind, min, max, standard, words, trait, 1, word, value, \
                help)
#define KEPT   OPTION
#define PASSED OPTION
#define FACT(...)
static const fgt_option options[] = {
#include "forecast/forecast_options.h"
};
#undef OPTION
#undef SWITCHED

#define OPTION(name, field, kind, min, max, standard, words, word, value, help)                             \
    FGTI_OPTION(fgt_forecaster_fit_opts, name, field, kind, min, max, standard, words, ANY, 0, word, value, \
                help)
#define SWITCHED(name, field, kind, min, max, standard, words, word, value, help)                           \
    FGTI_OPTION(fgt_forecaster_fit_opts, name, field, kind, min, max, standard, words, ANY, 1, word, value, \
                help)
static const fgt_option fit_options[] = {
#include "forecast/forecast_fit_options.h"
};

const fgt_option *fgt_forecaster_get_option(int64_t i)
{
    return i >= 0 && i < (int64_t)(sizeof options / sizeof *options) ? &options[i] : NULL;
}

const fgt_option *fgt_forecaster_get_fit_option(int64_t i)
{
    return i >= 0 && i < (int64_t)(sizeof fit_options / sizeof *fit_options) ? &fit_options[i] : NULL;
}
