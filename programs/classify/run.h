/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_RUN_H
#define PROGRAMS_CLASSIFY_RUN_H

/* The state of a run: its settings, data, model and results. A function of the program that returns bool
 * prints a message on an error, and returns false. */

#include <fighter/experimental/report.h>

#include "options.h"
#include "samples.h"

#include "../common/ntk_track.h"

/* The most probable class of a sample, and its probability. */
typedef struct prediction {
    int64_t class_number;
    double  probability;
} prediction;

typedef struct run {
    const options      *o;
    fgt_context        *ctx;
    fgt_build_info      build;
    samples             all, train, validation, test; /* all: samples before the split */
    samples             unlabelled; /* images without classes; they include the training images */
    fgt_corpus         *more;       /* texts of --pretrain-texts; NULL: not given */
    fgt_attent         *selector;
    fgt_classifier     *classifier, *next; /* next: the member that is trained now */
    fgt_classifier     *encoder;           /* classifier of --pretrained */
    fgt_classifier_info info;
    fgt_fit_report      report, masked; /* masked: report on --pretrain-masked for the first member */
    fgt_report         *page;           /* page of --report; NULL: not made yet */
    ntk_track           ntk;
    char                dataset[128];
    double              train_cpu, masked_cpu;       /* processor time, in seconds */
    double              val_accuracy, test_accuracy; /* NaN: not measured */
    double              reference_loss;              /* mean loss of the reference of --excess */
    int64_t            *confusion;                   /* [classes,classes]: number of test samples by true and
                                                      * predicted class; NULL: no test */
    int64_t            *checked;                     /* confusion matrix of the validation; NULL: no
                                                      * validation */
    prediction         *predictions;                 /* [prediction_count]; only with --predict and --json */
    size_t              prediction_count;
} run;

void run_done(run *r);
/* Prints the last error of the library about the object `what`, and returns false. */
bool failed(const run *r, const char *what);
/* of_images() tells whether the samples are images. samples_called() is the plural noun for the samples. */
bool        of_images(const run *r);
const char *samples_called(const run *r);

#endif
