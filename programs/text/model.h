/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEXT_MODEL_H
#define TEXT_MODEL_H

/* A classifier of the program, and its labels. */

#include <fighter/classify.h>

#include "options.h"

typedef struct session {
    const options      *o;
    fgt_context        *ctx;
    fgt_classifier     *classifier;
    fgt_classifier_info info;
} session;

/* Prints the error of the library, after the path unless it is NULL; returns false. */
bool failed(const session *s, const char *path);
/* Trains a classifier and writes its file. */
bool model_train(session *s);
/* Reads the classifier of NAME.bin and writes a small file. */
bool model_quantize(session *s);
/* Reads the file of a classifier. */
bool model_load(session *s, const char *path);
/* Options for reading a file of texts. several: a text may have several labels. */
fgt_corpus_opts model_corpus_opts(bool several, bool no_labels);

/* Most texts of a call of model_predict(): several batches of the classifier. */
#define MODEL_TEXTS 128

/* Computes the probabilities [count,classes] of the labels of texts. */
bool model_predict(const session *s, const char *const *texts, int64_t count, float *probability);

/* A label of a text, with its probability. */
typedef struct scored {
    float   probability;
    int64_t label;
} scored;

/* Orders the labels of a text, the most probable first, and counts those that the arguments K and THRESHOLD
 * let through. probability [classes]; to [classes]. */
int64_t model_rank(const session *s, const float *probability, scored *to);

/* fighter-text test and test-label. */
bool measure(session *s);
/* fighter-text predict and predict-prob. */
bool predict(session *s);

#endif
