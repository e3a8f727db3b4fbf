/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MOMENTS_H
#define MOMENTS_H

#include <fighter/forecast.h>

/* Means and scales of a forecaster's columns, [columns] each. */
typedef struct moments {
    const double *mean, *scale;
} moments;

static inline moments moments_of(const fgt_forecaster *f)
{
    fgt_view         mean = {0}, scale = {0};
    const fgt_status s = fgt_scaler_get_moments(fgt_forecaster_get_scaler(f), &mean, &scale);
    (void)s; /* it fails only without a forecaster */
    return (moments){mean.data, scale.data};
}

#endif
