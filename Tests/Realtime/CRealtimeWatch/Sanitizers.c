// SPDX-License-Identifier: Apache-2.0
#include "Watch.h"

// The address sanitizer asks for its options before anything is up. Leaks are not looked for: Swift keeps marks in
// pointers, which hides what they point to.
extern const char *__asan_default_options(void);
WATCH_INTERPOSED const char *__asan_default_options(void) { return "detect_leaks=0"; }

bool address_sanitizer_is_linked(void) { return __has_feature(address_sanitizer); }
bool thread_sanitizer_is_linked(void) { return __has_feature(thread_sanitizer); }
