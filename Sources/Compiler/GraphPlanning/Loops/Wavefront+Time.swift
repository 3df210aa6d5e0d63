// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The cost of a wavefront, as it is estimated.
extension Wavefront {
  /// Whether all lanes together cost less than the loops one by one, with the moments in which the lanes fill.
  func isWorthwhile(in kernels: KernelGraph, for target: Target, frames: Int) -> Bool {
    let vectors = (loops.count * rowsAtOnce + target.lanes - 1) / target.lanes
    let apart = loops.reduce(0) { $0 + kernels.costWhileSettled(of: $1.nodes) }
    return cost * vectors * (frames + beginning) <= apart * rowsAtOnce * frames
  }

  /// The cost of one moment, all lanes together.
  package var cost: Int {
    steps.reduce(0) { sum, step in
      switch step {
      case .computed(let op, _): sum + op.cost
      case .blend: sum + 1
      case .number, .stream, .remembered: sum
      }
    }
  }

  /// How many streams it reads, or hands on.
  package var streams: Int { steps.count { step in if case .stream = step { true } else { false } } }

  private static let mostLag = 4

  /// The least lag, in frames, by which each stream is there before the next loop reads it.
  var leastLag: Int {
    let through =
      handed.values.compactMap { path(to: $0) { if case .stream = $0 { true } else { false } } }.max() ?? 0
    // The way into the neighbouring lane, and of a sample into the first one.
    let across = 8
    let frame = max(1, frameTime)
    return min(Self.mostLag, max(1, (through + across + frame - 1) / frame))
  }

  /// The latency of a loop from one frame to the next, in cycles of a processor, roughly.
  ///
  /// States depend on each other along several paths, each as slow as its slowest round: these are simulated for a
  /// while.
  private var frameTime: Int {
    struct Way {
      var from: Int
      var back: Int
      var to: Int
      var length: Int
    }
    var ways: [Way] = []
    for (index, memory) in memories.enumerated() {
      for back in 1...memory.depth {
        for (target, other) in memories.enumerated() {
          let length = path(to: other.next) { $0 == .remembered(memory: index, back: back) }
          if let length { ways.append(Way(from: index, back: back, to: target, length: length)) }
        }
      }
    }
    let (settled, end) = (32, 64)
    var times = [[Int]](repeating: [Int](repeating: 0, count: memories.count), count: end)
    for frame in 1..<end {
      for way in ways where way.back <= frame {
        times[frame][way.to] = max(times[frame][way.to], times[frame - way.back][way.from] + way.length)
      }
    }
    let (first, last) = (times[settled].max() ?? 0, times[end - 1].max() ?? 0)
    return (last - first + end - settled - 2) / (end - 1 - settled)
  }

  /// The longest path to a step from one of some kind, in cycles of a processor, roughly; nil where there is none.
  private func path(to end: Int, from isStart: (Step) -> Bool) -> Int? {
    var lengths: [Int?] = []
    for step in steps {
      func longest(_ operands: [Int]) -> Int? { operands.compactMap { lengths[$0] }.max() }
      switch step {
      case .number, .stream, .remembered: lengths.append(isStart(step) ? 0 : nil)
      case .computed(let op, let operands):
        lengths.append(longest(operands).map { $0 + (op.cost <= 2 ? 4 : 4 + 2 * op.cost) })
      case .blend(_, let a, let b): lengths.append(longest([a, b]).map { $0 + 1 })
      }
    }
    return lengths[end]
  }
}
