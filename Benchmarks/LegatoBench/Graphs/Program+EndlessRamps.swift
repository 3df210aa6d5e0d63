// SPDX-License-Identifier: Apache-2.0

internal import NativeCode
internal import RealtimeCore

extension Program {
  static let endlessFrames: Int32 = 2_000_000_000

  /// The same code, with parameters that arrive long after the last call.
  func withEndlessRamps() throws -> Program {
    var layout = layout
    for index in layout.parameters.indices where layout.parameters[index].rampFrames > 0 {
      layout.parameters[index].rampFrames = Self.endlessFrames
    }
    return unsafe try Program(name: name, layout: layout, entry: entry, weights: weights, owner: self)
  }
}
