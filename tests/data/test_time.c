/* SPDX-License-Identifier: BSD-3-Clause */
/* Time stamps: every form, every day of the calendar, steps. */
#include <fighter/time.h>

#include "../one_context.h"
#include "core/rng.h"
#include "data/time/scan/time_read.h"
#include "data/time/time.h"

enum {
    A    = FGT_TIME_FORM_AUTO,
    ISO  = FGT_TIME_FORM_ISO,
    DMY  = FGT_TIME_FORM_DMY,
    MDY  = FGT_TIME_FORM_MDY,
    UNIX = FGT_TIME_FORM_UNIX
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Result of fgt_time_format() for a text, "text", "range" or "unclear". */
static const char *seen(const char *s, int32_t form, char *buf)
{
    static const char *const no[] = {NULL, "text", "range", "unclear", "century"};
    fgti_stamp               t    = {.time = 12345};
    const fgti_time_found    f    = fgti_time_read(s, form, &t);
    if (f != FGTI_TIME_FOUND) {
        assert_int_equal(t.time, 12345);
        return no[f];
    }
    assert_int_equal(fgt_time_format(t.time, buf, 24), FGT_OK);
    return buf;
}

static void test_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t     form;
        const char *want;
    } cases[] = {
        {"2016-07-01", A, "2016-07-01 00:00:00"},
        {"2016-07-01 13:45", A, "2016-07-01 13:45:00"},
        {" 2016-07-01T13:45:07 ", A, "2016-07-01 13:45:07"},
        {"2016-07-01T13:45:07Z", ISO, "2016-07-01 13:45:07"},
        {"2016-07-01t13:45:07z", ISO, "2016-07-01 13:45:07"},
        {"2016-07-01 13:45:07 UTC", A, "2016-07-01 13:45:07"},
        {"2016-07-01T13:45:07+02:00", A, "2016-07-01 11:45:07"},
        {"2016-07-01T13:45:07+0230", A, "2016-07-01 11:15:07"},
        {"2016-07-01T01:45:07.25-05", A, "2016-07-01 06:45:07.250"},
        {"2016-07-01 13:45:07.123456789", A, "2016-07-01 13:45:07.123"},
        {"2016-07-01 13:45:07,5", A, "2016-07-01 13:45:07.500"},
        {"2016-07-01 24:00", A, "2016-07-02 00:00:00"},
        {"2016-07-01 05", A, "2016-07-01 05:00:00"},
        {"2016-07-01 5:07 PM", A, "2016-07-01 17:07:00"},
        {"2016-07-01 12:00 AM", A, "2016-07-01 00:00:00"},
        {"2016-07-01 12:00pm", A, "2016-07-01 12:00:00"},
        {"1990/1/1 0:00", A, "1990-01-01 00:00:00"},
        {"2016.7.1", A, "2016-07-01 00:00:00"},
        {"2016-07", A, "2016-07-01 00:00:00"},
        {"20160701", A, "2016-07-01 00:00:00"},
        {"20160701T0530", A, "2016-07-01 05:30:00"},
        {"1.7.2016 08:15", A, "2016-07-01 08:15:00"},
        {"31/12/2016", A, "2016-12-31 00:00:00"},
        {"12/31/2016 1:00 am", A, "2016-12-31 01:00:00"},
        {"03/04/2016", A, "unclear"},
        {"03-04-2016", A, "unclear"},
        {"03/04/2016", DMY, "2016-04-03 00:00:00"},
        {"03/04/2016", MDY, "2016-03-04 00:00:00"},
        {"03/04/16", A, "century"},
        {"23-01-02", A, "century"},
        {"03/04/16", DMY, "2016-04-03 00:00:00"},
        {"03/04/69", MDY, "1969-03-04 00:00:00"},
        {"03-04-05 7:30", ISO, "2003-04-05 07:30:00"},
        {"10.2.30.4", A, "text"},
        {"99/99/99", A, "text"},
        {"2016-07-01", DMY, "text"},
        {"1467331200", A, "2016-07-01 00:00:00"},
        {"1467331200", ISO, "text"},
        {"1467331200.5", UNIX, "2016-07-01 00:00:00.500"},
        {"1467331200250", A, "2016-07-01 00:00:00.250"},
        {"1467331200250999", A, "2016-07-01 00:00:00.250"},
        {"1467331200250999999", A, "2016-07-01 00:00:00.250"},
        {"9999999999999999999", UNIX, "2286-11-20 17:46:39.999"},
        {"12345678901234567890", UNIX, "range"},
        {"0", A, "text"},
        {"7", A, "text"},
        {"0", UNIX, "1970-01-01 00:00:00"},
        {"-1", UNIX, "1969-12-31 23:59:59"},
        {"20160701", UNIX, "1970-08-22 08:11:41"},
        {"2015-02-29", A, "range"},
        {"2016-02-29", A, "2016-02-29 00:00:00"},
        {"1900-02-29", A, "range"},
        {"2000-02-29", A, "2000-02-29 00:00:00"},
        {"2016-13-01", A, "range"},
        {"2016-00-01", A, "range"},
        {"2016-07-01 25:00", A, "range"},
        {"2016-07-01 24:01", A, "range"},
        {"2016-07-01 12:60", A, "range"},
        {"2016-07-01 13:00 PM", A, "range"},
        {"2016-07-01 00:00+24:00", A, "range"},
        {"0000-01-01", A, "range"},
        {"0001-01-01", A, "0001-01-01 00:00:00"},
        {"0001-01-01 00:00+01:00", A, "range"},
        {"9999-12-31 23:59:59.999", A, "9999-12-31 23:59:59.999"},
        {"9999-12-31 24:00", A, "range"},
        {"", A, "text"},
        {"2016", A, "text"},
        {"2016-07-01x", A, "text"},
        {"2016-07-01 12:0", A, "text"},
        {"2016-07-01 12:00:00 CXT", A, "text"},
        {"2016-07-01 12:00+1", A, "text"},
        {"2016-07-01 12:00+020", A, "text"},
        {"2016-07-01 12:00.", A, "text"},
        {"2016-7/1", A, "text"},
        {"2016.07", A, "text"},
        {"1.5", A, "text"},
        {"Monday", A, "text"},
        {"1467331200 s", A, "text"},
        /* names */
        {"Jan 2012", A, "2012-01-01 00:00:00"},
        {"january 2012", A, "2012-01-01 00:00:00"},
        {"Sept. 2012", A, "2012-09-01 00:00:00"},
        {"Jan-12", A, "2012-01-01 00:00:00"},
        {"Jan-69", A, "1969-01-01 00:00:00"},
        {"2012-Jan", A, "2012-01-01 00:00:00"},
        {"2012 Jan 05", A, "2012-01-05 00:00:00"},
        {"01-Jan-2012", A, "2012-01-01 00:00:00"},
        {"1 Jan 2012", A, "2012-01-01 00:00:00"},
        {"1. January 2012", A, "2012-01-01 00:00:00"},
        {"01JAN2012", A, "2012-01-01 00:00:00"},
        {"01-Jan-12 13:00", A, "2012-01-01 13:00:00"},
        {"Jan 02, 2023", A, "2023-01-02 00:00:00"},
        {"Jan 2 2023 1:30 PM", DMY, "2023-01-02 13:30:00"},
        {"Mon, 02 Jan 2023", A, "2023-01-02 00:00:00"},
        {"Mon 2023-01-02", A, "2023-01-02 00:00:00"},
        {"2023-01-02 (Mon)", A, "2023-01-02 00:00:00"},
        {"2023-01-02 Monday 05:00", A, "2023-01-02 05:00:00"},
        {"Tue 2023-01-02", A, "range"},
        {"Mon 02/01/2023", A, "unclear"},
        {"Mon 13/02/2023", A, "2023-02-13 00:00:00"},
        {"30 Feb 2012", A, "range"},
        {"Jan 2", A, "text"},
        {"Jan", A, "text"},
        {"Janet 2012", A, "text"},
        {"Mon", A, "text"},
        {"Mon, 02 Jan 2023 13:00:00 +0100", A, "2023-01-02 12:00:00"},
        {"Mon Jan  2 13:00:00 2023", A, "2023-01-02 13:00:00"},
        {"Mon Jan 02 13:00:00 CET 2023", A, "2023-01-02 12:00:00"},
        {"Mon Jan 02 13:00:00", A, "text"},
        {"Mon Jan 02 2023 13:00:00 GMT+0100 (Central European Standard Time)", A, "2023-01-02 12:00:00"},
        {"02/Jan/2023:13:00:00 -0100", A, "2023-01-02 14:00:00"},
        {"[02/Jan/2023:13:00:00 +0100]", A, "2023-01-02 12:00:00"},
        {"[02/Jan/2023:13:00:00 +0100", A, "text"},
        /* periods */
        {"2012/01", A, "2012-01-01 00:00:00"},
        {"01/2012", A, "2012-01-01 00:00:00"},
        {"13/2012", A, "text"},
        {"2012/13", A, "text"},
        {"2012M01", A, "2012-01-01 00:00:00"},
        {"2012M13", A, "range"},
        {"2012Q1", A, "2012-01-01 00:00:00"},
        {"2012-Q2", A, "2012-04-01 00:00:00"},
        {"2012 q3", A, "2012-07-01 00:00:00"},
        {"Q4 2012", A, "2012-10-01 00:00:00"},
        {"Q4-2012", A, "2012-10-01 00:00:00"},
        {"2012Q5", A, "range"},
        {"2012Q", A, "text"},
        {"2020-W53", A, "2020-12-28 00:00:00"},
        {"2020W01", A, "2019-12-30 00:00:00"},
        {"W01 2017", A, "2017-01-02 00:00:00"},
        {"T1 1990", A, "1990-01-01 00:00:00"},
        {"T4-1990", A, "1990-10-01 00:00:00"},
        {"T4/1990", A, "1990-10-01 00:00:00"},
        {"1990T2", A, "1990-04-01 00:00:00"},
        {"1990 T2", A, "1990-04-01 00:00:00"},
        {"1990-T2", A, "1990-04-01 00:00:00"},
        {"1990/T2", A, "1990-04-01 00:00:00"},
        {"1990:Q2", A, "1990-04-01 00:00:00"},
        {"2Q1990", A, "1990-04-01 00:00:00"},
        {"2T 1990", A, "1990-04-01 00:00:00"},
        {"3T19", A, "2019-07-01 00:00:00"},
        {"Q3'19", A, "2019-07-01 00:00:00"},
        {"1. Quartal 1990", A, "1990-01-01 00:00:00"},
        {"1990 3. Quartal", A, "1990-07-01 00:00:00"},
        {"1er trimestre 2019", A, "2019-01-01 00:00:00"},
        {"1er. trimestre de 2019", A, "2019-01-01 00:00:00"},
        {"2\xc3\xa8me trimestre 2019", A, "2019-04-01 00:00:00"},
        {"1\xc2\xba trimestre 2019", A, "2019-01-01 00:00:00"},
        {"4.\xc2\xba trimestre del 2019", A, "2019-10-01 00:00:00"},
        {"2\xba trimestre 2019", A, "2019-04-01 00:00:00"}, /* in Latin-1 */
        {"Trimestre IV 2019", A, "2019-10-01 00:00:00"},
        {"III trim. 2019", A, "2019-07-01 00:00:00"},
        {"2nd quarter of 2019", A, "2019-04-01 00:00:00"},
        {"Quarter 3, 2019", A, "2019-07-01 00:00:00"},
        {"4e kwartaal 2019", A, "2019-10-01 00:00:00"},
        {"KW 2/2019", A, "2019-01-07 00:00:00"},
        {"KW 02 2019", A, "2019-01-07 00:00:00"},
        {"KW53/2020", A, "2020-12-28 00:00:00"},
        {"2019 KW 2", A, "2019-01-07 00:00:00"},
        {"2. KW 2019", A, "2019-01-07 00:00:00"},
        {"week 2 2019", A, "2019-01-07 00:00:00"},
        {"2019, week 2", A, "2019-01-07 00:00:00"},
        {"Semaine 2 2019", A, "2019-01-07 00:00:00"},
        {"S02 2019", A, "2019-01-07 00:00:00"},
        {"2019-S02", A, "2019-01-07 00:00:00"},
        {"S1 2019", A, "text"}, /* a half of the year, or a week */
        {"2S 2019", A, "text"},
        {"T5 1990", A, "range"},
        {"T01 1990", A, "text"},
        {"KW 53/2019", A, "range"},
        {"1990-1T10:00", A, "1990-01-01 10:00:00"},
        {"I 2019", A, "text"},
        {"1xx trimestre 2019", A, "text"},
        {"KW 2 19", A, "text"},
        {"2020-W53-7", A, "2021-01-03 00:00:00"},
        {"2020W537", A, "2021-01-03 00:00:00"},
        {"2019-W53", A, "range"},
        {"2019-W00", A, "range"},
        {"2023-001", A, "2023-01-01 00:00:00"},
        {"2024-366", A, "2024-12-31 00:00:00"},
        {"2023-366", A, "range"},
        {"2023-366T12:00", A, "range"},
        /* digits */
        {"20240101000000", A, "2024-01-01 00:00:00"},
        {"202401012359", A, "2024-01-01 23:59:00"},
        {"202401012360", A, "1976-05-31 14:30:12.360"},
        {"2024010123", A, "2034-02-20 01:02:03"},
        {"2024010123", ISO, "2024-01-01 23:00:00"},
        {"202401", ISO, "2024-01-01 00:00:00"},
        {"2024", ISO, "2024-01-01 00:00:00"},
        {"202413", ISO, "range"},
        {"202401", A, "text"},
        {"44928", A, "text"},
        {"20240101T000000", A, "2024-01-01 00:00:00"},
        {"20240101T000000.5Z", A, "2024-01-01 00:00:00.500"},
        {"20240101-133005", A, "2024-01-01 13:30:05"},
        {"2024-01-01-00-00", A, "2024-01-01 00:00:00"},
        {"2024-01-01_13-30-05", A, "2024-01-01 13:30:05"},
        {"2024-01-01-05", A, "text"},
        {"2024-01-01-05:00", A, "text"},
        /* times of day and zones */
        {"2024-01-01 12:30 a.m.", A, "2024-01-01 00:30:00"},
        {"2024-01-01 12:30 P.M.", A, "2024-01-01 12:30:00"},
        {"1/13/2024, 1:00:00 PM", A, "2024-01-13 13:00:00"},
        {"2016-07-01 12:00:00 CEST", A, "2016-07-01 10:00:00"},
        {"2016-07-01 12:00:00 IST", A, "2016-07-01 12:00:00"},
        {"2016-07-01T12:00:00+02:00[Europe/Berlin]", A, "2016-07-01 10:00:00"},
        {"2016-07-01 12:00:00 Europe/Berlin", A, "2016-07-01 12:00:00"},
        {"2016-07-01 12:00 UTC+2", A, "2016-07-01 10:00:00"},
        {"2016-07-01 12:00 (", A, "text"},
    };
    char buf[24];
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *got = seen(cases[i].text, cases[i].form, buf);
        if (strcmp(got, cases[i].want))
            fail_msg("\"%s\" as %d: %s, expected %s", cases[i].text, (int)cases[i].form, got, cases[i].want);
    }
}

static void test_offsets(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t     offset; /* -1: none */
    } cases[] = {
        {"2016-07-01 13:45", -1},          {"2016-07-01", -1},           {"2016-07-01T13:45Z", 0},
        {"2016-07-01 13:45 GMT", 0},       {"2016-07-01T13:45+02", 120}, {"2016-07-01T13:45+0530", 330},
        {"2016-07-01 13:45 -03:30", -210}, {"1467331200", -1},           {"2016-07-01 12:00 CEST", 120},
        {"2016-07-01 12:00 IST", -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgti_stamp t;
        assert_int_equal(fgti_time_read(cases[i].text, A, &t), FGTI_TIME_FOUND);
        if (t.has_offset != (cases[i].offset != -1) || (t.has_offset && t.offset != cases[i].offset))
            fail_msg("%s: offset %d", cases[i].text, (int)t.offset);
    }
}

static void test_parse(void **state)
{
    (void)state;
    int64_t t = 5;
    OK(fgt_time_parse(ctx, "1970-01-02", A, &t));
    assert_int_equal(t, 86400000);
    REFUSED(fgt_time_parse(ctx, "1/2/1970", A, &t), FGT_E_DATA, "\"1/2/1970\" could have the day or");
    REFUSED(fgt_time_parse(ctx, "1970-02-30", A, &t), FGT_E_DATA, "no day of the calendar");
    REFUSED(fgt_time_parse(ctx, "soon", A, &t), FGT_E_DATA, "\"soon\" is not a time stamp");
    REFUSED(fgt_time_parse(ctx, "1970-01-02", 5, &t), FGT_E_ARG, "form is out of range (got 5, need 0 .. 4)");
    REFUSED(fgt_time_parse(ctx, NULL, A, &t), FGT_E_ARG, "NULL");
    REFUSED(fgt_time_parse(ctx, "1970-01-02", A, NULL), FGT_E_ARG, "NULL");
    assert_int_equal(fgt_time_parse(NULL, "1970-01-02", A, &t), FGT_E_ARG);
    assert_int_equal(t, 86400000);
}

/* All days of 9999 years, one after another, with the length of every month. */
static void test_calendar(void **state)
{
    (void)state;
    int64_t number = fgti_day_number((fgti_day){1, 1, 1});
    assert_int_equal(number, -719162);
    for (int64_t y = 1; y <= 9999; y++)
        for (int32_t m = 1; m <= 12; m++)
            for (int32_t d = 1; d <= fgti_month_length(y, m); d++, number++) {
                const fgti_day day = {y, m, d}, back = fgti_day_of(number);
                if (fgti_day_number(day) != number || back.year != y || back.month != m || back.day != d)
                    fail_msg("%04d-%02d-%02d", (int)y, (int)m, (int)d);
            }
    assert_false(fgti_time_in_range(number * FGTI_DAY));
    assert_true(fgti_time_in_range(number * FGTI_DAY - 1));
    assert_int_equal(fgti_day_number((fgti_day){1970, 1, 1}), 0);
    assert_int_equal(fgti_day_number((fgti_day){2000, 3, 1}), 11017);
}

static void test_format(void **state)
{
    (void)state;
    char buf[24] = "unchanged";
    assert_int_equal(fgt_time_format(0, buf, 19), FGT_E_ARG);
    assert_int_equal(fgt_time_format(INT64_MAX, buf, 24), FGT_E_DATA);
    assert_int_equal(fgt_time_format(INT64_MIN, buf, 24), FGT_E_DATA);
    assert_int_equal(fgt_time_format(0, NULL, 24), FGT_E_ARG);
    assert_string_equal(buf, "unchanged");
    assert_int_equal(fgt_time_format(0, buf, 20), FGT_OK);
    assert_string_equal(buf, "1970-01-01 00:00:00");
    assert_int_equal(fgt_time_format(-1, buf, 24), FGT_OK);
    assert_string_equal(buf, "1969-12-31 23:59:59.999");
}

static void test_steps(void **state)
{
    (void)state;
    static const struct {
        const char   *from;
        fgt_time_step step;
        int64_t       n;
        const char   *to;
    } cases[] = {
        {"2016-02-28 23:00", {.milliseconds = 3600000}, 2, "2016-02-29 01:00:00"},
        {"2016-02-28 23:00", {.milliseconds = 3600000}, -24, "2016-02-27 23:00:00"},
        {"2016-01-15 06:00", {.months = 1}, 1, "2016-02-15 06:00:00"},
        {"2016-01-31", {.months = 1}, 1, "2016-02-29 00:00:00"},
        {"2016-01-31", {.months = 1}, 2, "2016-03-31 00:00:00"},
        {"2016-02-29", {.months = 1}, 1, "2016-03-31 00:00:00"},
        {"2016-01-30", {.months = 1}, 1, "2016-02-29 00:00:00"},
        {"2016-02-29", {.months = 12}, 1, "2017-02-28 00:00:00"},
        {"2016-03-15", {.months = 3}, -2, "2015-09-15 00:00:00"},
    };
    char    buf[24];
    int64_t t;
    for (size_t i = 0; i < COUNT(cases); i++) {
        OK(fgt_time_parse(ctx, cases[i].from, A, &t));
        assert_int_equal(fgt_time_add(t, &cases[i].step, cases[i].n, &t), FGT_OK);
        assert_int_equal(fgt_time_format(t, buf, sizeof buf), FGT_OK);
        assert_string_equal(buf, cases[i].to);
    }
    const fgt_time_step far = {.milliseconds = INT64_MAX}, years = {.months = INT64_MAX},
                        month = {.months = 1}, unknown = {0};
    assert_int_equal(fgt_time_add(0, &month, 12 * 8029, &t), FGT_OK);
    assert_int_equal(t, INT64_C(253370764800000)); /* 9999 */
    assert_int_equal(fgt_time_add(7, &far, 2, &t), FGT_E_DATA);
    assert_int_equal(fgt_time_add(7, &years, 2, &t), FGT_E_DATA);
    assert_int_equal(fgt_time_add(7, &month, 200000, &t), FGT_E_DATA);
    assert_int_equal(fgt_time_add(0, &month, 12 * 8030, &t), FGT_E_DATA);
    assert_int_equal(fgt_time_add(INT64_MAX, &month, 1, &t), FGT_E_DATA);
    assert_int_equal(fgt_time_add(7, &unknown, 1, &t), FGT_E_ARG);
    assert_int_equal(fgt_time_add(7, NULL, 1, &t), FGT_E_ARG);
    assert_int_equal(fgt_time_add(7, &month, 1, NULL), FGT_E_ARG);
    assert_int_equal(t, INT64_C(253370764800000));
}

/* The usual texts have a reader of their own. A blank at the end hides a text from it and changes nothing. */
static void test_usual(void **state)
{
    (void)state;
    static const char *const digits[] = {"0123456789", "0123456789", "0123456789", "0123456789", "-", "01",
                                         "012345", "-", "0123", "0123456789", " T", "012", "01234", ":",
                                         "01235", "0123456789", ":", "0123456", "0123456789"};
    static const size_t      sizes[]  = {10, 16, 19, 13, 9, 20};
    enum { TEXTS = 200000 };
    int64_t found = 0;
    for (uint32_t i = 0; i < TEXTS; i++) {
        uint32_t w[8];
        char     text[24] = {0}, longer[24];
        fgti_rng_block((fgti_rng){11, 12}, 2 * i, w);
        fgti_rng_block((fgti_rng){11, 12}, 2 * i + 1, w + 4);
        const size_t n = sizes[w[0] % 16 < 13 ? w[0] % 3 : w[0] % COUNT(sizes)];
        for (size_t k = 0; k < n; k++) {
            const char *may = k < COUNT(digits) ? digits[k] : "0";
            text[k]         = may[(w[1 + k / 4] >> 8 * (k % 4) & 255) % strlen(may)];
        }
        if (w[6] % 8 == 0) text[w[6] / 8 % n] = (char)(w[7] % 127 + 1);
        snprintf(longer, sizeof longer, "%s ", text);
        fgti_stamp            a = {.time = 1}, b = {.time = 1};
        const int32_t         form = w[7] % 2 ? A : ISO;
        const fgti_time_found f    = fgti_time_read(text, form, &a);
        assert_int_equal(f, fgti_time_read(longer, form, &b));
        assert_int_equal(a.time, b.time);
        assert_int_equal(a.pieces, b.pieces);
        assert_int_equal(a.has_offset, b.has_offset);
        assert_memory_equal(a.piece, b.piece, (size_t)a.pieces * sizeof *a.piece);
        found += a.usual;
        assert_false(b.usual);
    }
    assert_in_range(found, TEXTS / 10, TEXTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_forms),  WITH_CONTEXT(test_offsets), WITH_CONTEXT(test_parse),
        WITH_CONTEXT(test_calendar), WITH_CONTEXT(test_usual),
        WITH_CONTEXT(test_format), WITH_CONTEXT(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
