/* SPDX-License-Identifier: BSD-3-Clause */
#include "checkpoint.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

#define AT(field) offsetof(checkpoint, field)

const opt checkpoint_options[CHECKPOINT_OPTIONS] = {
    {"checkpoint", TEXT, AT(write), 0, 0, 0, NULL, "FILE",
     "write the training there after every epoch, so that it can be\nresumed"},
    {"checkpoint-every", COUNT, AT(every), 0, 1, BIG, NULL, "N", "after every N epochs, and the last one"},
    {"checkpoint-minutes", REAL, AT(minutes), 0, 0.01, 1e6, NULL, "M",
     "within long epochs, too, after M minutes without one; not if\nsamples are chosen or thinned"},
    {"resume", TEXT, AT(resume), 0, 0, 0, NULL, "FILE",
     "go on from such a file, with the data and options of its run; the\n"
     "result is the same as without the interruption"},
};

bool checkpoint_check(const checkpoint *c, bool trains)
{
    if (!trains && (c->write || c->resume))
        return complain("--%s is for training; --load reads a trained model",
                        c->write ? "checkpoint" : "resume");
    if (c->resume && access(c->resume, R_OK))
        return complain("--resume %s: %s", c->resume, strerror(errno));
    return c->write || (!c->every && !(c->minutes > 0)) ||
           complain("--checkpoint-%s needs --checkpoint FILE", c->every ? "every" : "minutes");
}

const char *checkpoint_of_member(const char *file, int64_t member, char name[PATH_ROOM])
{
    if (!file || !member) return file;
    snprintf(name, PATH_ROOM, "%s.%lld", file, (long long)member);
    return name;
}
