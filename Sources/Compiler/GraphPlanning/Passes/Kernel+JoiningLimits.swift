// SPDX-License-Identifier: Apache-2.0

/// How far kernels join each other.
extension Kernel {
  /// The most that one map may cost where another loop costs more than it gains: within a cycle, which goes frame by
  /// frame and waits for what passes through memory, and in code that is made small.
  static let maximumLongCost = 190
  /// How many kernels that have nothing to do with it one steps over, looking for another to join: keeps a walk linear.
  static let joiningReach = 16
}
