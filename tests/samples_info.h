/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SAMPLES_INFO_H
#define TESTS_SAMPLES_INFO_H

/* Properties of corpora, vocabularies and images as values, for assertions. */

#include <stdlib.h>

#include <fighter/image.h>
#include <fighter/text.h>

static inline fgt_corpus_info corpus_info(const fgt_corpus *c)
{
    fgt_corpus_info info = {.size = sizeof info};
    if (fgt_corpus_get_info(c, &info) != FGT_OK) abort();
    return info;
}

static inline fgt_vocab_info vocab_info(const fgt_vocab *v)
{
    fgt_vocab_info info = {.size = sizeof info};
    if (fgt_vocab_get_info(v, &info) != FGT_OK) abort();
    return info;
}

static inline fgt_images_info images_info(const fgt_images *m)
{
    fgt_images_info info = {.size = sizeof info};
    if (fgt_images_get_info(m, &info) != FGT_OK) abort();
    return info;
}

static inline int64_t corpus_class(const fgt_corpus *c, int64_t row)
{
    return corpus_info(c).row_classes[row];
}

static inline int64_t images_class(const fgt_images *m, int64_t row)
{
    return images_info(m).row_classes[row];
}

#endif
