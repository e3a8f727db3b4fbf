/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for a forecaster: what is tried, budgets, bits, errors. */
#include <fighter/experimental/collective.h>
#include <fighter/experimental/search.h>
#include <fighter/graph.h>

#include "small_series.h"

enum { LONG = 1200, WIDE = 2 };

static const fgt_split long_split = {0, 700, 700, 950, 950, LONG};
static double          series[LONG][WIDE];

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (1 << 24) - 0.5;
}

/* Each value is like the one so many rows before, and noise. */
static fgt_table *new_memory(int lag, double noise)
{
    static const char *const names[] = {"a", "b"};
    fgt_table               *table;
    uint64_t                 seed = 7;
    for (int r = 0; r < LONG; r++)
        for (int c = 0; c < WIDE; c++)
            series[r][c] = (r < lag ? 0 : 0.9 * series[r - lag][c]) + (r < lag ? 1 : noise) * draw(&seed);
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, series, LONG, WIDE), &table));
    return table;
}

/* Messages of a search. */
typedef struct log_of {
    int     trials, layers, cut, bests, means;
    int64_t longest, end_after;
    double  best, least;
    bool    same_block, same_tokens, same_input, same_loss;
} log_of;

static fgt_status note(void *user, const fgt_search_trial *t)
{
    log_of *l = user;
    assert_true(t->size == sizeof *t && t->opts->pred_len > 0 && t->seconds >= 0);
    assert_true(t->fit->training.epochs == t->epochs);
    l->same_block  = (!l->trials || l->same_block) && t->opts->block.kind == FGT_BLOCK_GRU;
    l->same_tokens = (!l->trials || l->same_tokens) && t->opts->tokens.kind == FGT_TOKENS_TIME;
    l->same_input  = (!l->trials || l->same_input) && t->opts->input_len == 40;
    l->same_loss   = (!l->trials || l->same_loss) && t->fit->loss == FGT_LOSS_L1;
    l->trials++;
    l->layers += t->opts->block.kind != FGT_BLOCK_LINEAR;
    l->cut += t->cut;
    l->means += t->members > 1;
    l->bests += t->best;
    if (t->opts->input_len > l->longest) l->longest = t->opts->input_len;
    if (t->best) l->best = t->loss;
    l->least = t->least;
    return l->end_after && l->trials == l->end_after ? FGT_E_CANCELLED : FGT_OK;
}

static fgt_search_opts with(const fgt_forecaster_opts *base, int64_t epochs, log_of *l)
{
    *l = (log_of){.best = NAN};
    return (fgt_search_opts){
        .size = sizeof(fgt_search_opts), .forecaster = base, .trial = note, .user = l, .epochs = epochs};
}

static double validate(fgt_forecaster *f, const fgt_table *table, const fgt_split *s)
{
    fgt_metric m = {0};
    OK(fgt_forecaster_evaluate(f, table, s->val_begin, s->val_end, &m));
    return fgt_metric_get(&m, FGT_METRIC_MSE);
}

/* ---- what wins ---- */

static void a_longer_look_back_wins(void **state)
{
    (void)state;
    const fgt_forecaster_opts base  = {.size = sizeof base, .pred_len = 16, .tokens.dim = 8};
    fgt_table                *table = new_memory(150, 0.2);
    fgt_forecaster           *f;
    log_of                    l;
    fgt_search_report         r    = {.size = sizeof r};
    fgt_forecaster_info       i    = {.size = sizeof i};
    const fgt_search_opts     opts = with(&base, 6, &l);
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, &r));
    OK(fgt_forecaster_get_info(f, &i));
    assert_true(i.input_len >= 150 && l.longest >= i.input_len && i.seen_rows == 950);
    assert_true(r.epochs > 0 && r.epochs <= 6 && r.trials == l.trials && r.candidates > 3);
    assert_true(r.loss == l.best && r.loss == l.least && r.loss <= r.linear_loss && !r.cancelled);
    assert_true(fabs(validate(f, table, &long_split) - r.loss) < 1e-5);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Values of a linear recursion: layers can only learn the noise. */
static void a_linear_map_wins(void **state)
{
    (void)state;
    const fgt_forecaster_opts base  = {.size = sizeof base, .pred_len = 8, .tokens.dim = 8};
    fgt_table                *table = new_memory(1, 1);
    fgt_forecaster           *f;
    log_of                    l;
    fgt_search_report         r    = {.size = sizeof r};
    fgt_forecaster_info       i    = {.size = sizeof i};
    const fgt_search_opts     opts = with(&base, 8, &l);
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, &r));
    OK(fgt_forecaster_get_info(f, &i));
    assert_true(i.block == FGT_BLOCK_LINEAR && i.linear && l.layers > 0 && r.best_epochs == 0);
    assert_true(r.loss == r.linear_loss);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* A chaotic course, which no linear map can follow: several candidates are better than a map. */
static void means_are_tried(void **state)
{
    (void)state;
    const fgt_forecaster_opts base = {
        .size = sizeof base, .input_len = 8, .pred_len = 2, .tokens.dim = 8, .tokens.patch = 1};
    fgt_table        *table;
    fgt_forecaster   *f, *again;
    fgt_search_report r = {.size = sizeof r};
    log_of            l;
    for (int c = 0; c < WIDE; c++) series[0][c] = 0.3 + 0.1 * c;
    for (int i = 1; i < LONG; i++)
        for (int c = 0; c < WIDE; c++) series[i][c] = 3.7 * series[i - 1][c] * (1 - series[i - 1][c]);
    OK(fgt_table_create(ctx, (const char *const[]){"a", "b"}, FGT_VIEW_OF(FGT_DTYPE_F64, series, LONG, WIDE),
                        &table));
    const fgt_forecaster_fit_opts fit  = {.size = sizeof fit, .training.lr = 5e-3};
    fgt_search_opts               opts = with(&base, 60, &l);
    opts.fit                           = &fit;
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, &r));
    assert_true(l.means > 0 && r.members >= 1 && r.loss < r.linear_loss && r.loss == l.best);
    assert_true(fabs(validate(f, table, &long_split) - r.loss) < 1e-5);
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("mean.safetensors"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("mean.safetensors")), NULL, &again));
    assert_true(validate(f, table, &long_split) == validate(again, table, &long_split));
    fgt_forecaster_destroy(&again);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* ---- budgets ---- */

static void budgets_hold(void **state)
{
    (void)state;
    static const fgt_forecaster_opts base = {
        .size = sizeof base, .input_len = 24, .pred_len = 8, .tokens.dim = 8};
    fgt_table                       *table = new_memory(24, 0.3);
    fgt_search_report                r     = {.size = sizeof r};
    fgt_forecaster                  *f;
    log_of                           l;
    fgt_search_opts                  none = with(&base, 0, &l);
    none.seconds                          = -1;
    OK(fgt_forecaster_search(ctx, table, &long_split, &none, &f, &r));
    assert_true(r.epochs == 0 && l.layers == 0 && l.trials == 1 && r.exhausted && r.loss == r.linear_loss);
    fgt_forecaster_destroy(&f);
    const fgt_forecaster_opts gru = {
        .size = sizeof gru, .input_len = 24, .pred_len = 8, .block.kind = FGT_BLOCK_GRU};
    none.forecaster = &gru;
    OK(fgt_forecaster_search(ctx, table, &long_split, &none, &f, &r));
    assert_true(r.epochs == 0 && l.layers == 1 && r.loss == r.linear_loss);
    fgt_forecaster_destroy(&f);
    for (int64_t epochs = 1; epochs <= 40; epochs = 3 * epochs + 1) {
        const fgt_search_opts opts = with(&base, epochs, &l);
        OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, &r));
        assert_true(r.epochs >= 1 && r.epochs <= epochs && l.layers > 0 && r.loss <= r.linear_loss);
        fgt_forecaster_destroy(&f);
    }
    const fgt_forecaster_fit_opts few  = {.size = sizeof few, .training.epochs = 1};
    fgt_search_opts               opts = with(&base, 40, &l);
    opts.fit                           = &few;
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, &r));
    assert_true(r.epochs == r.candidates - 1); /* one for each with layers */
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Of many windows of many series an epoch has a part. */
static void epochs_are_short(void **state)
{
    (void)state;
    enum { MANY = 1500, SERIES = 70 };
    static double             v[MANY][SERIES];
    static char               name[SERIES][8];
    const char               *names[SERIES];
    const fgt_split           rows = {0, 1300, 1300, 1400, 1400, MANY};
    const fgt_forecaster_opts base = {.size = sizeof base, .input_len = 8, .pred_len = 2, .tokens.dim = 4};
    fgt_search_report         r    = {.size = sizeof r};
    fgt_table                *table;
    fgt_forecaster           *f;
    uint64_t                  seed = 7;
    log_of                    l;
    fgt_search_opts           opts = with(&base, 1, &l);
    for (int c = 0; c < SERIES; c++) {
        snprintf(name[c], sizeof name[c], "s%d", c);
        names[c] = name[c];
        for (int i = 0; i < MANY; i++) v[i][c] = draw(&seed);
    }
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, v, MANY, SERIES), &table));
    OK(fgt_forecaster_search(ctx, table, &rows, &opts, &f, &r));
    assert_true(r.epochs == 1 && r.samples == 1024);
    fgt_forecaster_destroy(&f);
    opts.fit = &FGT_OPTS(fgt_forecaster_fit_opts, .thin = 4);
    OK(fgt_forecaster_search(ctx, table, &rows, &opts, &f, &r));
    assert_true(r.epochs == 1 && r.samples == 323); /* of 1291 */
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Where there is no map in closed form, something must be trained. */
static void without_a_map_one_epoch_is_trained(void **state)
{
    (void)state;
    const fgt_forecaster_opts base = {
        .size = sizeof base, .input_len = 24, .pred_len = 8, .tokens.dim = 8, .output.no_linear = 1};
    fgt_table        *table = new_memory(24, 0.3);
    fgt_search_report r     = {.size = sizeof r};
    fgt_forecaster   *f;
    log_of            l;
    fgt_search_opts   opts = with(&base, 0, &l);
    for (int i = 0; i < 2; i++) {
        l.trials     = 0;
        opts.seconds = i ? 1e-9 : -1; /* to make the first one takes longer */
        OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, &r));
        assert_true(r.epochs == 1 && l.trials == 1 && isnan(r.linear_loss) && isfinite(r.loss));
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&table);
}

static void the_host_ends_it(void **state)
{
    (void)state;
    static const fgt_forecaster_opts base = {
        .size = sizeof base, .input_len = 24, .pred_len = 8, .tokens.dim = 8};
    fgt_table                       *table = new_memory(24, 0.3);
    fgt_search_report                r     = {.size = sizeof r};
    fgt_forecaster                  *f;
    log_of                           l;
    fgt_search_opts                  opts = with(&base, 40, &l);
    l.end_after                           = 3;
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, &r));
    assert_true(l.trials == 3 && r.trials == 3 && r.cancelled && f);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* ---- what the host fixes ---- */

static void what_is_given_stays(void **state)
{
    (void)state;
    const fgt_forecaster_opts     base  = {.size        = sizeof base,
                                           .input_len   = 40,
                                           .pred_len    = 8,
                                           .tokens.dim  = 8,
                                           .block.kind  = FGT_BLOCK_GRU,
                                           .tokens.kind = FGT_TOKENS_TIME};
    const fgt_forecaster_fit_opts fit   = {.size = sizeof fit, .loss = FGT_LOSS_L1};
    fgt_table                    *table = new_memory(24, 0.3);
    fgt_forecaster               *f;
    fgt_forecaster_info           i = {.size = sizeof i};
    log_of                        l;
    fgt_search_opts               opts = with(&base, 3, &l);
    opts.fit                           = &fit;
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, NULL));
    OK(fgt_forecaster_get_info(f, &i));
    assert_true(i.block == FGT_BLOCK_GRU && i.tokens == FGT_TOKENS_TIME && i.input_len == 40);
    assert_true(l.same_input && l.same_loss && l.same_tokens && l.layers > 0);
    fgt_forecaster_destroy(&f);
    /* zeros say something, too, where they are fixed */
    const fgt_forecaster_opts patch = {.size = sizeof patch, .input_len = 40, .pred_len = 8, .tokens.dim = 8};
    opts                            = with(&patch, 3, &l);
    opts.fixed                      = FGT_SEARCH_PART_BLOCK | FGT_SEARCH_PART_TOKENS | FGT_SEARCH_PART_LOSS;
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, NULL));
    OK(fgt_forecaster_get_info(f, &i));
    assert_true(i.block == FGT_BLOCK_FIGHTER && i.tokens == FGT_TOKENS_PATCH);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* One window, or three, tell no gain from chance; there is a result all the same. */
static void few_windows_have_a_result(void **state)
{
    (void)state;
    const fgt_forecaster_opts base  = {.size = sizeof base, .input_len = 40, .pred_len = 8, .tokens.dim = 8};
    fgt_table                *table = new_memory(24, 0.3);
    for (int windows = 1; windows <= 3; windows += 2) {
        const fgt_split     few  = {0, 700, 700, 700 + 8 + windows - 1, 950, LONG};
        fgt_forecaster     *f;
        fgt_forecaster_info i    = {.size = sizeof i};
        fgt_search_report   r    = {.size = sizeof r};
        log_of              l;
        fgt_search_opts     opts = with(&base, 3, &l);
        opts.fixed               = FGT_SEARCH_PART_BLOCK;
        OK(fgt_forecaster_search(ctx, table, &few, &opts, &f, &r));
        OK(fgt_forecaster_get_info(f, &i));
        assert_true(i.block == FGT_BLOCK_FIGHTER && i.linear && r.best_epochs == 0 && r.epochs == 3);
        assert_true(r.loss == r.linear_loss);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&table);
}

/* Half of the default look-back, 96 rows, is shorter than what the layers shall read. */
static void look_backs_have_room_for_the_layers(void **state)
{
    (void)state;
    const fgt_forecaster_opts base = {
        .size = sizeof base, .pred_len = 8, .tokens.dim = 8, .tokens.layer_len = 80};
    fgt_table                *table = new_memory(24, 0.3);
    fgt_forecaster           *f;
    fgt_forecaster_info       i    = {.size = sizeof i};
    log_of                    l;
    const fgt_search_opts     opts = with(&base, 2, &l);
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, NULL));
    OK(fgt_forecaster_get_info(f, &i));
    assert_true(i.input_len >= 80 && l.longest > 96 && l.layers > 0);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

static void quantiles_are_searched(void **state)
{
    (void)state;
    static const double       levels[] = {0.1, 0.5, 0.9};
    const fgt_forecaster_opts base     = {.size                  = sizeof base,
                                          .input_len             = 24,
                                          .pred_len              = 8,
                                          .tokens.dim            = 8,
                                          .output.quantiles      = levels,
                                          .output.quantile_count = 3};
    fgt_table                *table    = new_memory(24, 0.3);
    fgt_forecaster           *f;
    fgt_forecaster_info       i = {.size = sizeof i};
    log_of                    l;
    const fgt_search_opts     opts = with(&base, 6, &l);
    fgt_search_report         r    = {.size = sizeof r};
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, &r));
    OK(fgt_forecaster_get_info(f, &i));
    assert_true(i.quantile_count == 3 && r.loss <= r.linear_loss && r.trials > r.candidates);
    double         q[3][8][WIDE]; /* the result may be the map: its quantiles differ, too */
    const fgt_view v = *FGT_VIEW_OF(FGT_DTYPE_F64, q, 3, 8, WIDE);
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), table, 200, NULL, &v));
    for (int h = 0; h < 8; h++)
        for (int c = 0; c < WIDE; c++) assert_true(q[0][h][c] < q[1][h][c] && q[1][h][c] < q[2][h][c]);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Options that fit only some tokens and blocks keep these, and the map of the search goes without them. */
static void what_is_for_tokens_is_searched(void **state)
{
    (void)state;
    static const float weights[WIDE][WIDE] = {{0, 1}, {1, 0}};
    fgt_table         *table               = new_memory(24, 0.3);
    fgt_graph         *graph;
    OK(fgt_graph_create_dense(ctx, FGT_VIEW((float *)weights, WIDE, WIDE), &graph));
    const fgt_forecaster_opts bases[] = {
        {.space.kind = FGT_FORECAST_SPACE_AND, .space.block = FGT_BLOCK_GCN, .space.learned = 2},
        {.space.kind  = FGT_FORECAST_SPACE_THEN,
         .space.block = FGT_BLOCK_GCN,
         .space.graph = graph,
         .tokens.kind = FGT_TOKENS_VARIATE},
        {.block.kind = FGT_BLOCK_GCN, .space.graph = graph, .tokens.kind = FGT_TOKENS_VARIATE},
        {.tokens.identity = 1, .tokens.kind = FGT_TOKENS_VARIATE},
        {.tokens.positions = FGT_FORECAST_POSITIONS_TAPE, .tokens.kind = FGT_TOKENS_TIME},
        {.output.decoder = 1, .block.kind = FGT_BLOCK_TRANSFORMER, .tokens.kind = FGT_TOKENS_TIME},
    };
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        fgt_forecaster_opts  base = bases[i];
        fgt_forecaster      *f;
        log_of               l;
        fgt_search_report    r    = {.size = sizeof r};
        const fgt_search_opts opts = with(&base, 4, &l);
        base.size                  = sizeof base;
        base.input_len             = 24;
        base.pred_len = base.tokens.dim = 8;
        OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, &r));
        assert_true(l.layers > 0 && r.loss == l.least);
        fgt_forecaster_destroy(&f);
    }
    fgt_graph_destroy(&graph);
    fgt_table_destroy(&table);
}

/* ---- bits, files, memory ---- */

static uint64_t hash_of_search(int threads)
{
    static const fgt_forecaster_opts base = {.size = sizeof base, .pred_len = 8, .tokens.dim = 8, .seed = 5};
    fgt_context                     *own  = ctx;
    fgt_table                       *table;
    fgt_forecaster                  *f;
    log_of                           l;
    const fgt_search_opts            opts = with(&base, 8, &l);
    OK(fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = threads), &ctx));
    table = new_memory(24, 0.3);
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, NULL));
    const uint64_t hash = fgt_model_get_hash(fgt_forecaster_get_model(f));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
    fgt_context_destroy(&ctx);
    ctx = own;
    return hash;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    const uint64_t one = hash_of_search(1);
    assert_true(one == hash_of_search(2) && one == hash_of_search(1));
}

static void the_result_is_saved(void **state)
{
    (void)state;
    static const fgt_forecaster_opts base  = {.size = sizeof base, .pred_len = 8, .tokens.dim = 8};
    fgt_table                       *table = new_memory(24, 0.3);
    fgt_forecaster                  *f, *again;
    log_of                           l;
    const fgt_search_opts            opts = with(&base, 3, &l);
    const char                      *path = in_directory("best.safetensors");
    OK(fgt_forecaster_search(ctx, table, &long_split, &opts, &f, NULL));
    OK(fgt_forecaster_save(f, FGT_TO_FILE(path)));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(path), NULL, &again));
    assert_true(validate(f, table, &long_split) == validate(again, table, &long_split));
    OK(fgt_forecaster_fit(f, table, &long_split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1),
                          NULL));
    fgt_forecaster_destroy(&f);
    fgt_forecaster_destroy(&again);
    fgt_table_destroy(&table);
}

static fgt_status search_once(const fgt_search_opts *opts, const fgt_table *table, const fgt_split *rows)
{
    fgt_forecaster  *f = (fgt_forecaster *)&memory;
    const fgt_status s = fgt_forecaster_search(ctx, table, rows, opts, &f, NULL);
    assert_true((f != NULL) == (s == FGT_OK));
    fgt_forecaster_destroy(&f);
    return s;
}

static void failing_allocations(void **state)
{
    (void)state;
    const fgt_forecaster_opts base  = {.size = sizeof base, .input_len = 12, .pred_len = 4, .tokens.dim = 4};
    const fgt_split           few   = {0, 60, 60, 80, 80, 100};
    fgt_table                *table = new_table();
    fgt_status                s;
    log_of                    l;
    fgt_search_opts           opts = with(&base, 1, &l);
    opts.fixed                     = FGT_SEARCH_PART_BLOCK;
    SWEEP(&memory, s, 100, search_once(&opts, table, &few)) NOTHING_LEAKS;
    const fgt_forecaster_opts no_map = {.size             = sizeof no_map,
                                        .input_len        = 12,
                                        .pred_len         = 4,
                                        .tokens.dim       = 4,
                                        .block.kind       = FGT_BLOCK_LINEAR,
                                        .output.no_linear = 1};
    opts                             = with(&no_map, 4, &l); /* a mean of two */
    SWEEP(&memory, s, 100, search_once(&opts, table, &few)) NOTHING_LEAKS;
    assert_true(l.means > 0);
    fgt_table_destroy(&table);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const fgt_forecaster_opts base   = {.size = sizeof base, .input_len = 24, .pred_len = 8};
    fgt_table                       *table  = new_table();
    fgt_forecaster                  *f      = (fgt_forecaster *)&base;
    const fgt_split                  no_val = {0, 120, 120, 120, 120, 200};
    fgt_forecaster_fit_opts          fit    = {.size = sizeof fit, .training.checkpoint = "x"};
    fgt_search_opts                  opts   = {.size = sizeof opts, .forecaster = &base, .epochs = 1};
    REFUSED(fgt_forecaster_search(ctx, table, &no_val, &opts, &f, NULL), FGT_E_DATA, "no validation rows");
    assert_null(f);
    opts.fit = &fit;
    REFUSED(fgt_forecaster_search(ctx, table, &split, &opts, &f, NULL), FGT_E_ARG, "a checkpoint");
    const fgt_collective together = {.size = sizeof together};
    fit.training.checkpoint       = NULL;
    fit.training.collective       = &together;
    REFUSED(fgt_forecaster_search(ctx, table, &split, &opts, &f, NULL), FGT_E_ARG, "a collective");
    opts.fit   = NULL;
    opts.fixed = 64;
    REFUSED(fgt_forecaster_search(ctx, table, &split, &opts, &f, NULL), FGT_E_ARG, "fixed");
    opts.fixed = 0;
    REFUSED(fgt_forecaster_search(ctx, NULL, &split, &opts, &f, NULL), FGT_E_ARG, "table");
    opts.seconds = NAN;
    REFUSED(fgt_forecaster_search(ctx, table, &split, &opts, &f, NULL), FGT_E_ARG, "seconds");
    opts.seconds        = 0;
    fgt_search_report r = {0};
    REFUSED(fgt_forecaster_search(ctx, table, &split, &opts, &f, &r), FGT_E_VERSION, "fgt_search_report");
    assert_true(fgt_forecaster_search(NULL, table, &split, &opts, &f, NULL) == FGT_E_ARG);
    fgt_table_destroy(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_longer_look_back_wins), cmocka_unit_test(a_linear_map_wins),
        cmocka_unit_test(means_are_tried),         cmocka_unit_test(budgets_hold),
        cmocka_unit_test(epochs_are_short),        cmocka_unit_test(without_a_map_one_epoch_is_trained),
        cmocka_unit_test(the_host_ends_it),        cmocka_unit_test(what_is_given_stays),
        cmocka_unit_test(few_windows_have_a_result),
        cmocka_unit_test(look_backs_have_room_for_the_layers),
        cmocka_unit_test(quantiles_are_searched),  cmocka_unit_test(what_is_for_tokens_is_searched),
        cmocka_unit_test(threads_do_not_matter),   cmocka_unit_test(the_result_is_saved),
        cmocka_unit_test(failing_allocations),     cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
