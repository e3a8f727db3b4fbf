/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_TASKS_H
#define FIGHTER_TASKS_H

/** @file tasks.h
 *  Includes the headers of the library fighter-tasks and declares nothing itself. This library is built on
 *  the library fighter, whose headers fighter.h includes.
 *
 *    forecast.h     fgt_forecaster, a model for series in tables (table.h)
 *    classify.h     fgt_classifier, a model for texts (text.h) and images (image.h)
 *    scaler.h       standardises series; windows.h cuts samples from series
 *    time.h         time stamps, and lists of special days
 *
 *  The headers in <fighter/experimental/> are included one by one. They may change or disappear with any
 *  release:
 *    local.h        forecasts many series, or short ones, without training; series.h: the series of a table
 *    search.h       chooses the options of a forecaster for a table
 *    graph_data.h   graphs from files and from series
 *    evaluate.h     measures of forecasts
 *    options.h      the options of forecasters and classifiers as data; defaults.h: their defaults
 *    ensemble.h     several forecasters or classifiers as one
 *    labels.h       classifiers of texts with several labels; small.h: small files of classifiers
 *    exact.h        predictions with the bits of the model
 *    absent.h       series that a table lacks, or that end before the others
 *    pretrain.h     pre-training on hidden parts of samples
 *    table_file.h, corpus_file.h   tables and texts that are larger than memory; arrow.h: Arrow arrays
 *    report.h       a page that shows what a model sees
 *    vit.h          models of images */

#include <fighter/classify.h>
#include <fighter/forecast.h>
#include <fighter/image.h>
#include <fighter/scaler.h>
#include <fighter/table.h>
#include <fighter/text.h>
#include <fighter/time.h>
#include <fighter/windows.h>

#endif
