// SPDX-License-Identifier: Apache-2.0

/// A table read between its entries: an axis of a value, at a position that may be a signal.
///
///     entries    0    1    2    3         position 2.25: three quarters of entry 2 and a quarter of entry 3
///                          └─┬──┘
///
/// A position counts entries: in a table of 2048, 2047 is the last one. `clamped` keeps it between the first entry and
/// the last one; what is no number is the first. `wrapped` lets the first entry follow the last one, so that a table is
/// one turn; what is no number stays none:
///
///     "wave": [0, 0.38, 0.71, 0.92, …]                         an array of weights
///     "dst": "lookup('wave', 2048 * phasor(440), edges: 'wrapped')"     a wavetable oscillator
///
/// `cubic` is the curve through two entries that has the slopes of their neighbours (Catmull and Rom 1974), as that of
/// a delay by a signal; at an edge that is clamped the last entry repeats. In place of the axis stand those of the
/// position, as `gather` has it.
extension Function {
  static let lookup = Function(
    name: "lookup", group: .shapes,
    slots: [
      .value("table"), .value("position"), .integer("axis", .integer(-1)),
      .choice("interpolation", Tap.Interpolation.allCases.map(\.rawValue)),
      .choice("edges", ["clamped", "wrapped"]),
    ],
    meaning:
      "a fixed axis of a table (the last one) read at a position, which counts entries, between entries interpolated; "
      + "beyond an edge the entry there, or wrapped the other end"
  ) { (graph, call) throws(TypingError) in
    let (table, position) = (call.value("table"), call.value("position"))
    let axis = try graph.axis(call.integer("axis"), of: table)
    let interpolation = Tap.Interpolation(rawValue: call.choice("interpolation"))!
    guard let shape = graph.shape(of: table), let places = graph.shape(of: position) else {
      return try graph.apply(.gather(axis: axis), table, position)
    }
    let count = Formula(Double(shape.fixed[axis]))
    let isWrapped = call.choice("edges") == "wrapped"
    let kept = isWrapped ? Formula(position) : .min(.max(Formula(position), 0), count - 1)
    let whole = Formula(.unary(.floor), kept)
    func entry(_ distance: Double) -> Formula {
      let place = distance == 0 ? whole : whole + Formula(distance)
      return Formula(
        .gather(axis: axis), Formula(table), isWrapped ? Formula(.binary(.modulo), place, count) : place)
    }
    // It stands beside the axes behind that of the table.
    let behind = [Int](repeating: 1, count: shape.fixed.count - axis - 1)
    let share = behind.isEmpty ? kept - whole : Formula(.reshape(places.fixed + behind), kept - whole)
    return try interpolation.curve(share, entry).value(in: &graph)
  }
}

extension Tap.Interpolation {
  /// The number at a share of the way from a number to the next one.
  ///
  /// - Parameter number: The numbers: 0 and 1 those on either side, -1 and 2 their neighbours.
  fileprivate func curve(_ share: Formula, _ number: (Double) -> Formula) -> Formula {
    let a = number(0)
    switch self {
    case .none: return a
    case .linear: return share * (number(1) - a) + a
    case .cubic:
      let (b, before, behind) = (number(1), number(-1), number(2))
      let first = (b - before) * 0.5
      let second = before - 2.5 * a + 2 * b - 0.5 * behind
      let third = (behind - before) * 0.5 + 1.5 * (a - b)
      return share * (share * (share * third + second) + first) + a
    }
  }
}
