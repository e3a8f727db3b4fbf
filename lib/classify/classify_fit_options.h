/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of fgt_classifier_fit_opts. The columns are the columns of classify_options.h without `trait`.
 * The checks (classify_fit.c) and the public table (classify_options.c) are made from these rows. Defaults
 * that differ between texts and images are in classify_fit.c. PASSED: the training loop checks the option. */

OPTION(epochs, training.epochs, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, "epochs", "N",
       "at most; default: as many as make 750 steps, but 2 to 20; images 30")
OPTION(patience, training.patience, I64, -1, FGTI_OPT_SIZE_MAX, 0, NULL, "patience", "N",
       "stop after N epochs without progress; -1: never; default: 2 or,\n"
       "without --epochs, half of the epochs if that is more; images -1")
OPTION(batch, training.batch, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, "batch", "N",
       "texts in a step; default: 32, images 64")
PASSED(lr, training.lr, F64, 1e-12, 1e3, 2e-3, NULL, "lr", "F",
       "first learning rate, which falls to 0; default: 0.002")
SWITCHED(balance, balance, F64, 0, 1, 0, NULL, "balance", "B",
         "a class with fewer than B times the samples of the largest is\n"
         "predicted as if it had so many; 1: all classes count alike; default:\n"
         "texts 0.1, images 0")
SWITCHED(label_smoothing, label_smoothing, F32, 0, 0.99, 0.1, NULL, "label-smoothing", "F", "default: 0.1")
SWITCHED(shift, shift, I64, 0, FGTI_SIDE_MAX, 0, NULL, "shift", "N",
         "in training move each image by up to N pixels, anew in each epoch;\n"
         "default: the 14th part of the shorter side")
OPTION(flip, flip, BOOL, 0, 1, 0, NULL, "flip", NULL, "in training mirror images left to right at random")
SWITCHED(weight_decay, training.weight_decay, F64, 0, 1e6, 0, NULL, NULL, NULL, NULL)
SWITCHED(warmup, training.warmup, F64, 0, 0.9, 0, NULL, NULL, NULL, NULL)
