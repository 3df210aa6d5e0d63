// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

/// Lets the calling thread's time stand still from here on, but where it sleeps: that takes no time, and afterwards as
/// much has passed as it slept. Or lets it have the computer's time again.
///
/// It is the time that `clock_gettime` tells of CLOCK_MONOTONIC. What waits otherwise, poll and timers, is not changed.
void scripted_clock_set(bool scripted);
