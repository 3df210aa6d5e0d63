// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CInstructions.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int instructions_open(void) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_HARDWARE,
      .size = sizeof attributes,
      .config = PERF_COUNT_HW_INSTRUCTIONS,
      .exclude_kernel = 1,
      .exclude_hv = 1,
  };
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

uint64_t instructions_read(int counter) {
  uint64_t count = 0;
  return read(counter, &count, sizeof count) == sizeof count ? count : 0;
}

void instructions_close(int counter) { close(counter); }
