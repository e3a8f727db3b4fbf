/* SPDX-License-Identifier: BSD-3-Clause */
/* The type of every public function and callback, which is how a compiled program calls it.
 * Written by tests/tools/pin.py; lines are added, never changed. */
#include <stddef.h>

#include <fighter/fighter.h>
#include <fighter/tasks.h>

#define F(name, ...) _Static_assert(_Generic(&*(name), __VA_ARGS__ : 1, default : 0), #name)

F(fgt_statistic_compute, fgt_status (*)(fgt_context *, int32_t, const fgt_statistic_opts *,
    const fgt_view *, double *));
F(fgt_statistic_get_name, const char *(*)(int32_t));
F(fgt_adjacency_create, fgt_status (*)(fgt_model *, const char *, int64_t, fgt_adjacency **));
F(fgt_adjacency_destroy, void (*)(fgt_adjacency **));
F(fgt_adjacency_add, fgt_status (*)(fgt_adjacency *, int64_t, int64_t));
F(fgt_adjacency_count_samples, int64_t (*)(const fgt_adjacency *));
F(fgt_adjacency_get_mean, fgt_status (*)(fgt_adjacency *, int64_t, int64_t, fgt_view *));
F(fgt_edges_select, fgt_status (*)(fgt_context *, const fgt_view *, const fgt_edge_rule *, fgt_edge *,
    int64_t, int64_t *));
F(fgt_edges_save, fgt_status (*)(fgt_context *, const fgt_edge_list *, int32_t, const fgt_output *));
F(fgt_attent_create, fgt_status (*)(fgt_context *, const fgt_attent_opts *, fgt_attent **));
F(fgt_attent_destroy, void (*)(fgt_attent **));
F(fgt_attent_get_due, int32_t (*)(const fgt_attent *));
F(fgt_attent_add, fgt_status (*)(fgt_attent *, const int64_t *, int64_t, const float *));
F(fgt_attent_begin_epoch, fgt_status (*)(fgt_attent *, fgt_attent_subset *));
F(fgt_attent_get_subset, fgt_status (*)(const fgt_attent *, fgt_attent_subset *));
F(fgt_attent_get_weights, fgt_status (*)(const fgt_attent *, const int64_t *, int64_t, float *));
F(fgt_attent_get_state, fgt_status (*)(const fgt_attent *, void *, int64_t, int64_t *));
F(fgt_attent_set_state, fgt_status (*)(fgt_attent *, const void *, int64_t));
F(((fgt_attent_log_fn)0), fgt_status (*)(void *, const char *, size_t));
F(fgt_attention, fgt_layer (*)(const fgt_attention_opts *));
F(fgt_fighter, fgt_layer (*)(const fgt_fighter_opts *));
F(fgt_transformer, fgt_layer (*)(const fgt_transformer_opts *));
F(fgt_context_create, fgt_status (*)(const fgt_context_opts *, fgt_context **));
F(fgt_context_destroy, void (*)(fgt_context **));
F(fgt_context_get_error, const char *(*)(const fgt_context *));
F(fgt_context_get_info, fgt_status (*)(fgt_context *, fgt_build_info *));
F(fgt_status_get_name, const char *(*)(fgt_status));
F(fgt_version, int32_t (*)(void));
F(fgt_view_count, int64_t (*)(const fgt_view *));
F(((fgt_log_fn)0), void (*)(void *, int32_t, const char *));
F((((fgt_allocator *)0)->alloc), void *(*)(void *, size_t, size_t));
F((((fgt_allocator *)0)->release), void (*)(void *, void *, size_t));
F((((fgt_executor *)0)->run), void (*)(void *, int32_t, void (*)(void *arg, int32_t worker), void *));
F((((fgt_reader *)0)->read), fgt_status (*)(void *, int64_t, void *, int64_t, int64_t *));
F((((fgt_writer *)0)->write), fgt_status (*)(void *, const void *, int64_t));
F(fgt_block_get_name, const char *(*)(int32_t));
F(fgt_block_find, fgt_status (*)(const char *, int32_t *));
F(fgt_block_get_traits, uint32_t (*)(int32_t));
F(fgt_block_add, fgt_status (*)(fgt_model *, const fgt_block_opts *));
F(fgt_classifier_create, fgt_status (*)(fgt_context *, const fgt_samples *, const fgt_classifier_opts *,
    fgt_classifier **));
F(fgt_classifier_destroy, void (*)(fgt_classifier **));
F(fgt_classifier_fit, fgt_status (*)(fgt_classifier *, const fgt_samples *, const fgt_samples *,
    const fgt_classifier_fit_opts *, fgt_fit_report *));
F(fgt_classifier_evaluate, fgt_status (*)(fgt_classifier *, const fgt_samples *, fgt_metric *,
    const fgt_view *));
F(fgt_classifier_predict, fgt_status (*)(fgt_classifier *, const fgt_classifier_rows *, const fgt_view *,
    int64_t *));
F(fgt_classifier_create_workspace, fgt_status (*)(const fgt_classifier *, const fgt_workspace_opts *,
    fgt_classifier_workspace **));
F(fgt_classifier_workspace_destroy, void (*)(fgt_classifier_workspace **));
F(fgt_classifier_workspace_get_error, const char *(*)(const fgt_classifier_workspace *));
F(fgt_classifier_workspace_predict, fgt_status (*)(fgt_classifier_workspace *, const fgt_classifier_rows *,
    const fgt_view *, int64_t *));
F(fgt_classifier_save, fgt_status (*)(const fgt_classifier *, const fgt_output *));
F(fgt_classifier_load, fgt_status (*)(fgt_context *, const fgt_input *, const fgt_load_opts *,
    fgt_classifier **));
F(fgt_classifier_get_info, fgt_status (*)(const fgt_classifier *, fgt_classifier_info *));
F(fgt_classifier_get_class_name, const char *(*)(const fgt_classifier *, int64_t));
F(fgt_classifier_get_model, fgt_model *(*)(fgt_classifier *));
F(fgt_classifier_get_corpus, const fgt_corpus *(*)(const fgt_classifier *));
F(fgt_classifier_get_vocab, const fgt_vocab *(*)(const fgt_classifier *));
F(fgt_forecaster_create, fgt_status (*)(fgt_context *, const fgt_table *, const fgt_split *,
    const fgt_forecaster_opts *, fgt_forecaster **));
F(fgt_forecaster_destroy, void (*)(fgt_forecaster **));
F(fgt_forecaster_fit, fgt_status (*)(fgt_forecaster *, const fgt_table *, const fgt_split *,
    const fgt_forecaster_fit_opts *, fgt_fit_report *));
F(fgt_forecaster_create_refit, fgt_status (*)(fgt_forecaster *, const fgt_table *, const fgt_split *,
    const fgt_forecaster_fit_opts *, fgt_fit_report *, fgt_forecaster **));
F(fgt_forecaster_update, fgt_status (*)(fgt_forecaster *, const fgt_table *, int64_t,
    const fgt_forecaster_fit_opts *, fgt_fit_report *));
F(fgt_forecaster_evaluate, fgt_status (*)(fgt_forecaster *, const fgt_table *, int64_t, int64_t,
    fgt_metric *));
F(fgt_forecaster_predict_table, fgt_status (*)(fgt_forecaster *, const fgt_table *, int64_t,
    const fgt_table *, const fgt_view *));
F(fgt_forecaster_find_row, int64_t (*)(const fgt_forecaster *, const fgt_table *));
F(fgt_forecaster_get_workspace, fgt_forecaster_workspace *(*)(fgt_forecaster *));
F(fgt_forecaster_create_workspace, fgt_status (*)(const fgt_forecaster *, const fgt_workspace_opts *,
    fgt_forecaster_workspace **));
F(fgt_forecaster_workspace_destroy, void (*)(fgt_forecaster_workspace **));
F(fgt_forecaster_workspace_get_error, const char *(*)(const fgt_forecaster_workspace *));
F(fgt_forecaster_workspace_predict_windows, fgt_status (*)(fgt_forecaster_workspace *, const fgt_table *,
    const int64_t *, int64_t, const fgt_table *, const fgt_view *));
F(fgt_forecaster_workspace_predict_quantiles, fgt_status (*)(fgt_forecaster_workspace *, const fgt_table *,
    int64_t, const fgt_table *, const fgt_view *));
F(fgt_forecaster_workspace_predict_rows, fgt_status (*)(fgt_forecaster_workspace *,
    const fgt_forecast_rows *, const fgt_view *));
F(fgt_forecaster_save, fgt_status (*)(const fgt_forecaster *, const fgt_output *));
F(fgt_forecaster_load, fgt_status (*)(fgt_context *, const fgt_input *, const fgt_load_opts *,
    fgt_forecaster **));
F(fgt_forecaster_get_info, fgt_status (*)(const fgt_forecaster *, fgt_forecaster_info *));
F(fgt_forecaster_get_name, const char *(*)(const fgt_forecaster *, int64_t));
F(fgt_forecaster_get_holidays, const fgt_days *(*)(const fgt_forecaster *));
F(fgt_forecaster_set_holidays, fgt_status (*)(fgt_forecaster *, const fgt_days *));
F(fgt_forecaster_set_counts, fgt_status (*)(fgt_forecaster *, const fgt_table *));
F(fgt_forecaster_get_model, fgt_model *(*)(fgt_forecaster *));
F(fgt_forecaster_get_scaler, const fgt_scaler *(*)(const fgt_forecaster *));
F(fgt_graph_create_dense, fgt_status (*)(fgt_context *, const fgt_view *, fgt_graph **));
F(fgt_graph_create_csr, fgt_status (*)(fgt_context *, const fgt_view *, const fgt_view *, const fgt_view *,
    fgt_graph **));
F(fgt_graph_create_normalised, fgt_status (*)(const fgt_graph *, int32_t, int32_t, fgt_graph **));
F(fgt_graph_destroy, void (*)(fgt_graph **));
F(fgt_graph_get_size, fgt_status (*)(const fgt_graph *, int64_t *, int64_t *));
F(fgt_graph_copy_weights, fgt_status (*)(const fgt_graph *, const fgt_view *));
F(fgt_gcn, fgt_layer (*)(const fgt_gcn_opts *));
F(fgt_images_load, fgt_status (*)(fgt_context *, const char *, const fgt_images_opts *, fgt_images **));
F(fgt_images_create, fgt_status (*)(fgt_context *, const fgt_view *, const fgt_view *,
    const fgt_images_opts *, fgt_images **));
F(fgt_images_create_subset, fgt_status (*)(const fgt_images *, const int64_t *, int64_t, fgt_images **));
F(fgt_images_create_split, fgt_status (*)(const fgt_images *, const fgt_images_split_opts *, fgt_images **,
    fgt_images **));
F(fgt_images_destroy, void (*)(fgt_images **));
F(fgt_images_get_info, fgt_status (*)(const fgt_images *, fgt_images_info *));
F(fgt_images_copy_pixels, fgt_status (*)(const fgt_images *, const int64_t *, int64_t, const fgt_view *));
F(fgt_images_compute_moments, fgt_status (*)(const fgt_images *, const fgt_view *, const fgt_view *));
F(fgt_images_get_class_name, const char *(*)(const fgt_images *, int64_t));
F(fgt_images_get_name, const char *(*)(const fgt_images *, int64_t));
F(fgt_model_create, fgt_status (*)(fgt_context *, const fgt_model_opts *, fgt_model **));
F(fgt_model_destroy, void (*)(fgt_model **));
F(fgt_model_add, fgt_status (*)(fgt_model *, fgt_layer));
F(fgt_model_add_from, fgt_status (*)(fgt_model *, fgt_layer, const char *const *, int32_t));
F(fgt_model_get_info, fgt_status (*)(const fgt_model *, fgt_model_info *));
F(fgt_model_get_layer, fgt_status (*)(const fgt_model *, int64_t, fgt_layer_info *));
F(fgt_model_get_training_bytes, int64_t (*)(const fgt_model *));
F(fgt_model_describe, fgt_status (*)(const fgt_model *, char *, int64_t, int64_t *));
F(fgt_model_get_workspace, fgt_workspace *(*)(fgt_model *));
F(fgt_workspace_set_mask, fgt_status (*)(fgt_workspace *, int32_t, const fgt_view *));
F(fgt_workspace_set_value, fgt_status (*)(fgt_workspace *, const char *, const fgt_view *, const fgt_view *));
F(fgt_workspace_get_value, fgt_status (*)(fgt_workspace *, const char *, fgt_view *));
F(fgt_model_add_gradient, fgt_status (*)(fgt_model *, const char *, const fgt_view *));
F(fgt_forward, fgt_status (*)(fgt_model *, const fgt_view *, const fgt_view *));
F(fgt_backward, fgt_status (*)(fgt_model *, const fgt_view *, const fgt_view *));
F(fgt_predict, fgt_status (*)(fgt_model *, const fgt_view *, const fgt_view *));
F(fgt_workspace_set_stateful, fgt_status (*)(fgt_workspace *, int32_t));
F(fgt_workspace_begin_series, fgt_status (*)(fgt_workspace *, int64_t));
F(fgt_workspace_get_state_shape, fgt_status (*)(fgt_workspace *, const char *, fgt_view *));
F(fgt_workspace_copy_state, fgt_status (*)(fgt_workspace *, const char *, const fgt_view *));
F(fgt_workspace_set_state, fgt_status (*)(fgt_workspace *, const char *, const fgt_view *));
F(fgt_workspace_copy_state_gradient, fgt_status (*)(fgt_workspace *, const char *, const fgt_view *));
F(fgt_workspace_get_tokens, int64_t (*)(const fgt_workspace *));
F(fgt_model_get_adjacency, fgt_status (*)(fgt_model *, const char *, fgt_view *));
F(fgt_model_get_edges, fgt_status (*)(fgt_model *, const char *, const fgt_edges_opts *, fgt_edge *,
    int64_t, int64_t *));
F(fgt_model_clear_gradients, fgt_status (*)(fgt_model *));
F(fgt_model_create_workspace, fgt_status (*)(fgt_model *, const fgt_workspace_opts *, fgt_workspace **));
F(fgt_workspace_destroy, void (*)(fgt_workspace **));
F(fgt_model_get_workspace_bytes, int64_t (*)(const fgt_model *, const fgt_workspace_opts *));
F(fgt_workspace_predict, fgt_status (*)(fgt_workspace *, const fgt_view *, const fgt_view *));
F(fgt_workspace_get_error, const char *(*)(const fgt_workspace *));
F(fgt_model_get_parameter_info, fgt_status (*)(const fgt_model *, const char *, int64_t,
    fgt_parameter_info *));
F(fgt_model_copy_parameter, fgt_status (*)(fgt_model *, const char *, const fgt_view *));
F(fgt_model_set_parameter, fgt_status (*)(fgt_model *, const char *, const fgt_view *));
F(fgt_model_copy_gradient, fgt_status (*)(fgt_model *, const char *, const fgt_view *));
F(fgt_model_set_gradient, fgt_status (*)(fgt_model *, const char *, const fgt_view *));
F(fgt_model_get_weights, fgt_status (*)(const fgt_model *, fgt_view *));
F(fgt_model_set_weights, fgt_status (*)(fgt_model *, const fgt_view *));
F(fgt_model_get_gradients, fgt_status (*)(fgt_model *, fgt_view *));
F(fgt_model_set_gradients, fgt_status (*)(fgt_model *, const fgt_view *));
F(fgt_model_set_frozen, fgt_status (*)(fgt_model *, const char *, int32_t));
F(fgt_model_copy_parameters, fgt_status (*)(fgt_model *, const fgt_model *, const char *));
F(fgt_model_get_hash, uint64_t (*)(const fgt_model *));
F(fgt_model_save, fgt_status (*)(const fgt_model *, const fgt_output *));
F(fgt_model_load, fgt_status (*)(fgt_context *, const fgt_input *, const fgt_load_opts *, fgt_model **));
F(fgt_model_load_weights, fgt_status (*)(fgt_model *, const fgt_input *));
F(fgt_named, fgt_layer (*)(const char *, fgt_layer));
F(fgt_along, fgt_layer (*)(int32_t, fgt_layer));
F(fgt_shared, fgt_layer (*)(const char *));
F(fgt_value, fgt_layer (*)(const fgt_value_opts *));
F(fgt_sum, fgt_layer (*)(const fgt_sum_opts *));
F(fgt_concat, fgt_layer (*)(const fgt_concat_opts *));
F(fgt_quantiles, fgt_layer (*)(const fgt_quantiles_opts *));
F(fgt_linear, fgt_layer (*)(const fgt_linear_opts *));
F(fgt_token_linear, fgt_layer (*)(const fgt_token_linear_opts *));
F(fgt_activation, fgt_layer (*)(const fgt_activation_opts *));
F(fgt_layer_norm, fgt_layer (*)(const fgt_layer_norm_opts *));
F(fgt_moving_average, fgt_layer (*)(const fgt_moving_average_opts *));
F(fgt_dropout, fgt_layer (*)(const fgt_dropout_opts *));
F(fgt_drop_path, fgt_layer (*)(const fgt_drop_path_opts *));
F(fgt_embedding, fgt_layer (*)(const fgt_embedding_opts *));
F(fgt_position, fgt_layer (*)(const fgt_position_opts *));
F(fgt_pool, fgt_layer (*)(const fgt_pool_opts *));
F(fgt_patch, fgt_layer (*)(const fgt_patch_opts *));
F(fgt_layout, fgt_layer (*)(const fgt_layout_opts *));
F(fgt_slice, fgt_layer (*)(const fgt_slice_opts *));
F(fgt_extend, fgt_layer (*)(const fgt_extend_opts *));
F(fgt_conv, fgt_layer (*)(const fgt_conv_opts *));
F(fgt_max_pool, fgt_layer (*)(const fgt_max_pool_opts *));
F(fgt_revin, fgt_layer (*)(const fgt_revin_opts *));
F(fgt_revin_inverse, fgt_layer (*)(const fgt_revin_inverse_opts *));
F(fgt_predictor_create, fgt_status (*)(const fgt_model *, const fgt_predictor_opts *, fgt_predictor **));
F(fgt_predictor_destroy, void (*)(fgt_predictor **));
F(fgt_predictor_create_workspace, fgt_status (*)(const fgt_predictor *, const fgt_workspace_opts *,
    fgt_workspace **));
F(fgt_predictor_get_bytes, int64_t (*)(const fgt_predictor *));
F(fgt_rnn, fgt_layer (*)(const fgt_rnn_opts *));
F(fgt_gru, fgt_layer (*)(const fgt_gru_opts *));
F(fgt_lstm, fgt_layer (*)(const fgt_lstm_opts *));
F(fgt_s4, fgt_layer (*)(const fgt_s4_opts *));
F(fgt_scaler_create, fgt_status (*)(fgt_context *, int64_t, fgt_scaler **));
F(fgt_scaler_destroy, void (*)(fgt_scaler **));
F(fgt_scaler_fit, fgt_status (*)(fgt_scaler *, const fgt_view *, int64_t, int64_t));
F(fgt_scaler_transform, fgt_status (*)(const fgt_scaler *, const fgt_view *, const fgt_view *));
F(fgt_scaler_inverse_transform, fgt_status (*)(const fgt_scaler *, const fgt_view *, const fgt_view *));
F(fgt_scaler_get_moments, fgt_status (*)(const fgt_scaler *, fgt_view *, fgt_view *));
F(fgt_scaler_set_moments, fgt_status (*)(fgt_scaler *, const fgt_view *, const fgt_view *));
F(fgt_table_load, fgt_status (*)(fgt_context *, const char *, const fgt_csv_opts *, fgt_table **));
F(fgt_table_load_files, fgt_status (*)(fgt_context *, const char *const *, int64_t, const fgt_csv_opts *,
    fgt_table **));
F(fgt_table_create, fgt_status (*)(fgt_context *, const char *const *, const fgt_view *, fgt_table **));
F(fgt_table_create_subset, fgt_status (*)(const fgt_table *, const int64_t *, int64_t, fgt_table **));
F(fgt_table_destroy, void (*)(fgt_table **));
F(fgt_table_count_rows, int64_t (*)(const fgt_table *));
F(fgt_table_count_columns, int64_t (*)(const fgt_table *));
F(fgt_table_get_name, const char *(*)(const fgt_table *, int32_t, int64_t));
F(fgt_table_set_times, fgt_status (*)(fgt_table *, const fgt_view *, int32_t));
F(fgt_table_append, fgt_status (*)(fgt_table *, const fgt_view *, const fgt_view *));
F(fgt_table_leave_out, fgt_status (*)(fgt_table *, int64_t, int64_t, int64_t, int64_t *, double *,
    int64_t *));
F(fgt_table_get_times, fgt_view (*)(const fgt_table *));
F(fgt_table_format_time, fgt_status (*)(const fgt_table *, int64_t, char *, int64_t));
F(fgt_table_get_row_info, fgt_status (*)(const fgt_table *, int64_t, fgt_table_row_info *));
F(fgt_table_get_column_info, fgt_status (*)(const fgt_table *, int64_t, fgt_table_column_info *));
F(fgt_table_get_info, fgt_status (*)(const fgt_table *, fgt_table_info *));
F(fgt_table_get_values, fgt_view (*)(const fgt_table *));
F(fgt_table_get_column, fgt_status (*)(const fgt_table *, const char *, int64_t *));
F(fgt_split_compute, fgt_status (*)(fgt_context *, int64_t, const fgt_split_opts *, fgt_split *));
F(fgt_corpus_load, fgt_status (*)(fgt_context *, const char *, const fgt_corpus_opts *, fgt_corpus **));
F(fgt_corpus_create, fgt_status (*)(fgt_context *, const char *const *, const char *const *, int64_t,
    const fgt_corpus_opts *, fgt_corpus **));
F(fgt_corpus_create_subset, fgt_status (*)(const fgt_corpus *, const int64_t *, int64_t, fgt_corpus **));
F(fgt_corpus_create_split, fgt_status (*)(const fgt_corpus *, const fgt_corpus_split_opts *, fgt_corpus **,
    fgt_corpus **));
F(fgt_corpus_destroy, void (*)(fgt_corpus **));
F(fgt_corpus_get_info, fgt_status (*)(const fgt_corpus *, fgt_corpus_info *));
F(fgt_corpus_get_class_name, const char *(*)(const fgt_corpus *, int64_t));
F(fgt_corpus_get_text, const char *(*)(const fgt_corpus *, int64_t));
F(fgt_vocab_create, fgt_status (*)(const fgt_corpus *, const fgt_vocab_opts *, fgt_vocab **));
F(fgt_vocab_save, fgt_status (*)(const fgt_vocab *, const fgt_output *));
F(fgt_vocab_load, fgt_status (*)(fgt_context *, const fgt_input *, fgt_vocab **));
F(fgt_vocab_destroy, void (*)(fgt_vocab **));
F(fgt_vocab_get_info, fgt_status (*)(const fgt_vocab *, fgt_vocab_info *));
F(fgt_vocab_get_word, const char *(*)(const fgt_vocab *, int64_t));
F(fgt_vocab_encode, fgt_status (*)(const fgt_vocab *, const char *const *, int64_t, const fgt_view *,
    const fgt_view *, int64_t *));
F(fgt_encoding_create, fgt_status (*)(const fgt_vocab *, const fgt_corpus *, int64_t, fgt_encoding **));
F(fgt_encoding_destroy, void (*)(fgt_encoding **));
F(fgt_encoding_copy_samples, fgt_status (*)(void *, const int64_t *, int64_t, const fgt_view *,
    const fgt_view *));
F(fgt_time_parse, fgt_status (*)(fgt_context *, const char *, int32_t, int64_t *));
F(fgt_time_format, fgt_status (*)(int64_t, char *, int64_t));
F(fgt_time_add, fgt_status (*)(int64_t, const fgt_time_step *, int64_t, int64_t *));
F(fgt_days_create, fgt_status (*)(fgt_context *, const int64_t *, const char *const *, int64_t, fgt_days **));
F(fgt_days_load, fgt_status (*)(fgt_context *, const char *, int32_t, fgt_days **));
F(fgt_days_destroy, void (*)(fgt_days **));
F(fgt_days_count_entries, int64_t (*)(const fgt_days *));
F(fgt_days_get_entry, fgt_status (*)(const fgt_days *, int64_t, int64_t *, const char **));
F(fgt_loss_compute, fgt_status (*)(fgt_context *, const fgt_view *, const fgt_view *, const fgt_loss_opts *,
    const fgt_loss_samples *, double *, const fgt_view *));
F(fgt_metric_add, fgt_status (*)(fgt_context *, fgt_metric *, const fgt_view *, const fgt_view *));
F(fgt_metric_get, double (*)(const fgt_metric *, int32_t));
F(fgt_schedule_get, fgt_status (*)(fgt_context *, const fgt_schedule_opts *, double, int64_t, double *));
F(fgt_optim_create, fgt_status (*)(fgt_model *, const fgt_optim_opts *, fgt_optim **));
F(fgt_optim_destroy, void (*)(fgt_optim **));
F(fgt_step, fgt_status (*)(fgt_optim *));
F(fgt_optim_settle, fgt_status (*)(fgt_optim *));
F(fgt_optim_set_lr, fgt_status (*)(fgt_optim *, double));
F(fgt_optim_get_lr, double (*)(const fgt_optim *));
F(fgt_optim_get_norm, double (*)(const fgt_optim *));
F(fgt_model_fit, fgt_status (*)(fgt_model *, const fgt_fit_opts *, fgt_fit_report *));
F(fgt_checkpoint_save, fgt_status (*)(const fgt_checkpoint *, const char *));
F(fgt_checkpoint_load, fgt_status (*)(const fgt_checkpoint *, const char *));
F(fgt_model_evaluate, fgt_status (*)(fgt_model *, const fgt_source *, const fgt_loss_opts *, int32_t,
    double *, fgt_metric *));
F(((fgt_progress_fn)0), int (*)(void *, const fgt_progress *));
F((((fgt_source *)0)->get), fgt_status (*)(void *, const int64_t *, int64_t, const fgt_view *,
    const fgt_view *));
F((((fgt_source *)0)->get_value), fgt_status (*)(void *, const int64_t *, int64_t, const char *,
    const fgt_view *));
F((((fgt_source *)0)->begin_epoch), void (*)(void *, int64_t));
F(fgt_windows_create, fgt_status (*)(fgt_context *, const fgt_view *, const fgt_windows_opts *,
    fgt_windows **));
F(fgt_windows_destroy, void (*)(fgt_windows **));
F(fgt_windows_count_samples, int64_t (*)(const fgt_windows *));
F(fgt_windows_copy_samples, fgt_status (*)(const fgt_windows *, const int64_t *, int64_t, const fgt_view *,
    const fgt_view *));

int main(void)
{
    return 0; /* it is the compiler that complains */
}
