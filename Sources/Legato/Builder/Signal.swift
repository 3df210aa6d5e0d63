// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A value of a model that is being built.
///
/// Operators work element by element and broadcast as NumPy does, after an operand without frames has gained a
/// trailing axis: `[2]` and `[2, frames]` meet channel by channel. Numbers take part as they are.
public struct Signal {
  package let builder: GraphBuilder
  package let value: ValueID
  private let ownName: String?

  init(_ builder: GraphBuilder, _ value: ValueID, _ name: String?) {
    self.builder = builder
    self.value = value
    ownName = name
  }

  /// The same signal under a name, which messages and pictures then use.
  public func named(_ name: String) -> Signal {
    builder.assembler.name(value, name, at: nil)
    return Signal(builder, value, name)
  }

  /// The shape, such as `[2, frames]`.
  public var shape: String { builder.assembler.shape(of: value)?.description ?? "an unknown shape" }

  /// The signal's name in messages.
  var label: String {
    let name = ownName ?? builder.assembler.graph.origins.names[value]
    return name.map { "'\($0)' \(shape)" } ?? "a value \(shape)"
  }

  func call(
    _ function: String, _ others: [(String, Signal)] = [], _ attributes: [String: Call.Argument] = [:],
    as slot: String = "x"
  ) -> Signal {
    var arguments = attributes
    arguments[slot] = .value(value)
    for (name, other) in others { arguments[name] = .value(other.value) }
    return builder.call(function, arguments, [self] + others.map(\.1))
  }

  /// A number as a signal of the same model.
  func number(_ number: Float) -> Signal {
    Signal(builder, builder.assembler.literal(number), "\(number)")
  }
}
