/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRADIENT_WATCH_H
#define FGTI_GRADIENT_WATCH_H

#include <stdint.h>

/* A function that is called during fgt_backward(), which goes from the last layer to the first. At a call the
 * gradients of the slabs are complete from element `from` on. */
typedef struct fgti_gradient_watch {
    void (*ready)(void *user, int64_t from);
    void *user;
} fgti_gradient_watch;

#endif
