/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ENCODE_STORED_H
#define FGTI_ENCODE_STORED_H

/* Samples of texts that stay on disk: the texts of a batch are read one after another and encoded by all
 * workers. */

#include "text/corpus.h"
#include "text/encoder.h"

typedef struct fgti_stored_encoder {
    fgti_corpus_reader reader;
    fgti_encoder       encoder; /* of the calling thread, for what the workers have no memory for */
    int32_t            workers;
    fgti_encoder      *worker; /* [workers] */
    int64_t            room;   /* bytes of the longest text that workers take */
    char              *texts;  /* of a group */
} fgti_stored_encoder;

/* bytes: of blocks in memory, as fgti_corpus_reader_open() takes them. All memory that a pass needs, but for
 * rare texts (tokens.h), is allocated here. Call fgti_stored_encoder_done() even after an error. */
fgt_status fgti_stored_encoder_init(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t capacity,
                                    int64_t bytes, fgti_stored_encoder *e);
/* Samples index [n] as ids x [n,T], T at most capacity, and as classes target [n], or NULL. */
fgt_status fgti_stored_encoder_get(fgti_stored_encoder *e, const int64_t *index, int64_t n, const fgt_view *x,
                                   const fgt_view *target);
void       fgti_stored_encoder_done(fgti_stored_encoder *e);

#endif
