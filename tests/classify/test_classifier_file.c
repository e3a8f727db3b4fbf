/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of classifiers in which one thing is not as it should be: a sentence, and no classifier. */
#include <fighter/classify.h>

#include "../directory.h"
#include "../model/file_data.h"
#include "../one_context.h"

static int set_up(void **state)
{
    return make_directory(state) || test_open(state);
}

static int tear_down(void **state)
{
    return remove_directory(state) | test_close(state);
}

static void load(file_copy *c, fgt_status status, const char *words)
{
    fgt_classifier *k    = (fgt_classifier *)c; /* anything */
    const char     *path = in_directory("bad");
    copy_save(ctx, c, path);
    const int64_t live = memory.live;
    REFUSED(fgt_classifier_load(ctx, path, NULL, &k), status, words);
    assert_null(k);
    assert_int_equal(memory.live, live);
}

static void one_thing_is_wrong(void **state)
{
    static const struct {
        const char *key, *value;
        fgt_status  status;
        const char *words;
    } wrong[] = {
        {"classify.format", "4", FGT_E_VERSION, "classifier format 4 is unknown"},
        {"classify.classes", "[\"1\"]", FGT_E_FORMAT, "two or more different names"},
        {"classify.classes", "[\"1\",\"1\"]", FGT_E_FORMAT, "two or more different names"},
    };
    static file_copy c;
    const char      *good = TESTS_DIR "/fuzz/corpus/fuzz_classifier/members";
    fgt_classifier  *k;
    (void)state;
    OK(fgt_classifier_load(ctx, good, NULL, &k));
    fgt_classifier_destroy(&k);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        copy_open(ctx, good, &c);
        copy_set(&c, wrong[i].key, wrong[i].value);
        load(&c, wrong[i].status, wrong[i].words);
    }
    copy_open(ctx, good, &c);
    copy_find(&c, "classify.words")->dtype = FGTI_ST_I8;
    load(&c, FGT_E_FORMAT, "not of type U8");
}

/* The model is for images of 2 x 2. */
static void patches_do_not_fit(void **state)
{
    static const struct {
        const char *value, *words;
    } wrong[] = {
        {"patch_height=1099511627776 patch_width=1099511627776 dim=4",
         "\"classify.vit\": vision transformer"},
        {"patch_height=2 patch_width=3 dim=4", "patches of 2 x 3 do not divide an image of 2 x 2"},
        {"patch_height=-2 patch_width=2 dim=4", "patch_height is -2"},
        {"patch_height=2 dim=-4", "dim is -4"},
    };
    static file_copy c;
    const char      *good = TESTS_DIR "/fuzz/corpus/fuzz_classifier/images";
    fgt_classifier  *k;
    (void)state;
    OK(fgt_classifier_load(ctx, good, NULL, &k));
    fgt_classifier_destroy(&k);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        copy_open(ctx, good, &c);
        copy_set(&c, "classify.vit", wrong[i].value);
        load(&c, FGT_E_FORMAT, wrong[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_thing_is_wrong),
                                       cmocka_unit_test(patches_do_not_fit)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
