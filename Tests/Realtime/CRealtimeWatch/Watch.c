// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "Watch.h"

#include <string.h>
#include <sys/resource.h>

WATCH_LOCAL bool watch_is_on;
WATCH_LOCAL struct realtime_counts watch_counts;
static WATCH_LOCAL struct rusage before;

// Of the RealtimeSanitizer; null where its runtime is not linked.
extern void __rtsan_realtime_enter(void) __attribute__((weak));
extern void __rtsan_realtime_exit(void) __attribute__((weak));

bool realtime_sanitizer_is_linked(void) { return __rtsan_realtime_enter != 0; }

void realtime_watch_begin(void) {
  watch_find_locks();
  memset(&watch_counts, 0, sizeof watch_counts);
  watch_system_calls(true);
  getrusage(RUSAGE_THREAD, &before);
  watch_counts.system_calls = 0;
  if (__rtsan_realtime_enter) __rtsan_realtime_enter();
  watch_is_on = true;
}

struct realtime_counts realtime_watch_end(void) {
  watch_is_on = false;
  if (__rtsan_realtime_exit) __rtsan_realtime_exit();
  struct realtime_counts counts = watch_counts;
  watch_system_calls(false);
  struct rusage after;
  getrusage(RUSAGE_THREAD, &after);
  counts.minor_faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
  counts.major_faults = (uint64_t)(after.ru_majflt - before.ru_majflt);
  counts.voluntary_switches = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw);
  counts.involuntary_switches = (uint64_t)(after.ru_nivcsw - before.ru_nivcsw);
  return counts;
}

void watch_pause(bool paused) {
  watch_is_on = !paused;
  watch_pause_system_calls(paused);
  if (!__rtsan_realtime_enter) return;
  if (paused) {
    __rtsan_realtime_exit();
  } else {
    __rtsan_realtime_enter();
  }
}
