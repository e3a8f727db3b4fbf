/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_FIGHTER_H
#define FIGHTER_FIGHTER_H

/** @file fighter.h
 *  Umbrella: declares nothing itself. */

#include <fighter/attent.h>
#include <fighter/base.h>
#include <fighter/classify.h>
#include <fighter/data.h>
#include <fighter/forecast.h>
#include <fighter/layer.h>
#include <fighter/model.h>
#include <fighter/nn.h>
#include <fighter/ntk.h>
#include <fighter/text.h>
#include <fighter/train.h>

#endif
