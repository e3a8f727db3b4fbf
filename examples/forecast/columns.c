/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "forecast.h"

static void list_done(name_list *l)
{
    free(l->name);
    free(l->text);
    *l = (name_list){0};
}

/* Cuts "A,B,C" into its names; NULL gives none. */
static bool list_cut(const char *names, name_list *l)
{
    size_t count = 1;
    *l           = (name_list){0};
    if (!names) return true;
    for (const char *p = names; *p; p++) count += *p == ',';
    l->text = malloc(strlen(names) + 1);
    l->name = calloc(count, sizeof *l->name);
    if (!l->text || !l->name) return complain("no memory");
    strcpy(l->text, names);
    for (char *p = l->text; p; l->count++) {
        l->name[l->count] = p;
        p                 = strchr(p, ',');
        if (p) *p++ = 0;
    }
    return true;
}

static bool list_has(const name_list *l, const char *name)
{
    for (int64_t i = 0; i < l->count; i++)
        if (!strcmp(l->name[i], name)) return true;
    return false;
}

/* All columns of the table, or those of --columns, that have no role yet. */
static bool list_rest(const run *r, const name_list *columns, const name_list *a, const name_list *b,
                      name_list *l)
{
    const int64_t all = fgt_table_count_columns(r->table);
    *l                = (name_list){.name = calloc((size_t)(columns->count + all), sizeof *l->name)};
    if (!l->name) return complain("no memory");
    for (int64_t i = 0; i < (columns->count ? columns->count : all); i++) {
        const char *name = columns->count ? columns->name[i] : fgt_table_get_name(r->table, i);
        if (!list_has(a, name) && !list_has(b, name)) l->name[l->count++] = name;
    }
    return true;
}

void columns_done(column_roles *c)
{
    list_done(&c->chosen);
    list_done(&c->target);
    list_done(&c->past);
    list_done(&c->known);
}

/* Lists point into one another, so the rest is made last. */
bool columns_find(const run *r, column_roles *c)
{
    const options *o   = r->o;
    const bool     all = !o->target || !strcmp(o->target, "all");
    *c                 = (column_roles){0};
    if (!list_cut(o->columns, &c->chosen) || !list_cut(o->known, &c->known) || !list_cut(o->past, &c->past))
        return false;
    if (all) return list_rest(r, &c->chosen, &c->past, &c->known, &c->target);
    if (!list_cut(o->target, &c->target)) return false;
    return o->past || list_rest(r, &c->chosen, &c->target, &c->known, &c->past);
}
