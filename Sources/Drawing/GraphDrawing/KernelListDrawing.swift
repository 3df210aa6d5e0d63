// SPDX-License-Identifier: Apache-2.0

internal import BoxLayout
internal import GraphIR
internal import GraphPlanning

/// Kernels in the order in which they run, with the places through which they hand values over.
///
/// A read before the write in that order is of an earlier frame: its edge leads back. Within a cycle, places that
/// kernels outside use are signs at the border.
struct KernelListDrawing {
  private let drawing: CompiledDrawing
  private let entries: [KernelEntry]
  /// Of a cycle: the places that what is outside uses, too.
  private let border: Set<Location>?
  private var result = Diagram()
  private(set) var pins = KernelPins()

  /// The box of each place that holds what it holds now, and whether that has been read.
  private var places: [Location: (box: Int, wasRead: Bool)] = [:]
  /// The last kernel that writes each place.
  private var lastWrites: [Location: Int] = [:]
  private var reads: Set<Location> = []
  /// The numbers of the boxes of kernels.
  private var boxes: [Int] = []

  init(_ drawing: CompiledDrawing, _ entries: [KernelEntry], border: Set<Location>? = nil) {
    self.drawing = drawing
    self.entries = entries
    self.border = border
    for (index, entry) in entries.enumerated() {
      let accesses = entry.kernel.accesses
      for write in accesses.writes { lastWrites[write.location] = index }
      reads.formUnion(accesses.reads.map(\.location))
    }
  }

  mutating func diagram() -> Diagram {
    if border == nil {
      for index in drawing.plan.graph.inputs.indices { _ = place(.input(index)) }
    }
    for (index, entry) in entries.enumerated() {
      let (box, pins) = drawing.box(entry)
      let number = result.add(box)
      boxes.append(number)
      for (location, pin) in pins.reads { read(location, by: index, pin) }
      for (location, pin) in pins.writes { write(location, by: index, pin) }
    }
    if border == nil { connectSettledValues() }
    return result
  }

  private mutating func place(_ location: Location) -> Int {
    if let known = places[location] { return known.box }
    let number = result.add(isAtBorder(location) ? sign(location) : drawing.box(of: location))
    places[location] = (number, false)
    return number
  }

  /// Whether the place is shown outside the cycle that is drawn.
  private func isAtBorder(_ location: Location) -> Bool { border?.contains(location) ?? false }

  private func sign(_ location: Location) -> Diagram.Box {
    let row: LayeredGraph.Row =
      lastWrites[location] == nil ? .first : reads.contains(location) ? .any : .last
    return Diagram.Box(sign: location.kind, drawing.name(of: location), row: row)
  }

  private mutating func read(_ location: Location, by entry: Int, _ pin: Int) {
    let source = place(location)
    places[location]!.wasRead = true
    // What the cycle writes itself does not come from outside.
    if isAtBorder(location), lastWrites[location] == nil { note(&pins.reads, location, source) }
    let isLater = lastWrites[location].map { $0 >= entry } ?? false
    result.connect(
      Diagram.Edge(source, boxes[entry], targetPin: pin, leadsBack: isLater && !isVersioned(location)))
  }

  private mutating func write(_ location: Location, by entry: Int, _ pin: Int) {
    if isVersioned(location), let present = places[location], present.wasRead { places[location] = nil }
    let target = place(location)
    if isAtBorder(location) { note(&pins.writes, location, target) }
    result.connect(Diagram.Edge(boxes[entry], target, sourcePin: pin))
  }

  private func note(_ list: inout [(location: Location, pin: Int)], _ location: Location, _ pin: Int) {
    if !list.contains(where: { $0.location == location && $0.pin == pin }) { list.append((location, pin)) }
  }

  /// Whether what the place held is forgotten when it is written again.
  private func isVersioned(_ location: Location) -> Bool {
    guard case .buffer(let id) = location else { return false }
    return drawing.plan.kernelGraph.buffers[id.index].lifetime == .tile
  }

  /// While no ramp moves, what the settling kernel has computed stands for nodes of other kernels.
  private mutating func connectSettledValues() {
    let graph = drawing.plan.kernelGraph
    for (value, buffer) in graph.settledValues.sorted(by: { $0.key < $1.key }) {
      guard let place = places[.buffer(buffer)] else { continue }
      let node = graph.graph[value].definition
      for (index, entry) in entries.enumerated()
      where entry.kernel.nodes.contains(node) && lastWrites[.buffer(buffer)] != index {
        result.connect(Diagram.Edge(place.box, boxes[index]))
      }
    }
  }
}
