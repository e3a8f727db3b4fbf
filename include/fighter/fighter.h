/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_FIGHTER_H
#define FIGHTER_FIGHTER_H

/** @file fighter.h
 *  Includes the headers of the library fighter and declares nothing itself. Forecasters and classifiers,
 *  tables, texts and images are in the library fighter-tasks, whose headers tasks.h includes.
 *
 *  A host that trains a model of its own needs these calls first:
 *
 *      fgt_context_create()      memory, threads and errors of all that follows       base.h
 *      fgt_model_create()        an empty model for inputs of a given size            model.h
 *      fgt_model_add()           one layer after another: fgt_lstm(), fgt_linear()    model.h, nn.h,
 *                                attention.h, graph.h, recurrent.h
 *      fgt_optim_create()        how the weights are updated                          train.h
 *      fgt_forward()             a batch through the model                            model.h
 *      fgt_loss_compute()        how wrong its output is, and the gradient            train.h
 *      fgt_backward()            the gradients of all parameters                      model.h
 *      fgt_step()                one update                                           train.h
 *      fgt_model_save(), fgt_model_load()   the model as a file                       model.h
 *
 *  fgt_predict() then uses the model. fgt_model_fit() is the loop over epochs, with validation and early
 *  stopping. The other headers:
 *    blocks.h       named stacks of layers
 *    attent.h       selects the samples that are worth a training step
 *    analysis.h     attention in numbers and as graphs
 *    predictor.h    a finished model that only predicts
 *
 *  The headers in <fighter/experimental/> are included one by one. They may change or disappear with any
 *  release:
 *    layer.h        layers that the host writes itself
 *    vision.h       layers for images, and for models that read some of the patches
 *    adapter.h      trains a small part of a model for another task
 *    collective.h   several processes train one model together; mpi.h: over MPI
 *    hops.h         the hops of a Fighter layer, and the importance of tokens
 *    arrays.h       samples that are in memory as arrays
 *    ntk.h, sensitivity.h   tangent kernels, and how the output depends on the input */

#include <fighter/analysis.h>
#include <fighter/attent.h>
#include <fighter/attention.h>
#include <fighter/base.h>
#include <fighter/blocks.h>
#include <fighter/graph.h>
#include <fighter/model.h>
#include <fighter/nn.h>
#include <fighter/predictor.h>
#include <fighter/recurrent.h>
#include <fighter/train.h>

#endif
