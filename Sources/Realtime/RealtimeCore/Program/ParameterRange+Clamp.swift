// SPDX-License-Identifier: Apache-2.0

internal import CRealtime

extension ProgramLayout.ParameterRange {
  /// The value that a request for `value` leads to, or nil for a NaN, which is ignored.
  ///
  /// It lies in the range and has one form of zero: native code counts denormals as zero, and equal targets have to
  /// have equal bits.
  package func clamped(_ value: Float) -> Float? {
    value.clamped(minimum, maximum)
  }
}

extension Float {
  /// The number nearest to this one in a range, or nil for a NaN; in one form of zero.
  @_noLocks func clamped(_ minimum: Float, _ maximum: Float) -> Float? {
    guard !isNaN else { return nil }
    return min(max(self, minimum), maximum).withoutDenormals
  }

  /// The number itself, or +0 in place of a denormal or a negative zero.
  var withoutDenormals: Float {
    @_noLocks get { legato_without_denormals(self) }
  }
}
