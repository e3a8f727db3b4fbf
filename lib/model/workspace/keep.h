/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORKSPACE_KEEP_H
#define FGTI_WORKSPACE_KEEP_H

#include "model/model_impl.h"

fgt_status fgti_keep_init(fgt_model *m);
void       fgti_keep_done(fgt_model *m);
/* Gives a planned layer its place; need: memory for one sample, because the size is the same for every
 * batch. */
void fgti_keep_add(fgt_model *m, fgti_layer *l, const fgti_need *need);
/* Called when a workspace begins to serve a purpose, or is destroyed. The first user allocates, the last one
 * frees. They take no lock: only the thread that may use the context calls them, and passes in other threads
 * only read the address, which stays while there is a user. In a child of fork(), a thread that is gone may
 * hold the lock. */
fgt_status fgti_keep_hold(fgt_workspace *ws, fgti_purpose purpose);
void       fgti_keep_release(fgt_workspace *ws);
/* Elements that a workspace of this purpose uses. */
int64_t fgti_keep_size(const fgt_model *m, fgti_purpose purpose);

#endif
