/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ENCODE_STORED_H
#define FGTI_ENCODE_STORED_H

/* Encodes samples of texts that stay on disk. The calling thread reads the texts of a batch one after
 * another, and all workers encode them. */

#include "text/corpus_reader.h"
#include "text/vocab/encoder.h"

typedef struct fgti_stored_encoder {
    fgti_corpus_reader reader;
    fgti_encoder       encoder; /* encoder of the calling thread, for texts that are too long for a worker */
    int32_t            workers;
    fgti_encoder      *worker; /* [workers] */
    int64_t            room;   /* bytes of the longest text that a worker takes */
    char              *texts;  /* the texts of a group */
} fgti_stored_encoder;

/* bytes: memory for blocks, as in fgti_corpus_reader_open(). All memory that a pass needs is allocated here,
 * except for rare texts that need more (tokens.h). Call fgti_stored_encoder_done() even after an error. */
fgt_status fgti_stored_encoder_init(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t capacity,
                                    int64_t bytes, fgti_stored_encoder *e);
/* Encodes the samples index [n]. Writes their ids to x [n,T], with T at most `capacity`, and their classes to
 * target [n]; target NULL: the classes are not wanted. */
fgt_status fgti_stored_encoder_get(fgti_stored_encoder *e, const int64_t *index, int64_t n, const fgt_view *x,
                                   const fgt_view *target);
void       fgti_stored_encoder_done(fgti_stored_encoder *e);

#endif
