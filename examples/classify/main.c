/* SPDX-License-Identifier: BSD-3-Clause */

/* classify: trains a text classifier on labelled texts and says how good it is. The library's part is in
 * run.c. */

#include <stdlib.h>

#include "classify.h"

static void print_log(void *user, fgt_log_level level, const char *message)
{
    (void)user;
    if (level >= FGT_LOG_WARN) fprintf(stderr, "classify: warning: %s\n", message);
}

static bool start(run *r)
{
    const fgt_context_opts opts = {.size = sizeof opts, .log = print_log, .threads = (int32_t)r->o->threads};
    const fgt_status       s    = fgt_context_create(&opts, &r->ctx);
    if (s != FGT_OK) return complain("no context: %s", fgt_status_get_name(s));
    r->build.size = sizeof r->build;
    return fgt_context_get_info(r->ctx, &r->build) == FGT_OK || complain("%s", fgt_context_error(r->ctx));
}

int main(int argc, char **argv)
{
    options o;
    run     r = {.o = &o};
    if (!options_read(argc, argv, &o)) return EXIT_FAILURE;
    if (o.help) {
        options_help(stdout);
        return EXIT_SUCCESS;
    }
    const bool good = start(&r) && run_all(&r);
    run_done(&r);
    fgt_context_destroy(&r.ctx);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
