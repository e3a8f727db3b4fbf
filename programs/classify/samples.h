/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_SAMPLES_H
#define PROGRAMS_CLASSIFY_SAMPLES_H

/* Functions for sets of texts or of images, so that the program treats both in the same way. */

#include <stdbool.h>

#include <fighter/classify.h>

/* A set of samples. One of the two pointers is NULL; if the set is empty, both are. */
typedef struct samples {
    fgt_corpus *texts;
    fgt_images *images;
} samples;

/* The properties of a corpus. All fields are 0 if the corpus is NULL. */
fgt_corpus_info texts_info(const fgt_corpus *corpus);

int64_t     samples_count(samples s);
int64_t     samples_count_classes(samples s);
int64_t     samples_get_class(samples s, int64_t row);
const char *samples_get_class_name(samples s, int64_t class_id);
bool        samples_are_there(samples s);
fgt_status  samples_subset(samples s, int64_t count, const int64_t *rows, samples *subset);
fgt_status  samples_fit(fgt_classifier *c, samples train, samples validation,
                        const fgt_classifier_fit_opts *opts,
                        fgt_fit_report *report);
fgt_status  samples_evaluate(fgt_classifier *c, samples s, fgt_metric *metric, const fgt_view *confusion);
/* Refuses data with nearly as many classes as samples. In such data the classes are in another column, or the
 * column does not have classes. */
bool        samples_check_classes(const char *path, samples all);
void        samples_destroy(samples *s);

#endif
