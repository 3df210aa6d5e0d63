// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Gives what kernels of a cycle along an axis hand on within one position room for one position.
  ///
  ///     cycle, 4800 positions one by one            buffer 0 [4800, 64]   →   buffer 0 [64]
  ///       buffer 0 ← x + dense(h, a position before)
  ///       h ← tanh(buffer 0)
  ///
  /// It stays in the first cache instead of going through memory. Legal because nothing outside of the cycle uses the
  /// buffer, and because in each position all is written, before it is read, at the position's own places.
  static let positionReuse = KernelPass(
    name: "position-reuse", summary: "gives what is used within one position room for one"
  ) { graph, context in
    let rooms = RoomSearch(graph).rooms
    var (buffers, moved) = (graph.buffers, Set<Location>())
    for (id, room) in rooms.sorted(by: { $0.key < $1.key }) {
      guard context.mayRewrite() else { break }
      buffers[id.index].extent = .elements(room)
      moved.insert(.buffer(id))
    }
    guard !moved.isEmpty else { return }
    func standing(_ access: Access, _: Loops) -> Access {
      guard moved.contains(access.location) else { return access }
      var access = access
      access.strides[0] = 0
      return access
    }
    graph = graph.replacing(
      kernels: graph.kernels.map { $0.rewriting(reads: standing, writes: standing) }, buffers: buffers)
  }
}

/// The buffers that one position of a cycle needs no more of than its own numbers.
private struct RoomSearch {
  /// How many numbers these are.
  private(set) var rooms: [BufferID: Int] = [:]

  private struct Use {
    let kernel: Int
    let strides: Int?
    let places: ClosedRange<Int>
    let isWrite: Bool
  }

  init(_ graph: KernelGraph) {
    var cyclesUsing: [BufferID: Set<Int>] = [:]
    for (row, kernel) in graph.allKernels.enumerated() {
      let (reads, writes) = kernel.accesses
      for case .buffer(let id) in (reads + writes).map(\.location) {
        cyclesUsing[id, default: []].insert(row)
      }
    }
    for case .cycle(let cycle) in graph.kernels {
      guard let positions = cycle.positions, positions.count > 1 else { continue }
      var uses: [BufferID: [Use]] = [:]
      for (row, kernel) in cycle.kernels.enumerated() {
        let walks = kernel.walks
        for (isWrite, walk) in walks.reads.map({ (false, $0) }) + walks.writes.map({ (true, $0) }) {
          guard case .buffer(let id) = walk.access.location else { continue }
          uses[id, default: []].append(
            Use(
              kernel: row, strides: walk.access.index == nil ? walk.access.strides.first : nil,
              places: walk.access.atOnePosition(of: walk.loops), isWrite: isWrite))
        }
      }
      for (id, uses) in uses where cyclesUsing[id]?.count == 1 {
        let buffer = graph.buffers[id.index]
        guard buffer.lifetime == .tile, let room = uses[0].strides, room > 0,
          buffer.extent == .elements(room * positions.count),
          uses.allSatisfy({ $0.strides == room && $0.places.lowerBound >= 0 && $0.places.upperBound < room }),
          let lastWrite = uses.filter(\.isWrite).map(\.kernel).max(),
          uses.allSatisfy({ $0.isWrite || $0.kernel > lastWrite })
        else { continue }
        rooms[id] = room
      }
    }
  }
}
