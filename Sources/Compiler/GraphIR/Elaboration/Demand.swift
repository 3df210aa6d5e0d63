// SPDX-License-Identifier: Apache-2.0

/// A demand of a model on one of its inputs or outputs.
package enum Demand: Sendable {
  case input(PortDemand)
  case parameter(name: String, range: ClosedRange<Double>)
  /// An output can be mixed with an input: both are of one shape.
  case alike(input: String, output: String, control: String, model: String)
}

/// The shape that an input of a used model has.
///
///     declared  ["channels", frames]     [2, frames]     [frames]
///     given     [2, frames]              [1, frames]     [1, frames]
///               channels is 2            is stretched    loses an axis
///
/// Axes are counted from the last fixed one. A number stretches 1; a name means the same for all inputs of the model,
/// whatever it is. Axes of extent 1 in front come and go.
package struct PortDemand: Sendable {
  package enum Extent: Hashable, Sendable {
    case number(Int)
    /// The extent's name in the model's file, such as `channels`.
    case symbol(String)
  }

  /// The name of the model.
  package var model: String
  package var input: String
  /// Tells apart models of one name; symbols belong to one of them.
  package var instance: String
  package var extents: [Extent]
  package var hasFrames: Bool
  /// The remedy where it does not fit.
  package var remedy: String

  package init(
    model: String, input: String, instance: String, extents: [Extent], hasFrames: Bool, remedy: String
  ) {
    self.model = model
    self.input = input
    self.instance = instance
    self.extents = extents
    self.hasFrames = hasFrames
    self.remedy = remedy
  }

  /// The shape in messages, such as `[channels, frames]`.
  private var shape: String {
    let axes = extents.map { extent in
      switch extent {
      case .number(let number): String(number)
      case .symbol(let name): name
      }
    }
    return "[\((axes + (hasFrames ? ["frames"] : [])).joined(separator: ", "))]"
  }

  /// The fixed extents that a given shape becomes, with symbols bound to what it says of them.
  ///
  /// - Parameter symbols: what the names of the instance stand for so far.
  func fit(_ given: Shape, _ symbols: inout [String: Int]) throws(TypingError) -> [Int] {
    guard (given.frames == nil) == !hasFrames, given.frames?.hop ?? 1 == 1 else { throw misfit(given) }
    var fixed = given.fixed[...]
    while fixed.count > extents.count, fixed.first == 1 { fixed.removeFirst() }
    guard fixed.count <= extents.count else { throw misfit(given) }
    let aligned = Array(repeating: 1, count: extents.count - fixed.count) + fixed
    var result: [Int] = []
    for (extent, found) in zip(extents, aligned) {
      switch extent {
      case .number(let number):
        guard found == number || found == 1 else { throw misfit(given) }
        result.append(number)
      case .symbol(let name):
        let known = symbols[name] ?? found
        guard known == found else {
          throw TypingError(
            "\(quoted(model)) takes \(quoted(input)) as \(shape), this is \(given), and "
              + "\(quoted(name)) is \(known) by another input; make them alike: broadcast(x, shape: [\(max(known, found))])"
          )
        }
        symbols[name] = found
        result.append(found)
      }
    }
    return result
  }

  private func misfit(_ given: Shape) -> TypingError {
    TypingError("\(quoted(model)) takes \(quoted(input)) as \(shape), this is \(given); \(remedy)")
  }
}

extension GraphAssembler {
  /// A value under other fixed extents: superfluous leading 1s are dropped, then it is broadcast.
  mutating func stretched(_ value: ValueID, to extents: [Int]) throws(TypingError) -> ValueID {
    guard var shape = shape(of: value), shape.fixed != extents else { return value }
    var result = value
    if shape.fixed.count > extents.count {
      shape.fixed.removeFirst(shape.fixed.count - extents.count)
      result = try apply(.reshape(shape.fixed), result)
    }
    return shape.fixed == extents ? result : try apply(.broadcast(extents), result)
  }
}
