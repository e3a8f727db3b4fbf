/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders in the folders of classes, and files that are no pictures. */
#include "image/images.h"
#include "pictures.h"

#ifdef FGTI_HAVE_PNG

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(in_directory(name), 0755), 0);
}

static void make_picture(const char *name)
{
    put_png(name, 0, 3, 4, PNG_COLOR_TYPE_GRAY, 8, 0, 255);
}

static char line[600];

static void keep_line(void *user, int32_t level, const char *text)
{
    (void)user;
    if (level == FGT_LOG_WARN) snprintf(line, sizeof line, "%s", text);
}

/* Loads a folder; the names are those of its pictures, in their order. The last warning is in `line`. */
static void expect(const char *path, int32_t no_classes, const char *const names[], const char *warning)
{
    fgt_images *m;
    *line    = 0;
    ctx->log = keep_line;
    OK(fgt_images_load(ctx, in_directory(path), &FGT_OPTS(fgt_images_opts, .no_classes = no_classes), &m));
    ctx->log = NULL;
    for (int i = 0; names[i] || fgt_images_get_name(m, i); i++)
        assert_string_equal(fgt_images_get_name(m, i), names[i]);
    fgt_images_destroy(&m);
    assert_non_null(strstr(line, warning));
    assert_true(*warning || !*line);
}

static void refuse(const char *path, fgt_status status, const char *words)
{
    fgt_images *m = (fgt_images *)ctx;
    REFUSED(fgt_images_load(ctx, in_directory(path), NULL, &m), status, words);
    assert_null(m);
}

/* As torchvision's ImageFolder: whatever is below the folder of a class is of this class. */
static void test_subfolders(void **state)
{
    (void)state;
    const char *const folders[] = {"set", "set/a", "set/a/deep", "set/a/deep/er", "set/a/empty",
                                   "set/a/.hidden", "set/b", "set/b/only"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) make_folder(folders[i]);
    const char *const files[] = {"set/a/z.png", "set/a/1.png", "set/a/deep/1.png", "set/a/deep/er/2.png",
                                 "set/a/.hidden/3.png", "set/a/deep/._1.png", "set/b/only/x.png"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) make_picture(files[i]);
    expect("set", 0, (const char *const[]){"a/1.png", "a/deep/1.png", "a/deep/er/2.png", "a/z.png",
                                           "b/only/x.png", NULL}, "");
    expect("set/a", 1, (const char *const[]){"1.png", "deep/1.png", "deep/er/2.png", "z.png", NULL}, "");
    make_folder("set/c");
    make_folder("set/c/empty");
    refuse("set", FGT_E_DATA, "set/c: the folder has no .png, .jpg or .jpeg file");
}

/* Links that make a circle, or one folder of two, do not read a picture twice or for ever. */
static void test_links(void **state)
{
    (void)state;
    make_folder("links");
    make_folder("links/a");
    make_folder("links/a/x");
    make_picture("links/a/x/1.png");
    make_folder("elsewhere");
    make_picture("elsewhere/2.png");
    assert_int_equal(symlink("../../elsewhere", in_directory("links/a/y")), 0);
    assert_int_equal(symlink("nothing", in_directory("links/a/gone")), 0);
    expect("links", 0, (const char *const[]){"a/x/1.png", "a/y/2.png", NULL}, "skipped files: 1 other;");
    static const char *const targets[] = {".", "..", "../a", "x", "y", "../../elsewhere"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        assert_int_equal(symlink(targets[i], in_directory("links/a/z")), 0);
        if (!strcmp(targets[i], ".."))
            refuse("links", FGT_E_DATA, "the folder is found a second time");
        else
            refuse("links", FGT_E_DATA,
                   "links/a/z: the folder is found a second time; remove the link to it");
        assert_int_equal(unlink(in_directory("links/a/z")), 0);
    }
    assert_int_equal(symlink("loop", in_directory("links/a/loop")), 0);
    refuse("links", FGT_E_IO, "links/a/loop: cannot open: ");
}

static void test_others(void **state)
{
    (void)state;
    const char *const names[] = {"1.webp", "2.WEBP", "x.gif", "x.bmp", "notes.txt", "webp", ".bmp", "y.tiff"};
    make_folder("others");
    make_folder("others/a");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "others/a/%s", names[i]);
        put_bytes(path, "x", 1);
    }
    refuse("others", FGT_E_DATA,
           "others/a: the folder has no .png, .jpg or .jpeg file, but 2 .webp, 1 .gif, 1 .bmp, 1 .tiff, "
           "2 others");
    make_picture("others/a/1.png");
    expect("others", 0, (const char *const[]){"a/1.png", NULL},
           "others/a: skipped files: 2 .webp, 1 .gif, 1 .bmp, 1 .tiff, 2 others; only .png, .jpg and .jpeg "
           "are read");
    put_bytes("others/x.avif", "x", 1);
    expect("others", 0, (const char *const[]){"a/1.png", NULL}, "others: skipped files: 1 .avif; only");
    refuse("others/a/notes.txt", FGT_E_DATA, "there is no image");
}

static void test_no_memory(void **state)
{
    (void)state;
    fgt_images *m;
    fgt_status  s;
    make_folder("sweep");
    make_folder("sweep/a");
    make_folder("sweep/a/b");
    make_picture("sweep/a/b/x.png");
    put_bytes("sweep/a/x.gif", "x", 1);
    SWEEP(&memory, s, 20, fgt_images_load(ctx, in_directory("sweep"), NULL, &m))
    {
        assert_null(m);
        NOTHING_LEAKS;
    }
    fgt_images_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_subfolders),
        WITH_CONTEXT(test_links),
        WITH_CONTEXT(test_others),
        WITH_CONTEXT(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
#else
int main(void)
{
    puts("skipped: built without libpng");
    return 77;
}
#endif
