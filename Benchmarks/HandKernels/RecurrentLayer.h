// SPDX-License-Identifier: Apache-2.0

// Recurrent layers for one level of x86-64; it is included once for each.
//
//   LEVEL, LANES, MULTIPLY_ADD, NAME(x)   as in ConvolutionTile.h
//
// The sums of all gates of some units are in registers together: for each column of a matrix one number goes to all
// lanes, and one multiply-add a vector follows. Where those are fewer than a core has in flight, sums are split into
// chains, a column for each in turn. Weights of gates that a logistic function follows are halved when they are packed:
// it is (1 + tanh(x / 2)) / 2.

#define FUNCTION __attribute__((target("arch=" LEVEL), min_vector_width(LANES * 32))) static
#define INLINE FUNCTION inline __attribute__((always_inline))
#define EACH(i, count) _Pragma("clang loop unroll(full)") for (size_t i = 0; i < (count); i++)

typedef float NAME(vector) __attribute__((ext_vector_type(LANES)));
typedef float NAME(unaligned) __attribute__((ext_vector_type(LANES), aligned(4)));
#define V NAME(vector)
#define AT(place) (*(NAME(unaligned) *)(place))
#define FROM(place) ((V)(*(const NAME(unaligned) *)(place)))

// Vectors of sums at once, and chains of one sum.
#define MOST_SUMS 24
#define MOST_CHAINS 4

INLINE V NAME(saturated)(V x) {
  SATURATED_LANES(V, result, x)
  return result;
}

INLINE V NAME(logistic)(V half) { return MULTIPLY_ADD(NAME(saturated)(half), (V)0.5f, (V)0.5f); }

INLINE float NAME(total)(V v) {
#if LANES == 16
  __auto_type eight = v.lo + v.hi;
#elif LANES == 8
  V eight = v;
#endif
#if LANES >= 8
  __auto_type four = eight.lo + eight.hi;
#else
  V four = v;
#endif
  __auto_type two = four.lo + four.hi;
  return two.x + two.y;
}

// Adds a matrix of so many vectors a column, times a vector of one number a column.
INLINE void NAME(add)(
    V *sums, size_t vectors, size_t chains, const float *matrix, const float *x, size_t columns) {
  V parts[MOST_CHAINS][MOST_SUMS];
  EACH(chain, chains) EACH(v, vectors) parts[chain][v] = chain == 0 ? sums[v] : (V)0;
#pragma clang loop unroll(disable)
  for (size_t column = 0; column < columns; column += MOST_CHAINS)
    EACH(k, MOST_CHAINS) {
      V share = x[column + k];
      EACH(v, vectors) {
        V weight = FROM(matrix + ((column + k) * vectors + v) * LANES);
        parts[k % chains][v] = MULTIPLY_ADD(share, weight, parts[k % chains][v]);
      }
    }
  EACH(v, vectors) {
    sums[v] = parts[0][v];
    EACH(chain, chains) if (chain > 0) sums[v] += parts[chain][v];
  }
}

// Adds one column.
INLINE void NAME(add_column)(V *sums, size_t vectors, const float *column, float x) {
  EACH(v, vectors) sums[v] = MULTIPLY_ADD((V)x, FROM(column + v * LANES), sums[v]);
}

// A frame of an LSTM. A second input of two comes last: it may be late.
INLINE void NAME(lstm_frame)(
    struct hand_recurrent_layer *layer, size_t units, size_t inputs, size_t aside, size_t chains, const float *x,
    const float *h, float *next) {
  const size_t vectors = 4 * aside;
  const float *bias = layer->bias, *input = layer->input, *recurrent = layer->recurrent;
  for (size_t unit = 0; unit < units; unit += aside * LANES) {
    V s[MOST_SUMS];
    EACH(v, vectors) s[v] = FROM(bias + v * LANES);
    if (inputs <= 2) NAME(add_column)(s, vectors, input, x[0]);
    else NAME(add)(s, vectors, chains, input, x, inputs);
    NAME(add)(s, vectors, chains, recurrent, h, units);
    if (inputs == 2) NAME(add_column)(s, vectors, input + vectors * LANES, x[1]);
    EACH(v, aside) {
      float *cell = layer->c + unit + v * LANES;
      V open = NAME(logistic)(s[v]), keep = NAME(logistic)(s[aside + v]), fresh = NAME(saturated)(s[2 * aside + v]);
      V c = MULTIPLY_ADD(keep, FROM(cell), open * fresh);
      AT(cell) = c;
      AT(next + unit + v * LANES) = NAME(logistic)(s[3 * aside + v]) * NAME(saturated)(c);
    }
    bias += vectors * LANES, input += vectors * LANES * inputs, recurrent += vectors * LANES * units;
  }
}

#if LANES == 16
// The same where the rows of all gates follow each other without gaps: some vectors are of two gates.
INLINE void NAME(lstm_frame_in_a_row)(
    struct hand_recurrent_layer *layer, size_t units, size_t inputs, size_t chains, const float *x, const float *h,
    float *next) {
  const size_t vectors = 4 * units / LANES;
  float gates[MOST_SUMS * LANES + LANES] __attribute__((aligned(64)));
  V s[MOST_SUMS];
  EACH(v, vectors) s[v] = FROM(layer->bias + v * LANES);
  NAME(add_column)(s, vectors, layer->input, x[0]);
  NAME(add)(s, vectors, chains, layer->recurrent, h, units);
  if (inputs == 2) NAME(add_column)(s, vectors, layer->input + vectors * LANES, x[1]);
  EACH(v, vectors) AT(gates + v * LANES) = NAME(saturated)(s[v]);
  AT(gates + vectors * LANES) = 0;
  EACH(v, (units + LANES - 1) / LANES) {
    const float *gate = gates + v * LANES;
    float *cell = layer->c + v * LANES;
    V open = MULTIPLY_ADD(FROM(gate), (V)0.5f, (V)0.5f), keep = MULTIPLY_ADD(FROM(gate + units), (V)0.5f, (V)0.5f);
    V out = MULTIPLY_ADD(FROM(gate + 3 * units), (V)0.5f, (V)0.5f);
    V c = MULTIPLY_ADD(keep, FROM(cell), open * FROM(gate + 2 * units));
    AT(cell) = c;
    AT(next + v * LANES) = out * NAME(saturated)(c);
  }
}
#endif

INLINE void NAME(gru_frame)(
    struct hand_recurrent_layer *layer, size_t units, size_t aside, size_t chains, const float *x, const float *h,
    float *next) {
  const size_t vectors = 3 * aside;
  const float *bias = layer->bias, *outer = layer->outer_bias, *input = layer->input, *recurrent = layer->recurrent;
  for (size_t unit = 0; unit < units; unit += aside * LANES) {
    V s[MOST_SUMS], n[MOST_SUMS];
    EACH(v, vectors) s[v] = FROM(bias + v * LANES);
    EACH(v, aside) n[v] = FROM(outer + v * LANES);
    NAME(add_column)(s, 2 * aside, input, x[0]);
    NAME(add_column)(n, aside, input + 2 * aside * LANES, x[0]);
    NAME(add)(s, vectors, chains, recurrent, h, units);
    EACH(v, aside) {
      V reset = NAME(logistic)(s[v]), keep = NAME(logistic)(s[aside + v]);
      V fresh = NAME(saturated)(MULTIPLY_ADD(reset, s[2 * aside + v], n[v]));
      V old = FROM(h + unit + v * LANES);
      AT(next + unit + v * LANES) = MULTIPLY_ADD(keep, old - fresh, fresh);
    }
    bias += vectors * LANES, outer += aside * LANES, input += vectors * LANES;
    recurrent += vectors * LANES * units;
  }
}

#if LANES == 16
INLINE void NAME(gru_frame_in_a_row)(
    struct hand_recurrent_layer *layer, size_t units, size_t chains, const float *x, const float *h, float *next) {
  const size_t vectors = (3 * units + LANES - 1) / LANES, logistic = 2 * units / LANES;
  float gates[MOST_SUMS * LANES + LANES] __attribute__((aligned(64)));
  V s[MOST_SUMS], n[MOST_SUMS];
  EACH(v, vectors) s[v] = FROM(layer->bias + v * LANES);
  EACH(v, vectors - logistic) n[v] = FROM(layer->outer_bias + v * LANES);
  NAME(add_column)(s, logistic, layer->input, x[0]);
  NAME(add_column)(n, vectors - logistic, layer->input + logistic * LANES, x[0]);
  NAME(add)(s, vectors, chains, layer->recurrent, h, units);
  EACH(v, logistic) AT(gates + v * LANES) = NAME(logistic)(s[v]);
  AT(gates + logistic * LANES) = 0;
  EACH(v, vectors - logistic) {
    V reset = FROM(gates + v * LANES), keep = FROM(gates + units + v * LANES);
    V fresh = NAME(saturated)(MULTIPLY_ADD(reset, s[logistic + v], n[v]));
    AT(next + v * LANES) = MULTIPLY_ADD(keep, FROM(h + v * LANES) - fresh, fresh);
  }
}
#endif

#if LANES == 16
// Adds a matrix of so many of 4 vectors a column, times a vector whose lanes are its columns.
INLINE void NAME(add_lanes)(V *sums, size_t vectors, const float *matrix, V x) {
  V other[4];
  EACH(v, vectors) other[v] = 0;
  EACH(column, LANES) {
    V share = x[column], *part = column % 2 ? other : sums;
    EACH(v, vectors) part[v] = MULTIPLY_ADD(share, FROM(matrix + (column * 4 + v) * LANES), part[v]);
  }
  EACH(v, vectors) sums[v] += other[v];
}

// A frame of an LSTM of one vector of units. The output gate is summed while the others go on.
INLINE V NAME(lstm_vector)(const struct hand_recurrent_layer *layer, V *s, V h, V *c) {
  NAME(add_lanes)(s, 3, layer->recurrent, h);
  NAME(add_lanes)(s + 3, 1, layer->recurrent + 3 * LANES, h);
  *c = MULTIPLY_ADD(NAME(logistic)(s[1]), *c, NAME(logistic)(s[0]) * NAME(saturated)(s[2]));
  return NAME(logistic)(s[3]) * NAME(saturated)(*c);
}
#endif

INLINE float NAME(dense)(const struct hand_recurrent *network, size_t units, const float *h) {
  V sum = 0;
  for (size_t unit = 0; unit < units; unit += LANES)
    sum = MULTIPLY_ADD(FROM(network->dense + unit), FROM(h + unit), sum);
  return NAME(total)(sum) + network->dense_bias;
}
