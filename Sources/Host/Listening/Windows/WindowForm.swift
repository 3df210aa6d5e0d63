// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato

/// How the inputs of a model take a window of readings.
///
///     acc_x [50], acc_y [50]       50 readings of the columns acc_x and acc_y
///     x [50, 6], x [1, 6, 50]      50 readings of 6 columns: the longer axis is the window's, unless it is said
///     sound [25600]                25,600 readings of one column
///     x [6]                        windows of one reading of 6 columns, where that is said
public struct WindowForm: Hashable, Sendable {
  /// Readings in a window.
  public let window: Int
  /// The names of a reading's numbers, in order.
  public let columns: [String]
  /// Whether the model, or whoever asked, says the names; others are made of the input's.
  public let areNamed: Bool
  /// How many numbers each input has that is no reading, but what is remembered.
  package let states: [String: Int]
  /// The extents of named axes.
  let extents: [String: Int]
  private let inputs: [Input]
  /// Whether the numbers of a column stand side by side in the only input.
  private let isByColumn: Bool

  private static let mostColumns = 65_536

  private struct Input: Hashable {
    let name: String
    let shape: [Int]
  }

  /// - Parameters:
  ///   - model: Of steps.
  ///   - states: The inputs that are no readings.
  ///   - window: Readings in a window, where somebody says it.
  ///   - columns: The names of a reading's numbers, where somebody says them.
  ///   - extents: Numbers of named axes.
  /// - Throws: `RequestError` where the inputs cannot take such windows.
  init(
    _ model: Model, states: Set<String>, window asked: Int?, columns named: [String]?,
    extents: [String: Int]
  ) throws(RequestError) {
    let own = model.inputs.filter { !states.contains($0.name) }
    guard let first = own.first else {
      throw RequestError("\(quoted(model.name)) has no input for readings")
    }
    if let image = own.first(where: { $0.image != nil }) {
      throw RequestError(
        "the input \(quoted(image.name)) takes pictures, and no readings; legato run shows it some")
    }
    // Axes of 1, such as that of a batch, take nothing away.
    func axes(_ input: Model.Input) -> [Axis] {
      input.shape.map { Axis($0, extents) }.filter { $0.length != 1 }
    }
    func written(_ input: Model.Input) -> String {
      "\(quoted(input.name)) [\(input.shape.map(\.description).joined(separator: ", "))]"
    }
    let (places, length): (Places, Axis)
    if own.count == 1 {
      (places, length) = try Self.places(axes(first), asked, named) { written(first) }
    } else {
      let all = own.map(axes)
      guard all.allSatisfy({ $0.count <= 1 }), Set(all).count == 1 else {
        let shapes = alternatives(own.map(written), "and")
        throw RequestError(
          "several inputs are columns of one window, each [readings], and these are \(shapes); an input that an output gives back is a state, which \"states\" of \"listen\" names in the model's file"
        )
      }
      (places, length) = (.inputs, all[0].first ?? Axis(length: 1))
    }
    guard let window = length.length ?? asked else {
      let axis = quoted(length.name ?? "")
      throw RequestError(
        "nothing says how many readings a window has: the axis \(axis) has no number; \(RequestError.Name.window) N does"
      )
    }
    guard asked ?? window == window else {
      throw RequestError(
        "a window of \(asked ?? 0) readings does not fit \(written(first)), which takes \(window)")
    }
    var extents = extents
    if let name = length.name { extents[name] = window }
    self.window = window
    self.extents = extents
    if let open = model.symbols.first(where: { extents[$0] == nil }) {
      throw RequestError(
        "nothing says how long the axis \(quoted(open)) is; \(RequestError.Name.bind) \(open)=N does")
    }
    for input in model.inputs {
      let shape = Shape(input.shape.map { Axis($0, extents).length ?? window })
      if let flaw = shape.flaw { throw RequestError("the input \(quoted(input.name)) \(flaw)") }
    }
    self.states = Dictionary(
      uniqueKeysWithValues: model.inputs.filter { states.contains($0.name) }.map { input in
        (input.name, input.shape.reduce(1) { $0 * (Axis($1, extents).length ?? window) })
      })
    inputs = own.map { input in
      Input(name: input.name, shape: input.shape.map { Axis($0, extents).length ?? window })
    }
    let count: Int
    switch places {
    case .inputs: (count, isByColumn) = (own.count, true)
    case .columns(let columns, let isFirst): (count, isByColumn) = (columns, isFirst)
    }
    guard count <= Self.mostColumns else {
      throw RequestError("\(written(first)) has \(count) columns; a reading has \(Self.mostColumns) at most")
    }
    guard named?.count ?? count == count else {
      throw RequestError(
        "\(counted(named?.count ?? 0, "column")) \(named?.count == 1 ? "is" : "are") named, and the model takes \(count)"
      )
    }
    areNamed = named != nil || own.count > 1
    columns =
      named ?? (own.count > 1 || count == 1 ? own.map(\.name) : (0..<count).map { "\(first.name).\($0)" })
  }

  /// The form that a model's file says.
  ///
  /// - Parameters:
  ///   - model: Of steps.
  ///   - extents: Numbers of named axes.
  /// - Throws: `RequestError` where the inputs take no windows.
  public init(of model: Model, extents: [String: Int] = [:]) throws(RequestError) {
    let states = try Listener.pairs(of: model, model.listening?.states ?? [:]).map(\.input)
    try self.init(
      model, states: Set(states), window: model.listening?.window, columns: model.listening?.columns,
      extents: extents)
  }

  /// An axis, whose length may not be known yet.
  private struct Axis: Hashable {
    var name: String?
    var length: Int?

    init(length: Int?) { self.length = length }

    init(_ extent: Model.Extent, _ extents: [String: Int]) {
      switch extent {
      case .number(let number): length = number
      case .symbol(let symbol): (name, length) = (symbol, extents[symbol])
      }
    }
  }

  private enum Places {
    /// Each input is a column.
    case inputs
    /// The only input has so many, along its first axis or along its last one.
    case columns(Int, isFirst: Bool)
  }

  /// The places of columns in the only input, by its axes, and the window's axis.
  private static func places(
    _ axes: [Axis], _ window: Int?, _ named: [String]?, _ input: () -> String
  ) throws(RequestError) -> (Places, Axis) {
    switch axes.count {
    case 0: return (.columns(1, isFirst: true), Axis(length: 1))
    case 1:
      // One reading at a time, where that is said.
      if let count = axes[0].length, window == 1 || (window == nil && named?.count == count) {
        return (.columns(count, isFirst: true), Axis(length: 1))
      }
      return (.columns(1, isFirst: true), axes[0])
    case 2:
      func isWindow(_ axis: Axis, _ other: Axis) -> Bool {
        guard let length = axis.length, let rest = other.length else { return axis.length == nil }
        if length != rest, length == window || rest == window { return length == window }
        let count = named?.count
        if length != rest, length == count || rest == count { return rest == count }
        return length > rest
      }
      let isFirst = isWindow(axes[0], axes[1])
      let (length, columns) = isFirst ? (axes[0], axes[1]) : (axes[1], axes[0])
      guard let count = columns.length else {
        throw RequestError(
          "the axis \(quoted(columns.name ?? "")) of \(input()) has no number; \(RequestError.Name.bind) says it"
        )
      }
      return (.columns(count, isFirst: !isFirst), length)
    case _:
      throw RequestError("the input \(input()) has more axes than readings and their columns")
    }
  }

  /// "6 columns ('acc_x', 'acc_y', …)", for messages.
  package var columnsText: String {
    guard areNamed else { return counted(columns.count, "column") }
    let names = columns.prefix(8).map { quoted($0) }.joined(separator: ", ")
    return "\(counted(columns.count, "column")) (\(names)\(columns.count > 8 ? ", …" : ""))"
  }

  /// The tensors that a window is for the model, by the names of its inputs.
  ///
  /// - Parameter readings: the numbers of one reading, then those of the next.
  package func tensors(_ readings: ArraySlice<Float>) -> [String: Tensor] {
    let (start, count) = (readings.startIndex, columns.count)
    func column(_ index: Int) -> [Float] {
      (0..<window).map { readings[start + $0 * count + index] }
    }
    var tensors: [String: Tensor] = [:]
    for (index, input) in inputs.enumerated() {
      let numbers =
        inputs.count > 1
        ? column(index) : isByColumn && count > 1 ? (0..<count).flatMap(column) : Array(readings)
      // As many as the shape takes, as the initializer saw to.
      tensors[input.name] = try! Tensor(shape: input.shape, values: numbers)
    }
    return tensors
  }
}

extension RequestError.Name {
  /// The numbers of named axes.
  static let bind = RequestError.Name(rawValue: "bind")
  /// The readings that a model looks at together.
  static let window = RequestError.Name(rawValue: "window")
}
