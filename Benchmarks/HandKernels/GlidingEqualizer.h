// SPDX-License-Identifier: Apache-2.0

// The filters of Equalizer.h while all that they are set to glides: a low shelf, six bells and a high shelf of two
// channels, for one level of x86-64; it is included once for each, behind Loops.h.
//
//     along the frames     what each filter multiplies with, 16 frames at once, into rows
//     moment by moment     8 moments of those rows, LAG frames earlier from filter to filter, turned in registers while
//                          the 8 moments before them are computed
//
//   LEVEL, MULTIPLY_ADD_LANES, NAME(x), TARGET   as in Equalizer.h

#define FILTERS 8
#define LAG 2
// Room for what filters read that are at none of the frames.
#define BESIDE 32
#define ROW (BESIDE + HAND_LOOP_FRAMES + BESIDE)
#define UNROLLED _Pragma("clang loop unroll(full)") for
#define ALL(number) ((lanes)(number))

// e to the power of x, for magnitudes below 80: a power of 2, and a polynomial on both sides of it.
#define EXPONENTIAL(y, x)                                                                                     \
  lanes y;                                                                                                    \
  {                                                                                                           \
    lanes power = ((x) * 1.44269504f + 0x1.8p23f) - 0x1.8p23f, r = MULTIPLY_ADD_LANES(power, ALL(-0.69314718f), x); \
    lanes p = MULTIPLY_ADD_LANES(r, ALL(0.00138889f), ALL(0.00833333f));                                      \
    p = MULTIPLY_ADD_LANES(p, r, ALL(0.04166667f));                                                           \
    p = MULTIPLY_ADD_LANES(p, r, ALL(0.16666667f)), p = MULTIPLY_ADD_LANES(p, r, ALL(0.5f));                  \
    p = MULTIPLY_ADD_LANES(p, r, ALL(1)), p = MULTIPLY_ADD_LANES(p, r, ALL(1));                               \
    y = p * (lanes)((__builtin_convertvector(power, lane_numbers) + 127) << 23);                              \
  }

// The tangent of x below half of pi: of its half, by a continued fraction, and then of the double.
#define TANGENT(y, x)                                                                                         \
  lanes y;                                                                                                    \
  {                                                                                                           \
    lanes half = (x) * 0.5f, s = half * half;                                                                 \
    lanes a = MULTIPLY_ADD_LANES(s, ALL(0.00105820f), ALL(-0.11111111f)), above = MULTIPLY_ADD_LANES(s, a, ALL(1)); \
    lanes b = MULTIPLY_ADD_LANES(s, ALL(0.01587302f), ALL(-0.44444444f)), below = MULTIPLY_ADD_LANES(s, b, ALL(1)); \
    above *= half;                                                                                            \
    y = 2 * above * below / MULTIPLY_ADD_LANES(below, below, -above * above);                                 \
  }

// The columns of 8 rows of 8.
typedef float NAME(eight) __attribute__((ext_vector_type(8)));
typedef float NAME(loose_eight) __attribute__((ext_vector_type(8), aligned(4)));
typedef float NAME(loose_lanes) __attribute__((ext_vector_type(16), aligned(4)));
#define PICKED(a, b, p, q, r, s)                                                                              \
  __builtin_shufflevector(a, b, p, q, (r) + 8, (s) + 8, (p) + 4, (q) + 4, (r) + 12, (s) + 12)
#define ZIPPED(a, b, k)                                                                                       \
  __builtin_shufflevector(a, b, k, (k) + 8, (k) + 1, (k) + 9, (k) + 4, (k) + 12, (k) + 5, (k) + 13)
#define TURN(to, row)                                                                                         \
  {                                                                                                           \
    NAME(eight) half[8];                                                                                      \
    UNROLLED(size_t k = 0; k < 8; k += 4) {                                                                   \
      NAME(eight) a = ZIPPED(row(k), row(k + 1), 0), b = ZIPPED(row(k), row(k + 1), 2);                       \
      NAME(eight) c = ZIPPED(row(k + 2), row(k + 3), 0), d = ZIPPED(row(k + 2), row(k + 3), 2);               \
      half[k] = PICKED(a, c, 0, 1, 0, 1), half[k + 1] = PICKED(a, c, 2, 3, 2, 3);                             \
      half[k + 2] = PICKED(b, d, 0, 1, 0, 1), half[k + 3] = PICKED(b, d, 2, 3, 2, 3);                         \
    }                                                                                                         \
    UNROLLED(size_t k = 0; k < 4; k++) {                                                                      \
      to[k] = __builtin_shufflevector(half[k], half[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);                        \
      to[k + 4] = __builtin_shufflevector(half[k], half[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);                  \
    }                                                                                                         \
  }
#define BOTH(v) ((lanes)__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7))

// Rows of what filters multiply with; those of the last two are of shelves only.
#define REACH 0
#define SHARE 1
#define SLOPE 2
#define OF_BAND 3
#define OF_LOW 4
#define DIRECT 5
#define TURNED 4

TARGET static void NAME(glide)(struct hand_loop_state *state, float (*to)[FILTERS][ROW]) {
  const float *start = state->settings, *step = start + 3 * FILTERS;
  const lanes first = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  for (size_t k = 0; k < FILTERS; k++)
    for (size_t i = 0; i < HAND_LOOP_FRAMES; i += 16) {
      lanes frame = first + (float)(state->position + i);
#define GLIDING(of) MULTIPLY_ADD_LANES(frame, ALL(step[(of) * FILTERS + k]), ALL(start[(of) * FILTERS + k]))
#define SET(what) *(NAME(loose_lanes) *)(to[what][k] + BESIDE + i)
      lanes angle = GLIDING(0) * (float)(3.14159265358979 / 48000), damping = 1 / GLIDING(2);
      lanes nepers = GLIDING(1) * 0.05756463f;
      TANGENT(slope, angle)
      EXPONENTIAL(root, nepers)
      lanes square = root * root, band, low = ALL(0);
      if (k == 0) {
        slope /= __builtin_elementwise_sqrt(root);
        band = damping * (root - 1), SET(OF_LOW) = low = square - 1;
      } else if (k == FILTERS - 1) {
        slope *= __builtin_elementwise_sqrt(root);
        band = damping * (1 - root) * root, SET(OF_LOW) = low = 1 - square, SET(DIRECT) = square;
      } else {
        damping /= root, band = damping * (square - 1);
      }
      lanes reach = slope + damping;
      SET(SHARE) = slope / MULTIPLY_ADD_LANES(slope, reach, ALL(1));
      SET(REACH) = -reach, SET(SLOPE) = 2 * slope, SET(OF_BAND) = MULTIPLY_ADD_LANES(low, slope, band);
#undef SET
#undef GLIDING
    }
}

FUNCTION(gliding_equalizer) {
  (void)channels;
  float(*rows)[FILTERS][ROW] = (void *)state->ring;
  NAME(glide)(state, rows);
  lanes *held = (lanes *)state->held, s1 = held[0], s2 = held[1], late_0 = {0}, late_1 = {0};
  const lane_numbers filter = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const size_t end = HAND_LOOP_FRAMES + 7 * LAG;
  NAME(eight) columns[2][TURNED][8];
  for (size_t t = 0; t < end + 8; t += 8) {
    NAME(eight)(*next)[8] = columns[t / 8 % 2], (*now)[8] = columns[1 - t / 8 % 2];
    UNROLLED(size_t m = 0; m < 8; m++) {
      if (m < TURNED) {
        const float(*from)[ROW] = rows[m];
#define FRAMES(k) *(const NAME(loose_eight) *)(from[k] + BESIDE + t - (k) * LAG)
        TURN(next[m], FRAMES)
#undef FRAMES
      }
      if (t == 0) continue;
      size_t moment = t - 8 + m, frame = moment < HAND_LOOP_FRAMES ? moment : HAND_LOOP_FRAMES - 1;
      lanes in = __builtin_shufflevector(late_1, late_1, 0, 0, 1, 2, 3, 4, 5, 6, 8, 8, 9, 10, 11, 12, 13, 14);
      in[0] = x[0][frame], in[8] = x[1][frame];
      late_1 = late_0;
      lanes share = BOTH(now[SHARE][m]), rest = MULTIPLY_ADD_LANES(BOTH(now[REACH][m]), s1, in) - s2;
      lanes band = MULTIPLY_ADD_LANES(share, rest, s1);
      lanes n1 = MULTIPLY_ADD_LANES(2 * share, rest, s1), n2 = MULTIPLY_ADD_LANES(BOTH(now[SLOPE][m]), band, s2);
      lanes low = ALL(0), through = in;
      low[0] = low[8] = rows[OF_LOW][0][BESIDE + moment];
      low[7] = low[15] = rows[OF_LOW][7][BESIDE + moment - 7 * LAG];
      float direct = rows[DIRECT][7][BESIDE + moment - 7 * LAG];
      through[7] *= direct, through[15] *= direct;
      late_0 = MULTIPLY_ADD_LANES(BOTH(now[OF_BAND][m]), band, MULTIPLY_ADD_LANES(low, s2, through));
      lane_numbers at = (int32_t)moment - LAG * filter, isWithin = (at >= 0) & (at < HAND_LOOP_FRAMES);
      s1 = isWithin ? n1 : s1, s2 = isWithin ? n2 : s2;
      if (moment >= 7 * LAG && moment < end) {
        y[0][moment - 7 * LAG] = late_0[7], y[1][moment - 7 * LAG] = late_0[15];
      }
    }
  }
  held[0] = s1, held[1] = s2, state->position += HAND_LOOP_FRAMES;
}

static const struct hand_loop NAME(gliding_equalizer_all)[] = {
    {"filters 2 frames apart", 2, NAME(gliding_equalizer)}};

#undef FILTERS
#undef LAG
#undef BESIDE
#undef ROW
#undef UNROLLED
#undef ALL
#undef EXPONENTIAL
#undef TANGENT
#undef PICKED
#undef ZIPPED
#undef TURN
#undef BOTH
#undef REACH
#undef SHARE
#undef SLOPE
#undef OF_BAND
#undef OF_LOW
#undef DIRECT
#undef TURNED
