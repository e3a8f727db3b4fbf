/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_KEYS_H
#define FGTI_MODEL_KEYS_H

/* A model file is a safetensors file: the parameters under their names, "<layer>.graph..." for fixed
 * graphs, and in the metadata, L the layer's number,
 *     fighter.format       1, or 2 if layers read others than the one before, share parameters or are along
 *                          the nodes
 *     fighter.model        batch=32 time=96 features=7
 *     fighter.seed         1
 *     fighter.layers       6
 *     fighter.layer.L.type, fighter.layer.L.name, fighter.layer.L.opts
 *     fighter.layer.L.from    0 -1    numbers of the layers that it reads, masks last; -1: the model's input.
 *                                     Absent if it reads the layer before
 *     fighter.layer.L.shares  2       the layer whose parameters it shares, if any
 *     fighter.layer.L.axis    nodes   absent if it is along time
 *     fighter.frozen       see frozen.c
 *     fighter.adapter      rank=8 alpha=16: of the active adapter; absent without one. Its parameters are
 *                          beside the layers' parameters
 *     fighter.adapter.name, fighter.adapter.seed
 *     fighter.adapter.adapted ["0.weight"], fighter.adapter.whole ["head.bias"]
 *                          the layers' parameters that the adapter adapts, and the parameters that it
 *                          trains as a whole, each in order; absent if the list is empty */
#define FGTI_FILE_CHAIN  "1"
#define FGTI_FILE_EDGES  "2"
#define FGTI_FILE_SEED   "fighter.seed"
#define FGTI_FILE_LAYER   "fighter.layer." /* the layer's number follows */
#define FGTI_FILE_AXIS    ".axis"          /* only for a layer along the nodes */
#define FGTI_FILE_NODES  "nodes"
#define FGTI_FILE_FROZEN  "fighter.frozen"
#define FGTI_FILE_ADAPTER "fighter.adapter"
#define FGTI_FILE_ADAPTED FGTI_FILE_ADAPTER ".adapted"
#define FGTI_FILE_WHOLE   FGTI_FILE_ADAPTER ".whole"

#endif
