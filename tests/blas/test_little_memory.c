/* SPDX-License-Identifier: BSD-3-Clause */
/* The first context of a process that may have little memory: it is made, or FGT_E_NOMEM says why not. BLIS
 * would end the process. */
#include "../helper.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MADE = 10, REFUSED_MEMORY, OTHER, UNLIMITED };

/* Bytes of address space that the process has; 0: unknown. */
static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE         *f     = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%lu", &pages) != 1) pages = 0;
    fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Makes a context, in a process that may have `more` bytes beyond those it has. */
static int limited(size_t more)
{
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, 0); /* nothing is kept in reserve */
    malloc_trim(0);
#endif
    const rlim_t  most  = address_space() + more;
    struct rlimit limit = {most, most};
    fgt_context  *c;
    if (setrlimit(RLIMIT_AS, &limit)) return UNLIMITED;
    const fgt_status s = fgt_context_create(NULL, &c);
    if (s == FGT_OK) fgt_context_destroy(&c);
    return s == FGT_OK ? MADE : s == FGT_E_NOMEM && !c ? REFUSED_MEMORY : OTHER;
}

static void test_limits(void **state)
{
    (void)state;
    enum { FINE = 4 << 10, FEW = 1 << 20, COARSE = 256 << 10, MOST = 40 << 20 };
    int made = 0, refused = 0;
    if (!address_space()) skip();
    for (size_t more = 0; more <= MOST; more += more < FEW ? FINE : COARSE) {
        const pid_t pid    = fork();
        int         status = 0;
        if (pid == 0) _exit(limited(more));
        assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        if (code == UNLIMITED) skip();
        if (code != MADE && code != REFUSED_MEMORY)
            fail_msg("%zu KiB more: the process ended with %d", more >> 10, code);
        made += code == MADE;
        refused += code == REFUSED_MEMORY;
    }
    assert_true(made && refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
