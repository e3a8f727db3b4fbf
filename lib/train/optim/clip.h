/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLIP_H
#define FGTI_CLIP_H

/* The factor for gradients of this norm, at most 1. */
double fgti_clip_factor(double max_norm, double norm);

#endif
