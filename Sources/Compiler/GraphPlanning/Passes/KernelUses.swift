// SPDX-License-Identifier: Apache-2.0

/// The kernels of a graph in the order in which they run, with an index of readers and writers.
///
/// A kernel of a cycle is a row of its own: the cycle runs it in each span, after those before it.
struct KernelUses {
  /// The kernels; nil where one was removed.
  private(set) var leaves: [Kernel?] = []
  private var readers: [Location: Set<Int>] = [:]
  private var writers: [Location: Set<Int>] = [:]
  /// The first row of the kernels of a tile.
  private let firstOfTile: Int
  /// The kernels of a tile, cycles with their rows in their place.
  private var tree: [Branch] = []
  private let readBySettling: Set<BufferID>

  private indirect enum Branch {
    case leaf(Int)
    case cycle(CycleKernel, [Branch])
  }

  init(_ graph: KernelGraph) {
    firstOfTile = graph.blockKernels.count
    readBySettling = Set(
      (graph.settling?.loads.values).map(Array.init)?.compactMap { access in
        if case .buffer(let id) = access.location { id } else { nil }
      } ?? [])
    leaves = graph.blockKernels
    tree = graph.kernels.map { plant($0) }
    for index in leaves.indices { enter(index) }
  }

  private mutating func plant(_ kernel: Kernel) -> Branch {
    if case .cycle(let cycle) = kernel {
      return .cycle(cycle, cycle.kernels.map { plant($0) })
    }
    leaves.append(kernel)
    return .leaf(leaves.count - 1)
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

  var kernels: [Kernel] { tree.compactMap(kernel) }

  /// The rest of a kernel; nil where nothing is left.
  private func kernel(_ branch: Branch) -> Kernel? {
    switch branch {
    case .leaf(let row): return leaves[row]
    case .cycle(var cycle, let nested):
      cycle.kernels = nested.compactMap(kernel)
      return cycle.kernels.isEmpty ? nil : .cycle(cycle)
    }
  }
}
