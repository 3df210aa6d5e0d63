// SPDX-License-Identifier: Apache-2.0
// Stands before the C library's clock in every program that this is linked into, and before the libraries that it
// loads.
//
//     a thread with a scripted clock     its own count of nanoseconds, which only its sleep moves, and a wait in vain
//     every other one                    the computer's clock
#define _GNU_SOURCE
#include "CScriptedClock.h"

#include <dlfcn.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define PLAIN __attribute__((no_sanitize("address", "thread"), disable_sanitizer_instrumentation))
#define INTERPOSED __attribute__((visibility("default"), used)) PLAIN

#define LOCAL static __thread __attribute__((tls_model("initial-exec")))

enum { SECOND = 1000000000, MILLISECOND = 1000000 };

LOCAL int64_t scripted_now;
LOCAL int longest_wait;

void scripted_clock_set(bool scripted) {
  scripted_now = scripted ? SECOND : 0;
  if (scripted) longest_wait = 0;
}

int scripted_clock_longest_wait(void) { return longest_wait; }

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
NEXT(poll, (struct pollfd *, nfds_t, int))

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

// What is not ready at once does not come: the time runs out. Who polls for nothing lets a card that is suspended rest,
// whose clock stands still, too.
INTERPOSED int poll(struct pollfd *files, nfds_t count, int milliseconds) {
  if (!scripted_now || count == 0 || milliseconds < 0) return next_poll()(files, count, milliseconds);
  if (milliseconds > longest_wait) longest_wait = milliseconds;
  int ready = next_poll()(files, count, 0);
  if (ready == 0) scripted_now += (int64_t)milliseconds * MILLISECOND;
  return ready;
}
