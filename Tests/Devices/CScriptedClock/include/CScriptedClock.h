// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

/// Lets the calling thread's time stand still from here on, but where it sleeps, or polls for what is not ready: that
/// takes no time, and afterwards as much has passed as it asked for. Or lets it have the computer's time again.
///
/// It is the time that `clock_gettime` tells of CLOCK_MONOTONIC. Timers are not changed, nor is who polls for nothing,
/// or without an end.
void scripted_clock_set(bool scripted);

/// The longest time, in milliseconds, that the calling thread was ready to poll for since it has this clock.
int scripted_clock_longest_wait(void);
