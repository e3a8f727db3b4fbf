/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ENCODING_H
#define FGTI_ENCODING_H

#include "text/vocab/vocab.h"

/* Makes an encoding as fgt_encoding_create() does. bytes: memory for texts that stay on disk; 0: little
 * memory, enough to read samples in their order. */
fgt_status fgti_encoding_new(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t tokens, int64_t bytes,
                             fgt_encoding **encoding);
/* Returns the best `chunk` (in samples) and `pool` (in chunks) of an fgt_source. Both are 0 if all texts are
 * in memory. */
void fgti_encoding_get_chunk(const fgt_encoding *encoding, int64_t *chunk, int64_t *pool);
/* A hash of all samples' ids and classes. */
uint64_t fgti_encoding_hash(const fgt_encoding *encoding);

#endif
