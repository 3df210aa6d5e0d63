// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// Loops of one form in series, side by side in the lanes of vectors.
///
///     frame of       loop 0   loop 1   loop 2        each of them 2 frames behind the one before it
///     moment 4          4        2        0
///     moment 5          5        3        1
///     moment 6          6        4        2
///
/// A loop waits for its result of the frame before; loops at different frames overlap these latencies. Legal because a
/// loop reads of the one before it only its own frame, which was computed some moments ago. Each number is computed by
/// the same instructions as in its loop alone, so that no bit changes; a block ends when the last loop has ended, so
/// that there is no latency.
///
/// The states have one form; streams that are handed on need not. Where these differ, each form is computed in all
/// lanes, and each lane takes its own.
package struct Wavefront: Sendable {
  /// One value in all lanes at one moment; operands are numbers of earlier steps.
  package enum Step: Hashable, Sendable {
    /// For each loop a number that stays the same.
    case number([ValueID?])
    /// For each loop a stream at its frame: read from memory, or handed on by the loop before it.
    case stream([ValueID?])
    /// The loops' state of some frames ago.
    case remembered(memory: Int, back: Int)
    case computed(Op, [Int])
    /// The first of two steps for the loops that are named, the second for the others.
    case blend([Bool], Int, Int)
  }

  /// One state variable of each loop.
  package struct Memory: Sendable {
    /// The access by which each loop writes it.
    package var accesses: [Access]
    package var depth: Int
    /// The step whose value becomes the state.
    package var next: Int
  }

  /// The loops with their rows in one axis at most.
  package let loops: [MapKernel]
  package private(set) var steps: [Step] = []
  package private(set) var memories: [Memory] = []
  /// For a stream that is handed on: the step whose lanes go to the next loop each.
  package private(set) var handed: [Int: Int] = [:]
  /// The stores of the last loop.
  package private(set) var stores: [(access: Access, step: Int)] = []
  /// How many frames each loop is behind the one before it.
  package private(set) var lag = 1
  /// How many rows go side by side.
  package private(set) var rowsAtOnce: Int

  /// Rows of each loop.
  package var rows: Int { loops[0].space.extents.last ?? 1 }

  /// Moments after which the last loop is at its first frame.
  package var beginning: Int { lag * (loops.count - 1) }

  /// The most lanes in which it pays: four vectors of each value.
  static func mostLanes(for target: Target) -> Int { 4 * target.lanes }

  /// The loops of a cycle that goes frame by frame.
  ///
  /// - Parameters:
  ///   - readers: How many walks read each place.
  ///   - frames: The most that it goes through at a time.
  init?(
    _ cycle: CycleKernel, in kernels: KernelGraph, readers: [Location: Int], for target: Target, frames: Int
  ) {
    guard cycle.span == 1, cycle.kernels.count > 1 else { return nil }
    var chain: [ChainedLoop] = []
    for case .map(let map) in cycle.kernels { chain.append(ChainedLoop(map)) }
    guard chain.count == cycle.kernels.count else { return nil }
    self.init(chain, in: kernels, readers: readers, for: target, frames: frames)
  }

  /// One loop alone, with its rows in lanes; nil where another way is faster.
  ///
  /// - Parameter frames: The most that it goes through at a time; what it writes besides may be read behind them.
  init?(
    alone loop: ChainedLoop, in kernels: KernelGraph, readers: [Location: Int], for target: Target,
    frames: Int
  ) {
    self.init(of: [loop], in: kernels, readers: readers, for: target, writingAheadOf: frames)
    guard let lanes = rowsInLanes(of: target, frames: frames) else { return nil }
    rowsAtOnce = lanes
  }

  /// nil where loops are not of one form, do anything but hand on their results, or are faster one by one.
  ///
  /// - Parameters:
  ///   - readers: How many walks read each place.
  ///   - frames: The most that they go through at a time.
  init?(
    _ chain: [ChainedLoop], in kernels: KernelGraph, readers: [Location: Int], for target: Target, frames: Int
  ) {
    guard chain.count > 1, chain.count <= Self.mostLanes(for: target) else { return nil }
    self.init(of: chain, in: kernels, readers: readers, for: target)
    lag = leastLag
    guard isWorthwhile(in: kernels, for: target, frames: frames) else { return nil }
  }

  private init?(
    of chain: [ChainedLoop], in kernels: KernelGraph, readers: [Location: Int], for target: Target,
    writingAheadOf frames: Int? = nil
  ) {
    var forms: [LoopForm] = []
    for loop in chain {
      let readsAlone = { (place: Location) in readers[place] == loop.reads[place] }
      guard let form = LoopForm(loop.map, in: kernels, frames: frames, readsAlone: readsAlone) else {
        return nil
      }
      forms.append(form)
    }
    loops = forms.map(\.map)
    rowsAtOnce = max(1, min(forms[0].map.space.extents.last ?? 1, Self.mostLanes(for: target) / forms.count))
    guard forms.allSatisfy({ $0.map.space == forms[0].map.space && $0.remembersLike(forms[0]) }),
      let links = Self.links(of: chain, forms, readers, besides: kernels.uniform)
    else { return nil }
    var packing = WavefrontPacking(forms, links, in: kernels.graph)
    guard packing.pack() else { return nil }
    (steps, memories, handed, stores) = (packing.steps, packing.memories, packing.handed, packing.stores)
  }

  /// For each loop the values that the one before it hands on; nil where another kernel reads or writes their places.
  private static func links(
    of chain: [ChainedLoop], _ forms: [LoopForm], _ readers: [Location: Int], besides uniform: Set<ValueID>
  ) -> [Set<ValueID>]? {
    let written = Set(forms.flatMap { $0.map.stores.map(\.access.location) })
    let last = forms[forms.count - 1]
    var links: [Set<ValueID>] = []
    for (index, form) in forms.enumerated() {
      var link: Set<ValueID> = []
      let own = Set(form.memories.map(\.access.location))
      for (value, access) in form.map.loads where !own.contains(access.location) {
        // What lies in an output's memory is read before it is written, frame by frame.
        if case .input(let port) = access.location {
          let targets = last.map.stores.map(\.access).filter { $0.location == .output(port) }
          guard targets.allSatisfy({ $0.offset == access.offset && $0.strides == access.strides }) else {
            return nil
          }
        }
        // Of what it writes into a history that is not its own it reads only what was before all these frames: where
        // it could read more, it has no form.
        if case .history = access.location { continue }
        guard written.contains(access.location) else { continue }
        // A number that depends on parameters alone is no stream: it would be read where nothing writes it any more.
        guard index > 0, !uniform.contains(value), forms[index - 1].map.stores.contains(Store(value, access))
        else { return nil }
        link.insert(value)
      }
      links.append(link)
      // What a loop writes, the next one reads, and nobody else; only the last one is read.
      guard index < forms.count - 1 else { continue }
      for store in form.map.stores where !own.contains(store.access.location) {
        let place = store.access.location
        guard case .buffer = place,
          readers[place, default: 0]
            == chain[index].reads[place, default: 0] + chain[index + 1].reads[place, default: 0]
        else { return nil }
      }
    }
    return links.dropFirst().allSatisfy { !$0.isEmpty } ? links : nil
  }
}

extension LoopForm {
  fileprivate func remembersLike(_ other: LoopForm) -> Bool {
    memories.map(\.form) == other.memories.map(\.form) && memories.map(\.depth) == other.memories.map(\.depth)
  }
}
