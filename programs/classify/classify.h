/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_H
#define PROGRAMS_CLASSIFY_H

/* Shared by the files of the classify program, which include only public headers of fighter. */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include <fighter/experimental/corpus_file.h>
#include <fighter/experimental/report.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>

#include "../common/adapter.h"
#include "../common/blocks.h"
#include "../common/checkpoint.h"
#include "../common/cluster.h"
#include "../common/library.h"
#include "../common/ntk_track.h"
#include "../common/program.h"
#include "../common/selection.h"
#include "samples.h"

/* ---- options.c ---- */

#define MAX_FILES 1024

/* Zero means "not given"; the library then uses its default. */
typedef struct options {
    const char *train, *test, *save, *load, *ntk_plot, *predict_file, *report;
    const char *files[MAX_FILES]; /* --data */
    int64_t     file_count;
    const char *convert, *predict_all;
    int64_t                 resident;     /* MiB of a corpus file to keep in memory */
    const char             *more_texts;   /* file of --pretrain-texts */
    const char             *text, *label; /* columns of the text and of the class */
    const char *comment;
    int64_t     skip; /* lines to skip in a file */
    const char *images, *labels, *test_images, *test_labels, *resize, *background, *pretrained;
    int64_t     format, header, delimiter, label_kind;
    fgt_classifier_opts     model; /* from the library's table of options; train.c sets other fields */
    fgt_classifier_fit_opts fit;
    bool                    given_model[LIBRARY_MOST], given_fit[LIBRARY_MOST];
    int64_t                 ngrams, buckets, prefix, letters;
    int64_t                 height, width, channels, patch, labelled; /* of images */
    int64_t                 members, seed, threads, products, precision;
    int64_t     masked; /* epochs of --pretrain-masked */
    double                  validation, split, mask_share;
    selection   selection;
    checkpoint  checkpoint;
    adapter     adapter;
    cluster     cluster;
    bool                    has_letters, has_seed, has_validation, has_buckets;
    bool                    probe, whole;
    bool        exact, no_quotes, punctuation, predict, describe, escape_formulas, json, help, version;
    const char *topic; /* of --help */
} options;

/* Reads the command line. On error prints a message and returns false. */
bool options_read(int argc, char **argv, options *o);

/* ---- run.c ---- */

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
    fgt_corpus         *more; /* texts of --pretrain-texts; NULL: not given */
    fgt_attent         *selector;
    fgt_classifier     *classifier, *next; /* next: the member in training */
    fgt_classifier     *encoder;           /* of --pretrained */
    fgt_classifier_info info;
    fgt_fit_report      report, masked; /* masked: of --pretrain-masked, for the first member */
    fgt_report         *page; /* page of --report; NULL: not made yet */
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

/* Runs the whole program. On error prints a message and returns false, as do the functions below. */
bool run_all(run *r);
void run_done(run *r);
/* Prints the library's last error and returns false. */
bool failed(const run *r, const char *what);

/* ---- texts.c ---- */

/* Reads texts with their classes; `like`: texts whose classes must be used, or NULL. */
bool texts_load(const run *r, const char *path, const fgt_corpus *like, fgt_corpus **corpus);
/* Whether the samples are images, and the word for the samples. */
bool        of_images(const run *r);
const char *samples_called(const run *r);
/* Refuses nearly as many classes as samples. */
bool        samples_check_classes(const char *path, samples all);
/* Reads texts to classify. */
bool texts_load_unlabeled(const run *r, const char *path, fgt_corpus **corpus);
/* Copies `count` texts from row `first` on into memory, fewer at the end. On error prints a message. */
fgt_status texts_copy(const run *r, const fgt_corpus *corpus, int64_t first, int64_t count,
                      fgt_corpus **copy);
/* Writes the files of --data as the corpus file of --convert. */
bool texts_convert(const run *r);
/* Passes the texts of a file to classify to a function, n at a time. FGT_E_CANCELLED: the function stopped.
 * On another error prints a message. */
fgt_status texts_visit(const run *r, const char *path, int64_t n, fgt_corpus_rows_fn take, void *user);

/* ---- pictures.c ---- */

/* Reads images, with classes (`like`: images whose classes must be used, or NULL) or without classes. */
bool pictures_load(const run *r, const char *path, const char *labels, const fgt_images *like, bool unlabeled,
                   fgt_images **images);
/* Reads --resize. */
bool pictures_read_size(options *o);
/* Standardises n numbers in the same way as a classifier made from r->train. */
bool pictures_standardise(const run *r, int64_t n, float *pixels);
bool pictures_create(run *r, uint64_t seed, fgt_classifier **classifier);
/* Trains the encoder of r's classifier on hidden patches. */
bool pictures_pretrain(run *r, const fgt_images *images, const fgt_classifier_fit_opts *opts,
                       fgt_classifier *classifier, fgt_fit_report *report);
/* Refuses the standard input, which cannot have images. */
bool pictures_check_predict(const options *o);
/* Writes class and probability for each image of --predict. */
bool pictures_predict(run *r);

/* ---- train.c ---- */

/* Makes a selector of these samples; NULL without --attent. */
bool create_selector(run *r, samples from, int64_t epochs, uint64_t seed, fgt_attent **selector);

#define PATH_ROOM 4096

/* The checkpoint of a member: FILE, FILE.1, FILE.2, ...; NULL if no FILE was given. */
const char *member_file(const char *file, int64_t member, char name[PATH_ROOM]);

/* Makes r->classifier from r->train, one member after another. */
bool train_members(run *r);
/* load_adapter: reads the adapter of --adapter for the loaded model. add_adapter: makes a new one.
 * train_adapter: trains it and writes it to --adapt. */
bool load_adapter(run *r);
bool add_adapter(run *r);
bool train_adapter(run *r);

/* ---- pretrain.c ---- */

/* Trains a member to predict hidden words of the texts, or hidden patches of the images, if the options ask
 * for it. */
bool pretrain_masked(run *r, uint64_t seed, bool first, fgt_classifier *classifier);

/* ---- predict.c ---- */

/* Writes a class and its probability for each text of --predict FILE, or each line of the standard input; or
 * keeps them for the JSON object. */
bool predict_texts(run *r);
/* Writes the class with the largest of the probabilities p [classes] of one sample, or keeps it for the JSON
 * object. */
bool predict_say(run *r, const float *p);

/* ---- predict_all.c ---- */

/* Writes the classes of all texts of --data into the file of --predict-all. */
bool predict_all(run *r);

/* ---- insight.c ---- */

/* A copy of the texts to show; if possible, texts that no model was trained on. On error prints a message and
 * returns false. */
bool insight_texts(const run *r, fgt_corpus **texts);
/* insight_start: makes the page of --report, before training. Without the option these three functions do
 * nothing. */
bool insight_start(run *r);
/* insight_record: records the part of an epoch that the page shows. */
bool insight_record(run *r, const fgt_progress *p);
bool insight_write(run *r);

/* ---- report.c ---- */

int64_t report_count_members(const run *r);

void report_start(const run *r, FILE *out);
void report_result(const run *r, FILE *out);
/* Prints one JSON object. */
bool report_json(const run *r, FILE *out);

/* ---- report_layers.c ---- */

/* Adds "fighter_texts": shares of hops and importance of tokens in the texts that a page shows. On error
 * prints a message and returns false. */
bool report_set_layers(const run *r, json_t *all);

#endif
