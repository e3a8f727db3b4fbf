/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_RUN_H
#define PROGRAMS_CLASSIFY_RUN_H

/* The state of a run: its settings, data, model and results. A function of the program that returns bool
 * prints a message on an error, and returns false. */

#include <fighter/experimental/report.h>

#include "options.h"
#include "samples.h"

#include "../common/ntk_track.h"

/* The class of a line, and how probable it is. */
typedef struct prediction {
    int64_t class_number;
    double  probability;
} prediction;

typedef struct run {
    const options      *o;
    fgt_context        *ctx;
    fgt_build_info      build;
    samples             all, train, validation, test; /* all: the source of train and validation */
    samples             unlabelled; /* images without their classes, including the training images */
    fgt_corpus         *more;       /* texts of --pretrain-texts; NULL: not given */
    fgt_attent         *selector;
    fgt_classifier     *classifier, *next; /* next: the member in training */
    fgt_classifier     *encoder;           /* of --pretrained */
    fgt_classifier_info info;
    fgt_fit_report      report, masked; /* masked: of --pretrain-masked, for the first member */
    fgt_report         *page;           /* page of --report; NULL: not made yet */
    ntk_track           ntk;
    char                dataset[128];
    double              train_cpu, masked_cpu;       /* seconds of all processors */
    double              val_accuracy, test_accuracy; /* NaN: not measured */
    double              reference_loss;              /* the mean, with --excess */
    int64_t            *confusion;                   /* [classes,classes]: true class, predicted class; NULL:
                                                      * no test */
    int64_t            *checked;                     /* the same for the validation; NULL: no validation */
    prediction         *predictions;                 /* [prediction_count], with --predict and --json */
    size_t              prediction_count;
} run;

void run_done(run *r);
/* Prints the library's last error and returns false. */
bool failed(const run *r, const char *what);
/* Whether the samples are images, and the word for the samples. */
bool        of_images(const run *r);
const char *samples_called(const run *r);

#endif
