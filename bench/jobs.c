/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole jobs as a user starts them: a program of this build in a separate process, from its files to its
 * result. Processor time and memory are the system's figures for this process. Files that a job needs are
 * made here, always with the same bytes (job_files.c), or are public data sets in the folder of FGT_DATA. The
 * output of the program is kept in NAME.json in the folder. */
#define _DEFAULT_SOURCE /* wait4() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "job_files.h"
#include "measures.h"

typedef struct made_file {
    const char *name; /* NULL: no further file */
    void (*write)(FILE *f);
} made_file;

/* In a command, a word that begins with @ is a file of the folder, and a word with $ is a public data set. */
typedef struct whole_job {
    const char *name;
    const char *command;
    made_file   file[2];
    const char *before; /* a command that is not timed; NULL: no such command */
} whole_job;

#define SPAM  "classify --train @spam.csv --save @spam.safetensors"
#define MODEL "forecast --data @minutes.csv --pred 4 --input 96 --epochs 1 --save @minutes.safetensors"

static const whole_job jobs[] = {
    {"job-etth1-96", "forecast --data $ETTh1.csv --split etth --pred 96", {{0}}, NULL},
    {"job-ettm1-192", "forecast --data $ETTm1.csv --split ettm --pred 192", {{0}}, NULL},
    {"job-weather-192", "forecast --data $weather.csv.gz --repair all --missing mask --pred 192", {{0}},
     NULL},
    {"job-stores",
     "forecast --data @stores.csv --long store,date,sales --pred 28 --predict @stores-forecast.csv",
     {{"stores.csv", job_write_stores}, {"stores-truth.csv", job_write_stores_truth}}, NULL},
    {"job-monthly",
     "forecast --data @monthly.csv --long series,month,value --pred 12 --predict @monthly-forecast.csv",
     {{"monthly.csv", job_write_monthly}, {"monthly-truth.csv", job_write_monthly_truth}}, NULL},
    {"job-news", "classify --train $ag_news_train_subset.csv.gz --test $ag_news_test.csv.gz", {{0}}, NULL},
    {"job-spam", SPAM " --test @spam-test.csv",
     {{"spam.csv", job_write_spam}, {"spam-test.csv", job_write_spam_test}}, NULL},
    {"job-texts", "classify --load @spam.safetensors --data @texts.csv --predict-all @texts-classes.csv",
     {{"spam.csv", job_write_spam}, {"texts.csv", job_write_texts}}, SPAM},
    {"job-windows",
     "forecast --load @minutes.safetensors --data @minutes.csv --every 1 --predict-all @minutes-all.csv",
     {{"minutes.csv", job_write_minutes}}, MODEL},
    {"job-convert", "forecast --data @wide.csv --convert @wide.fgt", {{"wide.csv", job_write_wide}}, NULL},
    {0},
};

int bench_is_job(const char *name)
{
    for (const whole_job *j = jobs; j->name; j++)
        if (!strcmp(name, j->name)) return 1;
    return !strcmp(name, BENCH_JOBS);
}

void bench_list_jobs(void)
{
    for (const whole_job *j = jobs; j->name; j++) puts(j->name);
}

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

/* ---- a command ---- */

enum { MOST_WORDS = 32, LONGEST = 4096 };

typedef struct command {
    char *word[MOST_WORDS + 1];
    int   words;
    char  text[LONGEST];
    int   used;
} command;

static void add_word(command *c, const char *before, const char *word)
{
    const int room = LONGEST - c->used;
    const int n    = snprintf(c->text + c->used, (size_t)room, "%s%s", before, word);
    if (n < 0 || n >= room || c->words == MOST_WORDS) stop("a command", "too long");
    c->word[c->words++] = c->text + c->used;
    c->word[c->words]   = NULL;
    c->used += n + 1;
}

/* Splits `line` into words, and replaces names of files by their paths. */
static void read_command(command *c, const char *line, const char *folder, int32_t threads)
{
    const char *data = getenv("FGT_DATA");
    char        words[LONGEST], number[16], in_folder[LONGEST], in_data[LONGEST];
    snprintf(words, sizeof words, "%s", line);
    snprintf(number, sizeof number, "%d", (int)threads);
    snprintf(in_folder, sizeof in_folder, "%s/", folder);
    snprintf(in_data, sizeof in_data, "%s/", data ? data : "../shared/data");
    c->words = c->used = 0;
    char *rest         = NULL;
    for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
        if (*w == '@')
            add_word(c, in_folder, w + 1);
        else if (*w == '$')
            add_word(c, in_data, w + 1);
        else
            add_word(c, c->words ? "" : BENCH_PROGRAMS "/fighter-", w);
    add_word(c, "", "--threads");
    add_word(c, "", number);
    add_word(c, "", "--json");
}

/* Starts the program with its output in a file; ends the benchmark if the program fails. */
static void start(const command *c, const char *output, struct rusage *used)
{
    int         status = 1;
    const pid_t child  = fork();
    if (child == 0) {
        const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644), none = open("/dev/null", O_WRONLY);
        if (out < 0 || none < 0 || dup2(out, 1) < 0 || dup2(none, 2) < 0) _exit(127);
        execv(c->word[0], c->word);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, used) < 0) stop(c->word[0], strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) stop(c->word[0], "it cannot be started");
    if (status) stop(c->word[0], "it failed; start the command by hand to see why");
}

/* ---- a job ---- */

static int exists(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

/* Makes a file unless it exists, because it would have the same bytes. It gets its name when it is
 * complete. */
static void make_file(const made_file *made, const char *folder)
{
    char path[LONGEST], part[LONGEST];
    snprintf(path, sizeof path, "%s/%s", folder, made->name);
    snprintf(part, sizeof part, "%s/%s.part", folder, made->name);
    if (exists(path)) return;
    FILE *f = fopen(part, "w");
    if (!f) stop(part, strerror(errno));
    made->write(f);
    const int bad = ferror(f);
    if (fclose(f) || bad || rename(part, path)) stop(path, strerror(errno));
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static void run(const whole_job *j, const char *folder, int32_t threads)
{
    command       c;
    struct rusage used;
    char          output[LONGEST];
    snprintf(output, sizeof output, "%s/%s.json", folder, j->name);
    for (int i = 0; i < 2 && j->file[i].name; i++) make_file(&j->file[i], folder);
    if (j->before) {
        read_command(&c, j->before, folder, threads);
        start(&c, output, &used);
    }
    read_command(&c, j->command, folder, threads);
    const double begin = bench_now();
    start(&c, output, &used);
    const double wall = bench_now() - begin;
    BENCH_PRINT({"case", j->name, 0, 0}, {"threads", NULL, threads, 0},
                {"cpu_s", NULL, seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime), 2},
                {"wall_s", NULL, wall, 2}, {"peak_rss_mb", NULL, (double)used.ru_maxrss / 1024, 0});
}

void bench_jobs(const char *name, const char *folder, int32_t threads)
{
    const char *tmp = getenv("TMPDIR");
    char        made[LONGEST / 2];
    snprintf(made, sizeof made, "%s/bench-jobs-XXXXXX", tmp ? tmp : "/tmp");
    if (!folder && !mkdtemp(made)) stop(made, strerror(errno));
    if (folder && mkdir(folder, 0755) && errno != EEXIST) stop(folder, strerror(errno));
    for (const whole_job *j = jobs; j->name; j++)
        if (!strcmp(name, BENCH_JOBS) || !strcmp(name, j->name)) run(j, folder ? folder : made, threads);
    if (folder) return;
    command c = {.words = 0};
    add_word(&c, "", "/bin/rm");
    add_word(&c, "", "-r");
    add_word(&c, "", made);
    struct rusage used;
    start(&c, "/dev/null", &used);
}
