// SPDX-License-Identifier: Apache-2.0
// Stands before the C library's clock in every program that this is linked into, and before the libraries that it
// loads.
//
//     a thread with a scripted clock     its own count of nanoseconds, which only its sleep moves
//     every other one                    the computer's clock
#define _GNU_SOURCE
#include "CScriptedClock.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define PLAIN __attribute__((no_sanitize("address", "thread"), disable_sanitizer_instrumentation))
#define INTERPOSED __attribute__((visibility("default"), used)) PLAIN

enum { SECOND = 1000000000 };

static __thread __attribute__((tls_model("initial-exec"))) int64_t scripted_now;

void scripted_clock_set(bool scripted) { scripted_now = scripted ? SECOND : 0; }

// NEXT(name, (parameters)): goes on to a sanitizer's function where there is one, else to the C library's.
#define NEXT(name, parameters) \
  extern int __interceptor_##name parameters __attribute__((weak)); \
  PLAIN static int(*next_##name(void)) parameters { \
    static int(*known) parameters; \
    if (__interceptor_##name) return __interceptor_##name; \
    int(*found) parameters = __atomic_load_n(&known, __ATOMIC_RELAXED); \
    if (!found) { \
      found = (int(*) parameters)dlsym(RTLD_NEXT, #name); \
      __atomic_store_n(&known, found, __ATOMIC_RELAXED); \
    } \
    return found; \
  }
NEXT(clock_gettime, (clockid_t, struct timespec *))
NEXT(clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *))

INTERPOSED int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!scripted_now || clock != CLOCK_MONOTONIC) return next_clock_gettime()(clock, time);
  *time = (struct timespec){.tv_sec = scripted_now / SECOND, .tv_nsec = scripted_now % SECOND};
  return 0;
}

INTERPOSED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  if (!scripted_now || clock != CLOCK_MONOTONIC) return next_clock_nanosleep()(clock, flags, time, left);
  int64_t asked = (int64_t)time->tv_sec * SECOND + time->tv_nsec;
  int64_t end = flags & TIMER_ABSTIME ? asked : scripted_now + asked;
  if (end > scripted_now) scripted_now = end;
  return 0;
}
