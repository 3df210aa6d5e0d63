// SPDX-License-Identifier: Apache-2.0

/// The kernels of a graph one by one in the order in which they run, with an index of who reads and writes what.
///
/// A kernel of a cycle is a row of its own: the cycle runs it in each frame, after those before it.
struct KernelUses {
  /// nil where a kernel has gone.
  private(set) var leaves: [Kernel?] = []
  private var readers: [Location: Set<Int>] = [:]
  private var writers: [Location: Set<Int>] = [:]
  /// The first row of the kernels of a tile.
  private let firstOfTile: Int
  /// The rows of each kernel of a tile, and whether it is a cycle.
  private var spans: [(rows: Range<Int>, isCycle: Bool)] = []
  private let readBySettling: Set<BufferID>

  init(_ graph: KernelGraph) {
    firstOfTile = graph.blockKernels.count
    readBySettling = Set(
      (graph.settling?.loads.values).map(Array.init)?.compactMap { access in
        if case .buffer(let id) = access.location { id } else { nil }
      } ?? [])
    leaves = graph.blockKernels
    for kernel in graph.kernels {
      let nested = kernel.leaves
      var isCycle = false
      if case .cycle = kernel { isCycle = true }
      spans.append((leaves.count..<leaves.count + nested.count, isCycle))
      leaves += nested
    }
    for index in leaves.indices { enter(index) }
  }

  func readers(of location: Location) -> Set<Int> { readers[location] ?? [] }

  func writers(of location: Location) -> Set<Int> { writers[location] ?? [] }

  func isReadBySettling(_ id: BufferID) -> Bool { readBySettling.contains(id) }

  mutating func replace(_ index: Int, with kernel: Kernel?) {
    if let (reads, writes) = leaves[index]?.accesses {
      for access in reads { readers[access.location]?.remove(index) }
      for access in writes { writers[access.location]?.remove(index) }
    }
    leaves[index] = kernel
    enter(index)
  }

  private mutating func enter(_ index: Int) {
    guard let (reads, writes) = leaves[index]?.accesses else { return }
    for access in reads { readers[access.location, default: []].insert(index) }
    for access in writes { writers[access.location, default: []].insert(index) }
  }

  var blockKernels: [Kernel] { leaves[..<firstOfTile].compactMap(\.self) }

  var kernels: [Kernel] {
    spans.flatMap { span -> [Kernel] in
      let kernels = leaves[span.rows].compactMap(\.self)
      return span.isCycle && !kernels.isEmpty ? [.cycle(kernels)] : kernels
    }
  }
}
