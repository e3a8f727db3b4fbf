/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_LABELS_H
#define FGTI_TIME_LABELS_H

/* Reads the labels of rows as times. */

#include "data/time/lines.h"
#include "data/time/time_form.h"

/* Whether the label of a row is a word that begins sums or a note, rather than a time. */
bool fgti_label_is_note(const char *label);

/* Kinds of labels of rows. */
typedef enum fgti_labels {
    FGTI_LABELS_ANY,   /* times if most of them are times, otherwise texts */
    FGTI_LABELS_NAMED, /* like ANY, but the name of the column suggests times; then numbers may be dates */
    FGTI_LABELS_TIMES, /* times; the caller could use texts in their place */
    FGTI_LABELS_NEEDED /* times; the caller cannot use texts in their place */
} fgti_labels;

/* Decides how the labels are read. form: chosen by the caller. All labels together show the meaning of
 * numbers. */
fgti_time_rule fgti_labels_rule(const fgti_strings *labels, int32_t form, fgti_labels kind);
/* Number of labels that are times, and how many of these times are equal to, later than, or earlier than the
 * time before. */
typedef struct fgti_labels_fit {
    int64_t found, same, up, down;
} fgti_labels_fit;

/* Whether the labels are 0, 1, 2 ... or 1, 2, 3 ... */
bool            fgti_labels_number_rows(const fgti_strings *labels);
fgti_labels_fit fgti_labels_judge(const fgti_strings *labels, int32_t form, fgti_labels kind);
/* Reads the labels as times by f->rule, and finds their form. If day and month may come in either order, the
 * rule's form becomes the order that a label shows. *time is NULL if the labels are not times. The caller
 * frees *time. FGT_E_DATA: a label is not a time, and other labels are times or the labels must be times. */
fgt_status fgti_labels_read(fgt_context *ctx, const fgti_row_labels *labels, fgti_labels kind,
                            fgti_time_form *f, int64_t **time);
/* Calls fgti_labels_rule() and fgti_labels_read(). f NULL: the caller does not need the form. */
fgt_status fgti_axis_read(fgt_context *ctx, const fgti_row_labels *labels, int32_t form, fgti_labels kind,
                          fgti_time_form *f, int64_t **time);

#endif
