/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORKSPACE_KEEP_H
#define FGTI_WORKSPACE_KEEP_H

#include "model/model_impl.h"

fgt_status fgti_keep_init(fgt_model *m);
void       fgti_keep_done(fgt_model *m);
/* Gives a planned layer its place in the memory for kept results. need: what the layer needs for one sample;
 * kept results have the same size for every batch. */
void fgti_keep_add(fgt_model *m, fgti_layer *l, const fgti_need *need);
/* Called when a workspace begins to serve a purpose. fgti_keep_release() is called when it is destroyed. The
 * first user allocates the memory, and the last one frees it. No lock is taken. Only the thread that may use
 * the context calls them. Passes in other threads only read the address, which stays while there is a user. A
 * lock would be a danger in a child of fork(), where a thread that no longer exists may hold it. */
fgt_status fgti_keep_hold(fgt_workspace *ws, fgti_purpose purpose);
void       fgti_keep_release(fgt_workspace *ws);
/* Number of kept elements that a workspace of this purpose uses. */
int64_t fgti_keep_size(const fgt_model *m, fgti_purpose purpose);

#endif
