// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GraphIR
internal import RealtimeCore
internal import ReferenceInterpreter

/// A context, a clock, and input for some blocks, which is repeated.
final class BlockBench {
  private var driver: ContextDriver
  private let parameters: [Parameter]
  private let frames: Int
  /// Blocks of input that there are.
  private let blocks: Int
  private var noise = Noise(seed: 7)

  /// Numbers of the input, roughly.
  private static let numbers = 1 << 18
  private static let mostBlocks = 64

  init(_ graph: Graph, _ program: Program, frames: Int) throws(ContextError) {
    let units = program.layout.inputs.rowUnits
    blocks = max(1, min(Self.mostBlocks, Self.numbers / max(1, units.reduce(0, +) * frames)))
    self.frames = frames
    driver = try ContextDriver(program, frames: blocks * frames, outputFrames: frames)
    parameters = driver[0].parameters
    let signals = Stimulus.trial(of: graph, frames: blocks * frames, movesParameters: false).inputs
    driver.inputs.fill(signals, from: 0, frames: blocks * frames)
  }

  /// Executes a block; the nanoseconds between two readings of the clock around it.
  func run(block: Int) -> Int {
    if block / 100 % 2 == 0, !parameters.isEmpty {
      let parameter = parameters[block % parameters.count]
      let (low, high) = (parameter.range.minimum, parameter.range.maximum)
      parameter.set(low + (noise.next() + 1) / 2 * (high - low))
    }
    driver.point(from: block % blocks * frames, to: 0)
    let begin = Self.now()
    driver.run(frames)
    return Self.now() - begin
  }

  /// The nanoseconds of a reading of the clock: the median of many.
  static func clockOverhead() -> Int {
    let times = (0..<1_001).map { _ in
      let begin = now()
      return now() - begin
    }
    return times.sorted()[times.count / 2]
  }

  /// The context switches and page faults of the thread so far.
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
