/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole text classifier, as a host would use it. The program writes a file of customers' messages, each
 * with the department that should answer it. It loads the file, trains on most of the messages, measures the
 * classifier on the others, saves it, loads it again, and sorts three new messages.
 *     cc 07_text_classifier.c $(pkg-config --cflags --libs fighter-tasks) -lm */
#include <fighter/fighter.h>
#include <fighter/tasks.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLASSES = 3, SENTENCES = 6, MESSAGES = 900, TRAINED = 700, NEW = 3 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "text_classifier: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

/* ---- data ---- */

static const char *const department[CLASSES] = {"billing", "delivery", "repair"};

static const char *const sentence[CLASSES][SENTENCES] = {
    {"The invoice is wrong.", "I was charged twice.", "Please refund the amount.", "My card was declined.",
     "The discount is missing on the bill.", "When is the payment due?"},
    {"The parcel has not arrived.", "Where is my order?", "The courier left it with a neighbour.",
     "Please change the address.", "The tracking number does not work.", "Can you ship it by Friday?"},
    {"The screen is broken.", "It does not switch on.", "The battery is empty after an hour.",
     "It makes a loud noise.", "Please send a spare part.", "The warranty covers the motor, I hope."}};

static const char *const small_talk[] = {"Good morning.", "I am a customer of many years.", "Thank you.",
                                         "This is urgent.", "I wrote last week."};

/* A row is a class and a text: small talk and two sentences, sometimes one of another department. */
static void write_messages(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) exit(1);
    fprintf(f, "label,text\n");
    for (int i = 0; i < MESSAGES; i++) {
        const int class = rand() % CLASSES, other = rand() % 10 ? class : rand() % CLASSES;
        const char *talk = small_talk[rand() % 5];
        fprintf(f, "%s,\"%s %s %s\"\n", department[class], talk, sentence[class][rand() % SENTENCES],
                sentence[other][rand() % SENTENCES]);
    }
    if (fclose(f)) exit(1);
}

/* Rows begin .. end-1 of a corpus, with the same classes. */
static fgt_corpus *part(const fgt_corpus *all, int64_t begin, int64_t end)
{
    static int64_t rows[MESSAGES];
    fgt_corpus    *some;
    for (int64_t i = begin; i < end; i++) rows[i - begin] = i;
    check(fgt_corpus_create_subset(all, rows, end - begin, &some));
    return some;
}

/* ---- training ---- */

static int show(void *user, const fgt_progress *p)
{
    (void)user;
    if (p->epoch_done) printf("epoch %lld: loss %.3f\n", (long long)p->epoch, p->loss);
    return 0; /* another number cancels the training */
}

static fgt_classifier *train(const fgt_corpus *texts)
{
    const fgt_classifier_opts opts = {
        .size = sizeof opts, .block.kind = FGT_BLOCK_FIGHTER, .tokens = 24, .dim = 16, .seed = 1};
    const fgt_classifier_fit_opts fit = {.size = sizeof fit, .training = {.epochs = 4, .progress = show}};
    fgt_classifier               *c;
    /* its words and classes come from the texts */
    const fgt_status made = fgt_classifier_create(ctx, FGT_TEXTS(texts), &opts, &c);
    if (made == FGT_E_UNSUPPORTED) exit(77); /* a build without libutf8proc; 77: the test is skipped */
    check(made);
    check(fgt_classifier_fit(c, FGT_TEXTS(texts), NULL, &fit, NULL));
    return c;
}

static double measure(fgt_classifier *c, const fgt_corpus *texts)
{
    static int64_t confusion[CLASSES][CLASSES]; /* [true class, predicted class] */
    fgt_metric     metric = {0};
    check(fgt_classifier_evaluate(c, FGT_TEXTS(texts), &metric,
                                  FGT_VIEW_OF(FGT_DTYPE_I64, confusion, CLASSES, CLASSES)));
    const double accuracy = fgt_metric_get(&metric, FGT_METRIC_ACCURACY);
    printf("%.1f %% of %d other messages are classified correctly\n", 100 * accuracy, MESSAGES - TRAINED);
    for (int i = 0; i < CLASSES; i++)
        printf("  %-8s  %3lld %3lld %3lld\n", fgt_classifier_get_class_name(c, i), (long long)confusion[i][0],
               (long long)confusion[i][1], (long long)confusion[i][2]);
    return accuracy;
}

/* ---- use, in another run of the program ---- */

static void sort_new_messages(const char *model)
{
    static const char *const text[NEW] = {"Hello, the amount on my invoice is wrong.",
                                          "The screen stays black, is that covered by the warranty?",
                                          "Where is the parcel?"};
    float                    p[NEW][CLASSES];
    fgt_classifier          *c;
    check(fgt_classifier_load(ctx, FGT_FROM_FILE(model), NULL, &c));
    check(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = text, .text_count = NEW),
                                 FGT_VIEW(p, NEW, CLASSES), NULL));
    for (int i = 0; i < NEW; i++) {
        int best = 0;
        for (int k = 1; k < CLASSES; k++) best = p[i][k] > p[i][best] ? k : best;
        printf("%-8s %3.0f %%  %s\n", fgt_classifier_get_class_name(c, best), 100 * (double)p[i][best],
               text[i]);
    }
    fgt_classifier_destroy(&c);
}

int main(void)
{
    fgt_corpus *all;
    write_messages("messages.csv");
    check(fgt_context_create(NULL, &ctx));
    check(fgt_corpus_load(ctx, "messages.csv", NULL, &all));
    fgt_corpus     *trained = part(all, 0, TRAINED), *others = part(all, TRAINED, MESSAGES);
    fgt_classifier *c = train(trained);

    const double accuracy = measure(c, others);
    check(fgt_classifier_save(c, FGT_TO_FILE("messages.safetensors")));
    fgt_classifier_destroy(&c);

    sort_new_messages("messages.safetensors");
    fgt_corpus_destroy(&others);
    fgt_corpus_destroy(&trained);
    fgt_corpus_destroy(&all);
    fgt_context_destroy(&ctx);
    return accuracy > .9 ? 0 : 1;
}
