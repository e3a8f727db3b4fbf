/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_FIGHTER_H
#define FIGHTER_FIGHTER_H

/** @file fighter.h
 *  All of fighter: includes the other headers and declares nothing itself.
 *
 *  A host that trains a model of its own needs these calls first; the other headers are for what goes beyond
 *  them:
 *
 *      fgt_context_create()      memory, threads and errors of all that follows       base.h
 *      fgt_model_create()        an empty model for inputs of a given size            model.h
 *      fgt_model_add()           one layer after another: fgt_lstm(), fgt_linear()    model.h, nn.h,
 *                                attention.h, graph.h, recurrent.h, vision.h
 *      fgt_optim_create()        how the weights are updated                          train.h
 *      fgt_forward()             a batch through the model                            model.h
 *      fgt_loss_compute()        how wrong it is, and the gradient of that            train.h
 *      fgt_backward()            the gradients of all parameters                      model.h
 *      fgt_step()                one update                                           train.h
 *      fgt_model_save(), fgt_model_load()   the model as a file                       model.h
 *
 *  fgt_predict() then uses it. fgt_model_fit() is the loop over epochs, with validation and early stopping.
 *  On top of that, fgt_forecaster (forecast.h) is for series in tables and fgt_classifier (classify.h) for
 *  texts and images; data.h, text.h and image.h prepare their data. vit.h has models of images.
 *  table_file.h and corpus_file.h are for tables and texts that are larger than memory. search.h finds a
 *  forecaster by itself. local.h forecasts many series, or short ones, without training. attent.h selects
 *  the samples that are worth a training step. blocks.h adds the blocks that those two are made of, layer.h
 *  is for layers of the host's own. analysis.h says what attention does in numbers and as graphs; report.h
 *  writes a page that shows it. predictor.h makes a finished model ready for predictions alone. adapter.h
 *  trains a small part of one for another task. collective.h lets several processes train one model
 *  together.
 *
 *  Experimental, without a promise that the next release has them: ntk.h, sensitivity.h. */

#include <fighter/adapter.h>
#include <fighter/analysis.h>
#include <fighter/arrow.h>
#include <fighter/attent.h>
#include <fighter/attention.h>
#include <fighter/base.h>
#include <fighter/blocks.h>
#include <fighter/classify.h>
#include <fighter/collective.h>
#include <fighter/corpus_file.h>
#include <fighter/data.h>
#include <fighter/days.h>
#include <fighter/evaluate.h>
#include <fighter/forecast.h>
#include <fighter/graph.h>
#include <fighter/image.h>
#include <fighter/layer.h>
#include <fighter/local.h>
#include <fighter/model.h>
#include <fighter/nn.h>
#include <fighter/ntk.h>
#include <fighter/predictor.h>
#include <fighter/recurrent.h>
#include <fighter/report.h>
#include <fighter/search.h>
#include <fighter/sensitivity.h>
#include <fighter/table_file.h>
#include <fighter/text.h>
#include <fighter/time.h>
#include <fighter/train.h>
#include <fighter/vision.h>
#include <fighter/vit.h>

#endif
