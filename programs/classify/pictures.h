/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_PICTURES_H
#define PROGRAMS_CLASSIFY_PICTURES_H

/* Classifiers of images. */

#include "run.h"

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

#endif
