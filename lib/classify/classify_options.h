/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of fgt_classifier_opts. A file that includes this one defines the macros first. Checks and
 * defaults (classify_recipe.c) and the public table (classify_options.c) are made from these rows. Programs
 * take their options from the public table.
 *
 *     OPTION(name, field, kind, min, max, standard, words, trait, word, value, help)
 *         name      name in error texts
 *         kind      I64, F32, BOOL, WORD, BLOCK
 *         standard  value that replaces 0; 0: no such value, or a function chooses it
 *         words     the words of an option of kind WORD; otherwise NULL
 *         trait     the trait of blocks that read the option, without FGT_BLOCK_; ANY: all blocks read it
 *         word      name of the option in the programs; NULL: programs do not have it
 *     PASSED(...)   an OPTION that layers check
 *     SWITCHED(...) an OPTION that a negative number switches off */

PASSED(block, block.kind, BLOCK, 0, 0, 0, NULL, ANY, "model", "NAME", "")
OPTION(hops, block.hops, I64, 1, 64, 3, NULL, HOPS, "hops", "K", "hops of every layer; default: 3")
OPTION(dim, dim, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, ANY, "dim", "D",
       "width of a token; default: 64, but 32 for fighter and texts of up to\n4 classes")
PASSED(heads, block.heads, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, HEADS, "heads", "H",
       "attention heads; default: 4")
OPTION(act, block.act, WORD, 0, FGTI_ACT_COUNT - 1, 0, fgti_act_words, ACT, "act", "NAME",
       "the activation of each layer, the last one too: relu, gelu, none ...; default: auto, gelu of each "
       "layer but the last")
OPTION(diag_mask, block.diag_mask, BOOL, 0, 1, 0, NULL, DIAG, "diag-mask", NULL, "no token reads itself")
OPTION(diag_penalty, block.diag_penalty, F32, -1e30, 1e30, 0, NULL, DIAG, "diag-penalty", "F",
       "added to what a token's score for itself is; below 0, such as -0.1, it reads less of itself")
OPTION(diag_dropout, block.diag_dropout, F32, 0, 0.999, 0, NULL, DIAG, "diag-dropout", "P",
       "in training a token does not read itself with this probability, such as 0.2")
PASSED(layers, block.layers, I64, 1, 64, 0, NULL, ANY, "layers", "L", "default: 1, images 4")
OPTION(tokens, tokens, I64, 1, FGTI_OPT_SIZE_MAX, 64, NULL, ANY, "max-tokens", "N",
       "ids of a text that the model reads; default: 64")
SWITCHED(dropout, block.dropout, F32, 0, 0.95, 0.6, NULL, ANY, "dropout", "P",
         "in training; default: 0.6, images 0.1")
OPTION(init, init, F32, 1e-6, 10, 0, NULL, ANY, "init", "F",
       "standard deviation of the first embeddings; default: 0.03,\nwith --pretrain 0.06")
OPTION(pretrain, pretrain, I64, 0, 1000, 0, NULL, ANY, "pretrain", "N",
       "compute first embeddings from the texts without their classes, in\n"
       "N passes; 3 are enough; default: 0, random ones")
OPTION(batch, batch, I64, 1, FGTI_OPT_SIZE_MAX, 32, NULL, ANY, NULL, NULL, NULL)
