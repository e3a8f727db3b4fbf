/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEXT_OPTIONS_H
#define TEXT_OPTIONS_H

/* The command line: a command, its options with fastText's names, and its arguments. */

#include <stdbool.h>
#include <stdint.h>

#include "../common/option.h"

/* The job of the program. */
typedef enum task { TASK_NONE, TASK_SUPERVISED, TASK_QUANTIZE, TASK_TEST, TASK_PREDICT } task;

/* How the labels of a text are learned: as one choice, or each by itself. */
enum { LOSS_SOFTMAX, LOSS_ONE_VS_ALL, LOSS_OVA };

typedef struct options {
    task        task;
    const char *input, *output; /* of supervised and quantize */
    double      lr, validation;
    int64_t     epoch, dim, word_ngrams, min_count, minn, maxn, bucket, loss, tokens; /* loss: LOSS_... */
    int64_t     threads, seed, verbose;
    int64_t     cutoff; /* of quantize */
    bool        retrain;
    bool        has_maxn, has_bucket, has_validation, has_seed, has_verbose;
    const char *model, *texts; /* of test and predict; the file that supervised and quantize write */
    int64_t     k;             /* most labels of a text; -1: all */
    double      threshold;     /* a label's least probability */
    bool        by_label;      /* test-label */
    bool        probabilities; /* predict-prob */
    const char *topic;
    bool        help, version;
} options;

/* Reads the command line. On error prints a message and returns false. */
bool options_read(int argc, char **argv, options *o);

#endif
