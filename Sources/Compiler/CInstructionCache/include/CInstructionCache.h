// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// Makes the processor fetch instructions anew that were written as data; on x86-64 it does so by itself.
static inline void legato_clear_instruction_cache(void *_Nonnull begin, size_t bytes) {
  __builtin___clear_cache((char *)begin, (char *)begin + bytes);
}
