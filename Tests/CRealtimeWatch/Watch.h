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

// Looking a function up may allocate, which is not to be counted.
void watch_find_locks(void);
