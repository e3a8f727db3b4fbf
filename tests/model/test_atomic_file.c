/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/atomic_file.h"
#include "counting_allocator.h"

#define SAYS(words) assert_non_null(strstr(context.error.text, words))

static int entries(void)
{
    int  n = 0;
    DIR *d = opendir(directory);
    assert_non_null(d);
    while (readdir(d)) n++;
    closedir(d);
    return n - 2; /* . and .. */
}

static fgt_status write_file(const char *path, const void *bytes, size_t size)
{
    fgti_atomic f;
    FGTI_TRY(fgti_atomic_open(&context, path, &f));
    fgt_status s = fgti_atomic_write(&f, bytes, size);
    if (s == FGT_OK) s = fgti_atomic_commit(&f);
    fgti_atomic_abandon(&f);
    return s;
}

static void holds(const char *path, const char *text)
{
    char buf[64] = "";
    assert_int_equal(get_file(path, buf, sizeof buf), strlen(text));
    assert_string_equal(buf, text);
}

static void test_create_and_replace(void **state)
{
    (void)state;
    struct stat info;
    const char *path = in_directory("a");
    assert_int_equal(write_file(path, "one", 3), FGT_OK);
    holds(path, "one");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(write_file(path, "three", 5), FGT_OK);
    holds(path, "three");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(entries(), 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(hook.live, 0);
}

static void test_relative_path(void **state)
{
    (void)state;
    char here[512];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(directory), 0);
    assert_int_equal(write_file("plain", "x", 1), FGT_OK);
    holds("plain", "x");
    assert_int_equal(unlink("plain"), 0);
    assert_int_equal(chdir(here), 0);
}

static void test_abandon_leaves_the_old_file(void **state)
{
    (void)state;
    fgti_atomic f;
    const char *path = in_directory("a");
    test_write(path, "old", 3);
    assert_int_equal(fgti_atomic_open(&context, path, &f), FGT_OK);
    assert_int_equal(fgti_atomic_write(&f, "new file", 8), FGT_OK);
    assert_int_equal(entries(), 2);
    holds(path, "old");
    fgti_atomic_abandon(&f);
    fgti_atomic_abandon(&f);
    holds(path, "old");
    assert_int_equal(entries(), 1);
    unlink(path);
    assert_int_equal(hook.live, 0);
}

static void test_refused_targets(void **state)
{
    (void)state;
    assert_int_equal(write_file(in_directory("no/such/file"), "x", 1), FGT_E_IO);
    SAYS("no/such/file: cannot create a temporary file beside it: No such file or directory");
    assert_int_equal(write_file(directory, "x", 1), FGT_E_IO);
    SAYS(": cannot write: Is a directory");
    assert_int_equal(write_file("/dev/full", "x", 1), FGT_E_IO);
    SAYS("/dev/full: cannot write: not a regular file");
    assert_int_equal(access("/dev/full", F_OK), 0);
    assert_int_equal(write_file("", "x", 1), FGT_E_IO);
    SAYS("the path is empty");
    assert_int_equal(entries(), 0);
    assert_int_equal(hook.live, 0);
}

/* While another process writes the same file, its temporary file is locked. */
static void test_temporary_of_others_stays(void **state)
{
    (void)state;
    char name[64];
    int  theirs[100];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "a.fgt-tmp%d", i);
        test_write(in_directory(name), "theirs", 6);
        theirs[i] = open(in_directory(name), O_RDONLY);
        assert_int_equal(flock(theirs[i], LOCK_EX | LOCK_NB), 0);
        if (i == 0) assert_int_equal(write_file(in_directory("a"), "mine", 4), FGT_OK);
    }
    assert_int_equal(write_file(in_directory("a"), "again", 5), FGT_E_IO);
    SAYS("File exists");
    holds(in_directory("a"), "mine");
    assert_int_equal(entries(), 101);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "a.fgt-tmp%d", i);
        holds(in_directory(name), "theirs");
        unlink(in_directory(name));
        close(theirs[i]);
    }
    unlink(in_directory("a"));
}

/* Without a lock they are of processes that were killed. The one that is in the way is removed. */
static void test_stale_temporary_goes(void **state)
{
    (void)state;
    char name[64];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "a.fgt-tmp%d", i);
        test_write(in_directory(name), "left over, and longer than the new one", 38);
    }
    assert_int_equal(write_file(in_directory("a"), "new", 3), FGT_OK);
    holds(in_directory("a"), "new");
    assert_int_equal(entries(), 100);
    for (int i = 1; i < 100; i++) {
        snprintf(name, sizeof name, "a.fgt-tmp%d", i);
        assert_int_equal(unlink(in_directory(name)), 0);
    }
    unlink(in_directory("a"));
}

/* A link in the place of a temporary file is not followed. */
static void test_link_is_not_followed(void **state)
{
    (void)state;
    char other[300];
    snprintf(other, sizeof other, "%s", in_directory("b"));
    test_write(other, "other", 5);
    assert_int_equal(symlink(other, in_directory("a.fgt-tmp0")), 0);
    assert_int_equal(write_file(in_directory("a"), "new", 3), FGT_OK);
    holds(other, "other");
    holds(in_directory("a"), "new");
    unlink(in_directory("a.fgt-tmp0"));
    unlink(in_directory("a"));
    unlink(other);
}

/* A FIFO in its place is another program's: nobody waits for it, and it stays. */
static void test_fifo_is_not_opened(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(mkfifo(in_directory("a.fgt-tmp0"), 0600), 0);
    assert_int_equal(write_file(in_directory("a"), "new", 3), FGT_OK);
    holds(in_directory("a"), "new");
    assert_int_equal(stat(in_directory("a.fgt-tmp0"), &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    unlink(in_directory("a.fgt-tmp0"));
    unlink(in_directory("a"));
}

/* A file that nobody else may read cannot be read while it is written either. */
static void test_private_from_the_start(void **state)
{
    (void)state;
    struct stat st;
    fgti_atomic f;
    test_write(in_directory("a"), "old", 3);
    assert_int_equal(chmod(in_directory("a"), 0600), 0);
    const mode_t before = umask(0);
    assert_int_equal(fgti_atomic_open(&context, in_directory("a"), &f), FGT_OK);
    umask(before);
    assert_int_equal(stat(in_directory("a.fgt-tmp0"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    fgti_atomic_abandon(&f);
    unlink(in_directory("a"));
}

/* Each writes a file of its own, and the last one stays. */
static void test_two_at_once(void **state)
{
    (void)state;
    fgti_atomic f, g;
    assert_int_equal(fgti_atomic_open(&context, in_directory("a"), &f), FGT_OK);
    assert_int_equal(fgti_atomic_open(&context, in_directory("a"), &g), FGT_OK);
    assert_int_equal(fgti_atomic_write(&f, "first", 5), FGT_OK);
    assert_int_equal(fgti_atomic_write(&g, "second", 6), FGT_OK);
    assert_int_equal(fgti_atomic_commit(&g), FGT_OK);
    holds(in_directory("a"), "second");
    assert_int_equal(fgti_atomic_commit(&f), FGT_OK);
    holds(in_directory("a"), "first");
    assert_int_equal(entries(), 1);
    unlink(in_directory("a"));
}

/* Takes the place of the system's. Once, another process writes the same file just before. */
static bool late;

int rename(const char *from, const char *to)
{
    if (late) {
        late = false;
        assert_int_equal(write_file(to, "other", 5), FGT_OK);
        holds(to, "other");
    }
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* A temporary file is not stale before it has its name. */
static void test_locked_until_renamed(void **state)
{
    (void)state;
    const char *path = in_directory("a");
    late             = true;
    assert_int_equal(write_file(path, "mine", 4), FGT_OK);
    assert_false(late);
    holds(path, "mine");
    assert_int_equal(entries(), 1);
    unlink(path);
    assert_int_equal(hook.live, 0);
}

/* The limit on file sizes stands in for a full disk. */
static void test_full_disk(void **state)
{
    (void)state;
    static char   big[8192];
    struct rlimit old, low;
    const char   *path = in_directory("a");
    test_write(path, "old", 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low                  = old;
    low.rlim_cur         = 4096;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    const fgt_status s = write_file(path, big, sizeof big);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(s, FGT_E_IO);
    SAYS("/a: cannot write: File too large");
    holds(path, "old");
    assert_int_equal(entries(), 1);
    unlink(path);
    assert_int_equal(hook.live, 0);
}

static void test_directory_without_permission(void **state)
{
    (void)state;
    const uid_t me   = geteuid();
    const char *path = in_directory("a");
    test_write(path, "old", 3);
    assert_int_equal(chmod(directory, 0555), 0);
    const bool       lost = lose_privileges();
    const fgt_status s    = lost ? write_file(path, "new", 3) : FGT_OK;
    assert_int_equal(seteuid(me), 0);
    assert_int_equal(chmod(directory, 0700), 0);
    if (!lost) skip();
    assert_int_equal(s, FGT_E_IO);
    SAYS("Permission denied");
    holds(path, "old");
    unlink(path);
}

static void test_allocations_fail(void **state)
{
    (void)state;
    const char *path = in_directory("a");
    test_write(path, "old", 3);
    long       k = 0;
    fgt_status s = FGT_E_NOMEM;
    while (s == FGT_E_NOMEM) {
        holds(path, "old");
        hook.countdown = ++k;
        s              = write_file(path, "new", 3);
        assert_int_equal(hook.live, 0);
        assert_int_equal(entries(), 1);
    }
    hook.countdown = 0;
    assert_int_equal(s, FGT_OK);
    assert_true(k > 1);
    holds(path, "new");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_and_replace),           cmocka_unit_test(test_relative_path),
        cmocka_unit_test(test_abandon_leaves_the_old_file),  cmocka_unit_test(test_refused_targets),
        cmocka_unit_test(test_temporary_of_others_stays),    cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_stale_temporary_goes),         cmocka_unit_test(test_link_is_not_followed),
        cmocka_unit_test(test_fifo_is_not_opened),
        cmocka_unit_test(test_private_from_the_start),       cmocka_unit_test(test_two_at_once),
        cmocka_unit_test(test_directory_without_permission), cmocka_unit_test(test_allocations_fail),
        cmocka_unit_test(test_locked_until_renamed),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
