// SPDX-License-Identifier: Apache-2.0

/// The goal of code generation: both give the same bits.
package enum Goal: String, Hashable, Sendable, CaseIterable {
  /// Several vectors side by side, and a second kind of code for parameters that stand still.
  case speed
  /// One vector at a time, and one code for parameters that change or stand still.
  case size
}
