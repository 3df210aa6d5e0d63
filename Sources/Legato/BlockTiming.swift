// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GraphIR
internal import RealtimeCore
internal import ReferenceInterpreter

/// How long blocks took, each by itself.
///
/// The clock is read before and after each execute; what two readings without anything between them take is subtracted.
/// For a hundred blocks a parameter gets another target before each block, in turn, for the next hundred they rest, so
/// that code for moving and for settled parameters is met, and the changes from one to the other. The first block meets
/// cold caches, as it does in a host. Around it is an ordinary thread: it is interrupted, and its pages are not locked.
package struct BlockTiming: Sendable {
  /// Whether blocks of a stream are timed, and not steps.
  package var isStream = true
  /// Frames of a block; 1 where a step is executed.
  package var frames: Int
  /// What each block took, in their order; there is one at least.
  package var nanoseconds: [Int]
  /// What was subtracted from each.
  package var clockNanoseconds = 0
  /// Nanoseconds in which a block has to be done; nil where nothing says so.
  package var deadline: Double?
  /// How often another thread ran in the place of this one, and how often memory was not there.
  package var contextSwitches = 0, pageFaults = 0

  package init(frames: Int, nanoseconds: [Int], deadline: Double? = nil) {
    precondition(!nanoseconds.isEmpty, "no block was timed")
    self.frames = frames
    self.nanoseconds = nanoseconds
    self.deadline = deadline
  }

  /// The time within which a share of the blocks was done.
  package func percentile(_ share: Double) -> Int {
    let sorted = nanoseconds.sorted()
    let position = Int((share * Double(sorted.count)).rounded(.up)) - 1
    return sorted[min(max(position, 0), sorted.count - 1)]
  }

  /// The block that took longest, the first of them.
  package var worst: (block: Int, nanoseconds: Int) {
    var worst = (block: 0, nanoseconds: nanoseconds[0])
    for (block, time) in nanoseconds.enumerated() where time > worst.nanoseconds { worst = (block, time) }
    return worst
  }

  /// How many blocks took longer than they may; nil where they may take any time.
  package var late: Int? { deadline.map { deadline in nanoseconds.count { Double($0) > deadline } } }
}

extension Verification {
  /// How many blocks are timed.
  package enum TimedBlocks: Hashable, Sendable {
    case exactly(Int)
    /// So many, or as many as there is time for.
    case atMost(Int, seconds: Double)
  }

  /// Times blocks of the model's stimulus while parameters move.
  ///
  /// - Parameters:
  ///   - frames: Frames of a block; of no meaning for steps.
  ///   - rate: Blocks are due in frames, or steps, per second; nil where they are not due.
  /// - Throws: `ModelError.code` where a block takes more memory than is reasonable.
  package func timing(
    _ blocks: TimedBlocks, frames: Int, rate: Double?, progress: Progress = { _ in }
  ) throws(ModelError) -> BlockTiming {
    let frames = isStream ? frames : 1
    let numbers = (program.layout.inputs + program.layout.outputs).rowUnits.reduce(0, +)
    let bytes = numbers.multipliedReportingOverflow(by: frames * MemoryLayout<Float>.stride)
    guard !bytes.overflow, bytes.partialValue <= Limits.workspaceBytes else {
      throw .code(
        "\(quoted(graph.name)): a block of \(frames) frames takes more than \(Limits.workspaceBytes) bytes; "
          + "time smaller blocks")
    }
    let bench: BlockBench
    do throws(ContextError) { bench = try BlockBench(graph, program, frames: frames) } catch {
      throw .code(error.description)
    }
    let (most, limit) =
      switch blocks {
      case .exactly(let count): (count, Int.max)
      case .atMost(let count, let seconds): (count, Int(seconds * 1e9))
      }
    let overhead = BlockBench.clockOverhead()
    var times = [Int](repeating: 0, count: most)
    let (begin, before) = (BlockBench.now(), BlockBench.disturbances())
    var done = 0
    while done < most, done == 0 || BlockBench.now() - begin < limit {
      if done.isMultiple(of: 1_000) { progress("timing block \(done) of \(most)") }
      times[done] = max(0, bench.run(block: done) - overhead)
      done += 1
    }
    let after = BlockBench.disturbances()
    var timing = BlockTiming(
      frames: frames, nanoseconds: Array(times.prefix(done)), deadline: rate.map { Double(frames) / $0 * 1e9 }
    )
    timing.isStream = isStream
    timing.clockNanoseconds = overhead
    timing.contextSwitches = after.switches - before.switches
    timing.pageFaults = after.faults - before.faults
    return timing
  }
}

/// A context with input for a few blocks, which go round.
private final class BlockBench {
  private var context: Context
  private let parameters: [Parameter]
  private let inputs, outputs: NumberRows
  private let frames: Int
  /// Blocks of input that there are.
  private let blocks: Int
  private var noise = Noise(seed: 7)

  /// Numbers of the input, roughly.
  private static let numbers = 1 << 18
  private static let mostBlocks = 64

  init(_ graph: Graph, _ program: Program, frames: Int) throws(ContextError) {
    let layout = program.layout
    let units = layout.inputs.rowUnits
    blocks = max(1, min(Self.mostBlocks, Self.numbers / max(1, units.reduce(0, +) * frames)))
    self.frames = frames
    context = try Context(program)
    parameters = context.parameters
    inputs = NumberRows(units, frames: blocks * frames)
    outputs = NumberRows(layout.outputs.rowUnits, frames: frames)
    let signals = Stimulus.trial(of: graph, frames: blocks * frames, movesParameters: false).inputs
    inputs.fill(signals, from: 0, frames: blocks * frames)
  }

  /// Executes a block; the nanoseconds between two readings of the clock around it.
  func run(block: Int) -> Int {
    if block / 100 % 2 == 0, !parameters.isEmpty {
      let parameter = parameters[block % parameters.count]
      let (low, high) = (parameter.range.minimum, parameter.range.maximum)
      parameter.set(low + (noise.next() + 1) / 2 * (high - low))
    }
    return unsafe inputs.withTable(from: block % blocks * frames) { sources in
      unsafe outputs.withTable(from: 0) { results in
        let constants = unsafe UnsafeRawPointer(sources)?.assumingMemoryBound(to: UnsafePointer<Float>?.self)
        let begin = Self.now()
        unsafe context.execute(frames: frames, inputs: constants, outputs: results)
        return Self.now() - begin
      }
    }
  }

  /// What a reading of the clock takes: the median of many.
  static func clockOverhead() -> Int {
    let times = (0..<1_001).map { _ in
      let begin = now()
      return now() - begin
    }
    return times.sorted()[times.count / 2]
  }

  /// What happened to the thread so far.
  static func disturbances() -> (switches: Int, faults: Int) {
    // Linux's RUSAGE_THREAD, which the module Glibc leaves out.
    let thread: Int32 = 1
    var usage = rusage()
    unsafe getrusage(thread, &usage)
    return (usage.ru_nvcsw + usage.ru_nivcsw, usage.ru_minflt + usage.ru_majflt)
  }

  static func now() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
