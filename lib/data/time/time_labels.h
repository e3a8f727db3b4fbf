/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_LABELS_H
#define FGTI_TIME_LABELS_H

/* Reads labels of rows as times. */

#include "data/time/lines.h"
#include "data/time/time_form.h"

/* Whether the label of a row is not a time but the beginning of sums or a note. */
bool fgti_label_is_note(const char *label);

/* Kinds of labels of rows. */
typedef enum fgti_labels {
    FGTI_LABELS_ANY,   /* times, if most of them are */
    FGTI_LABELS_NAMED, /* as ANY, but the name of the column suggests times, so its numbers may be dates */
    FGTI_LABELS_TIMES, /* times; the caller could have read them as texts */
    FGTI_LABELS_NEEDED /* times; the caller cannot use texts in their place */
} fgti_labels;

/* Decides how labels are read, from `form` of the caller and from all labels together, which show the meaning
 * of their numbers. */
fgti_time_rule fgti_labels_rule(const fgti_strings *labels, int32_t form, fgti_labels kind);
/* Number of labels that are times, and how many of these are equal to the time before, later, or earlier. */
typedef struct fgti_labels_fit {
    int64_t found, same, up, down;
} fgti_labels_fit;

/* True if the labels are 0, 1, 2 ... or 1, 2, 3 ... */
bool            fgti_labels_number_rows(const fgti_strings *labels);
fgti_labels_fit fgti_labels_judge(const fgti_strings *labels, int32_t form, fgti_labels kind);
/* Reads labels as times by f->rule, and finds their form. If day and month could be either, the rule's form
 * is set to the order that a label shows. *time is NULL if they are not times. The caller frees it.
 * FGT_E_DATA: a label is not a time, although others are, or the labels must be times. */
fgt_status fgti_labels_read(fgt_context *ctx, const fgti_row_labels *labels, fgti_labels kind,
                            fgti_time_form *f, int64_t **time);
/* Calls fgti_labels_rule() and fgti_labels_read(). f NULL: the form is not needed. */
fgt_status fgti_axis_read(fgt_context *ctx, const fgti_row_labels *labels, int32_t form, fgti_labels kind,
                          fgti_time_form *f, int64_t **time);

#endif
