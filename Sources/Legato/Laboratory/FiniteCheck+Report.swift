// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore

/// Reports on numbers that are not finite.
extension FiniteCheck {
  /// The report on a number of a shown value.
  func report(_ index: Int, _ element: Int, _ frame: Int, _ block: ShownBlock) -> NonFiniteNumber {
    let graph = everything.declared
    let value = everything.values[index]
    let meant = meaning(of: value)
    let node = graph.definition(of: value)
    let shape = graph.shape(of: value)
    // The operands are called as they were written; the numbers are those that waited for it.
    let asWritten = everything.source.definition(of: meant).operands
    var seen: Set<ValueID> = []
    let operands = zip(node.operands, asWritten).filter { seen.insert($1).inserted }.compactMap { pair in
      let (operand, name) = pair
      return everything.values.firstIndex(of: operand).map { row in
        let elements =
          node.op.isElementwise
          ? [shape.element(element, in: graph.shape(of: operand))] : Array(0..<counts[row])
        let numbers = elements.map { block[row, $0, frame] }
        return NonFiniteNumber.Operand(
          expression: wording.text(of: name), lowest: numbers.min() ?? 0, highest: numbers.max() ?? 0)
      }
    }
    let late = everything.latencies[Int(value.index)]
    let shown = Set(graph.outputs.map(\.value))
    let reaches = everything.values.indices.contains { row in
      shown.contains(everything.values[row])
        && (0..<counts[row]).contains { !block[row, $0, frame].isFinite }
    }
    // Outputs with latency show this frame later.
    let isShown = late == graph.latency - everything.source.latency
    let place = graph.origins.places[value]
    let port = node.op.inputPort
    let moment = position + frame - late
    return NonFiniteNumber(
      source: port == nil ? .function : .input, file: place?.file ?? file, line: place?.line,
      column: place?.column,
      name: everything.source.name(of: meant), expression: wording.definition(of: meant),
      function: everything.source.origins.functions[meant],
      position: shape.position(of: element), inputRow: port.map { inputRow($0, element) },
      frame: moment, seconds: seconds(moment),
      number: block[index, element, frame], operands: operands, reachesOutput: isShown ? reaches : nil)
  }

  /// The value of the graph as it was given whose numbers a shown value holds.
  private func meaning(of value: ValueID) -> ValueID {
    guard let meaning = everything.meanings[Int(value.index)] else {
      preconditionFailure("what only tells when something begins is finite")
    }
    return meaning
  }

  /// The report on a non-finite number in the outputs of the optimised program only.
  func optimizationFault(at frame: Int) -> NonFiniteNumber {
    let ports = everything.declared.outputs
    let shapes = ports.map { everything.declared.shape(of: $0.value) }
    let counts = shapes.map(\.count)
    let block = ShownBlock(
      program: optimized, firstRows: counts.runningSums, counts: counts, isStream: isStream)
    for port in ports.indices {
      if let element = (0..<counts[port]).first(where: { !block[port, $0, frame].isFinite }) {
        let value = ports[port].value
        let place = everything.declared.origins.places[value]
        let moment = position + frame - optimized.layout.latency
        return NonFiniteNumber(
          source: .optimization, file: place?.file ?? file, line: place?.line, column: place?.column,
          name: ports[port].name,
          expression: wording.definition(of: meaning(of: value)), function: nil,
          position: shapes[port].position(of: element),
          inputRow: nil,
          frame: moment, seconds: seconds(moment), number: block[port, element, frame],
          operands: [], reachesOutput: true)
      }
    }
    preconditionFailure("a number that is not finite belongs to no output")
  }

  private func inputRow(_ port: Int, _ element: Int) -> Int {
    let ports = optimized.layout.inputs
    return ports[..<port].reduce(0) { $0 + $1.rows } + (isStream ? element : 0)
  }

  private func seconds(_ frame: Int) -> Double? {
    isStream ? Double(frame) / everything.declared.sampleRate : nil
  }
}

extension Shape {
  /// The position of a number along the fixed axes.
  fileprivate func position(of element: Int) -> [Int] {
    var rest = element
    let reversed = fixed.reversed().map { extent in
      defer { rest /= extent }
      return rest % extent
    }
    return reversed.reversed()
  }

  /// The number of an operand that meets a number of this shape, which the operand was broadcast to.
  fileprivate func element(_ element: Int, in operand: Shape) -> Int {
    let position = position(of: element).suffix(operand.fixed.count)
    return zip(position, operand.fixed).reduce(0) { sum, axis in
      sum * axis.1 + (axis.1 == 1 ? 0 : axis.0)
    }
  }
}

extension Op {
  /// The number of the input that it is; nil for anything else.
  fileprivate var inputPort: Int? {
    if case .input(let port) = given { port } else { nil }
  }
}
