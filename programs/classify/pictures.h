/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_PICTURES_H
#define PROGRAMS_CLASSIFY_PICTURES_H

/* Classifiers of images. */

#include "run.h"

/* Reads images from a path, without their classes if `unlabeled` is set. If `like` is not NULL, the images
 * must have the classes of `like`. */
bool pictures_load(const run *r, const char *path, const char *labels, const fgt_images *like, bool unlabeled,
                   fgt_images **images);
/* Reads the size of --resize into o->height and o->width. */
bool pictures_read_size(options *o);
/* Standardises n numbers as a classifier would do that is made from r->train. */
bool pictures_standardise(const run *r, int64_t n, float *pixels);
bool pictures_create(run *r, uint64_t seed, fgt_classifier **classifier);
/* Trains the encoder of `classifier` to predict hidden patches. */
bool pictures_pretrain(run *r, const fgt_images *images, const fgt_classifier_fit_opts *opts,
                       fgt_classifier *classifier, fgt_fit_report *report);
/* Refuses --predict from the standard input, which cannot have images. */
bool pictures_check_predict(const options *o);
/* Writes a class and its probability for each image of --predict. */
bool pictures_predict(run *r);

#endif
