// SPDX-License-Identifier: Apache-2.0

#ifndef LEGATO_PEERS_BATCHES_H
#define LEGATO_PEERS_BATCHES_H

#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

// How every program here measures, as legato-bench does: batches of some 20 microseconds between two readings of the
// clock, and their median. Denormals count as zero, as on an audio thread.

typedef void (*batch_body)(void *context);

enum { batch_nanoseconds = 20000 };

static inline double batch_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline void batch_flush_denormals(void) { _mm_setcsr(0x9fc0); }

/// Noise within -1 to 1, the same in every program.
static inline void batch_noise(float *samples, size_t count) {
  uint32_t state = 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525 + 1013904223;
    samples[i] = (float)(int32_t)state * 0x1p-31f;
  }
}

static inline int batch_compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline double batch_time(batch_body body, void *context, size_t times) {
  double begin = batch_clock();
  for (size_t i = 0; i < times; i++) body(context);
  return (batch_clock() - begin) / (double)times;
}

/// The nanoseconds of one call: the median over as many batches as there is time for, five at least.
static inline double batch_median(batch_body body, void *context, double milliseconds) {
  size_t times = 1;
  while (times < (1u << 20) && batch_time(body, context, times) * (double)times < batch_nanoseconds) times *= 2;
  double single = batch_time(body, context, times);
  times = single < batch_nanoseconds ? (size_t)(batch_nanoseconds / (single > 0.1 ? single : 0.1)) : 1;
  double end = batch_clock() + milliseconds * 1e6;
  enum { most = 4096, least = 5 };
  double samples[most];
  size_t count = 0;
  while (count < least || (count < most && batch_clock() < end)) samples[count++] = batch_time(body, context, times);
  qsort(samples, count, sizeof *samples, batch_compare);
  return samples[count / 2];
}

#endif
