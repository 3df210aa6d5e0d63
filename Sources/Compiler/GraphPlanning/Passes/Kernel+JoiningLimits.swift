// SPDX-License-Identifier: Apache-2.0

/// The limits of joining kernels.
extension Kernel {
  /// The most that one map may cost where another loop costs more than it gains: within a cycle, which goes frame by
  /// frame and waits for what passes through memory, and in code that is made small.
  static let maximumLongCost = 190
  /// How many unrelated kernels are skipped in the search for one to join, which keeps a walk linear.
  static let joiningReach = 16
}
