// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Gives what kernels of a cycle along an axis hand on, within a position or to the next one, room for one position.
  ///
  ///     cycle, 4800 positions one by one            buffer 0 [4800, 64]   →   buffer 0 [64]
  ///       buffer 0 ← x + dense(buffer 1, a position before)      buffer 1 [4801, 16]   →   buffer 1 [16]
  ///       buffer 1 ← tanh(buffer 0)
  ///
  /// It stays in the first cache instead of going through memory. Legal because nothing outside of the cycle reads the
  /// buffer, and because in each position all is written at the position's own places: before any of it is read, and when
  /// all that the position before left has been read.
  static let positionReuse = KernelPass(
    name: "position-reuse", summary: "gives what is used within one position, or by the next, room for one"
  ) { graph, context in
    let rooms = RoomSearch(graph).rooms
    var buffers = graph.buffers
    var moved: [Location: Int] = [:]
    for (id, room) in rooms.sorted(by: { $0.key < $1.key }) {
      guard context.mayRewrite() else { break }
      buffers[id.index].extent = .elements(room)
      moved[.buffer(id)] = room
    }
    guard !moved.isEmpty else { return }
    func walked(_ access: Access, _: Loops) -> Access {
      guard let room = moved[access.location] else { return access }
      var access = access
      access.offset %= room
      access.strides[0] = 0
      return access
    }
    func beyondEdge(_ access: Access, _: Loops) -> Access {
      var access = access
      if let room = moved[access.location] { access.offset %= room }
      return access
    }
    graph = graph.replacing(
      kernels: graph.kernels.map { kernel in
        if case .cycle = kernel { return kernel.rewriting(reads: walked, writes: walked) }
        return kernel.rewriting(reads: beyondEdge, writes: beyondEdge)
      }, buffers: buffers)
  }
}

/// The buffers that one position of a cycle needs no more of than its own numbers.
private struct RoomSearch {
  /// How many numbers these are.
  private(set) var rooms: [BufferID: Int] = [:]

  /// A walk over a buffer in a cycle.
  private struct Use {
    let kernel: Int
    let access: Access
    let places: ClosedRange<Int>
    let isWrite: Bool
  }

  init(_ graph: KernelGraph) {
    // The kernels that read each buffer, and those that write it, with where they do.
    var readers: [BufferID: Set<Int>] = [:]
    var writes: [BufferID: [(row: Int, places: ClosedRange<Int>)]] = [:]
    let others = graph.allKernels.dropFirst(graph.blockKernels.count)
    for (row, kernel) in others.enumerated() {
      let walks = kernel.walks
      for case .buffer(let id) in walks.reads.map(\.access.location) { readers[id, default: []].insert(row) }
      for (access, loops) in walks.writes {
        guard case .buffer(let id) = access.location else { continue }
        writes[id, default: []].append((row, access.places(of: loops)))
      }
    }
    for (row, kernel) in graph.kernels.enumerated() {
      guard case .cycle(let cycle) = kernel, let positions = cycle.positions, positions.count > 1 else {
        continue
      }
      for (id, uses) in Self.uses(of: cycle) where readers[id]?.allSatisfy({ $0 == row }) != false {
        let buffer = graph.buffers[id.index]
        let outside = writes[id, default: []].filter { $0.row != row }
        guard buffer.lifetime == .tile, let room = uses[0].access.strides.first, room > 0,
          case .elements(let count) = buffer.extent,
          uses.allSatisfy({ $0.access.index == nil && $0.access.strides.first == room })
        else { continue }
        let (ends, isCarried) = (positions.isBackward, count == room * (positions.count + 1))
        guard isCarried || count == room * positions.count else { continue }
        // Where the numbers of the first position stand, and those of the one before it.
        let own = isCarried && !ends ? room..<2 * room : 0..<room
        let before = isCarried ? (ends ? room..<2 * room : 0..<room) : 0..<0
        let edge = isCarried && ends ? count - room..<count : before
        guard outside.allSatisfy({ $0.row < row && edge.contains($0.places) }),
          Self.areInOrder(uses, own, before)
        else { continue }
        rooms[id] = room
      }
    }
  }

  private static func uses(of cycle: CycleKernel) -> [BufferID: [Use]] {
    var uses: [BufferID: [Use]] = [:]
    for (row, kernel) in cycle.kernels.enumerated() {
      let walks = kernel.walks
      for (isWrite, walk) in walks.reads.map({ (false, $0) }) + walks.writes.map({ (true, $0) }) {
        guard case .buffer(let id) = walk.access.location else { continue }
        uses[id, default: []].append(
          Use(
            kernel: row, access: walk.access, places: walk.access.atOnePosition(of: walk.loops),
            isWrite: isWrite))
      }
    }
    return uses
  }

  /// Whether a position writes its own numbers only, reads them when all are written, and reads those of the position
  /// before while none is.
  private static func areInOrder(_ uses: [Use], _ own: Range<Int>, _ before: Range<Int>) -> Bool {
    let writes = uses.filter(\.isWrite).map(\.kernel)
    guard let first = writes.min(), let last = writes.max() else { return false }
    return uses.allSatisfy { use in
      if use.isWrite { return own.contains(use.places) }
      if own.contains(use.places) { return use.kernel > last }
      return before.contains(use.places) && use.kernel < first
    }
  }
}

extension Range<Int> {
  fileprivate func contains(_ other: ClosedRange<Int>) -> Bool {
    contains(other.lowerBound) && contains(other.upperBound)
  }
}
