// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Recurrent layers over sequences: those of the language, with gates in another order.
extension ONNXOperator {
  static let recurrence: [String: ONNXOperator] = [
    "RNN": .init { call throws(ONNXError) in
      try call.recurrent(Recurrence("rnn", activations: ["Tanh"], gates: [0]))
    },
    // ONNX has z, r, n; PyTorch r, z, n.
    "GRU": .init { call throws(ONNXError) in
      try call.recurrent(Recurrence("gru", activations: ["Sigmoid", "Tanh"], gates: [1, 0, 2]))
    },
    "LSTM": .init { call throws(ONNXError) in try call.recurrent(.lstm) },
  ]
}

/// What differs between the recurrent layers.
struct Recurrence {
  let function: String
  /// The functions that the language's layer has.
  let activations: [String]
  /// The place in ONNX's order of each of the layer's gates.
  let gates: [Int]

  init(_ function: String, activations: [String], gates: [Int]) {
    (self.function, self.activations, self.gates) = (function, activations, gates)
  }

  /// ONNX has i, o, f, c; PyTorch i, f, c, o.
  static let lstm = Recurrence("lstm", activations: ["Sigmoid", "Tanh", "Tanh"], gates: [0, 2, 3, 1])
}

extension ONNXCall {
  /// The outputs Y `[positions, directions, batch, units]`, Y_h and Y_c `[directions, batch, units]`; where `layout` is 1, the
  /// batch comes first.
  func recurrent(_ kind: Recurrence) throws(ONNXError) -> [ONNXValue] {
    let isBatchFirst = try attributes.integer("layout", 0) == 1
    func turned(_ value: ONNXValue, _ order: [Int]) throws(ONNXError) -> ONNXValue {
      isBatchFirst ? try transpose(value, order) : value
    }
    let input = try operand(0)
    guard input.rank == 3 else { throw ONNXError("it takes an input of 3 axes, not \(input.shape)") }
    let x = try line("sequence", try turned(input, [1, 0, 2]))
    let (positions, batch) = (x.shape[0], x.shape[1])
    let directions: [Bool]
    switch try attributes.text("direction", "forward") {
    case "forward": directions = [false]
    case "reverse": directions = [true]
    case "bidirectional": directions = [false, true]
    case let other: throw ONNXError("the direction \(quoted(other)) is not known")
    }
    let extra = try extras(kind, directions.count)
    let lengths = try self.lengths(positions, batch)
    let weight = try operand(1)
    let gates = kind.gates.count
    guard weight.rank == 3, weight.shape[0] == directions.count, weight.shape[1].isMultiple(of: gates),
      weight.shape[2] == x.shape[2]
    else { throw ONNXError("a weight \(weight.shape) does not fit \(x.shape)") }
    let units = weight.shape[1] / gates
    if let stated = try attributes.integer("hidden_size"), stated != units {
      throw ONNXError("the attribute 'hidden_size' is \(stated), and the weight has \(units)")
    }
    let state = [directions.count, batch, units]
    let isCellWanted = kind.function == "lstm" && wants(2)
    // What each direction makes at each position, and comes to in the end.
    var (all, ends): ([ONNXValue], [ONNXValue]) = ([], [])
    for (row, isBackward) in directions.enumerated() {
      func part(_ index: Int, _ shape: [Int]) throws(ONNXError) -> ONNXValue? {
        guard let value = optional(index) else { return nil }
        guard value.shape == [directions.count] + shape else {
          throw ONNXError("input \(index + 1) is \(value.shape), and should be \([directions.count] + shape)")
        }
        return try reshape(try slice(value, axis: 0, start: row, count: 1), shape)
      }
      /// The gates of an array in the layer's order.
      func ordered(_ value: ONNXValue) throws(ONNXError) -> ONNXValue {
        if kind.gates == [0] { return value }
        if value.constant != nil {
          return try take(value, axis: 0, kind.gates.flatMap { Array($0 * units..<($0 + 1) * units) })
        }
        let parts = try kind.gates.map { gate throws(ONNXError) in
          try slice(value, axis: 0, start: gate * units, count: units)
        }
        return try concatenate(parts, axis: 0)
      }
      func initial(_ index: Int) throws(ONNXError) -> ONNXValue? {
        guard let value = optional(index) else { return nil }
        let whole = try turned(value, [1, 0, 2])
        guard whole.shape == state else {
          throw ONNXError("the initial state \(value.shape) is not one of \(state)")
        }
        return try reshape(try slice(whole, axis: 0, start: row, count: 1), [batch, units])
      }
      func operand(_ name: String, _ value: ONNXValue?) throws(ONNXError) -> String {
        guard let value else { return "" }
        let own = directions.count > 1 ? "\(name)_\(row)" : name
        guard var constant = value.constant else { return ", \(name): \(try text(try line(own, value)))" }
        constant.name = "\(wish).\(own)"
        return ", \(name): \(try text(ONNXValue(constant)))"
      }
      guard let own = try part(1, [gates * units, x.shape[2]]),
        let recurrent = try part(2, [gates * units, units])
      else { throw ONNXError("its weights are missing") }
      var sequence = x
      if isBackward, let lengths { sequence = try line("reversed", try reversed(x, lengths, time: 0)) }
      var arguments =
        try text(sequence) + operand("weight", ordered(own)) + operand("recurrent", ordered(recurrent))
      if let bias = try part(3, [2 * gates * units]) {
        let half = gates * units
        arguments += try operand("bias", ordered(try slice(bias, axis: 0, start: 0, count: half)))
        arguments += try operand("recurrentBias", ordered(try slice(bias, axis: 0, start: half, count: half)))
      }
      arguments += try extra[row] + operand("initial", initial(5))
      if kind.function == "lstm" {
        arguments += try operand("initialCell", initial(6))
        // ONNX has i, o, f; the layer i, f, o.
        if let peepholes = try part(7, [3 * units]) {
          let parts = try [0, 2, 1].map { gate throws(ONNXError) in
            try slice(peepholes, axis: 0, start: gate * units, count: units)
          }
          arguments += try operand("peepholes", try concatenate(parts, axis: 0))
        }
      }
      arguments +=
        ", axis: 2, along: 'positions'" + (isBackward && lengths == nil ? ", direction: 'backward'" : "")
      if isCellWanted { arguments += ", result: 'both'" }
      let width = isCellWanted ? 2 * units : units
      let value = try line(
        isBackward ? "backward" : "forward",
        .expression("\(kind.function)(\(arguments))", x.element, [positions, batch, width]))
      if let lengths {
        ends.append(try lastRows(of: value, lengths))
        let kept = try zeroed(value, from: lengths)
        all.append(try line("kept", isBackward ? try reversed(kept, lengths, time: 0) : kept))
      } else {
        ends.append(try slice(value, axis: 0, start: isBackward ? 0 : positions - 1, count: 1))
        all.append(value)
      }
    }
    let rows = try all.map { value throws(ONNXError) in
      try reshape(try slice(value, axis: 2, start: 0, count: units), [positions, 1, batch, units])
    }
    let last = try concatenate(ends, axis: 0)
    let results = [
      try turned(try concatenate(rows, axis: 1), [2, 0, 1, 3]),
      try turned(try slice(last, axis: 2, start: 0, count: units), [1, 0, 2]),
    ]
    guard isCellWanted else { return results }
    return results + [try turned(try slice(last, axis: 2, start: units, count: units), [1, 0, 2])]
  }

  /// How long each sequence of the batch is; nil where all are as long as the input.
  private func lengths(_ positions: Int, _ batch: Int) throws(ONNXError) -> ONNXValue? {
    guard let lengths = optional(4) else { return nil }
    guard lengths.shape == [batch] else {
      throw ONNXError("there are lengths \(lengths.shape) for a batch of \(batch)")
    }
    guard let known = lengths.constant?.integers else { return lengths }
    guard known.allSatisfy({ $0 >= 1 && $0 <= positions }) else {
      throw ONNXError("the lengths \(known.prefix(8)) do not lie between 1 and \(positions)")
    }
    return known.allSatisfy { $0 == positions } ? nil : lengths
  }

  /// Zeros behind the end of each sequence.
  private func zeroed(_ x: ONNXValue, from lengths: ONNXValue) throws(ONNXError) -> ONNXValue {
    let time = try text(try positions(x.shape[0], axis: 0, rank: 3))
    let count = try text(try reshape(lengths, [1, x.shape[1], 1]))
    return .expression("select(\(time) < \(count), \(try text(x)), 0)", x.element, x.shape)
  }

  /// The rows at the end of each sequence, zeros where it has no positions: [1, batch, width].
  private func lastRows(of x: ONNXValue, _ lengths: ONNXValue) throws(ONNXError) -> ONNXValue {
    let (batch, width) = (x.shape[1], x.shape[2])
    let place = ONNXElementwise(
      2, { "max(\($0[0]) - 1, 0) * \(batch) + \($0[1])" }, { max($0[0] - 1, 0) * Double(batch) + $0[1] })
    let index = try place.apply([lengths, ONNXValue(ONNXConstant(Array(0..<batch)))], self)
    let rows = try reshape(x, [x.shape[0] * batch, width])
    let ends = try reshape(try self.rows(index, of: rows), [1, batch, width])
    // Those that are known were looked at.
    guard lengths.constant == nil else { return ends }
    let count = try text(try reshape(lengths, [1, batch, 1]))
    return .expression("select(\(count) > 0, \(try text(ends)), 0)", x.element, ends.shape)
  }

  /// What else a layer is told, for each direction; what the language's has no words for is refused.
  private func extras(_ kind: Recurrence, _ directions: Int) throws(ONNXError) -> [String] {
    if attributes.has("clip") { throw ONNXError("the attribute 'clip' is not known") }
    if try attributes.flag("input_forget") { throw ONNXError("the attribute 'input_forget' is not known") }
    let count = kind.activations.count
    let names = try attributes.texts("activations") ?? (0..<directions).flatMap { _ in kind.activations }
    guard names.count == count * directions else {
      throw ONNXError("it has \(names.count) activations, and should have \(count * directions)")
    }
    let resetsAfter = try attributes.flag("linear_before_reset")
    return try (0..<directions).map { row throws(ONNXError) in
      let own = Array(names[row * count..<(row + 1) * count]).map { $0.lowercased() }
      switch kind.function {
      case "rnn" where own == ["relu"]: return ", activation: 'relu'"
      case _ where own != kind.activations.map { $0.lowercased() }:
        throw ONNXError("the activations \(own.joined(separator: ", ")) are not known here")
      case "gru": return resetsAfter ? "" : ", reset: 'before'"
      default: return ""
      }
    }
  }
}
