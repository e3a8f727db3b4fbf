/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_MEMBERS_H
#define PROGRAMS_FORECAST_MEMBERS_H

/* Trains the models of --members. */

#include "run.h"

/* Trains all models of --members, each after its pre-training; r->forecaster becomes their mean. */
bool members_run(run *r);

#endif
