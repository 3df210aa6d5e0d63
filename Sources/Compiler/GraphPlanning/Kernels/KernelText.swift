// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The text of kernels: loops with a letter each, and the index of each number in its place.
///
///     map over i: 2 × frames
///       load src from input src[i]
///       v1 = tanh(src)
///       store v1 to buffer 0[3 + i]
///
/// The axis of frames has no letter: all rows of frames are walked along together.
package struct KernelText {
  private let kernels: KernelGraph
  private var graph: Graph { kernels.graph }

  package init(_ kernels: KernelGraph) { self.kernels = kernels }

  package func lines(_ kernel: Kernel) -> [String] {
    switch kernel {
    case .map(let map):
      let loops = Loops(map.space)
      return ["\(map.isTurn ? "turn" : "map") over \(text(loops.extents, loops.inner, Self.loopLetter))"]
        + lines(of: map, loops).map { "  " + $0 }
    case .fold(let fold):
      let (outer, all) = (Loops(fold.space), Loops(fold.space, reduced: fold.reduced))
      let places = fold.operands.map { place($0, all, fold.reduced.count) }
      let ways = [text(fold.tile), fold.fetchesAhead ? "  fetch the next panel" : nil]
      return [
        "fold over \(text(outer.extents, outer.inner, Self.loopLetter)), "
          + "reducing \(text(fold.reduced, nil, Self.reducedLetter))",
        "  \(node(fold.node)) from \(places.joined(separator: ", "))",
      ] + ways.compactMap(\.self) + lines(of: fold.epilogue, outer).map { "  " + $0 }
    case .sample(let sample):
      let loops = Loops(Space(extents: [], inner: .frames))
      return [
        "sample", "  \(node(sample.node)) from \(place(sample.source, loops))",
        "  hold in buffer \(sample.held.index)",
      ] + [sample.result].compactMap(\.self).map { "  store to \(place($0, loops))" }
    case .cycle(let cycle):
      return [cycle.title] + cycle.kernels.flatMap(lines).map { "  " + $0 }
    }
  }

  private func lines(of map: MapKernel, _ loops: Loops) -> [String] {
    map.loads.sorted { $0.key < $1.key }.map { "load \(name($0.key)) from \(place($0.value, loops))" }
      + map.nodes.map(node)
      + map.stores.map { "store \($0.value.map(name) ?? "0") to \(place($0.access, loops))" }
  }

  /// nil for a tile of one vector.
  private func text(_ tile: FoldTile) -> String? {
    guard tile != .single else { return nil }
    let vectors = "\(tile.vectors) vector\(tile.vectors == 1 ? "" : "s")"
    guard let axis = tile.rowAxis, tile.rowCount > 1 else {
      return tile.isAlongTerms ? "  along the terms" : "  tile of \(vectors)"
    }
    let way = tile.isAlongTerms ? "along the terms" : vectors
    let ofLines = tile.lineAxis.map { "\(tile.lines) lines along \(Self.loopLetter($0)) of " } ?? ""
    return "  tile of \(ofLines)\(tile.rows) rows along \(Self.loopLetter(axis)), \(way)"
  }

  private func node(_ id: NodeID) -> String {
    let node = graph[id]
    return "\(name(node.result)) = \(node.op.shortName)(\(node.operands.map(name).joined(separator: ", ")))"
  }

  package func name(_ value: ValueID) -> String {
    switch graph.definition(of: value).op.given {
    case .weights(let id): "\"\(graph[id].name)\""
    case .literal(let number): "\(number)"
    case .input, .parameter, nil: graph.name(of: value) ?? "%\(value.index)"
    }
  }

  // MARK: Loops

  /// i to q, then i1, i2 and so on: kernels may have more loops than graphs have axes.
  private static func loopLetter(_ loop: Int) -> String { letter(loop, of: Array("ijklmnopq")) }

  private static func reducedLetter(_ loop: Int) -> String { letter(loop, of: Array("rstu")) }

  private static func letter(_ loop: Int, of letters: [Character]) -> String {
    loop < letters.count ? "\(letters[loop])" : "\(letters[0])\(loop - letters.count + 1)"
  }

  /// Loops of more than one round, with their letters.
  private func text(_ extents: [Int], _ inner: Space.Inner?, _ letter: (Int) -> String) -> String {
    var all = extents
    if case .count(let count) = inner { all.append(count) }
    var parts = all.enumerated().filter { $0.element > 1 }.map { "\(letter($0.offset)): \($0.element)" }
    if inner == .frames { parts.append("frames") }
    return parts.isEmpty ? "1" : parts.joined(separator: " × ")
  }

  /// - Parameter reduced: how many of the loops are those of reduced axes.
  private func place(_ access: Access, _ loops: Loops, _ reduced: Int = 0) -> String {
    let outer = loops.extents.count - reduced
    var letters = (0..<outer).map(Self.loopLetter) + (0..<reduced).map(Self.reducedLetter)
    var terms = Array(zip(access.strides, loops.extents))
    if case .count(let count) = loops.inner {
      letters.append(Self.loopLetter(outer))
      terms.append((access.innerStride, count))
    }
    func sum(_ offset: Int, _ strides: [Int]) -> String {
      var text = ""
      for (letter, (stride, term)) in zip(letters, zip(strides, terms)) where stride != 0 && term.1 > 1 {
        let factor = stride.magnitude == 1 ? "" : "\(stride.magnitude)"
        text += text.isEmpty ? (stride < 0 ? "-" : "") : (stride < 0 ? " - " : " + ")
        text += factor + letter
      }
      if offset != 0 || text.isEmpty { text = text.isEmpty ? "\(offset)" : "\(offset) + \(text)" }
      return text.replacing("+ -", with: "- ")
    }
    func place(_ name: String, _ count: Int, offset: Int = 0) -> String {
      guard count > 1 else { return name }
      let walk = sum(access.offset + offset, terms.map(\.0))
      guard let index = access.index, case .positions(let count, let stride) = index.reach else {
        return "\(name)[\(walk)]"
      }
      let further = "\(stride == 1 ? "" : "\(stride)")(\(self.name(index.value)))"
      return "\(name)[\(walk) + \(further)], \(count) positions"
    }
    switch access.location {
    case .input(let index):
      return place("input \(graph.inputs[index].name)", graph.inputs[index].type.shape.count)
    case .output(let index):
      let output = graph.outputs[index]
      return place("output \(output.name)", graph.shape(of: output.value).count)
    case .buffer(let id): return place("buffer \(id.index)", kernels.buffers[id.index].extent.count)
    case .weights(let offset): return place("weights", kernels.weights.count, offset: offset)
    case .parameter(let index): return "parameter \(graph.parameters[index].name)"
    case .history(let id):
      let delays = access.delayStrides + (terms.count > access.delayStrides.count ? [0] : [])
      let back = sum(access.delay, delays)
      let place = place("history \(id.index)", kernels.histories[id.index].width)
      if let index = access.index, case .frames(let tap) = index.reach {
        let range = "\(tap.minimum) to \(tap.maximum)"
        return "\(place), \(name(index.value)) back, \(range), \(tap.interpolation.rawValue)"
      }
      return back == "0" ? place : "\(place), \(back) back"
    }
  }
}

extension KernelGraph: CustomStringConvertible {
  package var description: String {
    let text = KernelText(self)
    func list(_ title: String, _ kernels: [Kernel]) -> [String] {
      guard !kernels.isEmpty else { return [] }
      return [title]
        + kernels.enumerated().flatMap { index, kernel in
          text.lines(kernel).enumerated().map { row, line in
            row == 0 ? "  \(index): \(line)" : "     \(line)"
          }
        }
    }
    let lines =
      list("when a stepped parameter has changed", blockKernels)
      + list("when the last ramp has landed", settlingKernels)
      + list(graph.clock == .stream ? "for each tile" : "for each step", kernels)
    return lines.joined(separator: "\n") + "\n"
  }
}
