/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation of every call in the table fails, alone and with all that follow: FGT_E_NOMEM with a
 * sentence, no handle, what was given is as before, the old file stays, nothing leaks, and the call works
 * when it is repeated.
 * usage: sweep_hook|sweep_malloc STEP
 * STEP: 1 for every allocation, n for every n-th. */
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "wrap.h"

typedef struct reference {
    uint64_t digest;
    bytes    file; /* what "out" becomes */
    int64_t  live;
} reference;

static int64_t points, harmless;

static void check_file(world *w, const entry *e, fgt_status s, const reference *r)
{
    if (!(e->needs & WRITES)) return;
    const bytes now = read_whole(in(w, "out"));
    const bool  old = is_old_file(now), new = is_new_file(e, now, r->file);
    if (s != FGT_OK && !old) broken("the old file is gone");
    if (s == FGT_OK && !new && !(old && (e->needs & TRAINS))) broken("the new file is not whole");
    free(now.data);
}

static void check_status(const world *w, const entry *e, fgt_status s, const reference *r)
{
    const char *text = entry_error(w);
    points++;
    if (s == FGT_OK) {
        harmless++;
        if (sweep_here.strict && !(e->needs & TRAINS)) broken("it failed without a word");
        if (w->digest != r->digest) broken("FGT_OK, and another result");
        return;
    }
    if (s != FGT_E_NOMEM) broken("%s: %s", fgt_status_get_name(s), text);
    if (!strstr(text, "memory") && !(e->needs & NO_TEXT && !w->made.context)) broken("\"%s\"", text);
}

/* The k-th allocation fails, with `rest` all that follow, too; false if there are fewer. */
static bool fail_at(world *w, const entry *e, int64_t k, bool rest, const reference *r)
{
    entry_now(e->names, k);
    entry_before(w, e);
    const uint64_t before = entry_given(w);
    wrap_arm(k, rest);
    const fgt_status s = entry_call(w, e);
    wrap_disarm();
    const bool fired = wrap_fired();
    if (fired)
        check_status(w, e, s, r);
    else if (s != FGT_OK || w->digest != r->digest)
        broken("%s without a fault: %s", fgt_status_get_name(s), entry_error(w));
    check_file(w, e, s, r);
    if (s != FGT_OK) {
        entry_repeat(w, e, before, r->digest);
        check_file(w, e, FGT_OK, r);
    }
    entry_after(w);
    if (wrap_live() != r->live) broken("%lld blocks leak", (long long)(wrap_live() - r->live));
    return fired;
}

static void sweep(world *w, const entry *e, int64_t step)
{
    reference r = {0};
    entry_now(e->names, 0);
    for (int i = 0; i < 3; i++) r.digest = entry_run(w, e); /* what is made only once is there then */
    if (e->needs & WRITES) r.file = read_whole(in(w, "out"));
    r.live = wrap_live();
    for (int64_t k = 1; fail_at(w, e, k, false, &r); k += step) fail_at(w, e, k, true, &r);
    free(r.file.data);
}

int main(int argc, char **argv)
{
    const fgt_context_opts opts = {.size = sizeof opts, .allocator = sweep_here.allocator};
    const long             step = argc == 2 ? atol(argv[1]) : 0;
    world                  w;
    if (step < 1) {
        fprintf(stderr, "usage: %s STEP\n", argv[0]);
        return 2;
    }
    world_open(&w, &opts);
    w.opts.threads = 17; /* of contexts that calls make: more than glibc keeps stacks for, so it allocates */
    for (int64_t i = 0; entry_at(i); i++) sweep(&w, entry_at(i), step);
    world_close(&w);
    printf("COUNT\tallocations that failed (%s)\t%lld\n", sweep_here.strict ? "hook" : "malloc",
           (long long)points);
    fprintf(stderr, "%lld of them harmless\n", (long long)harmless);
    return 0;
}
