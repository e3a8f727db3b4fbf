/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_FEED_H
#define FGTI_CLASSIFY_FEED_H

#include "classify/classifier_impl.h"

/* An fgt_source of samples. The classes have the classifier's numbers. */
typedef struct fgti_classify_feed {
    const fgt_classifier *c;
    fgt_encoding         *encoding; /* of the texts */
    const fgt_corpus     *texts;
    const fgt_images     *images;
    int64_t              *class_of; /* [classes of the data]: the classifier's numbers */
    int64_t              *begin;    /* several labels: [classes of the data + 1]: where the labels of a class
                                     * of the data begin in class_of, which has all of them in a row */
    int64_t              *row;      /* several labels: [batch]: classes of the data */
    bool                  masked;   /* for a masked autoencoder, which takes no targets */
    uint64_t              seed;
    int64_t               epoch; /* decides the images' random changes; 0: images are not changed */
    int64_t               shift;
    bool                  flip;
} fgti_classify_feed;

/* bytes: memory for texts that stay on disk; 0: little memory, enough to read samples in their order. Call
 * fgti_classify_feed_done() even after an error. */
fgt_status fgti_classify_feed_init(const fgt_classifier *c, const fgt_samples *data, int64_t bytes,
                                   fgti_classify_feed *d, fgt_source *source);
/* Number of samples that have this class of the classifier. */
int64_t fgti_classify_feed_count(const fgti_classify_feed *d, int64_t class_id);
void    fgti_classify_feed_done(fgti_classify_feed *d);

#endif
