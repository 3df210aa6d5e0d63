// SPDX-License-Identifier: Apache-2.0

// Networks of recurrent layers for one level of x86-64; it is included once for each, behind RecurrentLayer.h, whose
// names it ends.

#define NETWORK(name)                                                                                            \
  FUNCTION __attribute__((noinline)) void NAME(name)(struct hand_recurrent * network, const float *x, float *y)

// Frame by frame, of which each reads h of the one before it; a block has an even number of frames.
#define FRAMES(...)                                                                                              \
  for (size_t t = 0; t < HAND_RECURRENT_FRAMES; t++) {                                                           \
    const float *h = layer->h[t % 2];                                                                            \
    float *next = layer->h[1 - t % 2];                                                                           \
    __VA_ARGS__                                                                                                  \
  }

// A layer and the dense one, whose last result is the second input of a layer that has two.
#define ONE_LAYER(name, units, FRAME)                                                                            \
  NETWORK(name) {                                                                                                \
    struct hand_recurrent_layer *layer = network->layers;                                                        \
    float last = network->last;                                                                                  \
    FRAMES({                                                                                                     \
      const float in[] = {x[t], last};                                                                           \
      FRAME;                                                                                                     \
      y[t] = last = NAME(dense)(network, units, next);                                                           \
    })                                                                                                           \
    network->last = last;                                                                                        \
  }

#define LSTM(units, aside, chains)                                                                               \
  ONE_LAYER(                                                                                                     \
      lstm_##units##_##aside##_##chains, units, NAME(lstm_frame)(layer, units, 1, aside, chains, in, h, next))
#define LSTM_FED_BACK(units, aside, chains)                                                                      \
  ONE_LAYER(                                                                                                     \
      lstm_fed_back_##units##_##aside##_##chains, units,                                                         \
      NAME(lstm_frame)(layer, units, 2, aside, chains, in, h, next))
#define GRU(units, aside, chains)                                                                                \
  ONE_LAYER(                                                                                                     \
      gru_##units##_##aside##_##chains, units, NAME(gru_frame)(layer, units, aside, chains, in, h, next))

// Two layers, frame by frame: neither waits for the other one's present frame, so that a core does both at once.
#define LSTM_TWICE(units, aside, chains)                                                                         \
  NETWORK(lstm_twice_##units##_##aside##_##chains) {                                                             \
    struct hand_recurrent_layer *layer = network->layers, *second = layer + 1;                                   \
    FRAMES({                                                                                                     \
      NAME(lstm_frame)(layer, units, 1, aside, chains, x + t, h, next);                                          \
      NAME(lstm_frame)(second, units, units, aside, chains, next, second->h[t % 2], second->h[1 - t % 2]);       \
      y[t] = NAME(dense)(network, units, second->h[1 - t % 2]);                                                  \
    })                                                                                                           \
  }

// The same, the second layer behind all frames of the first one.
#define LSTM_IN_TURN(units, aside, chains)                                                                       \
  NETWORK(lstm_in_turn_##units##_##aside##_##chains) {                                                           \
    struct hand_recurrent_layer *layer = network->layers;                                                        \
    float between[HAND_RECURRENT_FRAMES][units] __attribute__((aligned(64)));                                    \
    FRAMES({                                                                                                     \
      NAME(lstm_frame)(layer, units, 1, aside, chains, x + t, h, next);                                          \
      for (size_t unit = 0; unit < units; unit += LANES) AT(between[t] + unit) = FROM(next + unit);              \
    })                                                                                                           \
    layer++;                                                                                                     \
    FRAMES({                                                                                                     \
      NAME(lstm_frame)(layer, units, units, aside, chains, between[t], h, next);                                 \
      y[t] = NAME(dense)(network, units, next);                                                                  \
    })                                                                                                           \
  }

// Vectors of units side by side, and chains of each sum, that are worth a try.
#if LANES == 16
#define OF_16(DO) DO(16, 1, 1) DO(16, 1, 2)
#define OF_40(DO) DO(40, 3, 1) DO(40, 3, 2) DO(40, 1, 2)
#define OF_64(DO) DO(64, 4, 1) DO(64, 2, 1) DO(64, 2, 2) DO(64, 1, 2) DO(64, 1, 4)
#define OF_96(DO) DO(96, 6, 1) DO(96, 3, 1) DO(96, 2, 2) DO(96, 1, 2)
#else
#define OF_16(DO) DO(16, 1, 1) DO(16, 1, 2) DO(16, 2, 1)
#define OF_40(DO) DO(40, 1, 1) DO(40, 1, 2) DO(40, 2, 1)
#define OF_64(DO) DO(64, 1, 1) DO(64, 1, 2) DO(64, 2, 1)
#define OF_96(DO) DO(96, 1, 2) DO(96, 2, 1) DO(96, 3, 1)
#endif

OF_16(LSTM)
OF_40(LSTM)
OF_64(LSTM)
OF_96(LSTM)
OF_40(GRU)
OF_40(LSTM_FED_BACK)
OF_16(LSTM_TWICE)
OF_16(LSTM_IN_TURN)

#if LANES == 16
NETWORK(lstm_in_registers) {
  struct hand_recurrent_layer *layer = network->layers;
  V h = FROM(layer->h[0]), c = FROM(layer->c), dense = FROM(network->dense);
  for (size_t t = 0; t < HAND_RECURRENT_FRAMES; t++) {
    V s[4];
    EACH(v, 4) s[v] = FROM(layer->bias + v * LANES);
    NAME(add_column)(s, 4, layer->input, x[t]);
    h = NAME(lstm_vector)(layer, s, h, &c);
    y[t] = NAME(total)(h * dense) + network->dense_bias;
  }
  AT(layer->h[0]) = h, AT(layer->c) = c;
}

NETWORK(lstm_twice_in_registers) {
  struct hand_recurrent_layer *layer = network->layers, *second = layer + 1;
  V h = FROM(layer->h[0]), c = FROM(layer->c), dense = FROM(network->dense);
  V second_h = FROM(second->h[0]), second_c = FROM(second->c);
  for (size_t t = 0; t < HAND_RECURRENT_FRAMES; t++) {
    V s[4];
    EACH(v, 4) s[v] = FROM(layer->bias + v * LANES);
    NAME(add_column)(s, 4, layer->input, x[t]);
    h = NAME(lstm_vector)(layer, s, h, &c);
    EACH(v, 4) s[v] = FROM(second->bias + v * LANES);
    NAME(add_lanes)(s, 4, second->input, h);
    second_h = NAME(lstm_vector)(second, s, second_h, &second_c);
    y[t] = NAME(total)(second_h * dense) + network->dense_bias;
  }
  AT(layer->h[0]) = h, AT(layer->c) = c, AT(second->h[0]) = second_h, AT(second->c) = second_c;
}

#define IN_A_ROW(chains)                                                                                         \
  ONE_LAYER(                                                                                                     \
      lstm_in_a_row_##chains, 40, NAME(lstm_frame_in_a_row)(layer, 40, 1, chains, in, h, next))                  \
  ONE_LAYER(                                                                                                     \
      lstm_fed_back_in_a_row_##chains, 40, NAME(lstm_frame_in_a_row)(layer, 40, 2, chains, in, h, next))         \
  ONE_LAYER(gru_in_a_row_##chains, 40, NAME(gru_frame_in_a_row)(layer, 40, chains, in, h, next))
IN_A_ROW(1)
IN_A_ROW(2)
#undef IN_A_ROW
#define ROW_WAYS(function)                                                                                       \
  {"gates in a row, chains: 1", NAME(function##_in_a_row_1), 0},                                                 \
      {"gates in a row, chains: 2", NAME(function##_in_a_row_2), 0}
#define REGISTER_WAY(function) {"h and c in registers", NAME(function##_in_registers), LANES}
#else
#define ROW_WAYS(function)
#define REGISTER_WAY(function)
#endif

#define WAY(what, function, units, aside, chains)                                                                \
  {what #aside " vectors of units, chains: " #chains, NAME(function##_##units##_##aside##_##chains), aside * LANES},
#define LSTM_WAY(units, aside, chains) WAY("", lstm, units, aside, chains)
#define GRU_WAY(units, aside, chains) WAY("", gru, units, aside, chains)
#define FED_BACK_WAY(units, aside, chains) WAY("", lstm_fed_back, units, aside, chains)
#define TWICE_WAY(units, aside, chains) WAY("both layers a frame, ", lstm_twice, units, aside, chains)
#define IN_TURN_WAY(units, aside, chains) WAY("layers in turn, ", lstm_in_turn, units, aside, chains)

static const struct hand_recurrent_way NAME(lstm_16_all)[] = {OF_16(LSTM_WAY) REGISTER_WAY(lstm)};
static const struct hand_recurrent_way NAME(lstm_40_all)[] = {OF_40(LSTM_WAY) ROW_WAYS(lstm)};
static const struct hand_recurrent_way NAME(lstm_64_all)[] = {OF_64(LSTM_WAY)};
static const struct hand_recurrent_way NAME(lstm_96_all)[] = {OF_96(LSTM_WAY)};
static const struct hand_recurrent_way NAME(gru_40_all)[] = {OF_40(GRU_WAY) ROW_WAYS(gru)};
static const struct hand_recurrent_way NAME(lstm_twice_16_all)[] = {
    OF_16(TWICE_WAY) OF_16(IN_TURN_WAY) REGISTER_WAY(lstm_twice)};
static const struct hand_recurrent_way NAME(lstm_fed_back_40_all)[] = {OF_40(FED_BACK_WAY) ROW_WAYS(lstm_fed_back)};

#undef FUNCTION
#undef INLINE
#undef EACH
#undef V
#undef AT
#undef FROM
#undef MOST_SUMS
#undef MOST_CHAINS
#undef FRAMES
#undef NETWORK
#undef ONE_LAYER
#undef LSTM
#undef GRU
#undef LSTM_FED_BACK
#undef LSTM_TWICE
#undef LSTM_IN_TURN
#undef OF_16
#undef OF_40
#undef OF_64
#undef OF_96
#undef ROW_WAYS
#undef REGISTER_WAY
#undef WAY
#undef LSTM_WAY
#undef GRU_WAY
#undef FED_BACK_WAY
#undef TWICE_WAY
#undef IN_TURN_WAY
