// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import TensorFiles

/// Numbers in place of inputs: what shapes, positions and branches depend on has to be known while a model is translated.
extension ONNXGraph {
  /// Puts numbers in place of inputs.
  ///
  /// - Parameters:
  ///   - numbers: numbers by names, those of axes among them.
  ///   - arrays: each for an input.
  /// - Returns: the names in `numbers` that are those of inputs.
  mutating func fix(
    _ numbers: [String: Int], _ arrays: [String: FloatArray]
  ) throws(ONNXError) -> Set<String> {
    let (names, axes) = (writtenNames, Set(givenInputs.flatMap(\.symbols)))
    var fixed: Set<String> = []
    for port in singleIntegers {
      // The file's name or, where no axis is called so, that of expressions.
      let known = [port.name] + (names[port.name].map { axes.contains($0) ? [] : [$0] } ?? [])
      guard let name = known.first(where: { numbers[$0] != nil }), let number = numbers[name] else {
        continue
      }
      fixed.insert(name)
      constants[port.name] = try port.constant(
        Array(repeating: 1, count: port.shape?.count ?? 0), [Double(number)])
    }
    let ports = givenInputs
    for (name, array) in arrays.sorted(by: { $0.key < $1.key }) {
      let own = ports.first { $0.name == name } ?? ports.first { names[$0.name] == name }
      guard let port = own else {
        let list =
          ports.isEmpty ? "it has none" : "it has \(alternatives(ports.map { quoted($0.name) }, "and"))"
        throw ONNXError("no input is called \(quoted(name)), in whose place numbers could stand; \(list)")
      }
      constants[port.name] = try port.constant(array.shape, array.numbers.map { Double($0) })
    }
    return fixed
  }

  /// The inputs of one integer, such as a rate that decides between branches.
  private var singleIntegers: [ONNXPort] { givenInputs.filter(\.isSingleInteger) }
}

extension ONNXPort {
  var isSingleInteger: Bool {
    element?.kind == .integer && shape?.allSatisfy { $0 == .number(1) } == true
  }

  /// Numbers in place of the input.
  fileprivate func constant(_ extents: [Int], _ numbers: [Double]) throws(ONNXError) -> ONNXConstant {
    let what = "the input \(quoted(name))"
    guard let element, element.kind != .unknown else { throw ONNXError("\(what) is no tensor of numbers") }
    if let shape {
      let fits =
        shape.count == extents.count
        && zip(shape, extents).allSatisfy { axis, extent in
          if case .number(let number) = axis { number == extent } else { true }
        }
      guard fits else {
        let axes = shape.map { axis in
          switch axis {
          case .number(let number): "\(number)"
          case .symbol(let name): printable(name)
          case .unknown: "?"
          }
        }
        throw ONNXError(
          "\(what) has the shape [\(axes.joined(separator: ", "))], and what stands in its place \(extents)")
      }
    }
    switch element.kind {
    case .floating, .unknown: return ONNXConstant(element, extents, .doubles(numbers.map(element.rounding)))
    case .truth: return ONNXConstant(element, extents, .integers(numbers.map { $0 != 0 ? 1 : 0 }))
    case .integer:
      guard let fraction = numbers.first(where: { $0.rounded() != $0 }) else { break }
      throw ONNXError("\(what) takes whole numbers, and \(fraction) is none")
    }
    if let range = element.range {
      let (least, most) = (Double(range.lowerBound), Double(range.upperBound))
      if let number = numbers.first(where: { $0 < least || $0 > most }) {
        throw ONNXError(
          "\(what) is said to be \(Int64(clamping: number)); it takes \(range.lowerBound) to \(range.upperBound)"
        )
      }
    }
    return ONNXConstant(element, extents, .integers(numbers.map { Int64(clamping: $0) }))
  }
}
