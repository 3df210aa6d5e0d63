// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "HandKernels.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

typedef float vector __attribute__((ext_vector_type(4)));

// As many chains as registers hold beside two factors: while one waits for its own result, the others fill the units.
enum { chains = 12, rounds = 20000000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void *loop(void *unused) {
  (void)unused;
  vector chain[chains];
  for (int i = 0; i < chains; i++) chain[i] = (vector)((float)i);
  for (int round = 0; round < rounds; round++) {
#pragma clang loop unroll(full)
    for (int i = 0; i < chains; i++) chain[i] = chain[i] * 0.999f + 0.1f;
  }
  vector sum = chain[0];
  for (int i = 1; i < chains; i++) sum += chain[i];
  // What nobody reads would not be computed.
  __asm__ volatile("" : : "r"(&sum) : "memory");
  return 0;
}

static int begin(pthread_t *thread, int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int error = pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
  if (!error) error = pthread_create(thread, &attributes, loop, 0);
  pthread_attr_destroy(&attributes);
  return error;
}

int hand_run_loops(struct hand_loop_times *times) {
  cpu_set_t set;
  int processors[2], count = 0;
  if (sched_getaffinity(0, sizeof set, &set)) return errno;
  for (int i = 0; i < CPU_SETSIZE && count < 2; i++) {
    if (CPU_ISSET(i, &set)) processors[count++] = i;
  }
  if (count < 2) return EINVAL;

  pthread_t threads[2];
  double start = now();
  for (int i = 0; i < 2; i++) {
    int error = begin(&threads[i], processors[i]);
    if (error) return error;
    pthread_join(threads[i], 0);
  }
  times->in_turn = now() - start;

  start = now();
  int error = begin(&threads[0], processors[0]);
  if (error) return error;
  error = begin(&threads[1], processors[1]);
  if (!error) pthread_join(threads[1], 0);
  pthread_join(threads[0], 0);
  times->at_once = now() - start;
  return error;
}
