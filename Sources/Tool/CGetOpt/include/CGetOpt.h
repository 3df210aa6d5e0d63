// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <getopt.h>

/// What one call of getopt_long returns, and what it leaves in global variables.
struct CGetOptStep {
  /// The option's number, or a sign such as '?'; -1 at the end.
  int number;
  /// The option's value, or an operand; NULL where there is neither.
  const char *value;
  /// Of an option that is refused: its letter or number, or 0 where it has none.
  int refused;
  /// The index of the argument that comes next.
  int next;
};

/// Begins a command line anew.
static inline void CGetOptBegin(void) { optind = 0; }

static inline struct CGetOptStep CGetOptNext(int count, char *const *arguments, const char *letters,
                                             const struct option *options) {
  optarg = 0;
  struct CGetOptStep step = {.number = getopt_long(count, arguments, letters, options, 0)};
  step.value = optarg;
  step.refused = optopt;
  step.next = optind;
  return step;
}
