/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_DATA_ONE_CSV_FILE_H
#define TESTS_DATA_ONE_CSV_FILE_H

/* For tests of one CSV file: the table that it gives, or the sentence that refuses it. */

#include "small_files.h"

static inline void expect_table(const char *text, const fgt_csv_opts opts, const char *want)
{
    fgt_table *t = load_text(text, &opts);
    assert_string_equal(table_of(t), want);
    fgt_table_destroy(&t);
}

static inline void expect_refused(const char *text, const fgt_csv_opts opts, fgt_status status,
                                  const char *sentence)
{
    fgt_table *t;
    expect_status(fgt_table_load(&context, put_text("t.csv", text), &opts, &t), status);
    assert_null(t);
    expect_sentence(sentence);
}

#endif
