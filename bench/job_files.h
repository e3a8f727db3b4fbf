/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_JOB_FILES_H
#define FIGHTER_JOB_FILES_H

#include <stdio.h>

/* Artificial data for whole jobs, always the same bytes. The caller checks f for errors. */
void job_write_stores(FILE *f);        /* store,date,sales: 200 stores, three years of days without the last
                                        * 28 */
void job_write_stores_truth(FILE *f);  /* the last 28 days */
void job_write_monthly(FILE *f);       /* series,month,value: 1,000 series of 36 to 135 months */
void job_write_monthly_truth(FILE *f); /* the next 12 months */
void job_write_spam(FILE *f);          /* label,text: 5,574 short messages, every eighth of them spam */
void job_write_spam_test(FILE *f);     /* the same number of other messages */
void job_write_texts(FILE *f);         /* text: a million further messages */
void job_write_minutes(FILE *f);       /* time and 7 columns, 1,000,099 rows */
void job_write_wide(FILE *f);          /* time and 64 columns, about 10 GB */

#endif
