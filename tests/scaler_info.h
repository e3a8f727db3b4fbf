/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SCALER_INFO_H
#define TESTS_SCALER_INFO_H

/* Means and scales of a scaler as values, for assertions; [0] without a scaler. */

#include <fighter/scaler.h>

static inline fgt_view scaler_mean(const fgt_scaler *s)
{
    fgt_view         mean   = {0};
    const fgt_status status = fgt_scaler_get_moments(s, &mean, NULL);
    (void)status;
    return mean;
}

static inline fgt_view scaler_scale(const fgt_scaler *s)
{
    fgt_view         scale  = {0};
    const fgt_status status = fgt_scaler_get_moments(s, NULL, &scale);
    (void)status;
    return scale;
}

#endif
