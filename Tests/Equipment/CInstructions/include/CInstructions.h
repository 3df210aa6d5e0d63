// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

/// A counter of the instructions that the calling thread executes outside of the kernel; negative where there is none.
int instructions_open(void);

/// The count since the counter was opened; 0 where it cannot be read.
uint64_t instructions_read(int counter);

void instructions_close(int counter);
