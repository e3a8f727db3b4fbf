/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of labels: how they are read together, and how further times are written. */
#include <fighter/time.h>

#include "../one_context.h"
#include "data/time/time_labels.h"

enum { MOST = 6 };

static fgti_strings list(const char *const *labels)
{
    fgti_strings s = {0};
    for (int i = 0; i < MOST && labels[i]; i++)
        OK(fgti_strings_add(ctx, &s, labels[i], (int64_t)strlen(labels[i])));
    return s;
}

/* Each column is written as it came, and the time that follows its last one in the same form. */
static void test_forms(void **state)
{
    (void)state;
    static const struct {
        const char *label[MOST];
        int32_t     form;
        const char *time, *next;
    } cases[] = {
        {{"2012-01-01", "2012-02-01"}, 0, "2012-03-01", "2012-03-01"},
        {{"2016-7-1 9:00", "2016-7-1 10:00"}, 0, "2016-07-02 01:00", "2016-7-2 1:00"},
        {{"01/02/2016 9:00", "13/02/2016 10:00"}, 0, "2016-03-02 01:00", "02/03/2016 1:00"},
        {{"1.7.2016", "2.7.2016"}, 0, "2016-10-03", "3.10.2016"},
        {{"1/13/2016 1:00 PM"}, 0, "2016-01-13 00:30", "1/13/2016 12:30 AM"},
        {{"1/13/2016 1:00 p.m."}, 0, "2016-01-13 11:30", "1/13/2016 11:30 a.m."},
        {{"02/01/23", "03/01/23"}, FGT_TIME_FORM_DMY, "2023-01-04", "04/01/23"},
        {{"Jan 2012", "Dec 2012"}, 0, "2013-02-01", "Feb 2013"},
        {{"May 2012", "June 2012"}, 0, "2012-09-01", "September 2012"},
        {{"MAY 2012"}, 0, "2012-09-01", "SEP 2012"},
        {{"may-12"}, 0, "2013-02-01", "feb-13"},
        {{"01-Jan-2012"}, 0, "2012-02-01", "01-Feb-2012"},
        {{"1 January 2012"}, 0, "2012-10-11", "11 October 2012"},
        {{"Jan 02, 2023"}, 0, "2023-10-11", "Oct 11, 2023"},
        {{"Mon, 02 Jan 2023"}, 0, "2023-01-03", "Tue, 03 Jan 2023"},
        {{"Monday 2023-01-02"}, 0, "2023-01-04", "Wednesday 2023-01-04"},
        {{"Mon Jan  2 13:00:00 2023", "Tue Jan 10 13:00:00 2023"},
         0,
         "2023-01-03",
         "Tue Jan  3 00:00:00 2023"},
        {{"02/Jan/2023:13:00:00 +0100"}, 0, "2023-01-02 23:30", "03/Jan/2023:00:30:00 +0100"},
        {{"Jan. 2012", "Feb. 2012", "M\xc3\xa4rz 2012"}, 0, "2012-12-01", "Dez. 2012"},
        {{"Jan. 2012", "Feb. 2012", "M\xc3\xa4rz 2012"}, 0, "2013-03-01", "M\xc3\xa4rz 2013"},
        {{"M\xc3\x84RZ 2012", "APRIL 2012"}, 0, "2012-10-01", "OKTOBER 2012"},
        {{"Ma\xcc\x88rz 2012"}, 0, "2012-05-01", "Mai 2012"},
        {{"M\xe4r 2012", "Apr 2012"}, 0, "2013-03-01", "M\xe4r 2013"}, /* in Latin-1 */
        {{"D\xc9"
          "CEMBRE 2012"},
         0,
         "2013-12-01",
         "D\xc9"
         "CEMBRE 2013"},
        {{"M\xc3\xa4r 2012", "Apr 2012"}, 0, "2012-10-01", "Okt 2012"},
        {{"Okt 12", "Nov 12"}, 0, "2013-03-01", "Mrz 13"},
        {{"1. Mai 2012", "2. Mai 2012"}, 0, "2012-10-11", "11. Oktober 2012"},
        {{"2012-M\xc3\xa4rz", "2012-April"}, 0, "2012-12-01", "2012-Dezember"},
        {{"janv. 2012", "f\xc3\xa9vr. 2012", "mars 2012"}, 0, "2012-07-01", "juil. 2012"},
        {{"janv. 2012", "f\xc3\xa9vr. 2012", "mars 2012"}, 0, "2012-06-01", "juin 2012"},
        {{"31 d\xc3\xa9"
          "cembre 2012"},
         0,
         "2013-08-01",
         "01 ao\xc3\xbbt 2013"},
        {{"fevrier 2012"}, 0, "2012-03-01", "mars 2012"},
        {{"ene/2012", "feb/2012", "mar/2012"}, 0, "2012-12-01", "dic/2012"},
        {{"3 de marzo de 2012", "3 de abril de 2012"}, 0, "2012-09-03", "3 de septiembre de 2012"},
        {{"gen 2012", "feb 2012"}, 0, "2012-07-01", "lug 2012"},
        {{"Gennaio 2012", "Febbraio 2012"}, 0, "2012-07-01", "Luglio 2012"},
        {{"jan. 2012", "mrt. 2012"}, 0, "2012-05-01", "mei 2012"},
        {{"maart 2012"}, 0, "2012-08-01", "augustus 2012"},
        {{"mar\xc3\xa7o de 2012", "abril de 2012"}, 0, "2012-12-01", "dezembro de 2012"},
        {{"set/2012", "out/2012"}, 0, "2012-12-01", "dez/2012"},
        {{"2012/01"}, 0, "2012-02-01", "2012/02"},
        {{"01/2012"}, 0, "2012-02-01", "02/2012"},
        {{"2012M01"}, 0, "2012-12-01", "2012M12"},
        {{"2012M1"}, 0, "2012-12-01", "2012M12"},
        {{"2012Q4"}, 0, "2013-01-01", "2013Q1"},
        {{"T4 2012"}, 0, "2013-04-01", "T2 2013"},
        {{"4T12"}, 0, "2013-04-01", "2T13"},
        {{"1er trimestre 2012", "2e trimestre 2012"}, 0, "2013-01-01", "1er trimestre 2013"},
        {{"1er trimestre 2012", "2e trimestre 2012"}, 0, "2013-04-01", "2e trimestre 2013"},
        {{"1. Quartal 2012"}, 0, "2013-04-01", "2. Quartal 2013"},
        {{"III trimestre 2012", "IV trimestre 2012"}, 0, "2013-10-01", "IV trimestre 2013"},
        {{"III trimestre 2012"}, 0, "2013-04-01", "2 trimestre 2013"},
        {{"KW 52/2020", "KW 53/2020"}, 0, "2021-01-11", "KW 02/2021"},
        {{"KW 9/2020", "KW 10/2020"}, 0, "2021-01-11", "KW 2/2021"},
        {{"9. KW 2020", "10. KW 2020"}, 0, "2021-01-11", "2. KW 2021"},
        {{"2020 week 9"}, 0, "2021-01-11", "2021 week 2"},
        {{"Q4 2012"}, 0, "2013-04-01", "Q2 2013"},
        {{"2020-W52", "2020-W53"}, 0, "2021-01-04", "2021-W01"},
        {{"W9 2017", "W10 2017"}, 0, "2018-01-01", "W1 2018"},
        {{"2020-W53-7"}, 0, "2021-01-04", "2021-W01-1"},
        {{"2020-W53"}, 0, "2021-01-05", NULL},
        {{"2024-365"}, 0, "2025-01-01", "2025-001"},
        {{"20240131000000", "20240201000000"}, 0, "2024-02-02", "20240202000000"},
        {{"202401312300"}, 0, "2024-02-01", "202402010000"},
        {{"2024013122", "2024013123"}, 0, "2024-02-01", "2024020100"},
        {{"1706741999", "1706742000"}, 0, "2024-02-01", "1706745600"},
        {{"1706741999.25"}, 0, "2024-02-01", "1706745600.00"},
        {{"20240131"}, 0, "2024-02-01", "20240201"},
        {{"201211", "201212"}, 0, "2013-01-01", "201301"},
        {{"2011", "2012"}, 0, "2013-01-01", "2013"},
        {{"44928", "44929"}, 0, "2023-01-04", "44930"},
        {{"44928", "44928.0416666667"}, 0, "2023-01-02 02:00", "44928.0833333333"},
        {{"44928", "44928.0416666667"}, 0, "2023-01-03", "44929"},
        {{"44928.50"}, 0, "2023-01-02 06:00", "44928.25"},
        {{"44928.041666666667"}, 0, "2023-01-02 02:00", "44928.083333333333"},
        {{"44928.9"}, 0, "2023-01-02 23:59", NULL},
        {{"20240101T000000"}, 0, "2024-01-01 01:00", "20240101T010000"},
        {{"2024-01-01-00-00"}, 0, "2024-01-01 01:00", "2024-01-01-01-00"},
        {{"2024-01-01T00:00:00+01:00"}, 0, "2024-01-01", "2024-01-01T01:00:00+01:00"},
        {{"2024-01-01T00:00Z"}, 0, "2024-01-02", "2024-01-02T00:00Z"},
        {{"2024-01-01 00:00 CET"}, 0, "2024-01-01", "2024-01-01 01:00 CET"},
        {{"2024-01-01T00:00:00+01:00[Europe/Berlin]"},
         0,
         "2024-01-01",
         "2024-01-01T01:00:00+01:00[Europe/Berlin]"},
        {{"2024-01-01 00:00", "2024-01-01 00:00:30.5"}, 0, "2024-01-02 00:01:00", "2024-01-02 00:01:00.0"},
        {{"2024-01-01"}, 0, "2024-01-02 00:01:00", NULL},
        {{"00:01/2024-01-01"}, 0, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgti_strings   labels = list(cases[i].label);
        const fgti_row_labels rows   = {.what = "file", .texts = &labels};
        fgti_time_form f;
        int64_t       *times, time;
        char           text[FGTI_FORM_TEXT] = "";
        OK(fgti_axis_read(ctx, &rows, cases[i].form, FGTI_LABELS_NAMED, &f, &times));
        if (!times != !cases[i].time) fail_msg("\"%s\": %s", cases[i].label[0], times ? "read" : "not read");
        if (times) {
            OK(fgt_time_parse(ctx, cases[i].time, FGT_TIME_FORM_ISO, &time));
            const int64_t n = fgti_time_form_write(&f, time, text, sizeof text);
            if (n != (cases[i].next ? (int64_t)strlen(cases[i].next) : -1) ||
                (cases[i].next && strcmp(text, cases[i].next)))
                fail_msg("\"%s\": %s, expected %s", cases[i].label[0], text,
                         cases[i].next ? cases[i].next : "none");
            for (int64_t r = 0; r < labels.count; r++) {
                assert_true(fgti_time_form_write(&f, times[r], text, sizeof text) > 0 || labels.count > 1);
                if (labels.count == 1) assert_string_equal(text, cases[i].label[0]);
            }
        }
        fgti_free(ctx, times);
        fgti_strings_done(ctx, &labels);
    }
}

/* Every name is found, in full, shortened and in capital letters. */
static void test_months(void **state)
{
    (void)state;
    char     name[FGTI_MONTH_TEXT];
    uint32_t languages;
    for (int language = FGTI_ENGLISH; language <= FGTI_LANGUAGES; language++)
        for (int month = 1; month <= 12; month++)
            for (int kind = 0; kind < 4; kind++) {
                fgti_month_write(language, month, kind % 2, name);
                if (kind > 1) fgti_month_upper(name);
                if (fgti_month_find(name, strlen(name), &languages) != month || !(languages >> language & 1))
                    fail_msg("\"%s\" is not month %d of language %d", name, month, language);
            }
    assert_int_equal(fgti_month_find("jui", 3, &languages), 0);
    assert_int_equal(fgti_month_find("ma", 2, &languages), 0);
    assert_int_equal(fgti_month_find("total", 5, &languages), 0);
}

/* All numbers decide of which kind they are; most labels decide whether labels are times. */
static void test_columns(void **state)
{
    (void)state;
    static const struct {
        const char *label[MOST];
        fgti_labels kind;
        const char *last, *error; /* the last time; both NULL: no times */
    } cases[] = {
        {{"2024010122", "2024010123", "2024010200"}, FGTI_LABELS_ANY, "2024-01-02 00:00:00", NULL},
        {{"2024010100", "2024013700", "2024017300"}, FGTI_LABELS_ANY, "2034-02-20 03:01:40", NULL},
        {{"202401010000", "202401010100"}, FGTI_LABELS_ANY, "2024-01-01 01:00:00", NULL},
        {{"202401010060", "202401010075", "202401010090"}, FGTI_LABELS_ANY, "1976-05-31 14:30:10.090", NULL},
        {{"201211", "201212", "201301"}, FGTI_LABELS_ANY, NULL, NULL},
        {{"201211", "201212", "201301"}, FGTI_LABELS_NAMED, "2013-01-01 00:00:00", NULL},
        {{"201211", "201212", "201313"}, FGTI_LABELS_NAMED, NULL, "row 2: \"201313\" is no day"},
        {{"2010", "2011", "x"}, FGTI_LABELS_NAMED, NULL, "row 2: \"x\" is not a time"},
        {{"2010", "2010", "2010"}, FGTI_LABELS_NAMED, NULL, NULL},
        {{"44928", "44929", "44930.5"}, FGTI_LABELS_NAMED, "2023-01-04 12:00:00", NULL},
        {{"44928", "44929", "44930.5"}, FGTI_LABELS_ANY, NULL, NULL},
        {{"0", "1", "2"}, FGTI_LABELS_NAMED, NULL, NULL},
        {{"2012-01-O2", "2012-01-03", "2012-01-04"},
         FGTI_LABELS_ANY,
         NULL,
         "row 0: \"2012-01-O2\" is not a time"},
        {{"", "2012-01-03", "2012-01-04"}, FGTI_LABELS_ANY, NULL, "row 0: \"\" is not a time"},
        {{"2012-01-02", "total", "x"}, FGTI_LABELS_ANY, NULL, "row 1: \"total\" is not a time"},
        {{"x", "y", "2012-01-04"}, FGTI_LABELS_ANY, NULL, NULL},
        {{"x", "2012-01-03"}, FGTI_LABELS_ANY, NULL, NULL},
        {{"x"}, FGTI_LABELS_TIMES, NULL, "row 0: \"x\" is not a time stamp; if the rows"},
        {{"2012-02-30", "x", "y"}, FGTI_LABELS_ANY, NULL, "row 0: \"2012-02-30\" is no day"},
        {{"02/01/23", "13/01/23"}, FGTI_LABELS_ANY, NULL, "year of two digits; the option `time_form` says"},
        {{"03/04/2016", "05/04/2016"}, FGTI_LABELS_ANY, NULL, "the option `time_form` says which"},
        {{"Dez 2012", "Jan 2013", "Feb 2013"}, FGTI_LABELS_ANY, "2013-02-01 00:00:00", NULL},
        {{"Jan 12", "Feb 12", "Mrz 12", "Mai 12"}, FGTI_LABELS_ANY, "2012-05-01 00:00:00", NULL},
        {{"janv-12", "f\xc3\xa9vr-12", "ao\xc3\xbbt-12"}, FGTI_LABELS_ANY, "2012-08-01 00:00:00", NULL},
        {{"Set 12", "Set 13", "Set 14"}, FGTI_LABELS_ANY, NULL, NULL}, /* sets of something */
        {{"Set 1001", "Set 1002"}, FGTI_LABELS_ANY, NULL, NULL},
        {{"Jui 2012", "Jui 2013"}, FGTI_LABELS_ANY, NULL, NULL}, /* June or July */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgti_strings     labels = list(cases[i].label);
        const fgti_row_labels rows   = {.what = "file", .texts = &labels};
        int64_t         *times  = NULL;
        char             text[24];
        const fgt_status      s = fgti_axis_read(ctx, &rows, 0, cases[i].kind, NULL, &times);
        if (cases[i].error)
            REFUSED(s, FGT_E_DATA, cases[i].error);
        else
            OK(s);
        if (!times != !cases[i].last) fail_msg("\"%s\": %s", cases[i].label[0], times ? "times" : "no times");
        if (times) {
            fgti_time_format(times[labels.count - 1], text, sizeof text);
            assert_string_equal(text, cases[i].last);
        }
        fgti_free(ctx, times);
        fgti_strings_done(ctx, &labels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_forms),
        WITH_CONTEXT(test_columns),
        WITH_CONTEXT(test_months),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
