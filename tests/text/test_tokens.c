/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of texts in several scripts. */
#include "../data/small_files.h"

#include <locale.h>

#include "text/vocab/tokens.h"

#ifdef FGTI_HAVE_UTF8PROC

/* The words of a text between bars: "|a|b|". */
static const char *words_of(fgti_tokens *t, const char *text)
{
    static char out[512];
    size_t      n = (size_t)snprintf(out, sizeof out, "|");
    expect_ok(fgti_tokens_read(t, text, (int64_t)strlen(text)));
    for (int64_t i = 0; i < t->words.count; i++) {
        assert_int_equal(strlen(fgti_strings_get(&t->words, i)), fgti_strings_size(&t->words, i));
        n += (size_t)snprintf(out + n, sizeof out - n, "%s|", fgti_strings_get(&t->words, i));
    }
    return out;
}

typedef struct row {
    const char *text, *words;
} row;

static const fgt_vocab_opts words_only = {.size = sizeof words_only, .symbols = FGT_VOCAB_SYMBOLS_SPACES};
static const fgt_vocab_opts words_and_marks = {
    .size = sizeof words_and_marks, .punctuation = 1, .symbols = FGT_VOCAB_SYMBOLS_SPACES};
static const fgt_vocab_opts with_symbols = {.size = sizeof with_symbols, .symbols = FGT_VOCAB_SYMBOLS_WORDS};
static const fgt_vocab_opts with_all     = {
        .size = sizeof with_all, .punctuation = 1, .symbols = FGT_VOCAB_SYMBOLS_WORDS};

static void check(const fgt_vocab_opts *opts, const row *rows, size_t count)
{
    fgti_tokens t;
    expect_ok(fgti_tokens_init(&context, opts, &t));
    for (size_t i = 0; i < count; i++) assert_string_equal(words_of(&t, rows[i].text), rows[i].words);
    fgti_tokens_done(&t);
}

static const row plain[] = {
    {"", "|"},
    {" \t\n", "|"},
    {"...", "|"},
    {"a", "|a|"},
    {"Bill adds 20,000 H-1B visas", "|bill|adds|20|000|h|1b|visas|"},
    {"Don't stop, it #39;s U.S. AT&amp;T", "|don|t|stop|it|39|s|u|s|at|amp|t|"},
    {"snake_case x=y+1", "|snake|case|x|y|1|"},
    /* composed and decomposed are one word; so are compatibility forms */
    {"Caf\xc3\xa9 CAFE\xcc\x81", "|caf\xc3\xa9|caf\xc3\xa9|"},
    {"\xef\xac\x81re \xef\xbc\xa1\xef\xbc\xa2\xef\xbc\x93 \xe2\x85\xab", "|fire|ab3|xii|"},
    /* full case folding: sharp s, final sigma, dotted capital I */
    {"Stra\xc3\x9f" "e STRASSE", "|strasse|strasse|"},
    {"\xce\xa3\xce\xbf\xcf\x82 \xcf\x83\xce\xbf\xcf\x83",
     "|\xcf\x83\xce\xbf\xcf\x83|\xcf\x83\xce\xbf\xcf\x83|"},
    {"\xc4\xb0stanbul", "|i\xcc\x87stanbul|"},
    {"\xd0\x9c\xd0\x9e\xd0\xa1\xd0\x9a\xd0\x92\xd0\x90",
     "|\xd0\xbc\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0|"},
    /* invisible characters do not separate: soft hyphen, zero width joiner, variation selector */
    {"co\xc2\xad" "operate a\xe2\x80\x8d" "b", "|cooperate|ab|"},
    /* spaces of all sorts and punctuation of all sorts do */
    {"a\xc2\xa0" "b\xe2\x80\x83" "c\xe3\x80\x80" "d\xe2\x80\x94" "e\xe2\x80\x99" "f", "|a|b|c|d|e|f|"},
    /* marks belong to what stands before them, and begin no word */
    {"\xe0\xa4\xb9\xe0\xa4\xbf\xe0\xa4\xa8\xe0\xa5\x8d\xe0\xa4\xa6\xe0\xa5\x80 \xcc\x81" "a",
     "|\xe0\xa4\xb9\xe0\xa4\xbf\xe0\xa4\xa8\xe0\xa5\x8d\xe0\xa4\xa6\xe0\xa5\x80|a|"},
    /* digits of other scripts, numbers that are letters or signs */
    {"\xd9\xa3\xd9\xa4 \xc2\xbd m\xc2\xb2", "|\xd9\xa3\xd9\xa4|1|2|m2|"},
    /* ideographs and kana one by one, latin letters among them in runs */
    {"\xe4\xb8\x8a\xe6\xb5\xb7" "AI\xe5\x85\xac", "|\xe4\xb8\x8a|\xe6\xb5\xb7|ai|\xe5\x85\xac|"},
    {"\xe3\x82\xab\xe3\x82\x99\xe3\x81\xae\xf0\xa0\x80\x80", "|\xe3\x82\xac|\xe3\x81\xae|\xf0\xa0\x80\x80|"},
    {"\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4", "|\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4|"},
    /* replacement characters, symbols, private use, what is not assigned */
    {"a\xef\xbf\xbd" "b \xf0\x9f\x98\x80 \xee\x80\x80 \xcd\xb8", "|a|b|"},
};

static const row marks[] = {
    {"Hi, \"x\"!", "|hi|,|\"|x|\"|!|"},
    {"$5-6%", "|$|5|-|6|%|"},
    {"a\xe2\x80\xa6", "|a|.|.|.|"},
    {"\xe2\x82\xac" "9\xef\xbc\x8c\xf0\x9f\x98\x80", "|\xe2\x82\xac|9|,|\xf0\x9f\x98\x80|"},
    {" \t\xc2\xa0", "|"},
};

#define GRIN     "\xf0\x9f\x98\x80"
#define HEART    "\xe2\x9d\xa4"
#define THUMB    "\xf0\x9f\x91\x8d"
#define TONE     "\xf0\x9f\x8f\xbd"
#define WOMAN    "\xf0\x9f\x91\xa9"
#define GIRL     "\xf0\x9f\x91\xa7"
#define JOINER   "\xe2\x80\x8d"
#define SELECTOR "\xef\xb8\x8f"
#define D        "\xf0\x9f\x87\xa9"
#define E        "\xf0\x9f\x87\xaa"

static const row symbols[] = {
    /* of currency and mathematics, arrows, pictures; no punctuation, no accent that stands alone */
    {"$5-6% ^`x", "|$|5|6|x|"},
    {"snake_case x=y+1 a~b|c <d>", "|snake|case|x|=|y|+|1|a|~|b|" "|" "|c|<|d|>|"},
    {"\xe2\x82\xac" "9 \xe2\x89\xa4 \xe2\x86\x92" "z", "|\xe2\x82\xac|9|\xe2\x89\xa4|\xe2\x86\x92|z|"},
    {"\xc2\xa9" "2020 5\xc2\xb0", "|\xc2\xa9|2020|5|\xc2\xb0|"},
    {"no" GRIN GRIN "way", "|no|" GRIN "|" GRIN "|way|"},
    /* with and without what only chooses the look */
    {HEART SELECTOR " " HEART, "|" HEART "|" HEART "|"},
    /* a skin tone, a family, a keycap */
    {THUMB TONE " " THUMB, "|" THUMB "|" TONE "|" THUMB "|"},
    {WOMAN JOINER WOMAN JOINER GIRL, "|" WOMAN "|" WOMAN "|" GIRL "|"},
    {"1" SELECTOR "\xe2\x83\xa3", "|1\xe2\x83\xa3|"},
    /* two regional indicators are a flag; a third one begins the next */
    {D E E D " " E, "|" D E "|" E D "|" E "|"},
    {D E D, "|" D E "|" D "|"},
    {"x" D E "y", "|x|" D E "|y|"},
    /* what could not be read, private use, what is not assigned */
    {"a\xef\xbf\xbd" "b \xee\x80\x80 \xcd\xb8", "|a|b|"},
};

static const row all[] = {
    {"Hi, \"x\"! $5", "|hi|,|\"|x|\"|!|$|5|"},
    {D E "^" GRIN "\xef\xbc\x8c" THUMB TONE, "|" D E "|^|" GRIN "|,|" THUMB "|" TONE "|"},
};

static void test_words(void **state)
{
    (void)state;
    check(&words_only, plain, COUNT(plain));
    check(&words_and_marks, marks, COUNT(marks));
    check(&with_symbols, symbols, COUNT(symbols));
    check(&with_all, all, COUNT(all));
}

/* Turkish lowers I without its dot, and has another decimal point: nobody asks. */
/* ASCII takes a shorter way, to the same words. A no-break space makes a text take the longer one. */
static void test_ascii(void **state)
{
    (void)state;
    const fgt_vocab_opts *const every[] = {&words_only, &words_and_marks, &with_symbols, &with_all};
    for (size_t o = 0; o < COUNT(every); o++) {
        fgti_tokens t;
        expect_ok(fgti_tokens_init(&context, every[o], &t));
        for (int c = 1; c < 128; c++) {
            const char shorter[] = {'x', (char)c, 'Y', '1', ' ', (char)c, (char)c, 0};
            char       longer[16], words[64];
            snprintf(longer, sizeof longer, "%s\xc2\xa0", shorter);
            snprintf(words, sizeof words, "%s", words_of(&t, shorter));
            assert_string_equal(words_of(&t, longer), words);
        }
        fgti_tokens_done(&t);
    }
}

static void test_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"tr_TR.UTF-8", "tr_TR.utf8", "tr_TR", "C.UTF-8"};
    const char              *set     = NULL;
    for (size_t i = 0; i < COUNT(names) && !set; i++) set = setlocale(LC_ALL, names[i]);
    if (set) check(&words_only, plain, COUNT(plain));
    if (set) check(&words_only, &(row){"TITLE I", "|title|i|"}, 1);
    setlocale(LC_ALL, "C");
    if (set) return;
    print_message("SKIP: no other locale\n");
    skip();
}

/* One character that becomes 18 of them, many times: more than the first guess at the room. */
static void test_expansion(void **state)
{
    (void)state;
    enum { N = 500 };
    char        text[3 * N + 1];
    fgti_tokens t;
    for (int i = 0; i < N; i++) memcpy(text + 3 * i, "\xef\xb7\xba", 3);
    text[3 * N] = 0;
    expect_ok(fgti_tokens_init(&context, &with_symbols, &t));
    expect_ok(fgti_tokens_read(&t, text, 3 * N));
    assert_int_equal(t.words.count, 3 * N + 1); /* three blanks in each, the words at the borders joined */
    fgti_tokens_done(&t);
}

/* A second text allocates nothing when the first was as long. */
static void test_nomem(void **state)
{
    (void)state;
    fgti_tokens t;
    expect_ok(fgti_tokens_init(&context, &with_symbols, &t));
    words_of(&t, "one two three four");
    hook.countdown = 1;
    words_of(&t, "five six seven ate");
    assert_int_equal(hook.countdown, 1);
    hook.countdown = 0;
    fgti_tokens_done(&t);
    for (long k = 1; k < 4; k++) {
        expect_ok(fgti_tokens_init(&context, &with_symbols, &t));
        hook.countdown = k;
        expect_status(fgti_tokens_read(&t, "one two", 7), FGT_E_NOMEM);
        hook.countdown = 0;
        fgti_tokens_done(&t);
    }
}

#else

static void test_words(void **state)
{
    (void)state;
    fgti_tokens t;
    const fgt_vocab_opts o = {.size = sizeof o};
    expect_status(fgti_tokens_init(&context, &o, &t), FGT_E_UNSUPPORTED);
    expect_sentence("texts need libutf8proc, and this library was built without it");
    fgti_tokens_done(&t);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_words, expect_no_leak),
#ifdef FGTI_HAVE_UTF8PROC
        cmocka_unit_test_teardown(test_ascii, expect_no_leak),
        cmocka_unit_test_teardown(test_locale, expect_no_leak),
        cmocka_unit_test_teardown(test_expansion, expect_no_leak),
        cmocka_unit_test_teardown(test_nomem, expect_no_leak),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
