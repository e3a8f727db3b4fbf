/* SPDX-License-Identifier: BSD-3-Clause */
/* Options as text, as model files have them: what was written comes back, and nothing else is taken. */
#include <float.h>
#include <math.h>

#include "../one_context.h"
#include "core/config.h"

typedef struct options {
    size_t  size;
    int64_t count;
    int32_t kind, flag;
    float   share;
    double  rate;
} options;

static const fgti_opt table[] = {
    {"count", offsetof(options, count), FGTI_OPT_I64, -FGTI_OPT_SIZE_MAX, FGTI_OPT_SIZE_MAX, 0},
    {"kind", offsetof(options, kind), FGTI_OPT_ENUM, 0, 9, 0},
    {"flag", offsetof(options, flag), FGTI_OPT_BOOL, 0, 1, 0},
    {"share", offsetof(options, share), FGTI_OPT_F32, -1e30, 1e30, 0},
    {"rate", offsetof(options, rate), FGTI_OPT_F64, -1e300, 1e300, 0},
    {0},
};

static void test_round_trip(void **state)
{
    static const options cases[] = {
        {sizeof(options), 0, 0, 0, 0, 0},
        {sizeof(options), INT64_C(1) << 40, 9, 1, 0.1f, 0.1},
        {sizeof(options), -12345678901, 3, 0, -3.4e-7f, 1 / 3.0},
        {sizeof(options), 7, 0, 1, 16777216, -1e300},
        {sizeof(options), 1, 1, 1, 1e-30f, 5e-324},
        {sizeof(options), 1, 1, 1, FLT_MAX, 1}, /* whose text with 9 digits is larger */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        options   back = {.size = sizeof back};
        fgti_text text = {.ctx = ctx};
        OK(fgti_config_write(&text, table, &cases[i]));
        OK(fgti_config_read(&ctx->error, table, text.s, &back));
        assert_memory_equal(&back, &cases[i], sizeof back);
        fgti_text_done(&text);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *text;
        fgt_status  status;
        const char *words;
    } cases[] = {
        {"count=4.7", FGT_E_FORMAT, "option count is wrong (got 4.7, need a whole number)"},
        {"kind=1.5", FGT_E_FORMAT, "option kind is wrong (got 1.5, need a whole number)"},
        {"flag=0.5", FGT_E_FORMAT, "option flag is wrong (got 0.5, need a whole number)"},
        {"count=4 kind=1 count=4", FGT_E_FORMAT, "option count is given twice"},
        {"share=1 share=2", FGT_E_FORMAT, "option share is given twice"},
        {"counts=1", FGT_E_VERSION, "\"counts\" is from a later version"},
        {"coun=1", FGT_E_VERSION, "\"coun\" is from a later version"},
        {"count", FGT_E_FORMAT, "malformed options"},
        {"count=", FGT_E_FORMAT, "malformed options"},
        {"count=1,kind=1", FGT_E_FORMAT, "malformed options"},
        {"count=0x", FGT_E_FORMAT, "malformed options"},
        {"rate=0x1.8", FGT_E_FORMAT, "malformed options"},
        {"rate=0x1p2000", FGT_E_FORMAT, "malformed options"},
        {"rate=1e99", FGT_E_FORMAT, "malformed options"},
        {"rate=nan", FGT_E_FORMAT, "malformed options"},
        {"count=2199023255552", FGT_E_FORMAT, "count is out of range"},
        {"kind=3000000000", FGT_E_FORMAT, "kind is out of range"},
        {"share=1e39", FGT_E_FORMAT, "share is out of range"},
        {"share=-0x1.ffffffp127", FGT_E_FORMAT, "share is out of range"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        options o = {.size = sizeof o};
        REFUSED(fgti_config_read(&ctx->error, table, cases[i].text, &o), cases[i].status, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_round_trip), WITH_CONTEXT(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
