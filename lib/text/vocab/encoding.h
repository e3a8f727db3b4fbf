/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ENCODING_H
#define FGTI_ENCODING_H

#include "text/vocab/vocab.h"

/* fgt_encoding_create(). bytes: memory for texts that stay on disk; 0: little, enough for samples in their
 * order. */
fgt_status fgti_encoding_new(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t tokens, int64_t bytes,
                             fgt_encoding **encoding);
/* The best `chunk` (samples) and `pool` (chunks) of an fgt_source; both 0 if all texts are in memory. */
void fgti_encoding_get_chunk(const fgt_encoding *encoding, int64_t *chunk, int64_t *pool);
/* A hash of all samples' ids and classes. */
uint64_t fgti_encoding_hash(const fgt_encoding *encoding);

#endif
