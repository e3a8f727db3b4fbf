/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call that reads or writes a file fails once, in each of several ways: the status is an error with a
 * sentence, or the result is as without the fault; "out" is the old file or the whole new one, with the old
 * permissions; no temporary file and no descriptor is left; what was given is as before; the call works when
 * it is repeated.
 * usage: io STEP
 * STEP: 1 for every call, n for every n-th. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "entries.h"
#include "wrap.h"

static const char *const words[WRAP_IO_KINDS] = {"ENOSPC", "EIO",  "EACCES",  "EINTR",    "short",
                                                 "shrink", "grow", "rewrite", "no write", "full disk"};

static int64_t points[WRAP_IO_KINDS], survived;

typedef struct reference {
    uint64_t digest;
    bytes    file;
    int      descriptors;
} reference;

static int count_in(const char *folder, const char *part)
{
    int  n = 0;
    DIR *d = opendir(folder);
    if (!d) broken("cannot list %s", folder);
    for (struct dirent *e; (e = readdir(d));) n += strstr(e->d_name, part) != NULL;
    closedir(d);
    return n;
}

static int descriptors(void)
{
    return count_in("/proc/self/fd", "");
}

static void remove_temporaries(world *w)
{
    char name[64];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "out.fgt-tmp%d", i);
        unlink(in(w, name));
    }
}

/* Files that must be there after a call, whatever its status. */
static void check_files(world *w, const entry *e, fgt_status s, const reference *r)
{
    const bool denied = !strcmp(wrap_io_call(), "unlink");
    if (descriptors() != r->descriptors) broken("%d descriptors leak", descriptors() - r->descriptors);
    if (count_in(w->dir, "fgt-tmp") && !denied) broken("a temporary file is left");
    if (denied) remove_temporaries(w);
    if (!(e->needs & WRITES)) return;
    const bytes now = read_whole(in(w, "out"));
    const bool  old = is_old_file(now), new = is_new_file(e, now, r->file);
    struct stat info;
    if (stat(in(w, "out"), &info) || (info.st_mode & 0777) != 0600) broken("other permissions");
    if (s != FGT_OK && !old && !(new && strstr(entry_error(w), "written"))) broken("the old file is gone");
    if (s == FGT_OK && !new && !(old && (e->needs & TRAINS))) broken("the new file is not whole");
    free(now.data);
}

static bool changes_files(wrap_io_kind kind)
{
    return kind >= WRAP_SHRINK && kind <= WRAP_REWRITE;
}

static void check_status(const world *w, fgt_status s, wrap_io_kind kind, const reference *r)
{
    const bool changes = changes_files(kind);
    points[kind]++;
    if (s == FGT_OK) {
        survived++;
        if (w->digest != r->digest && !changes) broken("FGT_OK, and another result");
        return;
    }
    if (!entry_error(w)[0]) broken("%s without a sentence", fgt_status_get_name(s));
    if (kind == WRAP_EINTR || kind == WRAP_SHORT)
        broken("%s: %s", fgt_status_get_name(s), entry_error(w));
    if (s != FGT_E_IO && !changes) broken("%s: %s", fgt_status_get_name(s), entry_error(w));
}

static void hangs(int number)
{
    (void)number;
    broken("the call does not end");
}

/* The k-th call fails; false if there are fewer. */
static bool fail_at(world *w, const entry *e, wrap_io_kind kind, int64_t k, const reference *r)
{
    char what[200];
    entry_before(w, e);
    const uint64_t before = entry_given(w);
    entry_now(e->names, k);
    wrap_io_choose(kind);
    alarm(30);
    wrap_arm(k, kind >= WRAP_NOTHING);
    const fgt_status s = entry_call(w, e);
    wrap_disarm();
    snprintf(what, sizeof what, "%.100s: %s at %s", e->names, words[kind], wrap_io_call());
    entry_now(what, k);
    if (wrap_fired())
        check_status(w, s, kind, r);
    else if (s != FGT_OK || w->digest != r->digest)
        broken("%s without a fault: %s", fgt_status_get_name(s), entry_error(w));
    check_files(w, e, s, r);
    if (changes_files(kind)) world_restore(w);
    if (s != FGT_OK) {
        entry_repeat(w, e, before, r->digest);
        check_files(w, e, FGT_OK, r);
    }
    entry_after(w);
    return wrap_fired();
}

static void sweep(world *w, const entry *e, int64_t step)
{
    reference r = {0};
    entry_now(e->names, 0);
    wrap_io_choose(WRAP_EIO);
    wrap_arm(0, false);
    r.digest = entry_run(w, e);
    if (!wrap_disarm() != !(e->needs & (READS | WRITES))) broken("files are not where the table says");
    if (!(e->needs & (READS | WRITES))) return;
    if (e->needs & WRITES) r.file = read_whole(in(w, "out"));
    r.descriptors = descriptors();
    for (wrap_io_kind kind = 0; kind < WRAP_IO_KINDS; kind++)
        for (int64_t k = 1; fail_at(w, e, kind, k, &r); k += step) continue;
    free(r.file.data);
}

/* Root may write everywhere, so this is done as nobody. */
static void refuse_folder(world *w, const entry *e)
{
    entry_now(e->names, -1);
    entry_before(w, e);
    if (chmod(w->dir, 0555) || (!getuid() && seteuid(65534))) broken("root cannot become anybody else");
    const fgt_status s = entry_call(w, e);
    if ((!getuid() && seteuid(0)) || chmod(w->dir, 0700)) broken("nobody cannot become root again");
    if (s != FGT_E_IO || !entry_error(w)[0]) broken("a read-only folder: %s", fgt_status_get_name(s));
    const bytes now = read_whole(in(w, "out"));
    if (!is_old_file(now)) broken("a read-only folder: the old file is gone");
    free(now.data);
    entry_after(w);
}

/* In a child: a process that has changed its user is none that a leak checker may look into. */
static void refuse_folders(world *w)
{
    int         status = 0;
    const pid_t child  = fork();
    if (!child) {
        for (int64_t i = 0; entry_at(i); i++)
            if (entry_at(i)->needs & WRITES) refuse_folder(w, entry_at(i));
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status) broken("the child failed");
}

int main(int argc, char **argv)
{
    const fgt_context_opts opts = {.size = sizeof opts};
    const long             step = argc == 2 ? atol(argv[1]) : 0;
    world                  w;
    if (step < 1) {
        fprintf(stderr, "usage: io STEP\n");
        return 2;
    }
    signal(SIGALRM, hangs);
    world_open(&w, &opts);
    for (int64_t i = 0; entry_at(i); i++) sweep(&w, entry_at(i), step);
    refuse_folders(&w);
    world_close(&w);
    for (int i = 0; i < WRAP_IO_KINDS; i++)
        printf("COUNT\tfaults of input and output (%s)\t%lld\n", words[i], (long long)points[i]);
    fprintf(stderr, "%lld of them survived\n", (long long)survived);
    return 0;
}
