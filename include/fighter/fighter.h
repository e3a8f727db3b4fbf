/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_FIGHTER_H
#define FIGHTER_FIGHTER_H

/** @file fighter.h
 *  Includes all other headers of this folder and declares nothing itself.
 *
 *  A host that trains a model of its own needs these calls first:
 *
 *      fgt_context_create()      memory, threads and errors of all that follows       base.h
 *      fgt_model_create()        an empty model for inputs of a given size            model.h
 *      fgt_model_add()           one layer after another: fgt_lstm(), fgt_linear()    model.h, nn.h,
 *                                attention.h, graph.h, recurrent.h, vision.h
 *      fgt_optim_create()        how the weights are updated                          train.h
 *      fgt_forward()             a batch through the model                            model.h
 *      fgt_loss_compute()        how wrong its output is, and the gradient            train.h
 *      fgt_backward()            the gradients of all parameters                      model.h
 *      fgt_step()                one update                                           train.h
 *      fgt_model_save(), fgt_model_load()   the model as a file                       model.h
 *
 *  fgt_predict() then uses the model. fgt_model_fit() is the loop over epochs, with validation and early
 *  stopping. The other headers:
 *    forecast.h     fgt_forecaster, a model for series in tables (table.h)
 *    local.h        forecasts many series, or short ones, without training
 *    classify.h     fgt_classifier, a model for texts (text.h) and images (image.h)
 *    scaler.h       standardises series; windows.h cuts samples from them
 *    time.h         time stamps, and lists of special days
 *    graph_data.h   graphs from files and from series
 *    blocks.h       the blocks of forecasters and classifiers
 *    attent.h       selects the samples that are worth a training step
 *    analysis.h     attention in numbers and as graphs
 *    predictor.h    a finished model that only predicts
 *
 *  The headers in <fighter/experimental/> are included one by one. They may change or disappear with any
 *  release:
 *    search.h       finds a forecaster by itself
 *    evaluate.h     measures of forecasts
 *    table_file.h, corpus_file.h   tables and texts that are larger than memory; arrow.h: Arrow arrays
 *    report.h       a page that shows what a model sees
 *    layer.h        layers of the host's own
 *    adapter.h      trains a small part of a model for another task
 *    vit.h          models of images
 *    collective.h   several processes train one model together; mpi.h: over MPI
 *    ntk.h, sensitivity.h   tangent kernels, and how the output depends on the input */

#include <fighter/analysis.h>
#include <fighter/attent.h>
#include <fighter/attention.h>
#include <fighter/base.h>
#include <fighter/blocks.h>
#include <fighter/classify.h>
#include <fighter/forecast.h>
#include <fighter/graph.h>
#include <fighter/graph_data.h>
#include <fighter/image.h>
#include <fighter/local.h>
#include <fighter/model.h>
#include <fighter/nn.h>
#include <fighter/predictor.h>
#include <fighter/recurrent.h>
#include <fighter/scaler.h>
#include <fighter/table.h>
#include <fighter/text.h>
#include <fighter/time.h>
#include <fighter/train.h>
#include <fighter/vision.h>
#include <fighter/windows.h>

#endif
