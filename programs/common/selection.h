/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SELECTION_H
#define SELECTION_H

/* Options of the programs for the selection of samples (attent.h). */

#include <jansson.h>

#include <fighter/attent.h>

#include "command_line.h"

#define MAX_GROUPS 64

/* The options. In most fields 0 means "not given"; the library then uses its default. */
typedef struct selection {
    int64_t attent; /* 0: not given, else 1 + an fgt_attent_strategy */
    int64_t ratio, interval, scores;
    int64_t where; /* 0: selects for the training; 1: for the pre-training; 2: for both */
    double  share, share_start, share_end, temperature;
    double  weight[MAX_GROUPS];
    int64_t weights;
    int64_t soft_weights, cycles, interval_epochs, interval_end;
    bool    redraw, rescore, excess, by_group;
} selection;

/* The samples from which a selector chooses. */
typedef struct selection_data {
    int64_t        count, epochs;
    uint64_t       seed;
    const int64_t *group; /* [count]: group of each sample; only if selection_needs_groups() */
    int64_t        groups;
    const float   *reference; /* [count]: loss of a simple rule for each sample; only with --excess */
} selection_data;

#define SELECTION_OPTIONS 18
extern const opt selection_options[SELECTION_OPTIONS];
bool             selection_read_own(int kind, const char *text, void *base);

/* Checks options that depend on each other. `pretrains` says whether --pretrain-masked is given. On error
 * prints a message and returns false. */
bool selection_check(const selection *s, bool pretrains);
/* Whether samples are selected in the training, and in the pre-training. */
bool selection_trains(const selection *s);
bool selection_pretrains(const selection *s);
/* Makes a selector; *out is NULL without --attent. On error prints a message and returns false. */
bool selection_create(const selection *s, fgt_context *ctx, const selection_data *data, fgt_attent **out);
/* Whether the options use groups. */
bool selection_needs_groups(const selection *s);
/* The mean of the n losses in `reference`. */
double selection_mean(const float *reference, int64_t n);
/* Adds the chosen options to a JSON object. With --excess also adds reference_loss, the mean of the
 * reference. */
void selection_report(const selection *s, double reference_loss, json_t *object);

#endif
