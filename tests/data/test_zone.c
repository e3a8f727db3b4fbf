/* SPDX-License-Identifier: BSD-3-Clause */
/* Zones of time, and tables whose clock they, or offsets of labels, tell. */
#include <fighter/experimental/table_file.h>

#include "data/table.h"
#include "data/table_clock.h"
#include "small_files.h"

#define HOUR INT64_C(3600000)

/* A file of a zone without changes but those of its rule; the first part is empty. Returns its size. */
static int64_t put_zone(const char *name, int32_t seconds, const char *rule, unsigned char *out)
{
    static const unsigned char head[] = {'T', 'Z', 'i', 'f', '2'};
    unsigned char             *p      = out;
    for (int part = 0; part < 2; part++) {
        memset(p, 0, 44);
        memcpy(p, head, sizeof head);
        p[39] = 1; /* a type */
        p[43] = 4; /* the bytes of its name */
        p += 44;
        for (int i = 0; i < 4; i++) p[i] = (unsigned char)((uint32_t)seconds >> (24 - 8 * i));
        p[4] = p[5] = 0;
        memcpy(p + 6, "LMT", 4);
        p += 10;
    }
    p += sprintf((char *)p, "\n%s\n", rule);
    if (name) test_write(in_directory(name), out, (size_t)(p - out));
    return p - out;
}

static const char berlin_rule[] = "CET-1CEST,M3.5.0,M10.5.0/3";

static const char *berlin(void)
{
    unsigned char bytes[256];
    put_zone("Berlin", 3600, berlin_rule, bytes);
    return in_directory("Berlin");
}

static int64_t at(const char *text)
{
    int64_t t;
    expect_ok(fgt_time_parse(&context, text, FGT_TIME_FORM_ISO, &t));
    return t;
}

static void test_rules(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *time;
        int32_t     offset;
    } cases[] = {
        {berlin_rule, "2024-03-31 00:59:59Z", 60},
        {berlin_rule, "2024-03-31 01:00Z", 120},
        {berlin_rule, "2024-10-27 00:59:59Z", 120},
        {berlin_rule, "2024-10-27 01:00Z", 60},
        {"EST5EDT,M3.2.0,M11.1.0", "2024-03-10 06:59Z", -300},
        {"EST5EDT,M3.2.0,M11.1.0", "2024-03-10 07:00Z", -240},
        {"EST5EDT,M3.2.0,M11.1.0", "2024-11-03 06:00Z", -300},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-01-01 00:00Z", 660},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-04-06 16:00Z", 600},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-10-05 16:00Z", 660},
        {"<+0545>-5:45", "2024-01-01 00:00Z", 345},
        {"IST-2IDT,J60/-1,300/25", "2023-02-28 20:59Z", 120},
        {"IST-2IDT,J60/-1,300/25", "2023-02-28 21:00Z", 180},
        {"IST-2IDT,J60/-1,300/25", "2023-10-28 22:00Z", 120},
        /* summer all year: it ends after, or when, the next one begins */
        {"AAA3BBB4,0/0,J365/25", "2020-07-01 00:00Z", -240},
        {"AAA3BBB4,0/0,J365/25", "2021-01-01 02:59Z", -240},
        {"AAA3BBB4,0/0,J365/25", "2021-01-01 03:00Z", -240},
        {"AAA3BBB4,0/0,J365/25", "2021-01-01 06:00Z", -240},
        {"AAA3BBB4,0/0,J365/25", "2101-01-01 06:00Z", -240},
        {"AAA3BBB4,0/0,J365/23", "2024-01-01 03:00Z", -240},
        {"EST5EDT,0/0,J365/25", "2024-12-31 12:00Z", -240},
        {"EST5EDT,0/0,J365/25", "2025-01-01 05:00Z", -240},
        {"EST5EDT,0/0,J365/25", "2500-06-01 00:00Z", -240},
        {"IST-1GMT0,M10.5.0,M3.5.0/1", "2024-01-01 00:00Z", 0},
        {"IST-1GMT0,M10.5.0,M3.5.0/1", "2024-07-01 00:00Z", 60},
        /* no year is the last one */
        {berlin_rule, "2101-07-01 00:00Z", 120},
        {berlin_rule, "2438-07-01 00:00Z", 120},
        {berlin_rule, "3000-03-30 00:59Z", 60},
        {berlin_rule, "3000-03-30 01:00Z", 120},
        {berlin_rule, "9999-12-31 00:00Z", 60},
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2600-01-01 00:00Z", 660},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned char bytes[256];
        fgti_zone     z;
        const int64_t size = put_zone(NULL, 0, cases[i].rule, bytes);
        expect_ok(fgti_zone_read(&context, "z", bytes, size, &z));
        if (fgti_zone_offset(&z, at(cases[i].time)) != cases[i].offset)
            fail_msg("%s %s: %d", cases[i].rule, cases[i].time, (int)fgti_zone_offset(&z, at(cases[i].time)));
        fgti_zone_done(&context, &z);
    }
}

static void test_found(void **state)
{
    (void)state;
    unsigned char bytes[256];
    fgti_zone     z;
    int64_t       t[2];
    expect_ok(fgti_zone_read(&context, "z", bytes, put_zone(NULL, 3600, berlin_rule, bytes), &z));
    assert_int_equal(fgti_zone_find(&z, at("2024-03-31 01:59"), t), 1);
    assert_int_equal(t[0], at("2024-03-31 00:59"));
    assert_int_equal(fgti_zone_find(&z, at("2024-03-31 02:00"), t), 0);
    assert_int_equal(fgti_zone_find(&z, at("2024-03-31 03:00"), t), 1);
    assert_int_equal(t[0], at("2024-03-31 01:00"));
    assert_int_equal(fgti_zone_find(&z, at("2024-10-27 02:30"), t), 2);
    assert_true(t[0] == at("2024-10-27 00:30") && t[1] == at("2024-10-27 01:30"));
    assert_int_equal(fgti_zone_find(&z, at("2024-10-27 03:00"), t), 1);
    fgti_zone_done(&context, &z);
}

/* Every cut and every changed byte is read, or refused. */
static void test_damaged(void **state)
{
    (void)state;
    unsigned char bytes[256];
    const int64_t size = put_zone(NULL, 3600, berlin_rule, bytes);
    fgti_zone     z;
    for (int64_t n = 0; n < size; n++) {
        if (fgti_zone_read(&context, "z", bytes, n, &z) == FGT_OK) fgti_zone_offset(&z, 0);
        fgti_zone_done(&context, &z);
    }
    for (int64_t i = 0; i < size; i++)
        for (int v = 0; v < 256; v += 5) {
            const unsigned char kept = bytes[i];
            bytes[i]                 = (unsigned char)v;
            if (fgti_zone_read(&context, "z", bytes, size, &z) == FGT_OK) fgti_zone_offset(&z, INT64_MAX);
            fgti_zone_done(&context, &z);
            bytes[i] = kept;
        }
    fgt_table  *t;
    const char *csv = put_text("t.csv", "t,a\n2024-01-01,1\n");
    expect_status(fgt_table_load(&context, csv, &CSV(.zone = "Europe/Nowhere"), &t), FGT_E_NAME);
    expect_sentence("the option `zone`: there is no \"Europe/Nowhere\" in /usr/share/zoneinfo");
    expect_status(fgt_table_load(&context, csv, &CSV(.zone = "../../etc/passwd"), &t), FGT_E_IO);
    expect_status(fgt_table_load(&context, csv, &CSV(.zone = csv), &t), FGT_E_FORMAT);
    expect_sentence("it is no file of a time zone");
}

/* Rows that are `step` quarters of an hour apart, or days of the clock, as the clock of Berlin shows them. */
static const char *hours(const char *from, int rows, int step, bool offset)
{
    static char   text[1 << 16];
    unsigned char bytes[256];
    fgti_zone     z;
    char          time[24];
    int           n = sprintf(text, "t,a\n");
    expect_ok(fgti_zone_read(&context, "z", bytes, put_zone(NULL, 3600, berlin_rule, bytes), &z));
    for (int r = 0; r < rows; r++) {
        int64_t utc[2] = {at(from) + r * step * HOUR / 4};
        if (step == 96) fgti_zone_find(&z, utc[0], utc);
        const int32_t o = fgti_zone_offset(&z, utc[0]);
        fgti_time_format(utc[0] + o * FGTI_MINUTE, time, sizeof time);
        if (offset) time[10] = 'T';
        n += sprintf(text + n, "%s", time);
        if (offset) n += sprintf(text + n, "+%02d:00", o / 60);
        n += sprintf(text + n, ",%d\n", r);
    }
    fgti_zone_done(&context, &z);
    return text;
}

static void expect_after(const fgt_table *t, const char *text)
{
    char                 buf[64];
    const fgt_table_info n    = info_of(t);
    const int64_t        last = ((const int64_t *)fgt_table_get_times(t).data)[n.rows - 1];
    expect_ok(fgt_table_format_time(t, fgti_time_add(last, &n.step, 1), buf, sizeof buf));
    assert_string_equal(buf, text);
}

static void test_offsets(void **state)
{
    (void)state;
    fgt_table *t = load_text(hours("2024-10-26 22:00", 10, 4, true), NULL);
    assert_int_equal(info_of(t).step.milliseconds, HOUR);
    assert_int_equal(info_of(t).repeats + info_of(t).gaps, 0);
    assert_int_equal(fgti_table_clock(t, 2), at("2024-10-27 02:00"));
    assert_int_equal(fgti_table_clock(t, 3), at("2024-10-27 02:00"));
    expect_after(t, "2024-10-27T09:00:00+01:00");
    assert_int_equal(fgti_table_row_by_clock(t, 0, 10, 1), 0); /* 01:00 is nine hours before 09:00, not ten */
    assert_int_equal(fgti_table_row_by_clock(t, 0, 10, 5), 5);
    assert_int_equal(fgti_table_row_by_clock(t, 0, 3, 1), 1);
    fgt_table_destroy(&t);
    t = load_text(hours("2024-03-28", 8, 96, true), NULL); /* midnights */
    assert_int_equal(info_of(t).step.milliseconds, FGTI_DAY);
    assert_int_equal(((const int64_t *)fgt_table_get_times(t).data)[0], at("2024-03-28"));
    expect_after(t, "2024-04-05T00:00:00+02:00");
    fgt_table_destroy(&t);
    t = load_text("t,a\n2024-03-28T00:00:00Z,1\n2024-03-28T01:00:00Z,1\n", NULL);
    expect_after(t, "2024-03-28T02:00:00Z");
    fgt_table_destroy(&t);
}

/* After a change of the clock, labels have the last row's text of the offset. */
static void test_names_of_offsets(void **state)
{
    (void)state;
    static const struct {
        const char *labels[3], *after;
    } cases[] = {
        {{"2024-03-31 00:00 CET", "2024-03-31 01:00 CET", "2024-03-31 03:00 CEST"}, "2024-03-31 04:00 CEST"},
        {{"2024-10-27 01:00 (CEST)", "2024-10-27 02:00 (CEST)", "2024-10-27 02:00 (CET)"},
         "2024-10-27 03:00 (CET)"},
        {{"Sun Mar 31 00:00:00 CET 2024", "Sun Mar 31 01:00:00 CET 2024", "Sun Mar 31 03:00:00 CEST 2024"},
         "Sun Mar 31 04:00:00 CEST 2024"},
        {{"2024-03-30T23:00Z", "2024-03-31T00:00Z", "2024-03-31T02:00+01:00"}, "2024-03-31T03:00+01:00"},
        {{"2024-10-27T00:00+01:00", "2024-10-27T01:00+01:00", "2024-10-27T01:00Z"}, "2024-10-27T02:00+00:00"},
        {{"2024-10-27 00:00 UTC+1", "2024-10-27 01:00 UTC+1", "2024-10-27 01:00 UTC"},
         "2024-10-27 02:00 UTC+0"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        int  n = sprintf(text, "t,a\n");
        for (int k = 0; k < 3; k++) n += sprintf(text + n, "%s,%d\n", cases[i].labels[k], k);
        fgt_table *t = load_text(text, NULL);
        expect_after(t, cases[i].after);
        fgt_table_destroy(&t);
    }
    char        first[256], second[256];
    const char *paths[] = {first, second};
    fgt_table  *t;
    snprintf(first, sizeof first, "%s",
             put_text("a.csv", "t,a\n2024-03-31 00:00 CET,1\n2024-03-31 01:00 CET,2\n"));
    snprintf(second, sizeof second, "%s",
             put_text("b.csv", "t,a\n2024-03-31 03:00 CEST,3\n2024-03-31 04:00 CEST,4\n"));
    expect_ok(fgt_table_load_files(&context, paths, 2, NULL, &t));
    expect_after(t, "2024-03-31 05:00 CEST");
    fgt_table_destroy(&t);
}

/* Hourly rows whose clock is an hour ahead in the rows 10 .. 9 + ahead. */
static const char *hours_ahead(int64_t ahead)
{
    static char text[8192];
    int         n = sprintf(text, "t,a\n");
    for (int64_t r = 0; r < ahead + 20; r++) {
        const int64_t o = r >= 10 && r < 10 + ahead;
        char          time[24];
        expect_ok(fgt_time_format(at("2024-03-01 00:00") + (r + o) * HOUR, time, sizeof time));
        n += sprintf(text + n, "%s%s,%d\n", time, o ? "+01:00" : "Z", (int)r);
    }
    return text;
}

/* Offsets of rows that no clock has: they come back within a week. */
static void test_back(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "t,a\n2024-05-01 01:00Z,1\n2024-05-01 03:00+01:00,2\n2024-05-01 03:00Z,3\n"
        "2024-05-01 05:00+01:00,4\n",
        "t,a\n2024-05-01 03:00Z,3\n2024-05-01 01:00Z,1\n2024-05-01 05:00+01:00,4\n"
        "2024-05-01 03:00+01:00,2\n",
        "unique_id,t,a\nA,2024-05-01 00:00Z,1\nA,2024-05-01 01:00Z,1\nB,2024-05-01 01:00+01:00,2\n"
        "B,2024-05-01 02:00Z,2\nB,2024-05-01 04:00+01:00,3\n"};
    static const char *const sentence[] = {
        "t.csv: column \"t\": line 4 has the UTC offset of line 2, but line 3 between them has another one, "
        "and no clock changes back within a week (got 2024-05-01 03:00Z, need e.g. 2024-05-01 04:00+01:00); "
        "the option `zone` names the zone of the rows, such as Europe/Berlin",
        "line 2 has the UTC offset of line 3, but line 5 between them", "(got 2024-05-01 04:00+01:00, need"};
    char       zone[256];
    fgt_table *t;
    snprintf(zone, sizeof zone, "%s", berlin());
    for (size_t i = 0; i < COUNT(bad); i++) {
        const char *path = put_text("t.csv", bad[i]);
        expect_status(fgt_table_load(&context, path, &CSV(.repair = FGT_TABLE_REPAIR_ORDER), &t), FGT_E_DATA);
        expect_sentence(sentence[i]);
    }
    t = load_text(bad[0], &CSV(.zone = zone));
    assert_int_equal(fgti_table_clock(t, 1), at("2024-05-01 04:00"));
    fgt_table_destroy(&t);
    expect_status(fgt_table_load(&context, put_text("t.csv", hours_ahead(7 * 24 - 2)), NULL, &t), FGT_E_DATA);
    t = load_text(hours_ahead(7 * 24), NULL);
    assert_int_equal(info_of(t).rows, 7 * 24 + 20);
    fgt_table_destroy(&t);
    /* two series in two zones */
    t = load_text("unique_id,t,a\nA,2024-05-01 01:00Z,1\nB,2024-05-01 02:00+01:00,2\nA,2024-05-01 02:00Z,3\n"
                  "B,2024-05-01 03:00+01:00,4\n",
                  NULL);
    assert_int_equal(info_of(t).rows, 2);
    fgt_table_destroy(&t);
}

static void test_zone(void **state)
{
    (void)state;
    fgt_table *t;
    /* local stamps: an hour comes twice, or is left out */
    const char *october = put_text("o.csv", hours("2024-10-26 22:00", 40, 1, false));
    expect_status(fgt_table_load(&context, october, &CSV(.repair = FGT_TABLE_REPAIR_GAPS), &t), FGT_E_DATA);
    char zone[256];
    snprintf(zone, sizeof zone, "%s", berlin());
    expect_ok(fgt_table_load(&context, october, &CSV(.zone = zone), &t));
    assert_int_equal(info_of(t).rows, 40);
    assert_int_equal(info_of(t).step.milliseconds, HOUR / 4);
    assert_int_equal(((const int64_t *)fgt_table_get_times(t).data)[12], at("2024-10-27 01:00"));
    expect_after(t, "2024-10-27 09:00:00");
    fgt_table_destroy(&t);
    const char *hour = put_text("h.csv", hours("2024-10-26 22:00", 10, 4, false));
    expect_status(fgt_table_load(&context, hour, NULL, &t), FGT_E_DATA);
    expect_sentence(
        "line 5 (2024-10-27 02:00:00) has the time of line 4 (1 such row, with other values: \"a\" is 3, and "
        "2 in line 4); clocks may have changed in this hour: the option `zone` with the name of the zone");
    const char *march = put_text("m.csv", hours("2024-03-30 22:00", 10, 4, false));
    expect_status(fgt_table_load(&context, march, NULL, &t), FGT_E_DATA);
    expect_sentence("(1 row in 1 place); clocks may have changed in this hour: the option `zone`");
    expect_ok(fgt_table_load(&context, march, &CSV(.zone = zone), &t));
    assert_int_equal(info_of(t).rows, 10);
    assert_int_equal(fgti_table_clock(t, 2), at("2024-03-31 01:00"));
    assert_int_equal(fgti_table_clock(t, 3), at("2024-03-31 03:00"));
    fgt_table_destroy(&t);
    expect_status(
        fgt_table_load(&context, put_text("l.csv", "t,a\n2024-03-31 02:30,1\n"), &CSV(.zone = zone), &t),
        FGT_E_DATA);
    expect_sentence("line 2: \"2024-03-31 02:30\" is in an hour that the clock of the zone left out");
    const char *slip = "t,a\n2024-07-01 01:00,1\n2024-07-01 02:00,2\n2024-07-01 03:00,3\n2024-06-01 04:00,4\n"
                       "2024-07-01 05:00,5\n2024-07-01 06:00,6\n2024-07-01 07:00,7\n2024-07-01 08:00,8\n";
    expect_status(fgt_table_load(&context, put_text("s.csv", slip), &CSV(.zone = zone), &t), FGT_E_DATA);
    expect_sentence("line 5 (2024-06-01 04:00) is earlier than line 4 (2024-07-01 03:00)");
    assert_null(strstr(context.error.text, "would fit there")); /* which would be a time of UTC */
    /* the forecast goes over the change */
    t = load_text(hours("2024-03-30 22:00", 3, 4, false), &CSV(.zone = zone));
    expect_after(t, "2024-03-31 03:00:00");
    fgt_table_destroy(&t);
    /* two series in turn */
    t = load_text("unique_id,ds,y\na,2024-10-27 01:00,1\nb,2024-10-27 01:00,2\na,2024-10-27 02:00,3\n"
                  "b,2024-10-27 02:00,4\na,2024-10-27 02:00,5\nb,2024-10-27 02:00,6\n",
                  &CSV(.zone = zone));
    assert_string_equal(table_of(t), "a b: 1 2; 3 4; 5 6");
    fgt_table_destroy(&t);
}

/* Labels with and without an offset in one column are no times that can be compared, unless the zone of the
 * labels without an offset is known. */
static void test_mixed(void **state)
{
    (void)state;
    static const struct {
        const char *labels[4], *sentence; /* with the zone they are one hour apart */
    } bad[] = {
        {{"2024-05-01 01:00+02:00", "2024-05-01 02:00+02:00", "2024-05-01 03:00", "2024-05-01 04:00"},
         "t.csv: column \"t\": line 4 has no UTC offset, the rows before have one (got 2024-05-01 03:00, "
         "need "
         "e.g. 2024-05-01 03:00+02:00); the option `zone` names the zone of labels without an offset"},
        {{"2024-05-01 01:00", "2024-05-01 02:00", "2024-05-01 03:00+02:00", "2024-05-01 04:00"},
         "line 4 has a UTC offset, the rows before have none (got 2024-05-01 03:00+02:00, need e.g. "
         "2024-05-01 "
         "03:00)"},
        {{"2024-05-01T01:00:00", "2024-05-01T00Z", "2024-05-01T03:00:00", "2024-05-01T04:00:00"},
         "line 3 has a UTC offset, the rows before have none (got 2024-05-01T00Z, need e.g. 2024-05-01T00)"},
        {{"2024-04-30 23:00 UTC", "2024-05-01 02:00", "2024-05-01 03:00 CEST", "2024-05-01 04:00"},
         "line 3 has no UTC offset, the rows before have one (got 2024-05-01 02:00, need e.g. 2024-05-01 "
         "02:00 "
         "UTC)"},
        {{"1714518000", "2024-05-01 02:00", "2024-05-01 03:00", "2024-05-01 04:00"},
         "line 3 has no UTC offset, the rows before are Unix time, which is in UTC (got 2024-05-01 02:00);"},
        {{"2024-05-01 01:00", "2024-05-01 02:00", "2024-05-01 03:00", "1714528800"},
         "line 5 is Unix time, which is in UTC, the rows before have no UTC offset (got 1714528800);"},
        /* the hour comes twice: the second time follows a label with its offset */
        {{"2024-10-27 02:00+02:00", "2024-10-27 02:00+01:00", "2024-10-27 03:00", "2024-10-27 04:00"},
         "line 4 has no UTC offset, the rows before have one"},
        {{"2024-10-27 01:00+02:00", "2024-10-27 02:00+02:00", "2024-10-27 02:00", "2024-10-27 03:00"},
         "line 4 has no UTC offset, the rows before have one"},
    };
    char       zone[256], to[256], text[256];
    fgt_table *t;
    snprintf(zone, sizeof zone, "%s", berlin());
    for (size_t i = 0; i < COUNT(bad); i++) {
        int n = sprintf(text, "t,a\n");
        for (int k = 0; k < 4; k++) n += sprintf(text + n, "%s,%d\n", bad[i].labels[k], k);
        snprintf(to, sizeof to, "%s", in_directory("t.fgt"));
        const char *path = put_text("t.csv", text);
        expect_status(fgt_table_load(&context, path, &CSV(.repair = FGT_TABLE_REPAIR_ALL), &t), FGT_E_DATA);
        expect_sentence(bad[i].sentence);
        expect_status(fgt_table_convert(&context, &path, 1, NULL, to, NULL), FGT_E_DATA);
        expect_sentence(bad[i].sentence);
        t = load_text(text, &CSV(.zone = zone));
        assert_int_equal(info_of(t).rows, 4);
        assert_int_equal(info_of(t).step.milliseconds, HOUR);
        fgt_table_destroy(&t);
    }
    /* the offset shows that the zone is wrong */
    snprintf(text, sizeof text, "t,a\n2024-05-01 01:00+09:00,1\n2024-05-01 02:00,2\n");
    expect_status(fgt_table_load(&context, put_text("t.csv", text), &CSV(.zone = zone), &t), FGT_E_DATA);
    expect_sentence("line 2 has another UTC offset than the clock of the option `zone`, on which the labels "
                    "without an offset are (got 2024-05-01 01:00+09:00, need +02:00)");
}

/* Names of places give no offset, so times of two places cannot be compared. */
static void test_places(void **state)
{
    (void)state;
    static const char *const bad[] = {"2024-05-01 03:00 Europe/Berlin", "2024-05-01 03:00[Europe/Berlin]"};
    char                     zone[256];
    fgt_table               *t;
    snprintf(zone, sizeof zone, "%s", berlin());
    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[256];
        snprintf(text, sizeof text, "t,a\n2024-05-01 01:00 America/New_York,1\n2024-05-01 02:00,2\n%s,3\n",
                 bad[i]);
        const char *path = put_text("t.csv", text);
        expect_status(fgt_table_load(&context, path, NULL, &t), FGT_E_DATA);
        expect_sentence(
            "t.csv: column \"t\": line 4 is a time of Europe/Berlin, a row before of America/New_York "
            "(got 2024-05-01 03:00");
        expect_status(fgt_table_load(&context, path, &CSV(.zone = zone), &t), FGT_E_DATA);
    }
    expect_status(fgt_table_load(&context,
                                 put_text("t.csv", "t,a\n2024-05-01 01:00 IST,1\n2024-05-01 02:00 AST,2\n"),
                                 NULL, &t),
                  FGT_E_DATA);
    expect_sentence("line 3 is a time of AST, a row before of IST");
    static const char *const good[] = {
        /* names that stand for offsets: the winter and the summer of a zone, and different zones */
        "t,a\n2024-10-27 02:00 CEST,1\n2024-10-27 02:00 CET,2\n2024-10-27 03:00 CET,3\n",
        "t,a\n2024-10-27 02:00 (CEST),1\n2024-10-27 02:00 (CET),2\n2024-10-27 03:00 (CET),3\n",
        "t,a\n2024-05-01 01:00 EST,1\n2024-05-01 07:00 UTC,2\n2024-05-01 10:00 CEST,3\n",
        /* A is not the beginning of AM */
        "t,a\n2024-05-01 12:00 America/New_York,1\n2024-05-01 13:00 America/New_York,2\n",
        "t,a\n2024-05-01T01:00+02:00[Europe/Berlin],1\n2024-05-01T01:00+01:00[Europe/London],2\n",
        ("t,a\n2024-05-01 01:00 GMT+0200 (Central European Summer Time),1\n"
         "2024-05-01 02:00 GMT+0200 (CEST),2\n")};
    for (size_t i = 0; i < COUNT(good); i++) {
        t = load_text(good[i], NULL);
        assert_int_equal(info_of(t).step.milliseconds, HOUR);
        fgt_table_destroy(&t);
    }
}

/* Files whose hours cannot be compared. Days can: they are counted by the clock of the labels. */
static void test_mixed_files(void **state)
{
    (void)state;
    char        first[256], second[256], zone[256];
    const char *paths[] = {first, second};
    fgt_table  *t;
    snprintf(zone, sizeof zone, "%s", berlin());
    snprintf(first, sizeof first, "%s",
             put_text("a.csv", "t,a\n2024-05-01 01:00+02:00,1\n2024-05-01 02:00+02:00,2\n"));
    snprintf(second, sizeof second, "%s", put_text("b.csv", "t,b\n2024-05-01 01:00,1\n2024-05-01 02:00,2\n"));
    expect_status(fgt_table_load_files(&context, paths, 2, NULL, &t), FGT_E_DATA);
    expect_sentence(
        "b.csv: line 2 (2024-05-01 01:00) has no UTC offset, but line 2 (2024-05-01 01:00+02:00) of ");
    expect_sentence("a.csv has one; the option `zone`");
    expect_ok(fgt_table_load_files(&context, paths, 2, &CSV(.zone = zone), &t));
    assert_int_equal(info_of(t).rows, 2);
    fgt_table_destroy(&t);
    put_text("a.csv", "t,a\n2024-05-01T00:00+02:00,1\n2024-05-02T00:00+02:00,2\n");
    put_text("b.csv", "t,b\n2024-05-01,1\n2024-05-02,2\n");
    expect_ok(fgt_table_load_files(&context, paths, 2, NULL, &t));
    assert_int_equal(info_of(t).rows, 2);
    fgt_table_destroy(&t);
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *path = put_text("o.csv", hours("2024-10-26 22:00", 10, 4, false));
    char        zone[256];
    fgt_table  *t, *subset;
    snprintf(zone, sizeof zone, "%s", berlin());
    for (int64_t k = 1;; k++) {
        hook.countdown = k;
        subset         = NULL;
        fgt_status s   = fgt_table_load(&context, path, &CSV(.zone = zone), &t);
        if (s == FGT_OK) s = fgt_table_create_subset(t, (int64_t[]){0}, 1, &subset);
        const bool failed = hook.countdown == 0;
        hook.countdown    = 0;
        expect_status(s, failed ? FGT_E_NOMEM : FGT_OK);
        if (s == FGT_OK) assert_int_equal(fgti_table_clock(subset, 3), at("2024-10-27 02:00"));
        fgt_table_destroy(&subset);
        fgt_table_destroy(&t);
        if (!failed) break;
        assert_int_equal(hook.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_rules, expect_no_leak),
        cmocka_unit_test_teardown(test_found, expect_no_leak),
        cmocka_unit_test_teardown(test_damaged, expect_no_leak),
        cmocka_unit_test_teardown(test_offsets, expect_no_leak),
        cmocka_unit_test_teardown(test_names_of_offsets, expect_no_leak),
        cmocka_unit_test_teardown(test_back, expect_no_leak),
        cmocka_unit_test_teardown(test_zone, expect_no_leak),
        cmocka_unit_test_teardown(test_mixed, expect_no_leak),
        cmocka_unit_test_teardown(test_places, expect_no_leak),
        cmocka_unit_test_teardown(test_mixed_files, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
