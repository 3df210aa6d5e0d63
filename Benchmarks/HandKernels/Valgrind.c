// SPDX-License-Identifier: Apache-2.0

#include "HandKernels.h"

#define RUNNING_ON_VALGRIND 0x1001
#define CALLGRIND(number) (('C' << 24 | 'T' << 16) + (number))
#define ZERO_STATS CALLGRIND(1)
#define DUMP_STATS_AT CALLGRIND(3)
#define START_INSTRUMENTATION CALLGRIND(4)
#define STOP_INSTRUMENTATION CALLGRIND(5)

/// Asks valgrind for something; 0 where the program does not run in it.
///
/// Valgrind knows these instructions, which turn a register once around and exchange another with itself. A processor
/// does that, and nothing comes of it.
static uintptr_t request(uintptr_t number, const void *argument) {
  uintptr_t answer = 0;
#if defined(__x86_64__)
  volatile uintptr_t arguments[6] = {number, (uintptr_t)argument, 0, 0, 0, 0};
  __asm__ volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
      : "=d"(answer)
      : "a"(&arguments[0]), "0"(answer)
      : "cc", "memory");
#endif
  return answer;
}

int hand_is_under_valgrind(void) { return request(RUNNING_ON_VALGRIND, 0) != 0; }

void hand_begin_counting(void) {
  request(START_INSTRUMENTATION, 0);
  request(ZERO_STATS, 0);
}

void hand_end_counting(const char *name) {
  request(DUMP_STATS_AT, name);
  request(STOP_INSTRUMENTATION, 0);
}
