/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written completely or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "owned.h"
#include "program.h"

/* The directory of path with its slash, or "" for the current one. The caller frees it. */
static char *directory_of(const char *path)
{
    const char  *slash = strrchr(path, '/');
    const size_t n     = slash ? (size_t)(slash - path) + 1 : 0;
    char        *out   = malloc(n + 1);
    if (!out) return NULL;
    memcpy(out, path, n);
    out[n] = 0;
    return out;
}

bool output_check(const char *path)
{
    struct stat there;
    if (!stat(path, &there) && !S_ISREG(there.st_mode))
        return complain("%s: cannot be written: %s", path,
                        S_ISDIR(there.st_mode) ? "it is a directory" : "it is no regular file");
    char *directory = directory_of(path);
    if (!directory) return complain("no memory");
    const bool good = !access(*directory ? directory : ".", W_OK | X_OK);
    if (!good) complain("%s: cannot be written: %s", path, strerror(errno));
    free(directory);
    return good;
}

/* Checks that the parent of a new folder can be written to. */
static bool check_new_folder(const char *path)
{
    char  *name = strdup(path);
    size_t n    = strlen(path);
    if (!name) return complain("no memory");
    while (n > 1 && name[n - 1] == '/') name[--n] = 0;
    const bool good = output_check(name);
    free(name);
    return good;
}

/* An existing folder is accepted, because it will be replaced. */
bool output_check_folder(const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0) return check_new_folder(path);
    if (!S_ISDIR(there.st_mode)) return complain("%s: it is not a folder", path);
    return !access(path, W_OK | X_OK) || complain("%s: cannot be written: %s", path, strerror(errno));
}

bool output_check_page(const char *path)
{
    const char *end = strrchr(path, '.');
    return (end && end > path && (!strcasecmp(end, ".html") || !strcasecmp(end, ".htm"))) ||
           complain("--report %s: the page is HTML, so the name must end with .html or .htm", path);
}

static bool stat_directory(const char *path, struct stat *out)
{
    char      *directory = directory_of(path);
    const bool good      = directory && !stat(*directory ? directory : ".", out);
    free(directory);
    return good;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Compares two paths. If a file does not exist yet, the paths are the same if they have the same name in the
 * same directory. */
bool output_is_same(const char *a, const char *b)
{
    struct stat x, y;
    const bool  here = !stat(a, &x), there = !stat(b, &y);
    if (!strcmp(a, b)) return true;
    if (here != there) return false;
    if (!here &&
        (strcmp(last_part(a), last_part(b)) != 0 || !stat_directory(a, &x) || !stat_directory(b, &y)))
        return false;
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool output_spares(const char *path, const char *const *inputs, int64_t count)
{
    for (int64_t i = 0; path && i < count; i++)
        if (inputs[i] && output_is_same(path, inputs[i]))
            return complain("%s is read, and would be overwritten", inputs[i]);
    return true;
}

bool outputs_spare(const char *const *outputs, int64_t output_count, const char *except,
                   const char *const *inputs, int64_t input_count)
{
    for (int64_t i = 0; i < output_count; i++)
        if (outputs[i] != except && !output_spares(outputs[i], inputs, input_count)) return false;
    return true;
}

bool outputs_check(const char *const *outputs, int64_t output_count, const char *const *inputs,
                   int64_t input_count)
{
    for (int64_t i = 0; i < output_count; i++) {
        if (!outputs[i]) continue;
        if (!output_check(outputs[i]) || !output_spares(outputs[i], inputs, input_count)) return false;
        for (int64_t k = 0; k < i; k++)
            if (outputs[k] && output_is_same(outputs[k], outputs[i]))
                return complain("%s: two outputs have the same file", outputs[i]);
    }
    return true;
}

/* Syncs the directory, so that the rename survives a power failure. Not all file systems support this. */
static void sync_directory(const char *path)
{
    char     *directory = directory_of(path);
    const int fd        = directory ? open(*directory ? directory : ".", O_RDONLY) : -1;
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    free(directory);
}

/* The end of the temporary name, which a file has until it is closed. The process holds a lock on the file. A
 * temporary file that a killed process has left is overwritten. */
static const char suffix[] = ".fighter-tmp";

static bool give_up(output *o)
{
    complain("%s: cannot be written: %s", o->path, strerror(errno));
    unlink(o->temp);
    if (o->file) fclose(o->file);
    o->file = NULL;
    free(o->temp);
    return false;
}

bool output_open(output *o, const char *path)
{
    struct stat old;
    *o = (output){.path = path};
    if (!output_check(path)) return false;
    o->temp = malloc(strlen(path) + sizeof suffix);
    if (!o->temp) return complain("no memory");
    strcat(strcpy(o->temp, path), suffix);
    const int fd = owned_open(o->temp, 0600);
    if (fd < 0) {
        free(o->temp);
        return false;
    }
    /* A new file gets the usual mode; a replaced file keeps its mode. */
    const mode_t mask = umask(0);
    umask(mask);
    if (!ftruncate(fd, 0) && !fchmod(fd, stat(path, &old) ? 0666 & ~mask : old.st_mode & 07777))
        o->file = fdopen(fd, "w");
    if (o->file) return true;
    give_up(o);
    close(fd);
    return false;
}

/* The file is renamed before it is closed, because closing removes the lock. */
bool output_close(output *o, bool keep)
{
    if (!o->file) return keep;
    const bool whole = keep && !fflush(o->file) && !ferror(o->file) && !fsync(fileno(o->file));
    const bool good  = whole && !rename(o->temp, o->path);
    if (keep && !good) return give_up(o);
    if (good)
        sync_directory(o->path);
    else
        unlink(o->temp);
    fclose(o->file);
    o->file = NULL;
    free(o->temp);
    return good;
}

bool output_write(const char *path, const void *bytes, size_t size)
{
    output o;
    if (!output_open(&o, path)) return false;
    fwrite(bytes, 1, size, o.file);
    return output_close(&o, true);
}

static bool decimal_comma;

void output_decimal_comma(bool comma)
{
    decimal_comma = comma;
}

void output_separate(FILE *out)
{
    fputc(decimal_comma ? ';' : ',', out);
}

void output_names(FILE *out, const char *names)
{
    for (; *names; names++)
        if (*names == ',') output_separate(out);
        else fputc(*names, out);
}

void output_number(FILE *out, double v)
{
    char text[NUMBER_TEXT];
    if (isnan(v)) return;
    number_text(v, text);
    char *point = decimal_comma ? strchr(text, '.') : NULL;
    if (point) *point = ',';
    fputs(text, out);
}

void output_float(FILE *out, float v)
{
    char text[NUMBER_TEXT];
    if (!isnan(v)) fputs(number_text_float(v, text), out);
}

static bool escapes;

void output_escape_formulas(bool escape)
{
    escapes = escape;
}

void output_cell(FILE *out, const char *text)
{
    const char *before = escapes && *text && strchr("=+-@\t\r", *text) ? "'" : "";
    if (!strpbrk(text, decimal_comma ? ";\"\r\n" : ",\"\r\n")) {
        fprintf(out, "%s%s", before, text);
        return;
    }
    fprintf(out, "\"%s", before);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
