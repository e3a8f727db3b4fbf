/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_RECURRENT_H
#define FIGHTER_RECURRENT_H

/** @file recurrent.h
 *  Layers that carry a state from token to token: recurrent layers and state spaces. Letters and shapes are
 *  as in nn.h. An option that is 0 has the default in its comment.
 *
 *  Unless a description says otherwise: options are borrowed until fgt_model_add(); no units; any thread may
 *  call the function; it is available since 0.9. */

#include <fighter/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fgt_rnn_nonlinearity {
    FGT_RNN_NONLINEARITY_TANH = 0,
    FGT_RNN_NONLINEARITY_RELU = 1
} fgt_rnn_nonlinearity;

/** Options of the recurrent layers. */
typedef struct fgt_recurrent_opts {
    size_t  size;
    int64_t hidden;        /**< H, at least 1; no default */
    int64_t layers;        /**< stacked layers; 0: 1, at most 64 */
    int32_t bidirectional; /**< 1: a second layer reads backwards; y has the outputs of both side by side, 2H
                                wide */
    int32_t no_bias;
    int32_t last;          /**< 1: y is only the final state of the last layer (in both directions, if
                                bidirectional) */
    float   dropout;       /**< dropout between stacked layers, in training */
    int32_t nonlinearity;  /**< rnn: an fgt_rnn_nonlinearity */
    int32_t reserved;
} fgt_recurrent_opts;
typedef fgt_recurrent_opts fgt_rnn_opts;
typedef fgt_recurrent_opts fgt_gru_opts;
typedef fgt_recurrent_opts fgt_lstm_opts;

/** Plain recurrent layer:
 *    h_t = act(x_t W' + b_ih + h_{t-1} U' + b_hh),  y_t = h_t;  W is weight_ih, U weight_hh.
 *  Each stacked layer reads the y of the layer before. The first state is zero, or is set by
 *  fgt_workspace_set_state(), or is carried over from the last pass (fgt_workspace_set_stateful()), as for
 *  truncated back-propagation through time, or for streaming with passes of one token. Nodes are separate
 *  sequences with the same weights. Tokens that are padding (FGT_MASK_KEY_PADDING, or an embedding's
 *  mask_padding) do not change the state: y_t = y_{t-1}. So the final state is the state of the last token
 *  that is not padding, and reading backwards begins at this token.
 *  Source   Elman 1990; as torch.nn.RNN with batch_first
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H], with `last` [B,N,H]; bidirectional 2H. State "h"
 *           [layers directions,B,N H]: layer by layer, forward before backward
 *  Params   weight_ih_l0 [H,D], weight_hh_l0 [H,H], bias_ih_l0 [H], bias_hh_l0 [H]; if bidirectional the same
 *           with _l0_reverse; then layer 1 with _l1 (its D is the width of layer 0's output) and so on; all
 *           uniform in +-1/sqrt(H) at first
 *  Cost     2 R H (D + H) flop forward a layer and direction, R = B N T rows; twice that backward; caches
 *           2 R H floats
 *  Errors   by fgt_model_add(): FGT_E_ARG hidden < 1, layers > 64, dropout outside 0 .. 0.999 */
FGT_API fgt_layer fgt_rnn(const fgt_rnn_opts *opts);

/** Gated recurrent unit. The reset gate r multiplies the product with U' (as in PyTorch and cuDNN), not the
 *  state:
 *    r, z = sigmoid(x_t W' + b_ih + h_{t-1} U' + b_hh)
 *    n    = tanh(x_t W' + b_ih + r (h_{t-1} U' + b_hh))
 *    h_t  = (1 - z) n + z h_{t-1},  y_t = h_t;  each gate with its own rows of W, U, b.
 *  Stacking and states as in fgt_rnn().
 *  Source   Cho et al. 2014; as torch.nn.GRU with batch_first
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H], with `last` [B,N,H]; bidirectional 2H. State "h" as fgt_rnn()
 *  Params   weight_ih_l0 [3H,D], weight_hh_l0 [3H,H], bias_ih_l0 [3H], bias_hh_l0 [3H]; gates in the order r
 *           z n; further parameters and initial values as in fgt_rnn()
 *  Cost     6 R H (D + H) flop forward a layer and direction, R = B N T rows; twice that backward; caches
 *           5 R H floats
 *  Errors   by fgt_model_add(): FGT_E_ARG hidden < 1, layers > 64, dropout outside 0 .. 0.999, a
 *           nonlinearity */
FGT_API fgt_layer fgt_gru(const fgt_gru_opts *opts);

/** Long short-term memory:
 *    i, f, o = sigmoid(x_t W' + b_ih + h_{t-1} U' + b_hh),  g = tanh(x_t W' + b_ih + h_{t-1} U' + b_hh)
 *    c_t = f c_{t-1} + i g,  h_t = o tanh(c_t),  y_t = h_t;  each gate with its own rows of W, U, b.
 *  Stacking and states as in fgt_rnn().
 *  Source   Gers, Schmidhuber, Cummins 2000, without peepholes; as torch.nn.LSTM with batch_first
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H], with `last` [B,N,H]; bidirectional 2H. States "h" and "c" as in
 *           fgt_rnn()
 *  Params   weight_ih_l0 [4H,D], weight_hh_l0 [4H,H], bias_ih_l0 [4H], bias_hh_l0 [4H]; gates in the order i
 *           f g o; further parameters and initial values as in fgt_rnn()
 *  Cost     8 R H (D + H) flop forward a layer and direction, R = B N T rows; twice that backward; caches
 *           6 R H floats
 *  Errors   by fgt_model_add(): FGT_E_ARG hidden < 1, layers > 64, dropout outside 0 .. 0.999, a
 *           nonlinearity */
FGT_API fgt_layer fgt_lstm(const fgt_lstm_opts *opts);

/** Parts of the authors' blocks around the convolution. */
typedef enum fgt_s4_block {
    FGT_S4_BLOCK_FULL    = 0, /**< S4Block of s4.py: GELU, linear map to 2D, GLU */
    FGT_S4_BLOCK_NONE    = 1, /**< only the convolution, FFTConv of s4.py without its activation: K * x + D
                                   x */
    FGT_S4_BLOCK_MINIMAL = 2  /**< S4D of s4d.py: like the full block, but with B = 1, and with other names
                                   and shapes of parameters */
} fgt_s4_block;

/** The state matrix A. */
typedef enum fgt_s4_kind {
    FGT_S4_KIND_DEFAULT = 0, /**< DPLR; diagonal in the minimal block */
    FGT_S4_DPLR         = 1, /**< S4: diagonal minus P P* */
    FGT_S4_DIAGONAL     = 2  /**< S4D */
} fgt_s4_kind;

/** Initial values of A and B. Re A is -1/2 in all kinds. */
typedef enum fgt_s4_init {
    FGT_S4_INIT_DEFAULT = 0, /**< legs; diagonal: lin */
    FGT_S4_INIT_LEGS    = 1, /**< HiPPO-LegS; diagonal: its normal part */
    FGT_S4_INIT_LIN     = 2, /**< |Im A_n| = pi n, B = 1 */
    FGT_S4_INIT_INV     = 3  /**< |Im A_n| = S/pi (S/(2n + 1) - 1), B = 1 */
} fgt_s4_init;

typedef enum fgt_s4_disc {
    FGT_S4_DISC_DEFAULT  = 0, /**< zoh; DPLR: bilinear */
    FGT_S4_DISC_ZOH      = 1, /**< zero-order hold; diagonal only */
    FGT_S4_DISC_BILINEAR = 2
} fgt_s4_disc;

/** Algorithm of the layer. The results of the algorithms differ by rounding; fgt_s4() has their costs. */
typedef enum fgt_s4_way {
    FGT_S4_WAY_AUTO       = 0, /**< the cheapest */
    FGT_S4_WAY_FFT        = 1, /**< Fourier transforms, if the library was built with kissfft */
    FGT_S4_WAY_TOEPLITZ   = 2, /**< products of matrices */
    FGT_S4_WAY_RECURRENCE = 3  /**< step by step */
} fgt_s4_way;

typedef struct fgt_s4_opts {
    size_t  size;
    int64_t state;         /**< S, number of real state variables of a channel, even, at most 4096; 0: 64 */
    int32_t block;         /**< an fgt_s4_block */
    int32_t kind;          /**< an fgt_s4_kind */
    int32_t init;          /**< an fgt_s4_init */
    int32_t disc;          /**< an fgt_s4_disc */
    int32_t bidirectional; /**< 1: a second C reads time backwards; not in the minimal block */
    int32_t way;           /**< an fgt_s4_way */
    float   dt_min;        /**< initial dt are drawn log-uniformly from dt_min .. dt_max; 0: 0.001 */
    float   dt_max;        /**< 0: 0.1 */
    float   dropout;       /**< dropout after the GELU, in training */
    int32_t reserved;
} fgt_s4_opts;

/** Structured state space layer, with a state space for each channel. In the equations u is the input, x the
 *  state, and D a weight:
 *    x_t = dA x_{t-1} + dB u_t,  v_t = 2 Re(C x_t) + D u_t,  dt = exp(inv_dt),
 *    A = diag(-exp(A_real) - i A_imag) [- P P*], S/2 complex states, each with its conjugate
 *    zoh       dA = exp(dt A), dB = A^{-1} (dA - 1) B
 *    bilinear  dA = (1 - dt/2 A)^{-1} (1 + dt/2 A), dB = (1 - dt/2 A)^{-1} dt B
 *    y = v, or in a block y = a sigmoid(b), [a b] = gelu(v) W' + bias
 *  That is v = K * u + D u with K_l = 2 Re(C dA^l dB). If bidirectional, v_t also gets
 *  sum_{j>t} K'_{j-t-1} u_j, with K' from the second C and without the token itself, as in the authors' code.
 *  If states are carried over (fgt_workspace_set_stateful()) or set, the recurrence starts from them;
 *  otherwise the state at the end of a pass is not computed and reads as zero. The parameter C is the C of
 *  the equations. The authors' DPLR files have another one, C~; see fgt_s4_convert_length().
 *  Source   Gu, Goel, Re 2022 (S4); Gu, Gupta, Goel, Re 2022 (S4D); github state-spaces/s4, models/s4/s4.py
 *           and s4d.py
 *  Shapes   x [B,N,T,D] -> y the same. State "state" [1,B,N S/2 2 D]: node, pair, real and imaginary part,
 *           channel; bidirectional: none
 *  Params   layer.D [1,D], layer.kernel.inv_dt [D,1], .C [1 or 2,D,S/2,2], .B [1,D,S/2,2], .A_real, .A_imag
 *           [D,S/2], DPLR .P [1,D,S/2,2]; output_linear.0.weight [2D,D], .bias [2D]. Without block: no
 *           "layer.", no output_linear. Minimal: D [D], kernel.C [D,S/2,2], kernel.log_dt [D],
 *           kernel.log_A_real, kernel.A_imag [D,S/2] (A = -exp(log_A_real) + i A_imag),
 *           output_linear.0.weight [2D,D,1], .bias [2D]
 *  Units    dt is the length of a time step
 *  Cost     nanoseconds for each step of a sample and channel, with E = 1 (bidirectional: 2):
 *             recurrence  r = 2 + 0.47 E S/2, for DPLR 0.65 instead of 0.47
 *             Toeplitz    2 + 0.0125 E (T + 64), and r for each step of one sample, to make the kernel
 *             FFT         2 + 1.25 n log2(n)/T, n the power of two from 2T on, and the same kernel; rounding
 *                         errors of later steps reach earlier ones
 *           AUTO takes the cheapest by these formulas, on every machine. In training r is 1.8 times as large,
 *           and the total three times. A block adds 4 R D^2 flop. Memory: 4 R D floats in a block; D T for
 *           the kernel; a few rows, or about S sqrt(T) doubles, in each task
 *  Errors   by fgt_model_add(): FGT_E_ARG state odd or out of range, DPLR with an init other than legs or a
 *           disc other than bilinear, or in the minimal block; FGT_E_UNSUPPORTED FFT without kissfft;
 *           FGT_E_SIZE FFT of too many steps */
FGT_API fgt_layer fgt_s4(const fgt_s4_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
