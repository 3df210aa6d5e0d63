// SPDX-License-Identifier: Apache-2.0

extension ProgramLayout.ParameterRange {
  /// The value that a request for `value` leads to, or nil for a NaN, which is ignored.
  ///
  /// It lies in the range and has one form of zero: native code counts denormals as zero, and equal targets have to
  /// have equal bits.
  package func clamped(_ value: Float) -> Float? {
    guard !value.isNaN else { return nil }
    return min(max(value, minimum), maximum).withoutDenormals
  }
}

extension Float {
  /// The number itself, or +0 in place of a denormal or a negative zero.
  var withoutDenormals: Float {
    @_noLocks get { magnitude < .leastNormalMagnitude ? 0 : self }
  }
}
