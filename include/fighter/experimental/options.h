/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_OPTIONS_H
#define FIGHTER_EXPERIMENTAL_OPTIONS_H

/** @file options.h
 *  The options of forecasters and classifiers as data: name, range, default and help of each option. Programs
 *  make their command line from this data, and bindings for other languages make keywords.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; any thread may call; the function is available
 *  since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Type of the field of an option. */
typedef enum fgt_option_kind {
    FGT_OPTION_I64   = 0, /**< int64_t */
    FGT_OPTION_F32   = 1, /**< float */
    FGT_OPTION_F64   = 2, /**< double */
    FGT_OPTION_BOOL  = 3, /**< int32_t, 0 or 1 */
    FGT_OPTION_WORD  = 4, /**< int32_t, an enumerator; words[i] is the word of enumerator i */
    FGT_OPTION_BLOCK = 5  /**< int32_t, an fgt_block; fgt_block_get_name() gives its word */
} fgt_option_kind;

/** One option. The library owns the struct, which may grow at its end. */
typedef struct fgt_option {
    const char        *name;     /**< name of the field, as in error texts */
    const char        *word;     /**< name for users, such as layer-input; NULL: not for users */
    const char        *value;    /**< placeholder of the value in a help text, such as ROWS; NULL: kind is
                                      FGT_OPTION_BOOL */
    const char        *help;     /**< a sentence for users about effect and default of the option; NULL: not
                                      for users */
    const char *const *words;    /**< FGT_OPTION_WORD: words by enumerator, "" for an enumerator that cannot
                                      be chosen; ends with NULL */
    size_t             offset;   /**< offset of the field in the struct of options */
    double             min, max; /**< allowed values other than 0 */
    double             standard; /**< default, used if the field is 0; 0: no default, or one that depends on
                                      other options */
    int32_t            kind;     /**< an fgt_option_kind */
    int32_t            has_off;  /**< 1: a negative number switches the option off; 0 is the default */
    uint32_t           trait;    /**< the fgt_block_trait of blocks that read the option; 0: all blocks do */
    int32_t            reserved; /**< 0 */
} fgt_option;

/** Option i of fgt_forecaster_opts, from 0.
 *  Owner    the library's
 *  Errors   none; NULL if there is no such option */
FGT_API const fgt_option *fgt_forecaster_get_option(int64_t i);

/** Option i of fgt_forecaster_fit_opts, from 0.
 *  Owner    the library's
 *  Errors   none; NULL if there is no such option */
FGT_API const fgt_option *fgt_forecaster_get_fit_option(int64_t i);

/** Option i of fgt_classifier_opts, from 0. Defaults are those for texts.
 *  Owner    the library's
 *  Errors   none; NULL if there is no such option */
FGT_API const fgt_option *fgt_classifier_get_option(int64_t i);

/** Option i of fgt_classifier_fit_opts, from 0. If texts and images have different defaults, `standard` is 0.
 *  Owner    the library's
 *  Errors   none; NULL if there is no such option */
FGT_API const fgt_option *fgt_classifier_get_fit_option(int64_t i);

#ifdef __cplusplus
}
#endif
#endif
