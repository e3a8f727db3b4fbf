/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/route.h"

/* Where A is stored: */
#define NONE     FGTI_MATRICES_NONE
#define KEPT     FGTI_MATRICES_KEPT
#define HELD     FGTI_MATRICES_HELD
#define STREAMED FGTI_MATRICES_STREAMED
/* the products of a pass: */
#define GEMM   "gemm"
#define PANELS "gemm; the microkernel on panels for A"
#define PACKED "the microkernel on packed weights, and on panels for A"
#define EDGES  "gemm for the weights; BLIS has no products with sparse matrices"
#define LOOPS  "own loops, which pack nothing"
#define CHUNKS "own loops on chunks, or gemm with products \"blis\""
#define TRANSFORMS "gemm for the weights; Fourier transforms, or gemm where they cost more"

/* How to read the table. The conditions of a class are read from the top, and the first condition that holds
 * decides. Sizes are the planned sizes. Letters: G groups, R rows, T tokens, D inputs, H outputs, A heads, F
 * features of the feed-forward block, n queries that are selected to attend, r rounds of hashing, E edges.
 * Memory is counted in elements that are kept from forward to backward, besides x, y and the weights; "a
 * worker" means the arena of each worker. "kept" means the mode FGT_ATTN_MODE_KEEP, or by default heads wider
 * than 64 with T T up to 2^22. */
/* clang-format off */
const fgti_route_info fgti_routes[FGTI_ROUTES] = {
    [FGTI_ROUTE_ONLY] = {"only", NONE, true,
        "the class has one algorithm", "see the class", GEMM},

    [FGTI_ROUTE_FIGHTER_AFFINE] = {"affine", NONE, true,
        "kappa = 1: the output does not depend on A, which is computed only when asked for", "R H", GEMM},
    [FGTI_ROUTE_FIGHTER_EDGES] = {"over outputs, edges", NONE, false,
        "a graph", "G A E, R (2 attn + kappa H)", EDGES},
    [FGTI_ROUTE_FIGHTER_ATTENDER] = {"over outputs, attender", NONE, true,
        "an attender", "what the attender keeps, R (2 attn + 2 kappa H)", GEMM},
    [FGTI_ROUTE_FIGHTER_INPUTS_KEPT] = {"over inputs, kept", KEPT, true,
        "A D < H, kept", "2 G A T T, kappa A R D", PANELS},
    [FGTI_ROUTE_FIGHTER_INPUTS_HELD] = {"over inputs, held", HELD, true,
        "A D < H, kappa > 2, T T up to 2^16", "kappa A R D; T T a worker", PANELS},
    [FGTI_ROUTE_FIGHTER_INPUTS_STREAMED] = {"over inputs, streamed", STREAMED, true,
        "A D < H", "kappa A R D", PANELS},
    [FGTI_ROUTE_FIGHTER_OUTPUTS_KEPT] = {"over outputs, kept", KEPT, true,
        "kept", "2 G A T T, R (2 attn + 2 kappa H)", PANELS},
    [FGTI_ROUTE_FIGHTER_SHORT] = {"short", NONE, false,
        "products \"auto\", T up to 1024 (Zen 4: 2048), weights up to 2^19",
        "R (2 attn + kappa H); 2 T T a worker", LOOPS},
    [FGTI_ROUTE_FIGHTER_OUTPUTS_HELD] = {"over outputs, held", HELD, true,
        "kappa > 2, T T up to 2^16", "R (2 attn + 2 kappa H); T T a worker", PANELS},
    [FGTI_ROUTE_FIGHTER_OUTPUTS_STREAMED] = {"over outputs, streamed", STREAMED, true,
        "all others", "R (2 attn + 2 kappa H)", PANELS},

    [FGTI_ROUTE_ATTENTION_EDGES] = {"edges", NONE, false,
        "a graph", "G A E, 4 R D", EDGES},
    [FGTI_ROUTE_ATTENTION_PROB] = {"selected queries", NONE, true,
        "attender \"prob\"", "G A n T, 4 R D", GEMM},
    [FGTI_ROUTE_ATTENTION_CORRELATION] = {"delays", NONE, true,
        "attender \"correlation\"", "4 R D, G T; 6 T to 24 T a worker", TRANSFORMS},
    [FGTI_ROUTE_ATTENTION_LSH] = {"hashed keys", NONE, true,
        "attender \"lsh\"", "r G A T, 3 R D; T D/A + r T a worker", CHUNKS},
    [FGTI_ROUTE_ATTENTION_KEPT] = {"kept", KEPT, true,
        "kept", "2 G A T T, 4 R D", PANELS},
    [FGTI_ROUTE_ATTENTION_STREAMED] = {"streamed", STREAMED, true,
        "all others", "4 R D", PANELS},

    [FGTI_ROUTE_TRANSFORMER_BLOCKS_KEPT] = {"blocks of rows, kept", KEPT, true,
        "3 D D and D F up to 2^18, kept", "2 G A T T, R (7 D + 2 F)", PACKED},
    [FGTI_ROUTE_TRANSFORMER_BLOCKS_STREAMED] = {"blocks of rows, streamed", STREAMED, true,
        "3 D D and D F up to 2^18", "R (7 D + 2 F)", PACKED},
    [FGTI_ROUTE_TRANSFORMER_STEPS_KEPT] = {"step by step, kept", KEPT, true,
        "kept", "2 G A T T, R (7 D + 2 F)", PANELS},
    [FGTI_ROUTE_TRANSFORMER_STEPS_STREAMED] = {"step by step, streamed", STREAMED, true,
        "all others", "R (7 D + 2 F)", PANELS},

    [FGTI_ROUTE_GCN_OUTPUTS_DENSE] = {"over outputs, dense", NONE, true,
        "dense graph, H <= D (plain: H < D)", "kappa R H", GEMM},
    [FGTI_ROUTE_GCN_OUTPUTS_EDGES] = {"over outputs, edges", NONE, false,
        "sparse graph, H <= D (plain: H < D)", "kappa R H", EDGES},
    [FGTI_ROUTE_GCN_INPUTS_DENSE] = {"over inputs, dense", NONE, true,
        "dense graph", "R H + kappa R D", GEMM},
    [FGTI_ROUTE_GCN_INPUTS_EDGES] = {"over inputs, edges", NONE, false,
        "sparse graph", "R H + kappa R D", EDGES},
};
