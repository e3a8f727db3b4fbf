/* SPDX-License-Identifier: BSD-3-Clause */
/* The public structs as they were when they came: where each field stands, for 64-bit pointers, and that
 * nothing between or behind them is padding. A later field goes to the end of its struct and of its list
 * here. The program then uses structs of other lengths, as programs older and newer than the library do. */
#include <stddef.h>
#include <stdio.h>

#include <fighter/fighter.h>

#define F(s, field, at) {#s, #field, offsetof(s, field), sizeof(((s *)0)->field), sizeof(s), at}

static const struct place {
    const char *type, *field;
    size_t      offset, size, whole, frozen;
} places[] = {
    /* clang-format off */
    F(fgt_view, data, 0), F(fgt_view, shape, 8), F(fgt_view, rank, 48), F(fgt_view, dtype, 52),
    F(fgt_allocator, size, 0), F(fgt_allocator, alloc, 8), F(fgt_allocator, release, 16),
    F(fgt_allocator, user, 24),
    F(fgt_reader, size, 0), F(fgt_reader, read, 8), F(fgt_reader, user, 16), F(fgt_reader, length, 24),
    F(fgt_reader, name, 32), F(fgt_reader, sequential, 40), F(fgt_reader, reserved, 44),
    F(fgt_writer, size, 0), F(fgt_writer, write, 8), F(fgt_writer, user, 16), F(fgt_writer, name, 24),
    F(fgt_executor, size, 0), F(fgt_executor, run, 8), F(fgt_executor, user, 16),
    F(fgt_context_opts, size, 0), F(fgt_context_opts, allocator, 8), F(fgt_context_opts, log, 16),
    F(fgt_context_opts, log_user, 24), F(fgt_context_opts, executor, 32),
    F(fgt_context_opts, threads, 40), F(fgt_context_opts, keep_environment, 44),
    F(fgt_context_opts, products, 48), F(fgt_context_opts, reserved, 52),
    F(fgt_build_info, size, 0), F(fgt_build_info, version, 8), F(fgt_build_info, blas, 16),
    F(fgt_build_info, blas_version, 24), F(fgt_build_info, blas_config, 32),
    F(fgt_build_info, kernel, 40), F(fgt_build_info, vector, 48), F(fgt_build_info, threads, 56),
    F(fgt_build_info, reserved, 60),
    F(fgt_layer, type, 0), F(fgt_layer, opts, 8), F(fgt_layer, name, 16),
    F(fgt_field, name, 0), F(fgt_field, offset, 8), F(fgt_field, min, 16), F(fgt_field, max, 24),
    F(fgt_field, standard, 32), F(fgt_field, kind, 40), F(fgt_field, required, 44),
    F(fgt_layer_class, size, 0), F(fgt_layer_class, type, 8), F(fgt_layer_class, opts_size, 16),
    F(fgt_layer_class, fields, 24), F(fgt_layer_class, field_count, 32), F(fgt_layer_class, user, 40),
    F(fgt_layer_class, more_inputs, 48), F(fgt_layer_class, plan, 56), F(fgt_layer_class, memory, 64),
    F(fgt_layer_class, forward, 72), F(fgt_layer_class, backward, 80),
    F(fgt_layer_info, size, 0), F(fgt_layer_info, name, 8), F(fgt_layer_info, type, 16),
    F(fgt_layer_info, route, 24), F(fgt_layer_info, shares, 32), F(fgt_layer_info, parameters, 40),
    F(fgt_layer_info, cache, 48), F(fgt_layer_info, flops, 56), F(fgt_layer_info, inputs, 64),
    F(fgt_layer_info, attention, 68), F(fgt_layer_info, output, 72),
    F(fgt_edge, from, 0), F(fgt_edge, to, 8), F(fgt_edge, weight, 16),
    F(fgt_edges_opts, size, 0), F(fgt_edges_opts, sample, 8), F(fgt_edges_opts, head, 16),
    F(fgt_edges_opts, no_diagonal, 24), F(fgt_edges_opts, reserved, 28),
    F(fgt_statistic_opts, size, 0), F(fgt_statistic_opts, graph, 8), F(fgt_statistic_opts, first, 16),
    F(fgt_adjacency_opts, size, 0), F(fgt_adjacency_opts, layer, 8), F(fgt_adjacency_opts, powers, 16),
    F(fgt_edge_rule, size, 0), F(fgt_edge_rule, threshold, 8), F(fgt_edge_rule, per_node, 16),
    F(fgt_edge_rule, no_diagonal, 24), F(fgt_edge_rule, reserved, 28),
    F(fgt_edge_list, size, 0), F(fgt_edge_list, edges, 8), F(fgt_edge_list, edge_count, 16),
    F(fgt_edge_list, names, 24), F(fgt_edge_list, node_count, 32), F(fgt_edge_list, title, 40),
    F(fgt_gradient_opts, size, 0), F(fgt_gradient_opts, seed, 8), F(fgt_gradient_opts, directions, 16),
    F(fgt_gradient_report, size, 0), F(fgt_gradient_report, error, 8), F(fgt_gradient_report, worst, 16),
    F(fgt_gradient_report, directions, 24),
    F(fgt_linear_opts, size, 0), F(fgt_linear_opts, out, 8), F(fgt_linear_opts, no_bias, 16),
    F(fgt_linear_opts, reserved, 20),
    F(fgt_activation_opts, size, 0), F(fgt_activation_opts, kind, 8),
    F(fgt_activation_opts, reserved, 12),
    F(fgt_layer_norm_opts, size, 0), F(fgt_layer_norm_opts, eps, 8),
    F(fgt_layer_norm_opts, seasonal, 12),
    F(fgt_moving_average_opts, size, 0), F(fgt_moving_average_opts, window, 8),
    F(fgt_moving_average_opts, remove, 16), F(fgt_moving_average_opts, reserved, 20),
    F(fgt_dropout_opts, size, 0), F(fgt_dropout_opts, p, 8), F(fgt_dropout_opts, reserved, 12),
    F(fgt_embedding_opts, size, 0), F(fgt_embedding_opts, vocab, 8), F(fgt_embedding_opts, out, 16),
    F(fgt_embedding_opts, padding_idx, 24), F(fgt_embedding_opts, has_padding, 32),
    F(fgt_embedding_opts, init, 36), F(fgt_embedding_opts, mask_padding, 40),
    F(fgt_embedding_opts, reserved, 44),
    F(fgt_position_opts, size, 0), F(fgt_position_opts, max_time, 8), F(fgt_position_opts, kind, 16),
    F(fgt_position_opts, init, 20),
    F(fgt_pool_opts, size, 0), F(fgt_pool_opts, kind, 8), F(fgt_pool_opts, reserved, 12),
    F(fgt_patch_opts, size, 0), F(fgt_patch_opts, length, 8), F(fgt_patch_opts, stride, 16),
    F(fgt_patch_opts, no_padding, 24), F(fgt_patch_opts, reserved, 28),
    F(fgt_layout_opts, size, 0), F(fgt_layout_opts, kind, 8), F(fgt_layout_opts, reserved, 12),
    F(fgt_slice_opts, size, 0), F(fgt_slice_opts, first, 8), F(fgt_slice_opts, count, 16),
    F(fgt_revin_opts, size, 0), F(fgt_revin_opts, eps, 8), F(fgt_revin_opts, no_affine, 12),
    F(fgt_revin_inverse_opts, size, 0), F(fgt_revin_inverse_opts, reserved, 8),
    F(fgt_value_opts, size, 0), F(fgt_value_opts, time, 8), F(fgt_value_opts, features, 16),
    F(fgt_value_opts, nodes, 24), F(fgt_value_opts, kind, 32), F(fgt_value_opts, reserved, 36),
    F(fgt_sum_opts, size, 0), F(fgt_sum_opts, weight, 8),
    F(fgt_concat_opts, size, 0), F(fgt_concat_opts, reserved, 8),
    F(fgt_token_linear_opts, size, 0), F(fgt_token_linear_opts, out, 8),
    F(fgt_token_linear_opts, no_bias, 16), F(fgt_token_linear_opts, reserved, 20),
    F(fgt_quantiles_opts, size, 0), F(fgt_quantiles_opts, count, 8),
    F(fgt_attention_opts, size, 0), F(fgt_attention_opts, heads, 8),
    F(fgt_attention_opts, no_bias, 16), F(fgt_attention_opts, causal, 20),
    F(fgt_attention_opts, diag_mask, 24), F(fgt_attention_opts, diag_penalty, 28),
    F(fgt_attention_opts, diag_dropout, 32), F(fgt_attention_opts, diag_when, 36),
    F(fgt_attention_opts, attn_dropout, 40), F(fgt_attention_opts, mode, 44),
    F(fgt_attention_opts, attender, 48), F(fgt_attention_opts, factor, 52),
    F(fgt_attention_opts, own_delays, 56), F(fgt_attention_opts, bucket_size, 60),
    F(fgt_attention_opts, n_hashes, 64), F(fgt_attention_opts, reserved, 68),
    F(fgt_fighter_opts, size, 0), F(fgt_fighter_opts, out, 8), F(fgt_fighter_opts, attn, 16),
    F(fgt_fighter_opts, heads, 24), F(fgt_fighter_opts, hops, 32), F(fgt_fighter_opts, act, 40),
    F(fgt_fighter_opts, norm, 44), F(fgt_fighter_opts, residual, 48), F(fgt_fighter_opts, no_bias, 52),
    F(fgt_fighter_opts, causal, 56), F(fgt_fighter_opts, diag_mask, 60),
    F(fgt_fighter_opts, diag_penalty, 64), F(fgt_fighter_opts, diag_dropout, 68),
    F(fgt_fighter_opts, diag_when, 72), F(fgt_fighter_opts, attn_dropout, 76),
    F(fgt_fighter_opts, dropout, 80), F(fgt_fighter_opts, mode, 84),
    F(fgt_gcn_opts, size, 0), F(fgt_gcn_opts, graph, 8), F(fgt_gcn_opts, out, 16),
    F(fgt_gcn_opts, hops, 24), F(fgt_gcn_opts, act, 32), F(fgt_gcn_opts, plain, 36),
    F(fgt_gcn_opts, no_bias, 40), F(fgt_gcn_opts, residual, 44), F(fgt_gcn_opts, dropout, 48),
    F(fgt_gcn_opts, reserved, 52),
    F(fgt_transformer_opts, size, 0), F(fgt_transformer_opts, heads, 8), F(fgt_transformer_opts, ff, 16),
    F(fgt_transformer_opts, act, 24), F(fgt_transformer_opts, norm_first, 28),
    F(fgt_transformer_opts, no_bias, 32), F(fgt_transformer_opts, causal, 36),
    F(fgt_transformer_opts, dropout, 40), F(fgt_transformer_opts, eps, 44),
    F(fgt_transformer_opts, mode, 48), F(fgt_transformer_opts, reserved, 52),
    F(fgt_rnn_opts, size, 0), F(fgt_rnn_opts, hidden, 8), F(fgt_rnn_opts, layers, 16),
    F(fgt_rnn_opts, bidirectional, 24), F(fgt_rnn_opts, no_bias, 28), F(fgt_rnn_opts, last, 32),
    F(fgt_rnn_opts, dropout, 36), F(fgt_rnn_opts, nonlinearity, 40), F(fgt_rnn_opts, reserved, 44),
    F(fgt_gru_opts, size, 0), F(fgt_gru_opts, hidden, 8), F(fgt_gru_opts, layers, 16),
    F(fgt_gru_opts, bidirectional, 24), F(fgt_gru_opts, no_bias, 28), F(fgt_gru_opts, last, 32),
    F(fgt_gru_opts, dropout, 36),
    F(fgt_lstm_opts, size, 0), F(fgt_lstm_opts, hidden, 8), F(fgt_lstm_opts, layers, 16),
    F(fgt_lstm_opts, bidirectional, 24), F(fgt_lstm_opts, no_bias, 28), F(fgt_lstm_opts, last, 32),
    F(fgt_lstm_opts, dropout, 36),
    F(fgt_s4_opts, size, 0), F(fgt_s4_opts, state, 8), F(fgt_s4_opts, block, 16), F(fgt_s4_opts, kind, 20),
    F(fgt_s4_opts, init, 24), F(fgt_s4_opts, disc, 28), F(fgt_s4_opts, bidirectional, 32),
    F(fgt_s4_opts, way, 36), F(fgt_s4_opts, dt_min, 40), F(fgt_s4_opts, dt_max, 44),
    F(fgt_s4_opts, dropout, 48), F(fgt_s4_opts, reserved, 52),
    F(fgt_model_opts, size, 0), F(fgt_model_opts, batch, 8), F(fgt_model_opts, time, 16),
    F(fgt_model_opts, features, 24), F(fgt_model_opts, nodes, 32), F(fgt_model_opts, seed, 40),
    F(fgt_workspace_opts, size, 0), F(fgt_workspace_opts, batch, 8),
    F(fgt_load_opts, size, 0), F(fgt_load_opts, batch, 8),
    F(fgt_loss_opts, size, 0), F(fgt_loss_opts, kind, 8), F(fgt_loss_opts, beta, 12),
    F(fgt_loss_opts, label_smoothing, 16), F(fgt_loss_opts, skip_nan, 20),
    F(fgt_loss_opts, quantile, 24), F(fgt_loss_opts, dispersion, 28),
    F(fgt_loss_opts, quantile_count, 32), F(fgt_loss_opts, quantiles, 40),
    F(fgt_metric, square, 0), F(fgt_metric, absolute, 8), F(fgt_metric, percent, 16),
    F(fgt_metric, symmetric, 24), F(fgt_metric, count, 32), F(fgt_metric, percent_count, 40),
    F(fgt_metric, rows, 48), F(fgt_metric, correct, 56),
    F(fgt_schedule_opts, size, 0), F(fgt_schedule_opts, warmup, 8), F(fgt_schedule_opts, total, 16),
    F(fgt_schedule_opts, every, 24), F(fgt_schedule_opts, min_lr, 32), F(fgt_schedule_opts, gamma, 40),
    F(fgt_schedule_opts, warmup_start, 48), F(fgt_schedule_opts, kind, 56),
    F(fgt_schedule_opts, reserved, 60),
    F(fgt_optim_opts, size, 0), F(fgt_optim_opts, schedule, 8), F(fgt_optim_opts, lr, 16),
    F(fgt_optim_opts, beta1, 24), F(fgt_optim_opts, beta2, 32), F(fgt_optim_opts, eps, 40),
    F(fgt_optim_opts, weight_decay, 48), F(fgt_optim_opts, momentum, 56), F(fgt_optim_opts, clip, 64),
    F(fgt_optim_opts, nesterov, 72), F(fgt_optim_opts, kind, 76),
    F(fgt_source, size, 0), F(fgt_source, count, 8), F(fgt_source, get, 16), F(fgt_source, user, 24),
    F(fgt_source, get_value, 32), F(fgt_source, fingerprint, 40),
    F(fgt_progress, size, 0), F(fgt_progress, epoch, 8), F(fgt_progress, epochs, 16),
    F(fgt_progress, sample, 24), F(fgt_progress, samples, 32), F(fgt_progress, step, 40),
    F(fgt_progress, loss, 48), F(fgt_progress, validation, 56), F(fgt_progress, best, 64),
    F(fgt_progress, lr, 72), F(fgt_progress, seconds, 80), F(fgt_progress, epoch_done, 88),
    F(fgt_progress, reserved, 92),
    F(fgt_fit_opts, size, 0), F(fgt_fit_opts, train, 8), F(fgt_fit_opts, validation, 16),
    F(fgt_fit_opts, loss, 24), F(fgt_fit_opts, optim, 32), F(fgt_fit_opts, progress, 40),
    F(fgt_fit_opts, user, 48), F(fgt_fit_opts, seed, 56), F(fgt_fit_opts, epochs, 64),
    F(fgt_fit_opts, batch, 72), F(fgt_fit_opts, patience, 80), F(fgt_fit_opts, target_dtype, 88),
    F(fgt_fit_opts, no_shuffle, 92), F(fgt_fit_opts, selector, 96),
    F(fgt_fit_opts, checkpoint, 104), F(fgt_fit_opts, resume, 112),
    F(fgt_fit_opts, checkpoint_every, 120), F(fgt_fit_opts, checkpoint_seconds, 128),
    F(fgt_fit_opts, keep_start, 136), F(fgt_fit_opts, reserved, 140),
    F(fgt_fit_opts, average, 144), F(fgt_fit_opts, moments, 152),
    F(fgt_checkpoint, size, 0), F(fgt_checkpoint, optim, 8), F(fgt_checkpoint, selector, 16),
    F(fgt_checkpoint, data, 24), F(fgt_checkpoint, data_size, 32),
    F(fgt_fit_report, size, 0), F(fgt_fit_report, epochs, 8), F(fgt_fit_report, best_epoch, 16),
    F(fgt_fit_report, steps, 24), F(fgt_fit_report, samples, 32), F(fgt_fit_report, train_loss, 40),
    F(fgt_fit_report, best_loss, 48), F(fgt_fit_report, seconds, 56), F(fgt_fit_report, cancelled, 64),
    F(fgt_fit_report, stopped_early, 68), F(fgt_fit_report, failed_checkpoints, 72),
    F(fgt_fit_report, diverged, 80), F(fgt_fit_report, reserved, 84),
    F(fgt_loss_samples, size, 0), F(fgt_loss_samples, weight, 8), F(fgt_loss_samples, loss, 16),
    F(fgt_loss_samples, norm, 24),
    F(fgt_attent_opts, size, 0), F(fgt_attent_opts, samples, 8), F(fgt_attent_opts, epochs, 16),
    F(fgt_attent_opts, count, 24), F(fgt_attent_opts, interval, 32), F(fgt_attent_opts, growth, 40),
    F(fgt_attent_opts, seed, 48), F(fgt_attent_opts, ratio, 56), F(fgt_attent_opts, ratio_start, 64),
    F(fgt_attent_opts, ratio_end, 72), F(fgt_attent_opts, temperature, 80), F(fgt_attent_opts, prune, 88),
    F(fgt_attent_opts, prune_until, 96), F(fgt_attent_opts, stop_below, 104),
    F(fgt_attent_opts, groups, 112), F(fgt_attent_opts, group_weight, 120),
    F(fgt_attent_opts, group_count, 128), F(fgt_attent_opts, log, 136), F(fgt_attent_opts, log_user, 144),
    F(fgt_attent_opts, replay, 152), F(fgt_attent_opts, replay_size, 160),
    F(fgt_attent_opts, strategy, 168), F(fgt_attent_opts, ratio_schedule, 172),
    F(fgt_attent_opts, interval_schedule, 176), F(fgt_attent_opts, scores, 180),
    F(fgt_attent_opts, norms, 184), F(fgt_attent_opts, proportional, 188),
    F(fgt_attent_opts, redraw, 192), F(fgt_attent_opts, ordered, 196),
    F(fgt_attent_opts, log_indices, 200), F(fgt_attent_opts, reserved, 204),
    F(fgt_attent_subset, size, 0), F(fgt_attent_subset, index, 8), F(fgt_attent_subset, count, 16),
    F(fgt_attent_subset, epoch, 24), F(fgt_attent_subset, interval, 32), F(fgt_attent_subset, hash, 40),
    F(fgt_attent_subset, ratio, 48), F(fgt_attent_subset, score, 56), F(fgt_attent_subset, residual, 64),
    F(fgt_attent_subset, fresh, 72), F(fgt_attent_subset, stop, 76),
    F(fgt_ntk_opts, size, 0), F(fgt_ntk_opts, kind, 8), F(fgt_ntk_opts, reserved, 12),
    F(fgt_ntk_report, size, 0), F(fgt_ntk_report, steps, 8), F(fgt_ntk_report, norm, 16),
    F(fgt_ntk_report, change, 24), F(fgt_ntk_report, reference, 32),
    F(fgt_time_step, milliseconds, 0), F(fgt_time_step, months, 8),
    F(fgt_arrow_opts, size, 0), F(fgt_arrow_opts, time, 8), F(fgt_arrow_opts, columns, 16),
    F(fgt_arrow_opts, column_count, 24), F(fgt_arrow_opts, categories, 32),
    F(fgt_arrow_opts, category_count, 40), F(fgt_arrow_opts, no_times, 48), F(fgt_arrow_opts, repair, 52),
    F(fgt_arrow_opts, missing, 56), F(fgt_arrow_opts, skip, 60),
    F(fgt_csv_opts, size, 0), F(fgt_csv_opts, time, 8), F(fgt_csv_opts, id, 16),
    F(fgt_csv_opts, value, 24), F(fgt_csv_opts, columns, 32), F(fgt_csv_opts, column_count, 40),
    F(fgt_csv_opts, max_rows, 48), F(fgt_csv_opts, marker, 56), F(fgt_csv_opts, has_marker, 64),
    F(fgt_csv_opts, delimiter, 68), F(fgt_csv_opts, decimal_comma, 72), F(fgt_csv_opts, no_header, 76),
    F(fgt_csv_opts, date, 80), F(fgt_csv_opts, time_form, 84), F(fgt_csv_opts, repair, 88),
    F(fgt_csv_opts, missing, 92), F(fgt_csv_opts, form, 96), F(fgt_csv_opts, reserved, 100),
    F(fgt_csv_opts, categories, 104), F(fgt_csv_opts, category_count, 112),
    F(fgt_table_info, size, 0), F(fgt_table_info, rows, 8), F(fgt_table_info, columns, 16),
    F(fgt_table_info, missing, 24), F(fgt_table_info, outside, 32), F(fgt_table_info, series, 40),
    F(fgt_table_info, repeats, 48), F(fgt_table_info, gaps, 56), F(fgt_table_info, appended, 64),
    F(fgt_table_info, joined, 72), F(fgt_table_info, step, 80), F(fgt_table_info, reordered, 96),
    F(fgt_table_info, reserved, 100), F(fgt_table_info, ignored, 104),
    F(fgt_table_info, unseen, 112),
    F(fgt_split_opts, size, 0), F(fgt_split_opts, rows, 8), F(fgt_split_opts, ratio, 32),
    F(fgt_split_opts, kind, 56), F(fgt_split_opts, reserved, 60),
    F(fgt_split, train_begin, 0), F(fgt_split, train_end, 8), F(fgt_split, val_begin, 16),
    F(fgt_split, val_end, 24), F(fgt_split, test_begin, 32), F(fgt_split, test_end, 40),
    F(fgt_windows_opts, size, 0), F(fgt_windows_opts, targets, 8), F(fgt_windows_opts, target_count, 16),
    F(fgt_windows_opts, input_len, 24), F(fgt_windows_opts, pred_len, 32),
    F(fgt_windows_opts, stride, 40), F(fgt_windows_opts, begin, 48), F(fgt_windows_opts, end, 56),
    F(fgt_windows_opts, reach_back, 64), F(fgt_windows_opts, reserved, 68),
    F(fgt_graph_opts, size, 0), F(fgt_graph_opts, norm, 8), F(fgt_graph_opts, self_loops, 12),
    F(fgt_block_opts, size, 0), F(fgt_block_opts, graph, 8), F(fgt_block_opts, hops, 16),
    F(fgt_block_opts, hop_count, 24), F(fgt_block_opts, layers, 32), F(fgt_block_opts, heads, 40),
    F(fgt_block_opts, ff, 48), F(fgt_block_opts, dim, 56), F(fgt_block_opts, block, 64),
    F(fgt_block_opts, dropout, 68), F(fgt_block_opts, bidirectional, 72), F(fgt_block_opts, reserved, 76),
    F(fgt_forecaster_opts, size, 0), F(fgt_forecaster_opts, columns, 8),
    F(fgt_forecaster_opts, column_count, 16), F(fgt_forecaster_opts, past, 24),
    F(fgt_forecaster_opts, past_count, 32), F(fgt_forecaster_opts, known, 40),
    F(fgt_forecaster_opts, known_count, 48), F(fgt_forecaster_opts, graph, 56),
    F(fgt_forecaster_opts, hops, 64), F(fgt_forecaster_opts, hop_count, 72),
    F(fgt_forecaster_opts, input_len, 80), F(fgt_forecaster_opts, pred_len, 88),
    F(fgt_forecaster_opts, batch, 96), F(fgt_forecaster_opts, dim, 104),
    F(fgt_forecaster_opts, heads, 112), F(fgt_forecaster_opts, layers, 120),
    F(fgt_forecaster_opts, patch, 128), F(fgt_forecaster_opts, stride, 136),
    F(fgt_forecaster_opts, seed, 144), F(fgt_forecaster_opts, block, 152),
    F(fgt_forecaster_opts, tokens, 156), F(fgt_forecaster_opts, revin, 160),
    F(fgt_forecaster_opts, dropout, 164), F(fgt_forecaster_opts, ff, 168),
    F(fgt_forecaster_opts, calendar, 176), F(fgt_forecaster_opts, non_negative, 180),
    F(fgt_forecaster_opts, quantiles, 184), F(fgt_forecaster_opts, quantile_count, 192),
    F(fgt_forecaster_opts, holidays, 200),
    F(fgt_forecaster_opts, mask, 208), F(fgt_forecaster_opts, no_linear, 212),
    F(fgt_forecaster_opts, features, 216), F(fgt_forecaster_opts, no_profile, 224),
    F(fgt_forecaster_opts, reserved, 228), F(fgt_forecaster_opts, layer_len, 232),
    F(fgt_forecaster_fit_opts, size, 0), F(fgt_forecaster_fit_opts, progress, 8),
    F(fgt_forecaster_fit_opts, user, 16), F(fgt_forecaster_fit_opts, seed, 24),
    F(fgt_forecaster_fit_opts, epochs, 32), F(fgt_forecaster_fit_opts, batch, 40),
    F(fgt_forecaster_fit_opts, patience, 48), F(fgt_forecaster_fit_opts, lr, 56),
    F(fgt_forecaster_fit_opts, loss, 64), F(fgt_forecaster_fit_opts, quantile, 68),
    F(fgt_forecaster_fit_opts, selector, 72), F(fgt_forecaster_fit_opts, checkpoint, 80),
    F(fgt_forecaster_fit_opts, resume, 88), F(fgt_forecaster_fit_opts, checkpoint_every, 96),
    F(fgt_forecaster_fit_opts, dispersion, 104), F(fgt_forecaster_fit_opts, reserved, 108),
    F(fgt_forecaster_fit_opts, checkpoint_seconds, 112), F(fgt_forecaster_fit_opts, average, 120),
    F(fgt_forecaster_fit_opts, moments, 128), F(fgt_forecaster_fit_opts, weight_decay, 136),
    F(fgt_forecaster_fit_opts, thin, 144),
    F(fgt_search_opts, size, 0), F(fgt_search_opts, forecaster, 8), F(fgt_search_opts, fit, 16),
    F(fgt_search_opts, trial, 24), F(fgt_search_opts, user, 32), F(fgt_search_opts, seconds, 40),
    F(fgt_search_opts, epochs, 48), F(fgt_search_opts, fixed, 56), F(fgt_search_opts, reserved, 60),
    F(fgt_trial, size, 0), F(fgt_trial, opts, 8), F(fgt_trial, fit, 16), F(fgt_trial, candidate, 24),
    F(fgt_trial, rung, 32), F(fgt_trial, epochs, 40), F(fgt_trial, members, 48), F(fgt_trial, seconds, 56),
    F(fgt_trial, loss, 64), F(fgt_trial, gain, 72), F(fgt_trial, error, 80), F(fgt_trial, least, 88),
    F(fgt_trial, best, 96), F(fgt_trial, cut, 100),
    F(fgt_search_report, size, 0), F(fgt_search_report, candidates, 8), F(fgt_search_report, trials, 16),
    F(fgt_search_report, best, 24), F(fgt_search_report, best_epochs, 32), F(fgt_search_report, members, 40),
    F(fgt_search_report, epochs, 48), F(fgt_search_report, samples, 56), F(fgt_search_report, loss, 64),
    F(fgt_search_report, linear_loss, 72), F(fgt_search_report, seconds, 80),
    F(fgt_search_report, cancelled, 88), F(fgt_search_report, exhausted, 92),
    F(fgt_forecaster_info, size, 0), F(fgt_forecaster_info, columns, 8),
    F(fgt_forecaster_info, input_len, 16), F(fgt_forecaster_info, pred_len, 24),
    F(fgt_forecaster_info, seed, 32), F(fgt_forecaster_info, block, 40),
    F(fgt_forecaster_info, tokens, 44), F(fgt_forecaster_info, revin, 48),
    F(fgt_forecaster_info, calendar, 52), F(fgt_forecaster_info, past, 56),
    F(fgt_forecaster_info, known, 64), F(fgt_forecaster_info, step, 72),
    F(fgt_forecaster_info, seen_rows, 88), F(fgt_forecaster_info, seen_first, 96),
    F(fgt_forecaster_info, seen_last, 104), F(fgt_forecaster_info, trained_last, 112),
    F(fgt_forecaster_info, holidays, 120), F(fgt_forecaster_info, statics, 128),
    F(fgt_forecaster_info, non_negative, 136), F(fgt_forecaster_info, mask, 140),
    F(fgt_forecaster_info, linear, 144), F(fgt_forecaster_info, reserved, 148),
    F(fgt_forecaster_info, quantile_count, 152), F(fgt_forecaster_info, quantiles, 160),
    F(fgt_forecast_rows, size, 0), F(fgt_forecast_rows, rows, 8), F(fgt_forecast_rows, known, 16),
    F(fgt_forecast_rows, time, 24),
    F(fgt_interval_metric, count, 0), F(fgt_interval_metric, inside, 8), F(fgt_interval_metric, width, 16),
    F(fgt_interval_metric, score, 24),
    F(fgt_forecast_window, size, 0), F(fgt_forecast_window, window, 8), F(fgt_forecast_window, row, 16),
    F(fgt_forecast_window, forecast, 24), F(fgt_forecast_window, truth, 80),
    F(fgt_forecast_window, quantiles, 136), F(fgt_forecast_window, low, 192),
    F(fgt_forecast_window, high, 248),
    F(fgt_visit_opts, size, 0), F(fgt_visit_opts, begin, 8), F(fgt_visit_opts, end, 16),
    F(fgt_visit_opts, stride, 24), F(fgt_visit_opts, season, 32),
    F(fgt_visit_opts, levels, 40), F(fgt_visit_opts, level_count, 48),
    F(fgt_forecast_metric, count, 0), F(fgt_forecast_metric, error, 8), F(fgt_forecast_metric, absolute, 16),
    F(fgt_forecast_metric, square, 24), F(fgt_forecast_metric, truth, 32),
    F(fgt_forecast_metric, symmetric, 40),
    F(fgt_quantile_metric, count, 0), F(fgt_quantile_metric, below, 8), F(fgt_quantile_metric, loss, 16),
    F(fgt_classifier_opts, size, 0), F(fgt_classifier_opts, vocab, 8),
    F(fgt_classifier_opts, tokens, 16), F(fgt_classifier_opts, batch, 24),
    F(fgt_classifier_opts, dim, 32), F(fgt_classifier_opts, heads, 40),
    F(fgt_classifier_opts, layers, 48), F(fgt_classifier_opts, hops, 56),
    F(fgt_classifier_opts, seed, 64), F(fgt_classifier_opts, block, 72),
    F(fgt_classifier_opts, dropout, 76), F(fgt_classifier_opts, init, 80),
    F(fgt_classifier_opts, reserved, 84), F(fgt_classifier_opts, pretrain, 88),
    F(fgt_classifier_fit_opts, size, 0),
    F(fgt_classifier_fit_opts, progress, 8), F(fgt_classifier_fit_opts, user, 16),
    F(fgt_classifier_fit_opts, selector, 24), F(fgt_classifier_fit_opts, seed, 32),
    F(fgt_classifier_fit_opts, epochs, 40), F(fgt_classifier_fit_opts, batch, 48),
    F(fgt_classifier_fit_opts, patience, 56), F(fgt_classifier_fit_opts, lr, 64),
    F(fgt_classifier_fit_opts, label_smoothing, 72), F(fgt_classifier_fit_opts, reserved, 76),
    F(fgt_classifier_fit_opts, checkpoint, 80), F(fgt_classifier_fit_opts, resume, 88),
    F(fgt_classifier_fit_opts, checkpoint_every, 96), F(fgt_classifier_fit_opts, checkpoint_seconds, 104),
    F(fgt_classifier_info, size, 0), F(fgt_classifier_info, classes, 8),
    F(fgt_classifier_info, tokens, 16), F(fgt_classifier_info, seed, 24),
    F(fgt_classifier_info, block, 32), F(fgt_classifier_info, reserved, 36),
    F(fgt_corpus_opts, size, 0), F(fgt_corpus_opts, like, 8), F(fgt_corpus_opts, text_columns, 16),
    F(fgt_corpus_opts, text_count, 24), F(fgt_corpus_opts, class_column, 32),
    F(fgt_corpus_opts, classes, 40), F(fgt_corpus_opts, max_rows, 48), F(fgt_corpus_opts, form, 56),
    F(fgt_corpus_opts, class_kind, 60), F(fgt_corpus_opts, zero_based, 64),
    F(fgt_corpus_opts, header, 68), F(fgt_corpus_opts, delimiter, 72),
    F(fgt_corpus_opts, keep_escapes, 76),
    F(fgt_corpus_opts, no_classes, 80), F(fgt_corpus_opts, no_quotes, 84),
    F(fgt_vocab_opts, size, 0), F(fgt_vocab_opts, max_words, 8), F(fgt_vocab_opts, min_count, 16),
    F(fgt_vocab_opts, ngrams, 24), F(fgt_vocab_opts, buckets, 32), F(fgt_vocab_opts, punctuation, 40),
    F(fgt_vocab_opts, reserved, 44), F(fgt_vocab_opts, prefix, 48),
    /* clang-format on */
};

static int complain(const struct place *p, const char *what)
{
    printf("%s.%s %s\n", p->type, p->field, what);
    return 1;
}

/* Field by field: each begins where the one before ends, the last ends where the struct does. */
static int walk(void)
{
    const size_t n = sizeof places / sizeof *places;
    size_t       end = 0;
    int          bad = 0;
    for (size_t i = 0; i < n; i++) {
        const struct place *p = &places[i];
        if (p->offset != p->frozen) bad += complain(p, "has moved");
        if (p->offset != (p->frozen ? end : 0)) bad += complain(p, "has padding before it");
        end = p->offset + p->size;
        if ((i + 1 == n || places[i + 1].frozen == 0) && end != p->whole)
            bad += complain(p, "is followed by padding, or by a field unknown here");
    }
    return bad;
}

/* A model's options as a later release may have them. */
typedef struct longer_opts {
    fgt_model_opts known;
    int64_t        unknown;
} longer_opts;

static int expect(fgt_context *ctx, const char *what, const longer_opts *opts, fgt_status wanted)
{
    fgt_model       *model = NULL;
    const fgt_status s     = fgt_model_create(ctx, &opts->known, &model);
    fgt_model_destroy(&model);
    if (s != wanted) printf("%s: %s, not %s\n", what, fgt_status_get_name(s), fgt_status_get_name(wanted));
    return s != wanted;
}

int main(void)
{
    fgt_context *ctx = NULL;
    int          bad = sizeof(void *) == 8 && sizeof(size_t) == 8 ? walk() : 0;
    if (fgt_context_create(NULL, &ctx)) return 1;

    longer_opts opts = {.known = {.size = sizeof opts, .batch = 2, .time = 3, .features = 4}};
    bad += expect(ctx, "a longer struct whose tail is zero", &opts, FGT_OK);
    opts.unknown = 1;
    bad += expect(ctx, "a longer struct whose tail is not zero", &opts, FGT_E_VERSION);
    opts.known.size = offsetof(fgt_model_opts, nodes);
    bad += expect(ctx, "a shorter struct", &opts, FGT_OK);
    opts.known.size = 0;
    bad += expect(ctx, "a struct without its size", &opts, FGT_E_VERSION);

    fgt_context_destroy(&ctx);
    return bad != 0;
}
