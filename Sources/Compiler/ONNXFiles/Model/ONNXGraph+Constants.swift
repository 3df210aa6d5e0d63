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
    for port in givenInputs {
      // The file's name or that of expressions, where no axis is called so: a number of the file's is the input all the same.
      let known = [port.name] + (names[port.name].map { [$0] } ?? [])
      let own = known.filter { !axes.contains($0) || ($0 == port.name && port.isSingleNumber) }
      guard let name = own.first(where: { numbers[$0] != nil }), let number = numbers[name] else { continue }
      fixed.insert(name)
      constants[port.name] = try port.constant([1], [Double(number)], areFloats: false)
    }
    let ports = givenInputs
    for (name, array) in arrays.sorted(by: { $0.key < $1.key }) {
      let own = ports.first { $0.name == name } ?? ports.first { names[$0.name] == name }
      guard let port = own else {
        let list =
          ports.isEmpty ? "it has none" : "it has \(alternatives(ports.map { quoted($0.name) }, "and"))"
        throw ONNXError("no input is called \(quoted(name)), in whose place numbers could stand; \(list)")
      }
      let numbers = array.numbers.map { Double($0) }
      constants[port.name] = try port.constant(array.shape, numbers, areFloats: true)
    }
    return fixed
  }
}

extension ONNXPort {
  /// Whether it is one number, such as a rate that decides between branches.
  var isSingleNumber: Bool {
    element != nil && element?.kind != .unknown && shape?.allSatisfy { $0 == .number(1) } == true
  }

  /// Numbers in place of the input; a single one fits wherever one does.
  ///
  /// - Parameter areFloats: whether integers have come as floats, which hold those up to 2^24.
  fileprivate func constant(
    _ given: [Int], _ numbers: [Double], areFloats: Bool
  ) throws(ONNXError) -> ONNXConstant {
    let what = "the input \(quoted(name))"
    guard let element, element.kind != .unknown else { throw ONNXError("\(what) is no tensor of numbers") }
    let extents = isSingleNumber && numbers.count == 1 ? shape?.map { _ in 1 } ?? given : given
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
    case .integer: break
    }
    var integers: [Int64] = []
    for number in numbers { integers.append(try integer(number, element, areFloats: areFloats, what)) }
    return ONNXConstant(element, extents, .integers(integers))
  }

  /// The largest and the least of 32 and 64 bits as floats have them: they stand for no bound.
  private static let bounds: Set<Double> = [0x1p31, -0x1p31, 0x1p32, 0x1p63, -0x1p63, 0x1p64]

  private func integer(
    _ number: Double, _ element: ONNXElement, areFloats: Bool, _ what: String
  ) throws(ONNXError) -> Int64 {
    guard number.rounded() == number else {
      throw ONNXError("\(what) takes whole numbers, and \(number) is none")
    }
    let isBound = areFloats && element.smallRange == nil && Self.bounds.contains(number)
    if areFloats, abs(number) > 0x1p24, !isBound {
      throw ONNXError("\(what) takes whole numbers up to 16777216, which floats hold, and not \(number)")
    }
    guard let range = element.range else { return Int64(clamping: number) }
    let whole = Int(Int64(clamping: number))
    guard range.contains(whole) || isBound else {
      throw ONNXError(
        "\(what) is said to be \(whole); it takes \(range.lowerBound) to \(range.upperBound)")
    }
    return Int64(min(max(whole, range.lowerBound), range.upperBound))
  }
}
