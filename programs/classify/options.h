/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_OPTIONS_H
#define PROGRAMS_CLASSIFY_OPTIONS_H

/* The settings of a run, read from the command line. */

#include <fighter/tasks.h>

#include "../common/adapter.h"
#include "../common/checkpoint.h"
#include "../common/cluster.h"
#include "../common/library.h"
#include "../common/selection.h"

#define MAX_FILES 1024

/* In most fields 0 means "not given"; the library then uses its default. */
typedef struct options {
    const char             *train, *test, *save, *load, *ntk_plot, *predict_file, *report;
    const char             *files[MAX_FILES]; /* files of --data */
    int64_t                 file_count;
    const char             *convert, *predict_all;
    int64_t                 resident;     /* MiB of a corpus file to keep in memory */
    const char             *more_texts;   /* file of --pretrain-texts */
    const char             *text, *label; /* names of the columns with the text and with the class */
    const char             *comment;
    int64_t                 skip; /* number of lines to skip at the beginning of a file */
    const char             *images, *labels, *test_images, *test_labels, *resize, *background, *pretrained;
    int64_t                 format, header, delimiter, label_kind;
    fgt_classifier_opts     model; /* set by the library's table of options; train.c sets further fields */
    fgt_classifier_fit_opts fit;
    bool                    given_model[LIBRARY_MOST], given_fit[LIBRARY_MOST];
    int64_t                 ngrams, buckets, prefix, letters;
    int64_t                 height, width, channels, patch, labelled; /* options for images */
    int64_t                 members, seed, threads, products, precision;
    int64_t                 masked; /* epochs of --pretrain-masked */
    double                  validation, split, mask_share;
    selection               selection;
    checkpoint              checkpoint;
    adapter                 adapter;
    cluster                 cluster;
    bool                    has_letters, has_seed, has_validation, has_buckets;
    bool                    probe, whole;
    bool        exact, no_quotes, punctuation, predict, describe, escape_formulas, json, help, version;
    const char *topic; /* topic of --help */
} options;

#endif
