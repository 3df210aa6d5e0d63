// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "CRealtimeWatch.h"

// Read in functions that run before and inside everything: no allocation on first use, no sanitizer's shadow.
#define WATCH_LOCAL __thread __attribute__((tls_model("initial-exec")))
#define WATCH_PLAIN __attribute__((no_sanitize("address", "thread"), disable_sanitizer_instrumentation))
#define WATCH_INTERPOSED __attribute__((visibility("default"), used)) WATCH_PLAIN

extern WATCH_LOCAL bool watch_is_on;
extern WATCH_LOCAL struct realtime_counts watch_counts;

void watch_system_calls(bool on);

// Whether a system call is one that a loop over periods may make, where the thread's devices are set apart.
bool watch_is_of_devices(long system_call);

// Lets a watched thread's calls pass uncounted for a while, without entering the kernel for that.
void watch_pause(bool paused);
void watch_pause_system_calls(bool paused);

// Looking a function up may allocate, which is not to be counted.
void watch_find_locks(void);
