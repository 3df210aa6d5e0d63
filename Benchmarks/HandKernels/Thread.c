// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "HandKernels.h"

#include <errno.h>
#include <immintrin.h>
#include <sched.h>
#include <sys/resource.h>

// Where the thread might run before it was pinned.
static cpu_set_t allowed;
static int is_pinned;

int hand_pin(int processor) {
  cpu_set_t set;
  if (!is_pinned && sched_getaffinity(0, sizeof allowed, &allowed) == 0) is_pinned = 1;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

int hand_unpin(void) {
  if (!is_pinned || sched_setaffinity(0, sizeof allowed, &allowed)) return 0;
  return CPU_COUNT(&allowed);
}

int hand_first_processor(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  int processor = 0;
  while (processor < CPU_SETSIZE - 1 && !CPU_ISSET(processor, &set)) processor++;
  return processor;
}

long hand_context_switches(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw + usage.ru_nivcsw : 0;
}

uint32_t hand_count_denormals_as_zero(void) {
  uint32_t before = _mm_getcsr();
  _mm_setcsr(0x9fc0);
  return before;
}

void hand_restore_mode(uint32_t mode) { _mm_setcsr(mode); }
