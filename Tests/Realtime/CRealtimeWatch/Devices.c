// SPDX-License-Identifier: Apache-2.0
// Stands before alsa-lib's functions that a loop over periods calls, in every program that this is linked into. Where a
// thread is watched apart from its devices, what such a call does is the device's own and is not counted.
#define _GNU_SOURCE
#include "Watch.h"

#include <dlfcn.h>
#include <stddef.h>
#include <sys/syscall.h>

static WATCH_LOCAL bool sets_devices_apart;
static WATCH_LOCAL uint64_t device_calls;

void realtime_watch_set_devices_apart(bool apart) {
  sets_devices_apart = apart;
  device_calls = 0;
}

uint64_t realtime_watch_device_calls(void) { return device_calls; }

// Most machines tell the time without their kernel.
WATCH_PLAIN bool watch_is_of_devices(long system_call) {
  return sets_devices_apart && (system_call == SYS_poll || system_call == SYS_clock_gettime);
}

// Whether the thread is to be watched again afterwards.
static bool enter_device(void) {
  bool is_watched = watch_is_on && sets_devices_apart;
  if (!is_watched) return false;
  device_calls++;
  watch_pause(true);
  return true;
}

static void leave_device(bool was_watched) {
  if (was_watched) watch_pause(false);
}

// FUNCTION(result, name, (parameters), (arguments)): looked up at the first call, while nothing is counted.
#define FUNCTION(result, name, parameters, arguments) \
  WATCH_INTERPOSED result name parameters { \
    static result(*next) parameters; \
    bool was_watched = enter_device(); \
    result(*known) parameters = __atomic_load_n(&next, __ATOMIC_RELAXED); \
    if (!known) { \
      known = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
      __atomic_store_n(&next, known, __ATOMIC_RELAXED); \
    } \
    result value = known arguments; \
    leave_device(was_watched); \
    return value; \
  }

struct pollfd;

FUNCTION(int, snd_pcm_state, (void *pcm), (pcm))
FUNCTION(int, snd_pcm_info, (void *pcm, void *info), (pcm, info))
FUNCTION(long, snd_pcm_avail_update, (void *pcm), (pcm))
FUNCTION(long, snd_pcm_readi, (void *pcm, void *frames, unsigned long count), (pcm, frames, count))
FUNCTION(long, snd_pcm_readn, (void *pcm, void **rows, unsigned long count), (pcm, rows, count))
FUNCTION(long, snd_pcm_writei, (void *pcm, const void *frames, unsigned long count), (pcm, frames, count))
FUNCTION(long, snd_pcm_writen, (void *pcm, void **rows, unsigned long count), (pcm, rows, count))
FUNCTION(long, snd_pcm_mmap_writei, (void *pcm, const void *frames, unsigned long count), (pcm, frames, count))
FUNCTION(long, snd_pcm_mmap_writen, (void *pcm, void **rows, unsigned long count), (pcm, rows, count))
FUNCTION(int, snd_pcm_mmap_begin, (void *pcm, const void **areas, unsigned long *offset, unsigned long *count),
         (pcm, areas, offset, count))
FUNCTION(long, snd_pcm_mmap_commit, (void *pcm, unsigned long offset, unsigned long count), (pcm, offset, count))
FUNCTION(int, snd_pcm_drop, (void *pcm), (pcm))
FUNCTION(int, snd_pcm_prepare, (void *pcm), (pcm))
FUNCTION(int, snd_pcm_start, (void *pcm), (pcm))
FUNCTION(int, snd_pcm_resume, (void *pcm), (pcm))
FUNCTION(int, snd_pcm_poll_descriptors, (void *pcm, struct pollfd *descriptors, unsigned count),
         (pcm, descriptors, count))
FUNCTION(int, snd_pcm_poll_descriptors_revents,
         (void *pcm, struct pollfd *descriptors, unsigned count, unsigned short *events),
         (pcm, descriptors, count, events))
