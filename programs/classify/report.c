/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>

#include <fighter/experimental/ensemble.h>

#include "report.h"
#include "report_layers.h"

#include "../common/blocks.h"
#include "../common/model_info.h"
#include "../common/program.h"

int64_t report_count_members(const run *r)
{
    int64_t n = 0;
    while (fgt_classifier_get_member(r->classifier, n)) n++;
    return n;
}

void report_start(const run *r, FILE *out)
{
    fgt_vocab_info   vocab   = {.size = sizeof vocab};
    const int64_t    members = r->o->load ? report_count_members(r) : r->o->members;
    char             name[PLAIN_TEXT];
    fprintf(out, "%s: ", plain_text(r->dataset, name, sizeof name));
    if (samples_are_there(r->train))
        fprintf(out, "%lld training %s, %lld for validation, ", (long long)samples_count(r->train),
                samples_called(r), (long long)samples_count(r->validation));
    if (samples_are_there(r->unlabelled))
        fprintf(out, "%lld without their classes, ",
                (long long)(samples_count(r->unlabelled) - samples_count(r->train)));
    fprintf(out, "%lld for the test; %lld classes\n%s: ", (long long)samples_count(r->test),
            (long long)r->info.classes, block_names[r->info.block]);
    if (fgt_vocab_get_info(fgt_classifier_get_vocab(r->classifier), &vocab) == FGT_OK)
        fprintf(out, "%lld words, %lld ids, %lld of a text; ", (long long)vocab.words, (long long)vocab.ids,
                (long long)r->info.tokens);
    else
        fprintf(out, "images of %lld x %lld pixels, %s; ", (long long)r->info.height,
                (long long)r->info.width,
                r->info.channels == 1 ? "gray" : "colours");
    if (members > 1) fprintf(out, "%lld members of ", (long long)members);
    fprintf(out, "%lld parameters; %s %s (%s), %d thread%s\n",
            (long long)model_info(fgt_classifier_get_model(r->classifier)).parameters, r->build.blas,
            r->build.blas_version, r->build.blas_config, r->build.threads, r->build.threads == 1 ? "" : "s");
    if (r->o->describe) program_describe(fgt_classifier_get_model(r->classifier), out);
    fflush(out);
}

static double share(int64_t part, int64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* Measures of accuracy for one class. precision is NaN if the class is never predicted. recall and f1 are NaN
 * if the class does not occur. */
typedef struct found {
    int64_t count; /* number of samples of the class */
    double  precision, recall, f1;
} found;

static found measure_class(const run *r, const int64_t *m, int64_t i)
{
    const int64_t c = r->info.classes, right = m[i * c + i];
    int64_t       row = 0, column = 0;
    for (int64_t k = 0; k < c; k++) {
        row += m[i * c + k];
        column += m[k * c + i];
    }
    return (found){row, share(right, column), share(right, row), row ? share(2 * right, row + column) : NAN};
}

/* The mean of F1 over the classes that occur in the test. */
static double macro_f1(const run *r)
{
    double  sum     = 0;
    int64_t classes = 0;
    for (int64_t i = 0; r->confusion && i < r->info.classes; i++) {
        const found f = measure_class(r, r->confusion, i);
        if (!f.count) continue;
        sum += f.f1;
        classes++;
    }
    return classes ? sum / (double)classes : NAN;
}

static void print_share(double v, FILE *out)
{
    if (isnan(v))
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %9.4f", v);
}

/* Prints the confusion matrix: a row for each true class, and a column for each predicted class. */
static void print_confusion(const run *r, FILE *out)
{
    const int64_t c = r->info.classes, *m = r->confusion;
    char          name[PLAIN_TEXT];
    fprintf(out, "  %-16s", "true \\ found");
    for (int64_t k = 0; k < c; k++)
        fprintf(out, " %7.7s",
                plain_text(fgt_classifier_get_class_name(r->classifier, k), name, sizeof name));
    fprintf(out, "  %9s %9s %9s\n", "precision", "recall", "F1");
    for (int64_t i = 0; i < c; i++) {
        const found f = measure_class(r, r->confusion, i);
        fprintf(out, "  %-16.16s",
                plain_text(fgt_classifier_get_class_name(r->classifier, i), name, sizeof name));
        for (int64_t k = 0; k < c; k++) fprintf(out, " %7lld", (long long)m[i * c + k]);
        fputc(' ', out);
        print_share(f.precision, out);
        print_share(f.recall, out);
        print_share(f.f1, out);
        fputc('\n', out);
    }
}

#define HARDLY 0.1 /* a class with a lower recall is named */
#define NAMED  8   /* most classes that one sentence names */

/* Names the classes of which the model finds hardly any sample. */
static void print_missed(const run *r, const int64_t *confusion, const char *set, FILE *out)
{
    int64_t missed = 0;
    char    name[PLAIN_TEXT];
    for (int64_t i = 0; confusion && i < r->info.classes; i++) {
        const found f = measure_class(r, confusion, i);
        if (!f.count || f.recall >= HARDLY || ++missed > NAMED) continue;
        fprintf(out, "%s%s (%lld of %lld)", missed == 1 ? "hardly ever found: " : ", ",
                plain_text(fgt_classifier_get_class_name(r->classifier, i), name, sizeof name),
                (long long)confusion[i * r->info.classes + i], (long long)f.count);
    }
    if (missed > NAMED) fprintf(out, " and %lld more", (long long)(missed - NAMED));
    if (missed) fprintf(out, " %s %s%s\n", set, samples_called(r),
                        r->o->load ? "" : "; they need more training samples, or --balance 1");
}

void report_result(const run *r, FILE *out)
{
    const fgt_fit_report *t = &r->report;
    const int64_t         n = report_count_members(r);
    if (r->masked.epochs)
        fprintf(out, "pre-trained by masked %s for %lld epoch%s in %.1f s; the last loss was %.4f\n",
                of_images(r) ? "patches" : "words", (long long)r->masked.epochs,
                r->masked.epochs == 1 ? "" : "s", r->masked.seconds, r->masked.train_loss);
    if (!r->o->load && n > 1)
        fprintf(out, "trained %lld members for %lld epoch%s in %.1f s; %lld %s went through the backward "
                     "pass\n",
                (long long)n, (long long)t->epochs, plural(t->epochs), t->seconds, (long long)t->samples,
                samples_called(r));
    else if (!r->o->load)
        fprintf(out,
                "trained for %lld epoch%s in %.1f s; the %s was number %lld; %lld %s went through the "
                "backward pass\n",
                (long long)t->epochs, t->epochs == 1 ? "" : "s", t->seconds,
                isnan(t->best_loss) ? "last, which is kept," : "best", (long long)t->best_epoch,
                (long long)t->samples, samples_called(r));
    if (!isnan(r->val_accuracy)) fprintf(out, "accuracy on validation %s %.4f\n", samples_called(r),
                                         r->val_accuracy);
    if (!r->confusion) print_missed(r, r->checked, "validation", out);
    if (!r->confusion) return;
    print_confusion(r, out);
    fprintf(out, "accuracy on test %s %.4f, macro F1 %.4f\n", samples_called(r), r->test_accuracy,
            macro_f1(r));
    print_missed(r, r->confusion, "test", out);
}

static json_t *describe_classes(const run *r)
{
    json_t *list = json_array();
    for (int64_t i = 0; list && r->confusion && i < r->info.classes; i++) {
        const found f = measure_class(r, r->confusion, i);
        json_array_append_new(list, json_pack("{s:s, s:I, s:o, s:o, s:o}", "class",
                                              fgt_classifier_get_class_name(r->classifier, i),
                                              samples_called(r), (json_int_t)f.count, "precision",
                                              json_out_real(f.precision), "recall", json_out_real(f.recall),
                                              "f1", json_out_real(f.f1)));
    }
    return list;
}

static json_t *describe_predictions(const run *r)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < r->prediction_count; i++) {
        const prediction *p = &r->predictions[i];
        json_array_append_new(list, json_pack("{s:s, s:f}", "class",
                                              fgt_classifier_get_class_name(r->classifier, p->class_number),
                                              "probability", p->probability));
    }
    return list;
}

/* Adds up the parameters of all members, and combines their hashes. With one member both are the model's
 * own. */
static void sum_up(const run *r, int64_t members, int64_t *parameters, uint64_t *hash)
{
    *parameters = 0;
    *hash       = 0;
    for (int64_t i = 0; i < members; i++) {
        fgt_model *m = fgt_classifier_get_member(r->classifier, i);
        *parameters += model_info(m).parameters;
        *hash = *hash * UINT64_C(0x100000001b3) ^ fgt_model_get_hash(m); /* hashes are combined as in FNV-1 */
    }
}

bool report_json(const run *r, FILE *out)
{
    char                  hash[20];
    const fgt_fit_report *t = &r->report;
    const int64_t         members = report_count_members(r);
    int64_t               parameters;
    uint64_t              bits;
    sum_up(r, members, &parameters, &bits);
    snprintf(hash, sizeof hash, "%016" PRIx64, bits);
    json_t *all = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:o, s:o, s:o, s:I, s:I, s:I, s:s, s:s, "
        "s:o, s:b, s:b}",
        "dataset", r->dataset, "model", block_names[r->info.block], "members", (json_int_t)members,
        "parameters", (json_int_t)parameters, "train_samples", (json_int_t)samples_count(r->train),
        "val_samples", (json_int_t)samples_count(r->validation), "test_samples",
        (json_int_t)samples_count(r->test), "epochs_run", (json_int_t)t->epochs, "best_epoch",
        (json_int_t)t->best_epoch, "train_seconds", t->seconds, "train_cpu_seconds", r->train_cpu, "val_loss",
        json_out_real(t->epochs ? t->best_loss : NAN), "val_accuracy", json_out_real(r->val_accuracy),
        "test_accuracy", json_out_real(r->test_accuracy), "samples_backpropagated", (json_int_t)t->samples,
        "seed", (json_int_t)r->info.seed, "threads", (json_int_t)r->build.threads, "blis_config",
        r->build.blas_config, "weights_hash", hash, "classes", describe_classes(r), "cancelled",
        t->cancelled != 0, "diverged", t->diverged != 0);
    if (all) json_object_set_new(all, "test_macro_f1", json_out_real(macro_f1(r)));
    selection_report(&r->o->selection, r->reference_loss, all);
    if (r->o->masked && all)
        json_object_set_new(all, "pretraining",
                            json_pack("{s:I, s:f, s:f, s:I, s:o}", "epochs_run",
                                      (json_int_t)r->masked.epochs, "seconds", r->masked.seconds,
                                      "cpu_seconds", r->masked_cpu, "samples_backpropagated",
                                      (json_int_t)r->masked.samples, "train_loss",
                                      json_out_real(r->masked.epochs ? r->masked.train_loss : NAN)));
    if (r->o->ntk_plot) ntk_track_report(&r->ntk, all);
    if (r->o->predict && all) json_object_set_new(all, "predictions", describe_predictions(r));
    if (all && !report_set_layers(r, all)) {
        json_decref(all);
        return false;
    }
    return json_out_print(all, out);
}
