// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// What a thread did while it was watched.
struct realtime_counts {
  /// Calls that take memory from the heap; a call that resizes counts here only.
  uint64_t allocations;
  /// Calls that give memory back.
  uint64_t frees;
  /// Calls that take a lock, whether or not they had to wait.
  uint64_t locks;
  /// Entries into the kernel, other than for page faults and interrupts.
  uint64_t system_calls;
  /// The number of the last one, where there was one.
  uint64_t last_system_call;
  uint64_t minor_faults;
  uint64_t major_faults;
  uint64_t voluntary_switches;
  uint64_t involuntary_switches;
};

/// Whether this kernel can hand a thread's system calls to the thread itself: Linux 5.11 on x86-64.
bool realtime_watch_sees_system_calls(void);

/// Watches the calling thread from here on.
void realtime_watch_begin(void);

/// Ends what `realtime_watch_begin` began.
struct realtime_counts realtime_watch_end(void);

/// Whether what alsa-lib's calls do, waits for descriptors and looks at the clock are left out where the calling thread
/// is watched from here on.
void realtime_watch_set_devices_apart(bool apart);

/// How many of alsa-lib's calls were left out since then.
uint64_t realtime_watch_device_calls(void);

/// The bytes that the calling thread has asked the heap for so far, given back or not; watched or not.
uint64_t heap_bytes_asked_for(void);

/// Whether the RealtimeSanitizer's runtime is linked; it ends the process when a watched thread breaks a rule.
bool realtime_sanitizer_is_linked(void);

/// Whether this was built with the sanitizer of that name.
bool address_sanitizer_is_linked(void);
bool thread_sanitizer_is_linked(void);
