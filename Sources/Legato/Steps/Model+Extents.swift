// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles

extension Model {
  /// The extents of named axes that tensors of some shapes have.
  ///
  ///     inputs  x [time, 64], mask [time]
  ///     shapes  x [10, 64]                 ─▶  time 10
  ///             x [5, 10, 64]              ─▶  time 10: one more axis in front counts steps
  ///
  /// - Parameters:
  ///   - shapes: By the names of inputs; not all have to be there.
  ///   - known: Extents that are known beforehand; that of a batch may be among them.
  /// - Returns: What is known of `symbols` then; it may be less than all.
  /// - Throws: `RequestError` where a shape is no such input's, or two tensors say two things of one axis.
  public func extents(
    of shapes: [String: [Int]], known: [String: Int] = [:]
  ) throws(RequestError) -> [String: Int] {
    var known = known
    if known[Self.batchAxis] == batch { known[Self.batchAxis] = nil }
    let symbols = symbols
    let bound = composed.family.boundAxes
    if let name = known.keys.sorted().first(where: { !symbols.contains($0) && !bound.contains($0) }) {
      throw RequestError(no: "axis", called: name, among: symbols, none: "all axes have numbers")
    }
    let inputs = inputs
    if let name = shapes.keys.sorted().first(where: { name in !inputs.contains { $0.name == name } }) {
      throw RequestError(no: "input", called: name, among: inputs.map(\.name))
    }
    var extents = known
    var sources = known.mapValues { _ in "as is asked for" }
    for input in inputs {
      guard let shape = shapes[input.name] else { continue }
      let axes = shape.suffix(input.shape.count)
      func misfit() -> RequestError {
        RequestError("the input \(quoted(input.name)) takes \(input.axes), and is given \(shape)")
      }
      guard axes.count == input.shape.count, shape.count - axes.count <= 1 else { throw misfit() }
      for (axis, extent) in zip(input.shape, axes) {
        switch axis {
        case .number(let number):
          guard number == extent else { throw misfit() }
        case .symbol(let name) where symbols.contains(name):
          if let other = extents[name], other != extent {
            throw RequestError(
              "the axis \(quoted(name)) of the input \(quoted(input.name)) has \(extent), and \(other) \(sources[name] ?? "")"
            )
          }
          extents[name] = extent
          sources[name] = sources[name] ?? "by the input \(quoted(input.name))"
        // The model itself says it.
        case .symbol: break
        }
      }
    }
    return extents
  }
}
