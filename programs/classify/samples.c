/* SPDX-License-Identifier: BSD-3-Clause */
#include "samples.h"

#include "../common/program.h"

static fgt_images_info info_of(const fgt_images *images)
{
    fgt_images_info info = {.size = sizeof info};
    if (images && fgt_images_get_info(images, &info) != FGT_OK) info.count = 0; /* cannot fail here */
    return info;
}

fgt_corpus_info texts_info(const fgt_corpus *corpus)
{
    fgt_corpus_info info = {.size = sizeof info};
    if (corpus && fgt_corpus_get_info(corpus, &info) != FGT_OK) info.rows = 0; /* cannot fail here */
    return info;
}

int64_t samples_count(samples s)
{
    return s.images ? info_of(s.images).count : texts_info(s.texts).rows;
}

int64_t samples_count_classes(samples s)
{
    return s.images ? info_of(s.images).classes : texts_info(s.texts).classes;
}

int64_t samples_get_class(samples s, int64_t row)
{
    const int32_t *classes = s.images ? info_of(s.images).row_classes : texts_info(s.texts).row_classes;
    return classes ? classes[row] : -1;
}

const char *samples_get_class_name(samples s, int64_t class_id)
{
    return s.images ? fgt_images_get_class_name(s.images, class_id)
                    : fgt_corpus_get_class_name(s.texts, class_id);
}

bool samples_are_there(samples s)
{
    return s.images || s.texts;
}

fgt_status samples_subset(samples s, int64_t count, const int64_t *rows, samples *subset)
{
    *subset = (samples){NULL, NULL};
    return s.images ? fgt_images_create_subset(s.images, rows, count, &subset->images)
                    : fgt_corpus_create_subset(s.texts, rows, count, &subset->texts);
}

static fgt_samples for_library(samples s)
{
    return (fgt_samples){.size = sizeof(fgt_samples), .texts = s.texts, .images = s.images};
}

fgt_status samples_fit(fgt_classifier *c, samples train, samples validation,
                       const fgt_classifier_fit_opts *opts, fgt_fit_report *report)
{
    const fgt_samples from = for_library(train), check = for_library(validation);
    return fgt_classifier_fit(c, &from, &check, opts, report);
}

fgt_status samples_evaluate(fgt_classifier *c, samples s, fgt_metric *metric, const fgt_view *confusion)
{
    const fgt_samples all = for_library(s);
    return fgt_classifier_evaluate(c, &all, metric, confusion);
}

void samples_destroy(samples *s)
{
    fgt_corpus_destroy(&s->texts);
    fgt_images_destroy(&s->images);
}

bool samples_check_classes(const char *path, samples all)
{
    const int64_t rows = samples_count(all), classes = samples_count_classes(all);
    return rows < 20 || classes <= rows / 2 ||
           complain("%s: %lld %s have %lld classes, such as \"%.40s\"%s", path, (long long)rows,
                    all.images ? "images" : "texts", (long long)classes, samples_get_class_name(all, 0),
                    all.images ? "" : "; --label says which column the class is in");
}
