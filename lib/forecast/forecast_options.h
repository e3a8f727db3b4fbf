/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of fgt_forecaster_opts. A file that includes this one defines the macros first, and takes from
 * each row the columns that it needs. Four files do so: checks and defaults (build/recipe.c), the model file
 * (forecast_file.c), the search (search/search_list.c), and the public table (forecast_options.c), from which
 * programs take their options.
 *
 *     OPTION(name, field, kind, min, max, standard, words, trait, search, word, value, help)
 *         name      name in error texts and files
 *         field     field of fgt_forecaster_opts
 *         kind      I64, F32, BOOL, WORD, BLOCK
 *         standard  value that replaces 0; 0: no such value, or a function chooses it
 *         words     the words of an option of kind WORD; otherwise NULL
 *         trait     the trait of blocks that read the option, without FGT_BLOCK_; ANY: all blocks read it
 *         search    BINDS: if the host sets the option, a search keeps block and tokens, and its linear parts
 *                   do not get the option; FREE: any other option
 *         word      name of the option in the programs; NULL: programs do not have it
 *     KEPT(...)     an OPTION that fgt_forecaster_info and the model file also have, under this name
 *     PASSED(...)   an OPTION that layers check
 *     SWITCHED(...) an OPTION that a negative number switches off
 *     FACT(...)     name, field, kind, min, max: a number of fgt_forecaster_info that the file has
 *
 * The model file has KEPT and FACT in this order. */

PASSED(block, block.kind, BLOCK, 0, 0, 0, NULL, ANY, FREE, "model", "NAME", "")
KEPT(input_len, input_len, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, ANY, FREE, "input", "L",
     "rows of input; default: 30 periods of the step, 96 to\n"
     "720, less for short files; with known columns 14, up to 336")
OPTION(layer_len, tokens.layer_len, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, ANY, FREE, "layer-input", "ROWS",
       "of the input, at its end, that the layers read; a linear map\n"
       "reads all; default: 336, or L")
KEPT(pred_len, pred_len, I64, 1, FGTI_OPT_SIZE_MAX, 96, NULL, ANY, FREE, "pred", "H",
     "rows to forecast; default: 12 months, 8 weeks, 14 days, 48 hours, as\n"
     "the rows are; otherwise 96, in short files less")
KEPT(tokens, tokens.kind, WORD, 0, FGTI_TOKENS_COUNT - 1, 0, token_words, ANY, FREE, "tokens", "WHAT",
     "patch: pieces of one series (default); time: time steps, as in the paper; variate: whole series, not "
     "for")
PASSED(heads, block.heads, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, HEADS, FREE, "heads", "N",
       "attention heads; default: 4")
PASSED(ff, block.ff, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, FF, FREE, "ff", "N",
       "width of the feed-forward block; default: 4 times --dim")
OPTION(act, block.act, WORD, 0, FGTI_ACT_COUNT - 1, 0, fgti_act_words, ACT, FREE, "act", "NAME",
       "the activation of each layer, the last one too: relu, gelu, none ...; default: auto, gelu of each "
       "layer but the last")
OPTION(diag_mask, block.diag_mask, BOOL, 0, 1, 0, NULL, DIAG, FREE, "diag-mask", NULL,
       "no token reads itself")
OPTION(diag_penalty, block.diag_penalty, F32, -1e30, 1e30, 0, NULL, DIAG, FREE, "diag-penalty", "F",
       "added to what a token's score for itself is; below 0, such as -0.1, it reads less of itself")
OPTION(diag_dropout, block.diag_dropout, F32, 0, 0.999, 0, NULL, DIAG, FREE, "diag-dropout", "P",
       "in training a token does not read itself with this probability, such as 0.2")
OPTION(dim, tokens.dim, I64, 1, FGTI_OPT_SIZE_MAX, 32, NULL, ANY, FREE, "dim", "N",
       "width of a token, and of recurrent layers; default: 32")
PASSED(layers, block.layers, I64, 1, 64, 0, NULL, ANY, FREE, "layers", "N",
       "default: as many as --hops has numbers")
OPTION(decoder, output.decoder, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, DECODER, BINDS, "decoder", "N",
       "layers of a decoder, which gives all rows of the forecast in one pass; with --tokens time")
OPTION(patch, tokens.patch, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, ANY, FREE, "patch", "ROWS",
       "in a patch; default: a quarter of the rows that the layers\nread, at least 24")
OPTION(stride, tokens.stride, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, ANY, FREE, "stride", "ROWS",
       "from one patch to the next; default: half a patch")
OPTION(positions, tokens.positions, WORD, 0, FGT_FORECAST_POSITIONS_TAPE, 0, position_words, TOKENS, BINDS,
       "places", "HOW",
       "how patches and time steps are told their places in the window:\n"
       "learned, sinusoidal, tape (sinusoidal, for short windows), none;\n"
       "auto (default): learned for patches, sinusoidal for time steps")
OPTION(no_residual, block.no_residual, BOOL, 0, 1, 0, NULL, ANY, FREE, "no-residual", NULL,
       "--model attention: without the path around each layer")
OPTION(post_norm, block.post_norm, BOOL, 0, 1, 0, NULL, ANY, FREE, "post-norm", NULL,
       "--model attention and gcn, also between series: a LayerNorm after\n"
       "each layer and its residual path; attention then has none before it")
OPTION(learned, space.learned, I64, 1, FGTI_OPT_SIZE_MAX, 0, NULL, LEARNED, BINDS, "learned", "N",
       "a learned graph has 2 N numbers for each series; with --graph FILE\n"
       "it stands beside that graph; default: 10 with --graph learn")
OPTION(space, space.kind, WORD, 0, FGT_FORECAST_SPACE_THEN, 0, space_words, TOKENS, BINDS, "space", "WHERE",
       "where series read each other: and: after each layer (time and\n"
       "space), then: after all layers, none; default: and with --graph,\n"
       "else none. For patches and variates")
PASSED(space.block, space.block, BLOCK, 0, 0, 0, NULL, ANY, FREE, "space-model", "NAME",
       "layers between the series; default: gcn with --graph, else fighter;")
OPTION(space.hops, space.hops, I64, 1, 64, 0, NULL, ANY, FREE, "space-hops", "K",
       "hops of --space-model gcn and fighter; default: 2")
OPTION(diffusion, space.diffusion, BOOL, 0, 1, 0, NULL, ANY, FREE, NULL, NULL, NULL)
KEPT(revin, tokens.revin, BOOL, 0, 1, 0, NULL, ANY, FREE, "revin", NULL,
     "reversible instance normalisation around the model")
FACT(past, past, I64, 0, FGTI_OPT_SIZE_MAX)
FACT(known, known, I64, 0, FGTI_OPT_SIZE_MAX)
FACT(calendar, calendar, ENUM, 0, FGTI_CALENDAR_ALL)
FACT(statics, statics, I64, 0, FGTI_OPT_SIZE_MAX)
FACT(holidays, holidays, I64, 0, FGTI_HOLIDAYS_MOST)
KEPT(mask, inputs.mask, BOOL, 0, 1, 0, NULL, ANY, FREE, "mask-channel", NULL,
     "tell the model which values of its input were missing and filled")
FACT(milliseconds, step.milliseconds, I64, 0, STEP_MAX)
FACT(months, step.months, I64, 0, 120000)
FACT(weekdays, step.weekdays, ENUM, 0, 126)
FACT(day_rows, step.day_rows, ENUM, 0, FGTI_DAY)
FACT(day_begin, step.day_begin, I64, 0, FGTI_DAY)
FACT(seen_rows, seen_rows, I64, 0, FGTI_OPT_SIZE_MAX)
FACT(seen_first, seen_first, I64, -STEP_MAX, STEP_MAX)
FACT(seen_last, seen_last, I64, -STEP_MAX, STEP_MAX)
FACT(trained_last, trained_last, I64, -STEP_MAX, STEP_MAX)
KEPT(identity, tokens.identity, BOOL, 0, 1, 0, NULL, TOKENS, BINDS, "identity", NULL,
     "each series has a learned vector, and so has each time of the day\n"
     "and each day of the week; for patches and variates")
FACT(cycles, cycles, ENUM, 0, FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK)
OPTION(known_channel, tokens.known_channel, BOOL, 0, 1, 0, NULL, TOKENS, BINDS, "known-channel", NULL,
       "tell each patch what is known of its rows, as the time of the day\n"
       "with --calendar day, in place of an effect of it on the series")
OPTION(shared_scale, inputs.shared_scale, BOOL, 0, 1, 0, NULL, ANY, FREE, "shared-scale", NULL,
       "standardise all targets alike: they have one unit, in which errors\n"
       "are then reported, too")
KEPT(blind, inputs.blind, BOOL, 0, 1, 0, NULL, ANY, FREE, "blind", NULL,
     "a series without a value in the window is forecast, trained on and\n"
     "compared all the same")
OPTION(no_linear, output.no_linear, BOOL, 0, 1, 0, NULL, ANY, FREE, "no-linear", NULL,
       "without the linear map in closed form that stands beside the\n"
       "layers; --model linear is then trained in steps, too")
OPTION(no_profile, tokens.no_profile, BOOL, 0, 1, 0, NULL, ANY, FREE, "no-profile", NULL,
       "do not tell patches and variates the course that their series\n"
       "usually takes, by what is known of the rows")
SWITCHED(dropout, block.dropout, F32, 0, 0.95, 0.2, NULL, ANY, FREE, "dropout", "P",
         "in training; default: 0.2")
OPTION(batch, batch, I64, 1, FGTI_OPT_SIZE_MAX, 32, NULL, ANY, FREE, NULL, NULL, NULL)
KEPT(non_negative, output.non_negative, BOOL, 0, 1, 0, NULL, ANY, FREE, "non-negative", NULL,
     "the targets cannot be below 0, so no forecast is")
FACT(linear, linear, BOOL, 0, 1)
OPTION(target_count, inputs.target_count, I64, 0, FGTI_OPT_SIZE_MAX, 0, NULL, ANY, FREE, NULL, NULL, NULL)
OPTION(past_count, inputs.past_count, I64, 0, FGTI_OPT_SIZE_MAX, 0, NULL, ANY, FREE, NULL, NULL, NULL)
OPTION(known_count, inputs.known_count, I64, 0, FGTI_OPT_SIZE_MAX, 0, NULL, ANY, FREE, NULL, NULL, NULL)
OPTION(quantile_count, output.quantile_count, I64, 0, FGT_QUANTILES_MAX, 0, NULL, ANY, FREE, NULL, NULL, NULL)
