// SPDX-License-Identifier: Apache-2.0

/// The goal of code generation: both give the same bits.
package enum Goal: String, Hashable, Sendable, CaseIterable {
  /// Several vectors side by side, and separate code for settled parameters.
  case speed
  /// One vector at a time, and one code for time-varying and settled parameters.
  case size
}
